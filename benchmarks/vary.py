"""Measure writing and checking ten thousand variations, beside PyYAML writing and reading the same data."""

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import yaml

from benchmarks.measure import Result, best_microseconds, best_seconds
from puzzlebox.arena.variations import Template
from puzzlebox.arena.variations.folder import write_folder

FILES = 10_000
FAMILY = "basic-control"
_BILLION = "vary: {a: {range: [1, 100000]}, b: {range: [1, 100000]}}\narenas: [{time_limit: $a, pass_mark: $b}]\n"


def _plain(value: Any) -> Any:
    """Return data without Puzzlebox's own types, so that PyYAML can write them."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def run() -> list[Result]:
    """Measure writing a folder, drawing and counting."""
    template = Template(FAMILY)

    def write() -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_folder(template, Path(folder) / "tasks", template.sample_indices(FILES, 1), FILES, {})

    ours = best_seconds(write, repeats=1)
    data = [_plain(template.at(index).data) for index in template.sample_indices(FILES // 10, 1)]

    def peer() -> None:
        for each in data:
            yaml.load(yaml.dump(each, Dumper=yaml.CSafeDumper), Loader=yaml.CSafeLoader)

    theirs = best_seconds(peer, repeats=3) * 10
    rng, large = Random(0), Template(_BILLION)
    return [
        Result(f"write and check {FILES:,} variations", ours, "s", "< 20", theirs, "PyYAML writing and reading them"),
        Result("draw one variation as a task", best_microseconds(lambda: template.draw(rng).task, 200), "us"),
        Result("read and count a template of 10^10", best_microseconds(lambda: Template(_BILLION).count, 50), "us"),
        Result("one of 10^10 by its number", best_microseconds(lambda: large.at(rng.randrange(10**10)), 500), "us"),
    ]


if __name__ == "__main__":
    for result in run():
        print(f"{result.what}: {result.measured:.4g} {result.unit} (goal {result.goal or '-'}; peer {result.peer})")
