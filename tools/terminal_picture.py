"""Draw the output of a few commands in a terminal as an SVG file, for the README: `make pictures`."""

import io
import re
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "check.svg"
MISTAKES = """\
arenas:
  - time_limit: 250
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Walll, at: [20, 0, 20], size: [10, 3, 1]}
      - {name: GoodGoal, at: [20, 0, 30], size: 1, colour: red}
"""


def main() -> None:
    """Run the commands in a folder of their own and draw the result."""
    console = Console(record=True, file=io.StringIO(), width=92)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "my_task.yml").write_text(MISTAKES)
        for command in ("cat my_task.yml", "puzzlebox check my_task.yml"):
            console.print(Text(f"$ {command}", style="bold"))
            process = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
            for line in (process.stdout + process.stderr).splitlines():
                style = "bold red" if ": error:" in line else "red" if set(line.strip()) <= set("|^ ") else ""
                console.print(Text(line.rstrip(), style=style))
    svg = console.export_svg(title="puzzlebox check")
    # The exported picture would fetch a font from the network; any monospaced one will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
    print(f"wrote {PICTURE.name}")


main()
