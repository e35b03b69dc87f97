"""Checking task files: a thousand files of testbed size on one core, beside PyYAML merely parsing them."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.measure import Result, best_seconds
from puzzlebox.schema import read
from puzzlebox.schema.tree import Node, compose

FILES = 1_000
# Mean and spread of the 900 testbed tasks: 3,713 items, 10,400 instances, up to 156 in one file (animal-ai.md 1.13).
WORDS = ("Wall", "GoodGoal", "GoodGoalMulti", "DeathZone", "Ramp", "WallTransparent", "Cardbox1", "BadGoal")


class _Peer(yaml.CSafeLoader):
    """PyYAML with Animal-AI's tags read as plain mappings: parsing, and nothing checked."""


for _tag in ("!ArenaConfig", "!Arena", "!Item", "!Vector3", "!RGB"):
    _Peer.add_constructor(_tag, lambda loader, node: loader.construct_mapping(node, deep=True))


def testbed_like(seed: int) -> str:
    """A file in Animal-AI's form with as many things as a testbed task has."""
    chance = random.Random(seed)
    lines = ["!ArenaConfig", "arenas:", "  0: !Arena", "    pass_mark: 0", "    t: 250", "    items:"]
    lines += ["    - !Item", "      name: Agent", "      positions:", "      - !Vector3 {x: 20, y: 0, z: 20}"]
    for _ in range(chance.choice((1, 2, 3, 4, 5, 7))):
        instances = chance.choice((1, 1, 1, 2, 3, 4, 8, 20 if chance.random() < 0.2 else 2))
        lines += ["    - !Item", f"      name: {chance.choice(WORDS)}", "      positions:"]
        lines += [
            f"      - !Vector3 {{x: {chance.uniform(1, 39):.2f}, y: 0, z: {chance.uniform(1, 39):.2f}}}"
            for _ in range(instances)
        ]
        lines += [f"      rotations: {[chance.choice((0, 90, 45)) for _ in range(instances)]}", "      sizes:"]
        lines += [f"      - !Vector3 {{x: 1, y: 2, z: {chance.choice((1, 5, 9))}}}" for _ in range(instances)]
        lines += ["      colors:"] + ["      - !RGB {r: 153, g: 153, b: 153}"] * instances
    return "\n".join(lines)


def count_nodes(node: Node) -> int:
    """How many values a tree holds."""
    if isinstance(node.value, str):
        return 1
    children = [child for entry in node.value for child in (entry if isinstance(entry, tuple) else (entry,))]
    return 1 + sum(map(count_nodes, children))


def run() -> list[Result]:
    """Seconds for the thousand files, and microseconds a node for the largest accepted file."""
    files = [testbed_like(seed) for seed in range(FILES)]
    checked = best_seconds(lambda: [read(text) for text in files], repeats=3)
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(files):
            (Path(folder) / f"{number}.yaml").write_text(text)
        command = [str(Path(sys.executable).with_name("puzzlebox")), "check", folder]
        whole = best_seconds(lambda: subprocess.run(command, capture_output=True, check=True), repeats=3)
    parsed = best_seconds(lambda: [yaml.load(text, Loader=_Peer) for text in files], repeats=3)
    largest = "arenas:\n- items:\n" + "".join(
        f"  - {{name: Wall, at: [{i % 40}, {i // 1600 * 2}, {i // 40 % 40}], rotation: 0, size: [0.9, 1, 0.9]}}\n"
        for i in range(6_600)
    )
    root = compose(largest)
    assert root is not None and read(largest).task is not None
    nodes = count_nodes(root)
    per_node = best_seconds(lambda: read(largest), repeats=3) / nodes * 1e6
    peer_per_node = best_seconds(lambda: yaml.load(largest, Loader=_Peer), repeats=3) / nodes * 1e6
    return [
        Result(f"read and check {FILES:,} testbed-size files", checked, "s", "< 5", parsed, "PyYAML parsing them"),
        Result(f"the same with `puzzlebox check`, {FILES:,} files on disk", whole, "s", "< 5", parsed, "the same"),
        Result(f"one accepted file, {nodes:,} nodes", per_node, "us/node", "<= 20", peer_per_node, "PyYAML parsing it"),
    ]
