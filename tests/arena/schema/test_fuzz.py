"""Read damaged files: no exception, no limit broken, and an accepted task is the same after it was written.

`make slow` runs 100,000 inputs and reports the slowest and the largest; `make test` runs a share of them.
"""

import copy
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import reference_files
from puzzlebox.arena.schema import ANIMALAI, PUZZLEBOX, Reading, Task, read, write
from puzzlebox.arena.schema.lines import lines_of
from puzzlebox.arena.schema.tree import MAX_BYTES, MAX_ITEMS
from puzzlebox.batteries import bundled_names, bundled_path
from strategies import tasks
from test_messages import CASES_FROM_FILE

TOKENS = (
    b"!ArenaConfig,!Arena,!Item,!Vector3,!RGB,!toggleObject,!grantReward,!!float,&a,*a,<<: *a,? ,: ,- ,[,],{,},"
    b"|\n,>\n,',\",#,---,...,%TAG ! x,\t,\n,\r\n,\x00,\xff,\xef\xbb\xbf,\xc2\x85,\xe2\x80\xa8,"
    b".nan,-.inf,1e999,017,1:30,0x1F,1_000,"
    b"no,yes,~,null,-1,0,9999999999999999999999,1.5,random,arenas:,items:,name: Agent,name: Wall,positions:,sizes:,"
    b"rotations:,colors:,operations:,timeLimit:,time_limit:,blackouts: [-5],passMark:,metadata: {a: 1},id: 3,"
    b"theme: snow,"
    b"at: [1; 2; 3],size: 1,do: one_of,merge_next_arena: true,"
).split(b",")

_WORD = re.compile(rb"[A-Za-z0-9._-]+")


@dataclass
class Report:
    """Counts of the results of a run."""

    inputs: int = 0
    accepted: int = 0
    slowest: tuple[float, bytes] = (0.0, b"")
    slowest_per_byte: tuple[float, bytes] = (0.0, b"")
    largest: bytes = b""
    codes: set[str] = field(default_factory=set)

    def add(self, data: bytes, reading: Reading, seconds: float) -> None:
        self.inputs += 1
        self.accepted += reading.task is not None
        self.codes |= {finding.code for finding in reading.findings}
        self.slowest = max(self.slowest, (seconds, data))
        self.slowest_per_byte = max(self.slowest_per_byte, (seconds / (len(data) + 1000), data))
        self.largest = max(self.largest, data, key=len)

    def __str__(self) -> str:
        seconds, data = self.slowest
        return (
            f"{self.inputs} inputs, {self.accepted} accepted, {len(self.codes)} different findings; "
            f"slowest {seconds * 1e3:.1f} ms ({len(data)} bytes, {data[:60]!r}...); largest {len(self.largest)} bytes"
        )


def seeds() -> list[bytes]:
    files = [path for name in bundled_names() if (path := bundled_path(name))] + reference_files()
    cases = [match["text"].encode() for match in CASES_FROM_FILE.values()]
    return cases + [path.read_bytes() for path in files]


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return a file with random damage: bytes changed, pieces removed, doubled or inserted, or words inserted."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 8, 30))):
        at = rng.randrange(len(result) + 1)
        length = rng.choice((1, 2, 5, 20, 200))
        match rng.randrange(11):
            case 0 if result:
                result[at % len(result)] = rng.choice(b" \n:-,#[]{}!&*'\"0123456789abxyz.\t\xe9")
            case 1:
                del result[at : at + length]
            case 2:
                result[at:at] = result[at : at + length] * rng.choice((1, 2, 50))
            case 3:
                start = rng.randrange(len(other) + 1)
                result[at:at] = other[start : start + length]
            case 4 | 5:
                result[at:at] = rng.choice(TOKENS)
            case 6 | 7 | 8 | 9:
                # Replace a word or number by another one: still YAML, with another meaning.
                words = list(_WORD.finditer(result))
                if words:
                    word = rng.choice(words)
                    alike = [each for each in _WORD.findall(other) if each[:1].isdigit() == word[0][:1].isdigit()]
                    result[word.start() : word.end()] = rng.choice(alike or [b"x"] if at % 4 else TOKENS)
            case _:
                # Swap two lines, as people do by mistake.
                lines = bytes(result).split(b"\n")
                one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one], lines[two] = lines[two], lines[one]
                result = bytearray(b"\n".join(lines))
    return bytes(result[: MAX_BYTES + 10])


def graft(tree: yaml.Node, other: yaml.Node, rng: random.Random) -> bytes:
    """Return valid YAML in which a few values are replaced by others: numbers for lists, operations for colours."""
    root = _without_aliases(tree)
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_places(root))
        if not places:
            break
        holder, index = rng.choice(places)
        donors = list(_places(other)) or [([other], 0)]
        source, position = rng.choice(donors)
        entry = source[position]
        new = _without_aliases(rng.choice(entry) if isinstance(entry, tuple) else entry)
        if isinstance(holder[index], tuple):
            pair = list(holder[index])
            pair[0 if rng.random() < 0.2 else 1] = new
            holder[index] = tuple(pair)
        else:
            holder[index] = new
    return str(yaml.serialize(root, Dumper=yaml.CDumper, width=200)).encode()


def _places(node: yaml.Node) -> Iterator[tuple[list[Any], int]]:
    """Yield every list that holds children, with every position in it."""
    if isinstance(node.value, list):
        for index, entry in enumerate(node.value):
            yield node.value, index
            for child in entry if isinstance(entry, tuple) else (entry,):
                yield from _places(child)


def _without_aliases(node: yaml.Node) -> yaml.Node:
    """Return a copy in which no node occurs twice, since that would be written as an alias."""
    duplicate = copy.copy(node)
    if isinstance(node.value, list):
        duplicate.value = [
            tuple(map(_without_aliases, entry)) if isinstance(entry, tuple) else _without_aliases(entry)
            for entry in node.value
        ]
    return duplicate


def survive(data: bytes, report: Report) -> None:
    start = time.perf_counter()
    reading = read(data)
    report.add(data, reading, time.perf_counter() - start)
    assert len(reading.findings) <= 402
    lines = lines_of(reading.text)
    for finding in reading.findings:
        first = 0 if finding.code == "binary" else 1  # only this one has no place in the file
        assert finding.message and first <= finding.place.line <= len(lines)
        finding.headline("f")
        finding.picture(lines)
    if reading.task is None:
        assert any(finding.severity == "error" for finding in reading.findings)
        return
    assert sum(len(arena.items) for arena in reading.task.arenas) <= MAX_ITEMS
    for form in (PUZZLEBOX, ANIMALAI):
        assert read(write(reading.task, form)).task == reading.task


def fuzz(number: int, seed: int) -> Report:
    rng = random.Random(seed)
    sources = seeds()
    trees = [tree for tree in map(_tree, sources) if tree is not None]
    report = Report()
    for index in range(number):
        if index % 3:
            data = mutate(rng.choice(sources), rng.choice(sources), rng)
        else:
            data = graft(rng.choice(trees), rng.choice(trees), rng)
        try:
            survive(data, report)
        except BaseException:
            print(f"input {index} of seed {seed}: {data!r}")
            raise
    return report


def _tree(data: bytes) -> yaml.Node | None:
    try:
        tree: yaml.Node | None = yaml.compose(data, Loader=yaml.CSafeLoader)
        return _without_aliases(tree) if tree is not None and len(data) < 3_000 else None
    except (yaml.YAMLError, RecursionError):
        return None


def test_mutated_files_are_read_or_refused() -> None:
    report = fuzz(800, seed=1)
    assert report.accepted > 20 and len(report.codes) > 20, report


@settings(max_examples=80)
@given(task=tasks(), form=st.sampled_from((PUZZLEBOX, ANIMALAI)), seed=st.integers(0, 2**32))
def test_mutations_of_generated_tasks_are_read_or_refused(task: Task, form: str, seed: int) -> None:
    text = write(task, form).encode()
    survive(mutate(text, text, random.Random(seed)), Report())


@settings(max_examples=300)
@given(data=st.binary(max_size=200))
def test_arbitrary_bytes_are_read_or_refused(data: bytes) -> None:
    survive(data, Report())


@pytest.mark.slow
@settings(max_examples=5_000, derandomize=False)
@given(task=tasks(), form=st.sampled_from((PUZZLEBOX, ANIMALAI)), seed=st.integers(0, 2**32))
def test_thousands_of_generated_tasks_and_mutations_are_read_or_refused(task: Task, form: str, seed: int) -> None:
    text = write(task, form).encode()
    survive(text, Report())
    survive(mutate(text, text, random.Random(seed)), Report())


@pytest.mark.slow
def test_a_hundred_thousand_mutated_files_are_read_or_refused() -> None:
    report = fuzz(100_000, seed=2)
    print(f"\n{report}")
    assert report.inputs == 100_000 and len(report.codes) > 40
