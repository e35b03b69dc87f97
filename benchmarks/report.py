"""Format results: cells of tables, and the tables of docs/concepts/performance.md, between marks with their names."""

import re
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Result

PAGE = Path(__file__).parent.parent / "docs" / "concepts" / "performance.md"


def number(value: float, unit: str) -> str:
    """Return a value as text with its unit."""
    if unit == "/s":
        return f"{value:,.0f}/s"
    return f"{value:.4g} {unit}"


def cells(result: Result) -> tuple[str, str, str, str, str]:
    """Return what was measured, the value, the goal, the peer, and the ratio to it."""
    if result.peer is None:
        return result.what, number(result.measured, result.unit), result.goal, result.peer_name, ""
    peer = f"{number(result.peer, result.unit)} ({result.peer_name})"
    ratio = f"{result.measured / result.peer:.2f}"
    return result.what, number(result.measured, result.unit), result.goal, peer, ratio


def describe_machine(about: dict[str, Any]) -> str:
    """Return a description of the machine, and whether it was busy with other work."""
    load = "load unknown" if about["load"] is None else f"load {about['load']} before"
    if about.get("others") is not None:
        load += f", others used {about['others']:.1f} cores meanwhile"
    busy = "; BUSY: slower than it is" if about["busy"] else ""
    machine = f"{about['processor']}, {about['cores']} cores, {about['vector_instructions']}, Python {about['python']}"
    return f"{machine}, {load}{busy}"


def markdown(name: str, results: list[Result], about: dict[str, Any]) -> str:
    """Return a Markdown table, with the command that produced it."""
    rows = [cells(result) for result in results]
    heads = ("what", "measured", "goal", "peer in the same run", "ratio to peer")
    columns = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    lines = [f"`python -m benchmarks {name}`, {time.strftime('%Y-%m-%d')}: {describe_machine(about)}.", ""]
    lines.append("| " + " | ".join(heads[column] for column in columns) + " |")
    lines.append("|" + "---|" * len(columns))
    lines += ["| " + " | ".join(row[column] for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def write(results: dict[str, list[Result]], about: dict[str, Any]) -> None:
    """Write the tables into the page; a benchmark that has no place there is left out."""
    text = PAGE.read_text(encoding="utf-8")
    for name, each in results.items():
        marks = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not marks.search(text):
            print(f"{PAGE.name} has no place for {name}", file=sys.stderr)
        table = markdown(name, each, about)
        text = marks.sub(lambda match, table=table: f"{match[1]}\n{table}\n\n{match[2]}", text)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")
