"""The pages of the testbed's levels, in docs/guides/testbed: prose by hand, and tables made by `tools/reference.py`.

A page has places for two tables, between `<!-- table NAME -->` and `<!-- end NAME -->`: `tasks`, the thirty tasks of
the level, and `published`, what was passed on the same level of the original's testbed.
"""

import csv
import re
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from pathlib import Path

from puzzlebox.arena.testbed.level import LEVELS, Level
from puzzlebox.arena.testbed.reading import read_level

ROOT = Path(__file__).parent.parent
NAMES = {number: f"guides/testbed/level-{number:02d}.md" for number in range(1, LEVELS + 1)}
# The published results of the table: the agent in the file, and its name in the table.
PUBLISHED = {
    "children-corrected": "59 children",
    "Trrrrr": "Trrrrr",
    "ironbar": "ironbar",
    "dreamer-v3": "Dreamer",
    "ppo-relabelled": "PPO",
    "heuristic": "heuristic",
    "random": "random",
}


def page(number: int) -> str:
    """Return the page of a level with its tables made anew.

    Raises:
        ValueError: the page has no place for one of the tables.
    """
    name = NAMES[number]
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for part, table in (("tasks", tasks_table(read_level(number))), ("published", published_table(number))):
        marks = re.compile(rf"(<!-- table {part} -->\n).*?(<!-- end {part} -->)", re.DOTALL)
        text, places = marks.subn(lambda match, table=table: f"{match[1]}\n{table}\n\n{match[2]}", text)  # type: ignore[misc]
        if places != 1:
            raise ValueError(
                f"docs/{name} has {places} places for the table `{part}`; it needs one, between "
                f"<!-- table {part} --> and <!-- end {part} -->"
            )
    return text


def tasks_table(level: Level) -> str:
    """Return the table of the tasks of a level, with a line about all of them."""
    rows = level.rows
    controls = sum(row.is_control for row in rows.values())
    first = f"testbed/{level.number:02d}-01-1"
    lines = [
        f"{len(rows) - controls} tests and {controls} controls from {len(level.about.templates)} templates, with three "
        f"variants each: `{first}` is task 1, variant 1.",
        "",
        "| task | title | what it tests | condition | its control | paradigm | difficulty |",
        "|---|---|---|---|---|---|---|",
    ]
    for number, row in rows.items():
        paradigm = f"{row.paradigm} ({', '.join(short_references(row.reference))})"
        cells = (number, row.title, row.tests, row.condition, row.control or "", paradigm, row.difficulty)
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def short_references(reference: str) -> list[str]:
    """Return the authors and years of a reference: `Call (2001), J. Comp. Psychol. 115` is `Call 2001`."""
    found = re.findall(r"(?:after )?([^;()]+?) \((\d{4})\)", reference)
    return [f"{authors.strip()} {year}" for authors, year in found]


def published_table(number: int) -> str:
    """Return the table of published results on a level of the original's testbed."""
    path = files("puzzlebox.report").joinpath("published_levels.csv")
    with path.open(encoding="utf-8") as file:
        rows = {row["agent"]: row for row in csv.DictReader(file)}
    shares = [f"{_percent(rows[agent][f'level_{number}'])} %" for agent in PUBLISHED]
    heads = PUBLISHED.values()
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(shares) + "|", f"| {' | '.join(shares)} |"])


def _percent(share: str) -> Decimal:
    """Return a share of the file in percent; 0.0405, which is 3 of 74, is 4.1, though its nearest float is below."""
    return (100 * Decimal(share)).quantize(Decimal("0.1"), ROUND_HALF_UP)
