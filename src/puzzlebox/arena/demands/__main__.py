"""Print the demands of tasks: `python -m puzzlebox.arena.demands TASK...`."""

import sys

from puzzlebox.arena.demands import DEMANDS, demands
from puzzlebox.arena.envs.sources import places_of
from puzzlebox.arena.schema import load_task


def main(sources: list[str]) -> None:
    """Print a table for each arena of the tasks of files, folders and bundled names, played by the default rules."""
    for source in sources:
        for name, place in places_of(source):
            task = load_task(place)
            for start in task.starts:
                values = demands(task, start)
                print(f"{name}, arena {start + 1}")
                for column in DEMANDS:
                    print(f"  {column.name:13}{values[column.name]:8.2f} {column.unit:10} {column.meaning}")


if __name__ == "__main__":
    main(sys.argv[1:])
