"""`plan`, which tells how many tasks, episodes and participants a study needs, by simulation from a pilot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

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
_TIMES = {1: "once", 2: "twice"}


@dataclass(frozen=True)
class Line:
    """The power of designs that differ in the number of tasks only.

    Attributes:
        episodes: the episodes of each task of both agents: by each participant or run, where there are any.
        subjects: the number of participants or runs; 0 without any.
        tasks: the numbers of tasks.
        powers: the power with each of them.
    """

    episodes: tuple[int, int]
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
        saturation: how much more episodes help; None if there are participants or runs.
        subject_words: what the subjects of each agent are called: "participant", "run", or "" without any.
        repetitions: the number of simulated studies of each design.
        remarks: sentences about how the agents were chosen.
    """

    agents: tuple[str, str]
    pilot: Pilot
    difference: float
    shares: tuple[float, float]
    lines: list[Line]
    pilot_tasks: int
    saturation: "Saturation | None"
    subject_words: tuple[str, str]
    repetitions: int
    remarks: tuple[str, ...] = ()

    def label(self, line: Line) -> str:
        """Return the design of a line in words."""
        if not line.subjects:
            return words.count(line.episodes[0], "episode")
        times = [_TIMES.get(many, f"{many} times") for many in line.episodes]
        first, second = self.subject_words
        if first == second:
            return f"{words.count(line.subjects, first)} per group, each {times[0]}"
        sampled, single = [], []
        for name, word, own in zip(self.agents, self.subject_words, times, strict=True):
            whose = "in all" if word == "participant" else f"of {name}"
            if word:
                sampled.append(f"{words.count(line.subjects, word)} {whose}, each {own}")
            else:
                single.append(f"{name} {own}")
        return "; ".join([*sampled, *single])

    @property
    def heading(self) -> str:
        """What the labels of lines are: numbers of each task, or, with participants or runs, whole designs."""
        return "who plays each task" if any(self.subject_words) else "per task"

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
            per = f"{self.label(line)} on each task" if line.subjects else f"{self.label(line)} of each task"
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
        return [*lines, *self.advice, *self.remarks]

    @property
    def advice(self) -> list[str]:
        """What more episodes, or more participants, would bring: at most one sentence."""
        if self.saturation is not None:
            tasks = words.count(self.pilot_tasks, "task")
            many, reached, limit = self.saturation
            most = words.percent(limit, 0)
            these = f"with the {tasks} of the pilot, these have {words.percent(reached, 0)} power"
            if reached < limit - _HARDLY:
                return [
                    f"More than {words.count(many, 'episode')} of each task still help: {these}, any number {most}."
                ]
            return [
                f"More episodes of the same tasks do not help beyond {many} of each: {these}, and any number of them "
                f"{most}. More tasks do."
            ]
        fewest, most_of_all = self.lines[0], self.lines[-1]
        if fewest.subjects == most_of_all.subjects:
            return []
        first, last = (words.percent(line.powers[-1], 0) for line in (fewest, most_of_all))
        return [
            f"With {fewest.tasks[-1]} tasks, {fewest.subjects} {self._subjects} have {first} power, and "
            f"{most_of_all.subjects} have {last}."
        ]

    @property
    def _subjects(self) -> str:
        return words.listed([f"{word}s" for word in dict.fromkeys(self.subject_words) if word])


class Saturation(NamedTuple):
    """How much more episodes of the tasks of the pilot help.

    Attributes:
        episodes: the smallest simulated number of episodes from which more hardly help, or the largest one.
        power: the power with these.
        limit: the power with any number of episodes.
    """

    episodes: int
    power: float
    limit: float


def plan(
    results: Results,
    *,
    agents: Sequence[str] = (),
    difference: float | None = None,
    tasks: Sequence[int] = (),
    episodes: Sequence[int] = (),
    participants: Sequence[int] = (),
    participant_episodes: int | None = None,
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
        episodes: the numbers of episodes of each task to try: those of agents, not of participants. Default: several,
            or that of the pilot if there are participants or runs.
        participants: the numbers of participants or runs of each group to try.
        participant_episodes: how often each participant plays each task. Default: as in the pilot, mostly once.
        repetitions: the number of simulated studies of each design.
        seed: the seed of the simulation.
        progress: a function called with how many designs are done, and how many there are.

    Raises:
        CannotCompute: the pilot cannot answer the question; the message says why.
    """
    chosen = _agents(results, agents)
    decided = [row for row in results.rows if row.agent in chosen and row.passed is not None]
    cells, pilot_tasks, named = _cells(decided, chosen)
    subject_words = (named[0], named[1] if len(named) > 1 else "")
    pilot = fit_pilot(cells[0], cells[1] if len(cells) > 1 else None)
    observed = abs(pilot.means[0] - pilot.means[1])
    if difference is None and len(cells) == 1:
        raise CannotCompute("the pilot has only one agent; give the difference to look for with --difference")
    if difference is None and observed < 0.005:
        raise CannotCompute("the agents of the pilot do not differ; give the difference to look for with --difference")
    looked_for = observed if difference is None else difference
    shares = shares_at(pilot, looked_for)
    with_subjects = any(pilot.subjects)
    people_play = [word == "participant" for word in subject_words]
    if participants and not with_subjects:
        raise CannotCompute("the pilot has neither participants nor several runs of an agent; leave out --participants")
    if participant_episodes is not None and not any(people_play):
        raise CannotCompute("the pilot has no participants; leave out --participant-episodes")
    if episodes and all(people_play):
        raise CannotCompute("--episodes is about agents, and both groups are people; give --participant-episodes")
    counts = sorted(set(tasks or TASKS))
    of_people = participant_episodes or _typical(cells, people_play, True)
    per_task = sorted(set(episodes or ((_typical(cells, people_play, False),) if with_subjects else EPISODES)))
    people = sorted(set(participants or PARTICIPANTS)) if with_subjects else [0]
    combinations = list(product(people, per_task))
    total, done = len(combinations) * len(counts) + 1, 0
    rng = rng_from(seed)
    # The lines of the figure are compared on the same simulated tasks.
    streams = {many: int(rng.integers(2**32)) for many in counts}
    lines = []
    for subjects, number in combinations:
        powers = []
        own = of_people if people_play[0] else number, of_people if people_play[1] else number
        for many in counts:
            powers.append(power(pilot, looked_for, Design(many, own, subjects), repetitions, rng_from(streams[many])))
            done += 1
            progress(done, total)
        lines.append(Line(own, subjects, tuple(counts), tuple(powers)))
    saturation = None
    if not with_subjects:
        saturation = _saturation(pilot, looked_for, Design(pilot_tasks, 1), per_task, repetitions, rng)
    progress(total, total)
    names = (chosen[0], chosen[1] if len(chosen) > 1 else "another agent")
    remarks = _choice(results, chosen) if not agents else ()
    return PowerPlan(
        names, pilot, looked_for, shares, lines, pilot_tasks, saturation, subject_words, repetitions, remarks
    )


def _typical(cells: Sequence[Cells], people_play: Sequence[bool], people: bool) -> int:
    """Return how often participants, or agents, of the pilot played each task: the median; 1 if there are none."""
    own = [each.trials[each.trials > 0] for each, are in zip(cells, people_play, strict=False) if are == people]
    return max(1, int(np.median(np.concatenate(own)))) if own else 1


def _choice(results: Results, chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the sentence that tells which agents of a pilot with more than two were compared, and why."""
    known = _known(results)
    if len(known) <= len(chosen):
        return ()
    return (
        f"Compared were {' and '.join(chosen)}, the first two of the pilot's {len(known)} ({words.listed(known)}); "
        "--agent A --agent B chooses others.",
    )


def _saturation(
    pilot: Pilot,
    difference: float,
    design: Design,
    numbers: Sequence[int],
    repetitions: int,
    rng: np.random.Generator,
) -> Saturation:
    """Find from which of some numbers of episodes on more of them hardly help."""
    seed, many = int(rng.integers(2**32)), max(repetitions, _FEWEST_STUDIES)

    def at(episodes: int) -> float:
        # The same stream each time: numbers of episodes are compared on the same tasks.
        return power(pilot, difference, replace(design, episodes=episodes), many, rng_from(seed))

    limit = at(_MANY_EPISODES)
    for episodes in numbers:
        reached = at(episodes)
        if reached >= limit - _HARDLY:
            break
    return Saturation(episodes, reached, max(limit, reached))


def _known(results: Results) -> list[str]:
    return agents_of(row for row in results.rows if row.passed is not None)


def _agents(results: Results, agents: Sequence[str]) -> list[str]:
    known = _known(results)
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


def _cells(rows: Sequence[ReportEpisode], agents: Sequence[str]) -> tuple[list[Cells], int, list[str]]:
    """Return the outcomes of each agent on the tasks that all have played, their number, and the words for subjects."""
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
    cells, subject_words = [], []
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
        subject_words.append(units.subject_word(each[0].agent) if sampled else "")
    return cells, len(tasks), subject_words


def rows_of(answer: PowerPlan) -> list[dict[str, Any]]:
    """Return the table of all simulated designs."""
    return [
        {
            "tasks": tasks,
            "episodes_per_task": _of(answer, line, people=False),
            "participants": line.subjects or None,
            "participant_episodes": _of(answer, line, people=True),
            "difference": answer.difference,
            "power": share,
            "standard_error": (share * (1 - share) / answer.repetitions) ** 0.5,
        }
        for line in answer.lines
        for tasks, share in zip(line.tasks, line.powers, strict=True)
    ]


def _of(answer: PowerPlan, line: Line, *, people: bool) -> int | None:
    """Return the episodes of each task by agents, or by each participant; None if there are none of them."""
    pairs = zip(line.episodes, answer.subject_words, strict=True)
    return next((many for many, word in pairs if (word == "participant") == people), None)


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
            f"{word}s of {name} {words.number(spread)}"
            for name, spread, word in zip(answer.agents, pilot.subject_spreads, answer.subject_words, strict=True)
            if word
        ]
        spreads += f", {', '.join(each)}"
    methods = (
        f"{spreads}. Power is the share of {answer.repetitions:,} simulated studies in which the 95 % interval of the "
        "difference of proportions, for tasks like these, excluded 0."
    )
    text.write_text("\n".join([*answer.sentences, methods, *pilot.warnings]) + "\n", encoding="utf-8")
    return [*files, table, text]
