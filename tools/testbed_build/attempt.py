"""`try`: candidates of one row, with all that would be checked when it is built, and their pictures."""

from itertools import islice
from pathlib import Path

from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import candidates
from puzzlebox.arena.testbed.solutions import actions_text
from puzzlebox.arena.testbed.tasks import id_of, with_metadata
from puzzlebox.arena.variations.narrowing import Narrowed
from testbed_build.pictures import save, sheet, views
from testbed_build.trial import passes, try_task


def attempt(level_number: int, number: int, amount: int, search: int, folder: Path, decisions: int) -> bool:
    """Try some candidates of a row and print what was found; return whether all can be used.

    Args:
        level_number: the level.
        number: the row.
        amount: how many candidates.
        search: the work of the solver for each, in simulated decisions.
        folder: the folder of the pictures.
        decisions: decisions in which nothing is done before the pictures are taken.
    """
    level = read_level(level_number, partial=True)
    row = level.rows.get(number)
    if row is None:
        raise SystemExit(f"level {level_number} has no task {number} yet; it has {', '.join(map(str, level.rows))}")
    level.templates[row.template].check()
    name = id_of(level.number, number, 0)[:-2]
    count = Narrowed(level.templates[row.template], row.values).count
    print(f"{name} {row.title} ({row.condition}), template {row.template}: {count:,} combinations fit its values")
    pictures, good = [], True
    for variant, variation in enumerate(islice(candidates(level, row, name), amount), 1):
        task = with_metadata(variation.task, level, number)
        trial = try_task(task, level, number, search, stop_early=False)
        good = good and not trial.problems
        print(f"\n{name}-{variant}: variation {variation.number}: {variation.description()}")
        print(f"  time: {', '.join(f'{part} {spent:.1f} s' for part, spent in trial.seconds.items())}")
        trial.passed["navigator"] = passes("navigator", task, 0)
        print(
            "  shortcuts:",
            ", ".join(f"{agent} {'PASSES' if each else 'fails'}" for agent, each in trial.passed.items()),
        )
        for seed, actions in trial.solutions.items():
            print(f"  seed {seed}: {len(actions)} decisions, return {trial.totals[seed]:.3f}: {actions_text(actions)}")
        print(f"  plan: {'; '.join(trial.steps)}" if trial.steps else "  no plan")
        print("".join(f"  PROBLEM {problem}\n" for problem in trial.problems) or "  good\n", end="")
        pictures.append((f"{name}-{variant}", row.title, views(task, 320, decisions=decisions)))
        (folder / f"{name}-{variant}.yml").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}-{variant}.yml").write_text(task.text, encoding="utf-8")
    if pictures:
        path = folder / f"{name}.png"
        save(sheet(pictures, 1), path)
        print(f"\npictures: {path}; the tasks lie beside it")
    return good and bool(pictures)
