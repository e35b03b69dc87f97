"""The section "Capabilities": what agents can do, inferred from what tasks demand (measurement layouts)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.columns import Column
from puzzlebox.record.entries import hash_of
from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures import capabilities as figure
from puzzlebox.report.figures import paths
from puzzlebox.report.figures.looks import Drawing, Looks
from puzzlebox.report.tables import Table, interval_cells, text
from puzzlebox.report.units import Units
from puzzlebox.stats import Interval
from puzzlebox.stats.layout import FEWEST_TASKS, WORST_R_HAT, Layout, fit_agreeing
from puzzlebox.stats.layout_validation import FOLDS, Forecasts, cross_validate, folds_of, gain, mean_over_groups
from puzzlebox.wings import find_wing

# Most agents of which capabilities are inferred: each takes up to a minute.
MOST_AGENTS = 8

# What the table says about a capability whose interval is mostly that of the prior.
NOT_INFORMED = "not informed by these tasks"
# The time of a fit to all tasks, in fits of one fold, which have fewer draws.
_WHOLE = 7
_LAYOUT = (
    "A layout is a model of passing: each task makes demands on several dimensions, and an agent passes if it is "
    "capable of all of them."
)

Floats = NDArray[np.float64]
# The hash of a task, the index of an arena, and the name of the rules.
Place = tuple[str, int, str]


class Battery(NamedTuple):
    """What was played, as arrays: one row for each place, which is an arena of a task under some rules.

    Attributes:
        dimensions: the dimensions of the demands, without those on which nothing is demanded.
        demands: the demands of each place.
        units: the task of each place, variants together.
        weights: the weight of each place; the places of a task add up to 1.
        shares: for each agent, the share of episodes passed at each place; NaN where it did not play.
    """

    dimensions: list[Column]
    demands: Floats
    units: list[str]
    weights: Floats
    shares: dict[str, Floats]


# A function that shows progress: what is done now, how much of it is done, and how much there is (0: not known).
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Show nothing."""


def blocks(
    rows: Sequence[ReportEpisode], look: Looks, wanted: bool, seed: int, progress: Progress = no_progress
) -> list[str | Table | Drawing]:
    """Return the contents of the section; empty unless they are wanted."""
    if not wanted:
        return []
    decided = [row for row in rows if row.passed is not None]
    if not decided:
        return ["Capabilities are not inferred: it is not known whether any of these episodes passed."]
    wing = _wing_of(decided)
    if wing is None:
        return ["Capabilities are not inferred: nothing is known about the demands of these tasks."]
    tasks = len({row.task for row in decided})
    if tasks < FEWEST_TASKS:
        return [f"Capabilities are not inferred: that needs {FEWEST_TASKS} tasks, and there are {tasks}."]
    battery = battery_of(decided, wing, progress)
    count = len(set(battery.units))
    if count < FEWEST_TASKS:
        return [
            f"Capabilities are not inferred: of {words.count(tasks, 'task')} only {count} could be read. Runs with "
            "trajectories, files of recordings and bundled tasks can be."
        ]
    return _inferred(battery, look, seed, progress)


def advice(rows: Sequence[ReportEpisode], wanted: bool) -> list[str]:
    """Return a sentence about how to get capabilities, if they could be inferred and are not wanted yet."""
    decided = [row for row in rows if row.passed is not None]
    if wanted or len({row.task for row in decided}) < FEWEST_TASKS or _wing_of(decided) is None:
        return []
    return [
        "`puzzlebox report --capabilities` infers what each agent is able to do from the demands of these tasks, and "
        "tests how well that predicts other tasks."
    ]


def _wing_of(rows: Sequence[ReportEpisode]) -> Any:
    """Return the wing of all episodes, if there is one and its tasks have demands; otherwise None."""
    wings = {row.wing for row in rows}
    wing = find_wing(next(iter(wings))) if len(wings) == 1 else None
    return wing if getattr(wing, "dimensions", ()) else None


def battery_of(rows: Sequence[ReportEpisode], wing: Any, progress: Progress = no_progress) -> Battery:
    """Read the demands of all tasks that can be read, and the shares that each agent passed."""
    units = Units.of(rows)
    demands: dict[Place, Mapping[str, float]] = {}
    tasks = tasks_of(units.rows, wing)
    by_place = grouped(units.rows, _place)
    for index, (place, own) in enumerate(by_place.items()):
        progress("reading the demands of tasks", index, len(by_place))
        task = tasks.get((own[0].task_hash, own[0].rules))
        if task is not None and own[0].arena in task.starts:
            rules = wing.rules(own[0].rules_fields or own[0].rules or None)
            demands[place] = wing.demands(task, own[0].arena, rules)
    places = list(demands)
    unit_of = {_place(row): units.task(row) for row in units.rows}
    values = np.array([[demands[place][column.name] for column in wing.dimensions] for place in places])
    values = values.reshape(len(places), len(wing.dimensions))
    used = [index for index in range(len(wing.dimensions)) if (values[:, index] > 1e-9).any()]
    of_units = [unit_of[place] for place in places]
    sizes = Counter(of_units)
    weights = np.array([1 / sizes[unit] for unit in of_units])
    shares = {}
    cells = grouped(units.rows, lambda row: (row.agent, _place(row)))
    for agent in agents_of(units.rows):
        shares[agent] = np.array([_share(units, cells.get((agent, place), [])) for place in places])
    return Battery([wing.dimensions[index] for index in used], values[:, used], of_units, weights, shares)


def _place(row: ReportEpisode) -> Place:
    return row.task_hash, row.arena, row.rules


def _share(units: Units, rows: Sequence[ReportEpisode]) -> float:
    """Return the mean over participants or runs of the share that each passed; NaN without episodes."""
    by_subject = grouped(rows, units.subject)
    shares = [np.mean([bool(row.passed) for row in own]) for own in by_subject.values()]
    return float(np.mean(shares)) if shares else float("nan")


def tasks_of(rows: Sequence[ReportEpisode], wing: Any) -> dict[tuple[str, str], Any]:
    """Find the tasks of episodes: in trajectories and recordings, and among bundled tasks with the same hash.

    Tasks for several bodies are left out: passing them is not up to one agent alone.
    """
    found: dict[tuple[str, str], Any] = {}
    needed = grouped(rows, lambda row: (row.task_hash, row.rules))
    with_record = [next((row for row in own if row.trajectory), None) for own in needed.values()]
    for row, record in paths.records([row for row in with_record if row is not None]):
        found[row.task_hash, row.rules] = record.task
    for (task_hash, rules), own in needed.items():
        if task_hash and (task_hash, rules) not in found:
            task = next((each for each in _named(own[0].task, wing) if hash_of(each.text) == task_hash), None)
            if task is not None:
                found[task_hash, rules] = task
    return {key: task for key, task in found.items() if task.bodies == 1}


def _named(name: str, wing: Any) -> Iterator[Any]:
    """Yield the tasks with a name, if the wing finds any."""
    try:
        for task_name, place in wing.places(name):
            for each in wing.load(task_name, place, variations=1, seed=0):
                yield each.task
    except (FileNotFoundError, ValueError, OSError):
        return


def _inferred(battery: Battery, look: Looks, seed: int, progress: Progress) -> list[str | Table | Drawing]:
    """Fit and test the layout of each agent, and say what came out."""
    folds = folds_of(battery.units, battery.demands, seed=seed)
    layouts: dict[str, Layout] = {}
    forecasts: dict[str, Forecasts] = {}
    left_out = []
    for agent, shares in battery.shares.items():
        played = np.isfinite(shares)
        if len({unit for unit, here in zip(battery.units, played, strict=True) if here}) < FEWEST_TASKS:
            left_out.append(f"{agent} (fewer than {FEWEST_TASKS} tasks)")
            continue
        if len(layouts) == MOST_AGENTS:
            left_out.append(agent)
            continue
        demands, own, weights = battery.demands[played], shares[played], battery.weights[played]
        fits = _Fits(f"inferring the capabilities of {agent}", progress)
        layouts[agent] = fit_agreeing(demands, own, weights, seed=seed)
        fits.done(_WHOLE)
        # The last tenth of a small battery can leave too few tasks; then there is no test.
        if weights.sum() * (1 - 1 / FOLDS) >= FEWEST_TASKS:
            forecasts[agent] = cross_validate(demands, own, weights, folds[played], seed=seed, done=fits.done)
    places = {agent: np.isfinite(battery.shares[agent]) for agent in layouts}
    caption = (
        "Probability of success on one dimension alone at the largest demand of these tasks, with 50 % (thick) and "
        "95 % (thin) credible intervals: at 100 % the dimension never limits the agent, at 0 % the hardest tasks are "
        "beyond it. Left out is what these tasks do not inform."
    )
    rows = [(agent, layouts[agent], battery.dimensions) for agent in layouts]
    known = any(layout.informed(index) for layout in layouts.values() for index in range(len(battery.dimensions)))
    return [
        *(_prediction(battery, forecasts, places) if layouts else []),
        *([figure.successes(rows, look, caption)] if known else []),
        *([capability_table(battery, layouts)] if layouts else []),
        *_remarks(layouts, left_out),
    ]


class _Fits:
    """The progress of the fits of one agent, in folds."""

    def __init__(self, what: str, progress: Progress) -> None:
        self._what, self._progress, self._done = what, progress, 0
        self.done(0)

    def done(self, folds: int = 1) -> None:
        """Show that some more was done."""
        self._done += folds
        self._progress(self._what, self._done, _WHOLE + FOLDS)


def _prediction(
    battery: Battery, forecasts: Mapping[str, Forecasts], places: Mapping[str, NDArray[np.bool_]]
) -> list[str]:
    """Return the sentences about how well tasks are predicted that were not used."""
    if not forecasts:
        return [
            "Do not rely on this table: whether it predicts other tasks was not tested, because "
            f"{FOLDS} folds leave fewer than {FEWEST_TASKS} tasks.",
            _LAYOUT,
        ]
    parts = []
    overall = Interval(0.0, 0.0, 0.0)
    for agent, each in forecasts.items():
        units = [unit for unit, here in zip(battery.units, places[agent], strict=True) if here]
        overall = better = gain(each, units)
        layout, mean = (mean_over_groups(values, units).value for values in (each.layout_score, each.mean_score))
        parts.append(
            f"{agent} {words.number(layout, 3)} against {words.number(mean, 3)}, a gain of {words.interval(better, 3)}"
        )
    lines = [
        f"How well the capabilities predict tasks that were not used, by the Brier score ({FOLDS} folds, variants of a "
        "task together) of the layout against that of the agent's mean proportion passed, with a 95 % interval over "
        f"tasks: {'; '.join(parts)}."
    ]
    of_all = ""
    if len(forecasts) > 1:
        everywhere = np.all([places[agent] for agent in forecasts], axis=0)
        units = [unit for unit, here in zip(battery.units, everywhere, strict=True) if here]
        gains = [(each.mean_score - each.layout_score)[everywhere[places[agent]]] for agent, each in forecasts.items()]
        overall = mean_over_groups(np.mean(gains, axis=0), units)
        of_all = f" over all {len(forecasts)} agents"
    return [verdict(overall, of_all), _LAYOUT, *lines]


def verdict(overall: Interval, of_all: str = "") -> str:
    """Return the first sentence of the section: whether the table can be relied on.

    Args:
        overall: by how much the layout predicts better than the mean, in Brier scores.
        of_all: of whom, if of several agents.
    """
    size = f"the gain{of_all} is {words.interval(overall, 3)}"
    if overall.low > 0:
        return f"The layout predicts better than the mean: {size} (Brier scores of tasks that were not used)."
    how = "worse than" if overall.high < 0 else "not clearly better than"
    return (
        f"Do not rely on this table: the layout predicts tasks that were not used {how} each agent's mean proportion "
        f"passed does ({size} in Brier scores)."
    )


def capability_table(battery: Battery, layouts: Mapping[str, Layout]) -> Table:
    """Tabulate the capability of each agent on each dimension."""
    lines = []
    for index, column in enumerate(battery.dimensions):
        for agent, layout in layouts.items():
            largest = float(battery.demands[:, index].max())
            lines.append(
                {
                    "dimension": column.name,
                    "meaning": column.meaning,
                    "unit": column.unit,
                    "agent": agent,
                    "largest_demand": largest,
                    "informed": layout.informed(index),
                    "tasks_with_demand": int((battery.demands[:, index] > 1e-9).sum()),
                    **interval_cells("capability", layout.capability(index)),
                    **interval_cells("success_at_largest", layout.success(index, largest)),
                }
            )
    columns = [
        ("dimension", lambda row: f"{row['dimension'].replace('_', ' ')}{_in(row['unit'])}"),
        ("largest demand", lambda row: words.number(row["largest_demand"], 1)),
        ("agent", text("agent")),
        (
            "capability [95 %]",
            lambda row: words.interval(_interval(row, "capability"), 1) if row["informed"] else NOT_INFORMED,
        ),
        (
            "success there (%)",
            lambda row: (
                words.interval(_interval(row, "success_at_largest", 100), 0) if row["informed"] else words.NOT_KNOWN
            ),
        ),
    ]
    caption = (
        "Capability of each agent on each dimension: the demand at which it succeeds half of the time if nothing else "
        "is demanded, with 95 % credible intervals; and its success at the largest demand. A doubling is a step of "
        "a scale on which one more is about twice as much. Where the interval is hardly narrower than the prior's, "
        f"the table says “{NOT_INFORMED}”. `tables/capabilities.csv` has all numbers and the meaning of each dimension."
    )
    return Table("capabilities", caption, lines, columns, most=100, ditto=True)


def _in(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _interval(row: Mapping[str, Any], key: str, scale: float = 1.0) -> Interval:
    return Interval(*(scale * row[f"{key}{which}"] for which in ("", "_low", "_high")))


def _remarks(layouts: Mapping[str, Layout], left_out: Sequence[str]) -> list[str]:
    lines = []
    noises = [f"{agent} {words.percent_interval(layout.noise())}" for agent, layout in layouts.items()]
    if noises:
        lines.append(f"Failures that no demand explains (noise): {words.listed(noises, MOST_AGENTS)}.")
        worst = max(layout.r_hat for layout in layouts.values())
        size = min(layout.effective_size for layout in layouts.values())
        doubt = " The chains do not agree well; take the intervals as rough." if worst > WORST_R_HAT else ""
        lines.append(
            f"Four chains of Hamiltonian Monte Carlo each: R̂ at most {words.number(worst)}, effective size of the "
            f"draws at least {size:.0f}.{doubt}"
        )
    if left_out:
        lines.append(f"Without capabilities: {words.listed(list(left_out), 8)}.")
    return lines
