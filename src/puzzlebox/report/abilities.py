"""The section "Abilities": agents, participants and tasks on one scale, by item response theory."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of
from puzzlebox.report.figures import wright
from puzzlebox.report.figures.looks import Drawing, Looks
from puzzlebox.report.tables import Table, interval_cells, real, text
from puzzlebox.report.units import Units
from puzzlebox.stats import CannotCompute, Interval
from puzzlebox.stats.intervals import Z_95
from puzzlebox.stats.irt import Cells, Fit, fit_irt
from puzzlebox.stats.irt_items import (
    FEWEST_PLAYERS,
    WORST_MEAN_SQUARE,
    WORST_STANDARDISED,
    Difference,
    ItemFit,
    differences,
    item_fit,
)

# Fewest tasks and players for a scale, and the most cells for which a 2PL is fitted, to stay within seconds.
_FEWEST_TASKS, _FEWEST_PLAYERS, _MOST_FOR_2PL = 5, 2, 20_000
# Fewest players of the 2PL: a task has a discrimination only if several levels of ability met it.
_FEWEST_FOR_2PL = 5
CHILDREN = "children"
_PUBLISHED = Path(__file__).parent / "published_children.csv"
# The end of the caption of the difficulties if both models were fitted.
_COMPARED = " The 1PL and the 2PL were compared by the BIC."


@dataclass(frozen=True)
class Player:
    """Someone on the scale: an agent, a participant, or a group of people of whom only counts are published.

    Attributes:
        name: the name of the agent or the group.
        participant: the id of a participant; "" for others.
        person: whether people played.
        published: whether it comes from published counts.
    """

    name: str
    participant: str = ""
    person: bool = False
    published: bool = False


@dataclass(frozen=True)
class Scale:
    """Players and tasks on one scale.

    Attributes:
        players: the players, in the order of their indices.
        items: the tasks; of a task with several arenas, each arena.
        cells: who passed what.
        fit: the chosen model.
        other: the model that was not chosen; None if only the 1PL was fitted.
        fits: how well each task fits.
        differences: how tasks differ between participants and agents; empty unless there are both.
    """

    players: list[Player]
    items: list[str]
    cells: Cells
    fit: Fit
    other: Fit | None
    fits: list[ItemFit]
    differences: list[Difference]

    def ability(self, index: int) -> Interval:
        """Return the ability of a player with its 95 % interval."""
        value, error = float(self.fit.abilities[index]), float(self.fit.ability_errors[index])
        return Interval(value, value - Z_95 * error, value + Z_95 * error)


def scale_of(rows: Sequence[ReportEpisode], published: bool = False) -> Scale:
    """Put agents, participants and tasks on one scale.

    Args:
        rows: the episodes.
        published: whether the published counts of children are included, if tasks of theirs were played.

    Raises:
        CannotCompute: there are too few players or tasks, or nothing was decided.
    """
    units = Units.of([row for row in rows if row.passed is not None])
    several = {row.task for row in units.rows if row.arena}
    counts: dict[tuple[Player, str], list[int]] = {}
    unit_of: dict[str, str] = {}
    order = {agent: index for index, agent in enumerate(agents_of(units.rows))}
    for row in units.rows:
        player = Player(row.agent, row.participant if row.person else "", row.person)
        item = f"{row.task}, arena {row.arena + 1}" if row.task in several else row.task
        unit_of[item] = units.task(row)
        count = counts.setdefault((player, item), [0, 0])
        count[0] += bool(row.passed)
        count[1] += 1
    if published:
        for task, passes, trials in _children():
            if task in unit_of:
                counts[Player(CHILDREN, person=True, published=True), task] = [passes, trials]
    players = sorted(
        {player for player, _ in counts}, key=lambda each: (order.get(each.name, len(order)), each.participant)
    )
    items = list(unit_of)
    if not players:
        raise CannotCompute("it is not known which episodes passed")
    if len(players) < _FEWEST_PLAYERS:
        raise CannotCompute("only one agent played, and abilities are relative to those of others")
    if len(set(unit_of.values())) < _FEWEST_TASKS:
        raise CannotCompute(f"a scale needs {_FEWEST_TASKS} tasks, and there are {len(set(unit_of.values()))}")
    index_of_player = {player: index for index, player in enumerate(players)}
    index_of_item = {item: index for index, item in enumerate(items)}
    cells = Cells.of(
        [index_of_player[player] for player, _ in counts],
        [index_of_item[item] for _, item in counts],
        [count[0] for count in counts.values()],
        [count[1] for count in counts.values()],
    )
    names = {unit: index for index, unit in enumerate(dict.fromkeys(unit_of.values()))}
    fit, other = _chosen(cells, [names[unit_of[item]] for item in items])
    people = np.array([player.person for player in players])
    both = differences(cells, fit, people) if people.any() and not people.all() else []
    return Scale(players, items, cells, fit, other, item_fit(cells, fit), both)


def _chosen(cells: Cells, clusters: Sequence[int]) -> tuple[Fit, Fit | None]:
    """Fit both models if that makes sense, and return the one with the lower BIC first."""
    simple = fit_irt(cells, clusters=clusters)
    if len(simple.abilities) < _FEWEST_FOR_2PL or len(cells.players) > _MOST_FOR_2PL:
        return simple, None
    full = fit_irt(cells, "2PL", simpler=simple, clusters=clusters)
    return (full, simple) if full.bic < simple.bic else (simple, full)


@cache
def _children() -> list[tuple[str, int, int]]:
    """Return task, passes and number of children of each published task."""
    with _PUBLISHED.open(newline="", encoding="utf-8") as file:
        return [(row["task"], int(row["passes"]), int(row["children"])) for row in csv.DictReader(file)]


def blocks(rows: Sequence[ReportEpisode], look: Looks, published: bool = False) -> list[str | Table | Drawing]:
    """Return the contents of the section: what the scale is, who is where on it, and tasks that stand out."""
    try:
        scale = scale_of(rows, published)
    except CannotCompute as problem:
        return [f"There is no scale of abilities: {problem}."]
    caption = (
        "Abilities of players with 95 % intervals (left) and difficulties of tasks (right) on one scale, in logits. "
        "Whoever is at the height of a task passes it with a probability of one half."
    )
    parts: list[str | Table | Drawing] = [
        *_sentences(scale),
        wright.wright_map(scale_entries(scale), list(map(float, scale.fit.difficulties)), scale.items, look, caption),
        ability_table(scale),
        difficulty_table(scale),
        *_misfits(scale),
    ]
    if scale.differences:
        parts += _group_differences(scale)
    return parts


def scale_entries(scale: Scale) -> list[wright.Entry]:
    """Return what the figure shows of each player."""
    return [
        wright.Entry(player.name, player.participant, scale.ability(index), player.published)
        for index, player in enumerate(scale.players)
    ]


def _sentences(scale: Scale) -> list[str]:
    fit = scale.fit
    lines = [
        f"The {fit.kind} of item response theory puts {words.count(len(scale.players), 'player')} and "
        f"{words.count(len(scale.items), 'task')} on one scale. Its origin is the mean difficulty of tasks like these, "
        f"whose standard deviation is {words.number(fit.spread)} logits; one logit more of ability multiplies the odds "
        "of passing by 2.7."
    ]
    if scale.other is None:
        why = (
            "it needs at least five players" if len(scale.players) < _FEWEST_FOR_2PL else "there are too many episodes"
        )
        lines.append(f"All tasks have the same discrimination (1PL); the 2PL was not tried: {why}.")
    else:
        bics = {each.kind: each.bic for each in (fit, scale.other)}
        lines.append(
            f"The {fit.kind} was chosen by the BIC ({bics['1PL']:.1f} for the 1PL, {bics['2PL']:.1f} for the 2PL, "
            "which gives each task a discrimination of its own)."
        )
    correlated = [
        f"{_name(player)} {words.number(float(fit.correlations[index]))}"
        for index, player in enumerate(scale.players)
        if fit.correlations[index] > 0.005
    ]
    if correlated:
        lines.append(
            "Episodes of one player on one task agree more than the model says, so they count as fewer; correlation "
            f"within tasks: {words.listed(correlated, 8)}."
        )
    if any(player.published for player in scale.players):
        tasks = sum(scale.players[player].published for player in scale.cells.players)
        lines.append(
            f"Children are known as counts for {words.count(tasks, 'task')} (Voudouris et al. 2022): one group, whose "
            "members have no abilities of their own."
        )
    return lines


def _name(player: Player) -> str:
    return f"{player.name} {player.participant}".strip() + (" (published)" if player.published else "")


def ability_table(scale: Scale) -> Table:
    """Tabulate the ability of each player, the ablest first."""
    lines = []
    for index in np.argsort(-scale.fit.abilities):
        player = scale.players[index]
        own = scale.cells.players == index
        shares = scale.cells.passes[own] / scale.cells.trials[own]
        lines.append(
            {
                "player": player.name,
                "participant": player.participant,
                "published": player.published,
                "tasks": int(own.sum()),
                "episodes": int(scale.cells.trials[own].sum()),
                "passed": float(shares.mean()),
                **interval_cells("ability", scale.ability(int(index))),
                "standard_error": float(scale.fit.ability_errors[index]),
            }
        )
    columns = [
        ("player", lambda row: _name(Player(row["player"], row["participant"], published=row["published"]))),
        ("tasks", text("tasks")),
        ("episodes", text("episodes")),
        ("passed (%)", lambda row: words.number(100 * row["passed"], 1)),
        ("ability [95 % CI]", _with_limits),
        ("SE", real("standard_error")),
    ]
    caption = (
        "Ability of each player, in logits above the mean difficulty; intervals allow for the choice of tasks. "
        "Abilities have a weak prior (normal, SD 3), which keeps those of players who passed all or nothing "
        "finite. Episodes without identical repetitions; tasks weigh equally in the proportion passed."
    )
    return Table("abilities", caption, lines, columns, most=40)


def _with_limits(row: dict[str, Any]) -> str:
    return words.interval(Interval(row["ability"], row["ability_low"], row["ability_high"]))


def difficulty_table(scale: Scale) -> Table:
    """Tabulate the difficulty of each task, the most difficult first."""
    fits = {each.item: each for each in scale.fits}
    lines = [
        {
            "task": scale.items[item],
            "players": fits[item].players,
            "difficulty": float(scale.fit.difficulties[item]),
            "standard_error": float(scale.fit.difficulty_errors[item]),
            "discrimination": float(scale.fit.discriminations[item]),
            "infit": fits[item].infit,
            "outfit": fits[item].outfit,
            "infit_standardised": fits[item].standardised,
            "misfits": fits[item].misfits,
        }
        for item in np.argsort(-scale.fit.difficulties).tolist()
    ]
    columns = [
        ("task", text("task")),
        ("players", text("players")),
        ("difficulty (SE)", lambda row: f"{words.number(row['difficulty'])} ({words.number(row['standard_error'])})"),
        ("slope", real("discrimination")),
        ("infit", real("infit")),
        ("outfit", real("outfit")),
    ]
    caption = "Difficulty of each task, in logits, the most difficult first; slope: its discrimination."
    if scale.other is not None:
        caption += _COMPARED
    return Table("difficulties", caption, lines, columns, most=15)


def _misfits(scale: Scale) -> list[str]:
    rule = (
        f"infit above {WORST_MEAN_SQUARE} and its standardised value above {WORST_STANDARDISED:g}, with at least "
        f"{FEWEST_PLAYERS} players"
    )
    tested = sum(each.players >= FEWEST_PLAYERS for each in scale.fits)
    if not tested:
        return [f"Whether tasks fit the scale cannot be said: none was played by {FEWEST_PLAYERS} players."]
    worst = sorted((each for each in scale.fits if each.misfits), key=lambda each: -each.standardised)
    if not worst:
        return [f"No task misfits the scale ({rule}; {words.count(tested, 'task')} tested)."]
    names = [f"{scale.items[each.item]} ({words.number(each.infit)})" for each in worst]
    return [
        f"{len(worst)} of {words.count(tested, 'task')} {'misfits' if len(worst) == 1 else 'misfit'} the scale "
        f"({rule}): the wrong players passed {words.listed(names, 8)}. Table difficulties has all."
    ]


def _group_differences(scale: Scale) -> list[str | Table | Drawing]:
    """Return a sentence and a table about tasks that are harder for one group than its ability explains."""
    found = sorted(scale.differences, key=lambda each: each.p)
    lines = [
        {
            "task": scale.items[each.item],
            "difference": each.value,
            "standard_error": each.error,
            "chi_squared": each.statistic,
            "p": each.p,
            "p_holm": each.p_holm,
        }
        for each in found
    ]
    clear = [each for each in found if each.p_holm < 0.05]
    tested = words.count(len(found), "task")
    if clear:
        harder = [scale.items[each.item] for each in clear if each.value > 0]
        easier = [scale.items[each.item] for each in clear if each.value <= 0]
        parts = []
        if harder:
            parts.append(f"harder for people: {words.listed(harder, 8)}")
        if easier:
            parts.append(f"easier for people: {words.listed(easier, 8)}")
        sentence = (
            f"{len(clear)} of {tested} {'differs' if len(clear) == 1 else 'differ'} in difficulty between people and "
            f"agents, given their abilities (likelihood-ratio tests, Holm over all tasks): {'; '.join(parts)}."
        )
    else:
        sentence = (
            f"No task of {len(found)} differs in difficulty between people and agents, given their abilities "
            "(likelihood-ratio tests, Holm over all tasks)."
        )
    columns = [
        ("task", text("task")),
        ("difference (SE)", lambda row: f"{words.number(row['difference'])} ({words.number(row['standard_error'])})"),
        ("χ²(1)", real("chi_squared")),
        ("p", lambda row: words.p_value(row["p"])),
        ("p, Holm", lambda row: words.p_value(row["p_holm"])),
    ]
    caption = (
        "Differential item functioning: difficulty for people minus difficulty for agents, in logits, at equal "
        "ability; the most doubtful tasks first."
    )
    return [sentence, Table("group_differences", caption, lines, columns, most=12)]


def methods(tables: Sequence[Table]) -> list[str]:
    """Return the paragraph of the methods section about the scale and the capabilities of a report's tables."""
    names = {table.name for table in tables}
    lines = []
    if "abilities" in names:
        both = any(table.caption.endswith(_COMPARED) for table in tables if table.name == "difficulties")
        groups = (
            " Differences between people and agents were tested by likelihood ratios with Holm's correction."
            if "group_differences" in names
            else ""
        )
        lines.append(
            "Abilities and difficulties are those of item response theory, fitted by marginal maximum likelihood "
            "(adaptive Gauss–Hermite quadrature): difficulties are random with mean 0, abilities fixed with a weak "
            f"normal prior (SD 3); {'the 1PL or the 2PL was chosen by the BIC' if both else 'the model is the 1PL'}. "
            "Episodes of one player on one task are weighted by their correlation, and standard errors are the larger "
            f"of the model's and those of a sandwich estimator over tasks.{groups}"
        )
    if "capabilities" in names:
        lines.append(
            "Capabilities were inferred by measurement layouts (Burden et al. 2023): the probability to pass is the "
            "product, over dimensions, of logistic functions of capability minus demand, times one minus a rate of "
            "noise, with weakly informative priors; the posterior was sampled by Hamiltonian Monte Carlo. Demands were "
            "read off the arenas without playing."
        )
    return [" ".join(lines)] if lines else []
