"""`plan`, which tells how many tasks, episodes and participants a study needs, by simulation from a pilot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from puzzlebox.csv_cells import CellWriter
from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, Results, agents_of
from puzzlebox.report.learners import has_replicates
from puzzlebox.report.units import Units
from puzzlebox.seeds import rng_from
from puzzlebox.stats import CannotCompute
from puzzlebox.stats.pilot import Cells, Pilot, fit_pilot
from puzzlebox.stats.power import Design, power, shares_at, tasks_needed
from puzzlebox.text import closest

WANTED = (0.8, 0.9)
TASKS = (5, 8, 12, 16, 24, 32, 48, 64, 96)
EPISODES, PARTICIPANTS = (1, 3, 10, 30), (5, 10, 20, 40)
# Episodes of each task that stand for any number of them, and the power that more of them may add at most when the
# page says that they do not help.
_MANY_EPISODES, _HARDLY = 1000, 0.03
_FEWEST_STUDIES = 1000
_EPISODES_TRIED = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)


@dataclass(frozen=True)
class Line:
    """The power of designs that differ in the number of tasks only."""

    episodes: int
    subjects: int
    tasks: tuple[int, ...]
    powers: tuple[float, ...]

    def needed(self, wanted: float) -> int | None:
        """Return the number of tasks with the wanted power; None if none of the simulated ones has it."""
        return tasks_needed(np.array(self.tasks, float), np.array(self.powers), wanted)


@dataclass(frozen=True)
class PowerPlan:
    """The answer to "how many do I need?".

    Attributes:
        agents: the two agents.
        pilot: the estimates of the pilot.
        difference: the true difference that is assumed.
        shares: the proportions of both agents that have this difference.
        lines: the power by tasks, for each number of episodes and participants.
        pilot_tasks: the number of tasks of the pilot.
        limit: the power with the tasks of the pilot and any number of episodes.
        enough: the number of episodes from which more hardly help, and the power there; None if there is none.
        subject_word: what subjects are called: "participant", "run", or "" without any.
        repetitions: the number of simulated studies of each design.
    """

    agents: tuple[str, str]
    pilot: Pilot
    difference: float
    shares: tuple[float, float]
    lines: list[Line]
    pilot_tasks: int
    limit: float
    enough: tuple[int, float] | None
    subject_word: str
    repetitions: int

    def label(self, line: Line) -> str:
        """Return the design of a line in words."""
        each = words.count(line.episodes, "episode")
        return f"{words.count(line.subjects, self.subject_word)}, {each}" if line.subjects else each

    @property
    def sentences(self) -> list[str]:
        """The answer in sentences."""
        first, second = (
            f"{name} {words.percent(share, 0)}" for name, share in zip(self.agents, self.shares, strict=True)
        )
        lines = [
            f"To find a difference of {100 * self.difference:.3g} percentage points ({first}, {second}) for tasks like "
            "these, at the 5 % level:"
        ]
        for line in self.lines:
            per = f"{words.count(line.episodes, 'episode')} of each task"
            if line.subjects:
                whose = "per group" if all(self.pilot.subjects) else "in all"
                per = f"{words.count(line.subjects, self.subject_word)} {whose}, {per} each"
            needed = [(wanted, line.needed(wanted)) for wanted in WANTED]
            if needed[0][1] is None:
                most = f"{line.tasks[-1]} tasks reach {words.percent(max(line.powers), 0)}"
                lines.append(f"with {per}, more than {line.tasks[-1]} tasks are needed ({most}).")
                continue
            parts = [
                f"{many} tasks for {words.percent(wanted, 0)} power"
                if many is not None
                else f"more than {line.tasks[-1]} for {words.percent(wanted, 0)}"
                for wanted, many in needed
            ]
            lines.append(f"with {per}, {' and '.join(parts)}.")
        lines.append(self._about_episodes())
        return lines

    def _about_episodes(self) -> str:
        tasks = words.count(self.pilot_tasks, "task")
        if self.enough is None:
            return f"With the {tasks} of the pilot, more episodes of each always help a little."
        many, reached = self.enough
        most = words.percent(self.limit, 0)
        return (
            f"More episodes of the same tasks do not help beyond {many} of each: with the {tasks} of the pilot, these "
            f"have {words.percent(reached, 0)} power, and any number of them {most}. More tasks do."
        )


def plan(
    results: Results,
    *,
    agents: Sequence[str] = (),
    difference: float | None = None,
    tasks: Sequence[int] = (),
    episodes: Sequence[int] = (),
    participants: Sequence[int] = (),
    repetitions: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> PowerPlan:
    """Simulate studies from a pilot and find the numbers that are needed.

    Args:
        results: the episodes of the pilot.
        agents: the two agents to compare. Default: the first two of the pilot.
        difference: the true difference of the proportions passed. Default: that of the pilot.
        tasks: the numbers of tasks to try.
        episodes: the numbers of episodes of each task to try. Default: several, or that of the pilot with participants.
        participants: the numbers of participants or runs of each group to try.
        repetitions: the number of simulated studies of each design.
        seed: the seed of the simulation.
        progress: a function called with how many designs are done, and how many there are.

    Raises:
        CannotCompute: the pilot cannot answer the question; the message says why.
    """
    chosen = _agents(results, agents)
    decided = [row for row in results.rows if row.agent in chosen and row.passed is not None]
    cells, pilot_tasks, word = _cells(decided, chosen)
    pilot = fit_pilot(cells[0], cells[1] if len(cells) > 1 else None)
    observed = abs(pilot.means[0] - pilot.means[1])
    if difference is None and len(cells) == 1:
        raise CannotCompute("the pilot has only one agent; give the difference to look for with --difference")
    if difference is None and observed < 0.005:
        raise CannotCompute("the agents of the pilot do not differ; give the difference to look for with --difference")
    looked_for = observed if difference is None else difference
    shares = shares_at(pilot, looked_for)
    typical = max(1, int(np.median(np.concatenate([each.trials[each.trials > 0] for each in cells]))))
    with_subjects = any(pilot.subjects)
    if participants and not with_subjects:
        raise CannotCompute("the pilot has neither participants nor several runs of an agent; leave out --participants")
    counts = sorted(set(tasks or TASKS))
    per_task = sorted(set(episodes or ((typical,) if with_subjects else EPISODES)))
    people = sorted(set(participants or PARTICIPANTS)) if with_subjects else [0]
    combinations = list(product(people, per_task))
    total, done = len(combinations) * len(counts) + 1, 0
    rng = rng_from(seed)
    # The lines of the figure are compared on the same simulated tasks.
    streams = {many: int(rng.integers(2**32)) for many in counts}
    lines = []
    for subjects, number in combinations:
        powers = []
        for many in counts:
            powers.append(
                power(pilot, looked_for, Design(many, number, subjects), repetitions, rng_from(streams[many]))
            )
            done += 1
            progress(done, total)
        lines.append(Line(number, subjects, tuple(counts), tuple(powers)))
    limit, enough = _saturation(pilot, looked_for, pilot_tasks, repetitions, rng)
    progress(total, total)
    names = (chosen[0], chosen[1] if len(chosen) > 1 else "another agent")
    return PowerPlan(names, pilot, looked_for, shares, lines, pilot_tasks, limit, enough, word, repetitions)


def _saturation(
    pilot: Pilot, difference: float, tasks: int, repetitions: int, rng: np.random.Generator
) -> tuple[float, tuple[int, float] | None]:
    """Return the power with any number of episodes, and the number from which on more of them hardly help."""
    design = Design(max(tasks, 2), _MANY_EPISODES, max(2, *pilot.subjects))
    seed, many = int(rng.integers(2**32)), max(repetitions, _FEWEST_STUDIES)

    def at(episodes: int) -> float:
        # The same stream each time: numbers of episodes are compared on the same tasks.
        return power(pilot, difference, replace(design, episodes=episodes), many, rng_from(seed))

    limit = at(_MANY_EPISODES)
    for episodes in _EPISODES_TRIED:
        reached = at(episodes)
        if reached >= limit - _HARDLY:
            return max(limit, reached), (episodes, reached)
    return limit, None


def _agents(results: Results, agents: Sequence[str]) -> list[str]:
    known = agents_of(row for row in results.rows if row.passed is not None)
    for name in agents:
        if name not in known:
            raise CannotCompute(f"the pilot has no agent {name!r}; it has {words.listed(known)}{closest(name, known)}")
    if len(agents) not in (0, 2):
        raise CannotCompute("name the two agents to compare, each with --agent")
    if not known:
        raise CannotCompute("it is not known which episodes of the pilot passed")
    if len(set(agents)) == 1:
        raise CannotCompute("name two different agents")
    return list(agents) or known[:2]


def _cells(rows: Sequence[ReportEpisode], agents: Sequence[str]) -> tuple[list[Cells], int, str]:
    """Return the outcomes of each agent on the tasks that all have played, their number, and the word for subjects."""
    # All episodes count here, also identical ones: they tell that an agent always does the same.
    units = Units(rows, {})
    own = {agent: [row for row in rows if row.agent == agent] for agent in agents}
    played = [{units.task(row) for row in each} for each in own.values()]
    tasks = [task for task in units.tasks if all(task in each for each in played)]
    if len(tasks) < 2:
        raise CannotCompute(
            "the pilot has fewer than two tasks that both agents have played, so it does not tell how much tasks differ"
        )
    place = {task: index for index, task in enumerate(tasks)}
    cells, word = [], ""
    for each in own.values():
        sampled = has_replicates(units, each)
        names = list(dict.fromkeys(units.subject(row) if sampled else "" for row in each))
        passes, trials = np.zeros((len(names), len(tasks))), np.zeros((len(names), len(tasks)))
        for row in each:
            if (task := units.task(row)) in place:
                at = names.index(units.subject(row) if sampled else ""), place[task]
                passes[at] += bool(row.passed)
                trials[at] += 1
        kept = trials.sum(axis=1) > 0
        cells.append(Cells(passes[kept], trials[kept], sampled))
        word = word or (units.subject_word(each[0].agent) if sampled else "")
    return cells, len(tasks), word


def rows_of(answer: PowerPlan) -> list[dict[str, Any]]:
    """Return the table of all simulated designs."""
    return [
        {
            "tasks": tasks,
            "episodes_per_task": line.episodes,
            "participants": line.subjects or None,
            "difference": answer.difference,
            "power": share,
            "standard_error": (share * (1 - share) / answer.repetitions) ** 0.5,
        }
        for line in answer.lines
        for tasks, share in zip(line.tasks, line.powers, strict=True)
    ]


def write_plan(answer: PowerPlan, folder: Path) -> list[Path]:
    """Write the figure (PNG and PDF), the table and the sentences to a folder; return the files."""
    from puzzlebox.report.figures import looks
    from puzzlebox.report.figures.power import power_figure

    folder.mkdir(parents=True, exist_ok=True)
    with looks.style():
        _, files = looks.save(power_figure(answer), folder)
    table, text = folder / "power.csv", folder / "power.txt"
    rows = rows_of(answer)
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = CellWriter(file)
        writer.writerow(list(rows[0]))
        writer.writerows(list(row.values()) for row in rows)
    pilot = answer.pilot
    spreads = (
        f"Standard deviations in log odds, estimated from the pilot: tasks {words.number(pilot.task_spread)}, an agent "
        f"on a task {words.number(pilot.pair_spread)}"
    )
    if any(pilot.subjects):
        each = [
            f"{answer.subject_word}s of {name} {words.number(spread)}"
            for name, spread, many in zip(answer.agents, pilot.subject_spreads, pilot.subjects, strict=True)
            if many
        ]
        spreads += f", {', '.join(each)}"
    methods = (
        f"{spreads}. Power is the share of {answer.repetitions:,} simulated studies in which the 95 % interval of the "
        "difference of proportions, for tasks like these, excluded 0."
    )
    text.write_text("\n".join([*answer.sentences, methods, *pilot.warnings]) + "\n", encoding="utf-8")
    return [*files, table, text]
