"""Print the table of capabilities of a report as Markdown: `python tools/capabilities_table.py REPORT`.

REPORT is the folder that `puzzlebox report RUN --capabilities` wrote. One row for each dimension, one column for each
agent; the guide on abilities has such a table.
"""

import csv
import sys
from pathlib import Path

from puzzlebox.report.capabilities import NOT_INFORMED


def table(folder: Path) -> str:
    """Return the capabilities in a report's folder as Markdown."""
    with (folder / "tables" / "capabilities.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    lines = [f"| dimension | tasks | largest demand | {' | '.join(agents)} |", "|---" * (3 + len(agents)) + "|"]
    for name in dict.fromkeys(row["dimension"] for row in rows):
        own = {row["agent"]: row for row in rows if row["dimension"] == name}
        first = own[agents[0]]
        cells = [name, first["tasks_with_demand"], f"{float(first['largest_demand']):.1f} {first['unit']}".strip()]
        lines.append(f"| {' | '.join([*cells, *(_cell(own[agent]) for agent in agents)])} |")
    return "\n".join([*lines, "", f"–: {NOT_INFORMED}"])


def _cell(row: dict[str, str]) -> str:
    """Return a capability with its interval and the success at the largest demand."""
    if row["informed"] != "True":
        return "–"
    middle, low, high = (float(row[f"capability{end}"]) for end in ("", "_low", "_high"))
    success = 100 * float(row["success_at_largest"])
    return f"{middle:.1f} [{low:.1f}, {high:.1f}], {success:.0f} %".replace("-", "−")


if __name__ == "__main__":
    print(table(Path(sys.argv[1])))
