"""Measure checking a thousand task files of testbed size on one core, beside PyYAML merely parsing them."""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from benchmarks.measure import Result, best_seconds
from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.tree import Node, compose

FILES = 1_000
# Mean and spread of the 900 testbed tasks: 3,713 items, 10,400 instances, up to 156 in one file
# (docs/original/task-files.md#survey).
WORDS = ("Wall", "GoodGoal", "GoodGoalMulti", "DeathZone", "Ramp", "WallTransparent", "Cardbox1", "BadGoal")


class _Peer(yaml.CSafeLoader):
    """PyYAML's loader with Animal-AI's tags read as plain mappings; it checks nothing."""


for _tag in ("!ArenaConfig", "!Arena", "!Item", "!Vector3", "!RGB"):
    _Peer.add_constructor(_tag, lambda loader, node: loader.construct_mapping(node, deep=True))


def testbed_like(seed: int) -> str:
    """Return a file in Animal-AI's format with as many things as a testbed task has."""
    rng = random.Random(seed)
    lines = ["!ArenaConfig", "arenas:", "  0: !Arena", "    pass_mark: 0", "    t: 250", "    items:"]
    lines += ["    - !Item", "      name: Agent", "      positions:", "      - !Vector3 {x: 20, y: 0, z: 20}"]
    for _ in range(rng.choice((1, 2, 3, 4, 5, 7))):
        instances = rng.choice((1, 1, 1, 2, 3, 4, 8, 20 if rng.random() < 0.2 else 2))
        lines += ["    - !Item", f"      name: {rng.choice(WORDS)}", "      positions:"]
        lines += [
            f"      - !Vector3 {{x: {rng.uniform(1, 39):.2f}, y: 0, z: {rng.uniform(1, 39):.2f}}}"
            for _ in range(instances)
        ]
        lines += [f"      rotations: {[rng.choice((0, 90, 45)) for _ in range(instances)]}", "      sizes:"]
        lines += [f"      - !Vector3 {{x: 1, y: 2, z: {rng.choice((1, 5, 9))}}}" for _ in range(instances)]
        lines += ["      colors:"] + ["      - !RGB {r: 153, g: 153, b: 153}"] * instances
    return "\n".join(lines)


def count_nodes(node: Node) -> int:
    """Return how many values a tree holds."""
    if isinstance(node.value, str):
        return 1
    children = [child for entry in node.value for child in (entry if isinstance(entry, tuple) else (entry,))]
    return 1 + sum(map(count_nodes, children))


def run() -> list[Result]:
    """Measure seconds for the thousand files, and microseconds a node for the most costly accepted files."""
    files = [testbed_like(seed) for seed in range(FILES)]
    check_seconds = best_seconds(lambda: [read(text) for text in files], repeats=3)
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(files):
            (Path(folder) / f"{number}.yaml").write_text(text)
        command = [str(Path(sys.executable).with_name("puzzlebox")), "check", folder]
        command_seconds = best_seconds(lambda: subprocess.run(command, capture_output=True, check=True), repeats=3)
    parse_seconds = best_seconds(lambda: [yaml.load(text, Loader=_Peer) for text in files], repeats=3)
    results = [
        Result(
            f"read and check {FILES:,} testbed-size files",
            check_seconds,
            "s",
            "< 5",
            parse_seconds,
            "PyYAML parsing them",
        ),
        Result(
            f"the same with `puzzlebox check`, {FILES:,} files on disk",
            command_seconds,
            "s",
            "< 5",
            parse_seconds,
            "the same",
        ),
    ]
    for what, text in costly().items():
        root = compose(text)
        assert root is not None and read(text).task is not None, what
        nodes = count_nodes(root)
        ours = best_seconds(lambda text=text: read(text), repeats=3) / nodes * 1e6
        peer = best_seconds(lambda text=text: yaml.load(text, Loader=_Peer), repeats=3) / nodes * 1e6
        results.append(
            Result(f"accepted: {what} ({nodes:,} nodes)", ours, "us/node", "<= 20", peer, "PyYAML parsing it")
        )
    return results


def costly() -> dict[str, str]:
    """Return accepted files that are costly for their size."""
    rows = "arenas:\n- items:\n"
    grid = (f"[{i % 40}, {i // 1600 * 2}, {i // 40 % 40}]" for i in range(6_600))
    above = (f"[{1 + i % 90 * 0.4}, {10 + i // 8100}, {1 + i // 90 % 90 * 0.4}]" for i in range(6_600))
    return {
        "6,600 walls": rows
        + "".join(f"  - {{name: Wall, at: {at}, rotation: 0, size: [0.9, 1, 0.9]}}\n" for at in grid),
        "6,600 walls above one ramp": rows
        + "  - {name: Ramp, at: [20, 0, 20], rotation: 0, size: [39, 10, 39]}\n"
        + "".join(f"  - {{name: Wall, at: {at}, rotation: 0, size: [0.3, 0.3, 0.3]}}\n" for at in above),
        "6,600 walls in one place": rows + "  - {name: Wall, at: [5, 0, 5], rotation: 0, size: [1, 1, 1]}\n" * 6_600,
        "3,300 hollow boxes, then 3,300 walls": rows
        + "  - {name: HollowBox, at: [5, 0, 5], rotation: 0, size: [1, 1, 1]}\n" * 3_300
        + "".join(
            f"  - {{name: Wall, at: [{i % 40}, {i // 1600 * 2}, {i // 40 % 40}], rotation: 0, size: 0.9}}\n"
            for i in range(3_300)
        ),
        "9,000 agents": rows
        + "".join(f"  - {{name: Agent, at: [{1 + i % 30}, {i // 30}, 5]}}\n" for i in range(9_000)),
        "9,900 walls with nothing given": rows + "  - {name: Wall}\n" * 9_900,
        "30,000 negative arena ids": "!ArenaConfig\narenas:\n"
        + "".join(f"  -{i}: !Arena {{}}\n" for i in range(1, 30_000)),
        "unknown things": "!ArenaConfig\narenas: {0: !Arena {items: ["
        + "".join(f"!Item {{name: Thing{i}}}, " for i in range(9_900))
        + "]}}\n",
    }
