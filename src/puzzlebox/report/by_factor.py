"""Comparison of the values of a factor: proportion passed and returns of each agent, and a test for each agent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.factors import Factor, passed, total, unit_means, unit_word
from puzzlebox.report.pairing import UnitValues, mean
from puzzlebox.report.rank_tests import RankTests, compare_agents
from puzzlebox.report.tables import Table, interval_cells, share, text
from puzzlebox.report.units import DECIMALS, FEWEST_UNITS, Units
from puzzlebox.stats import CannotCompute, Interval, holm
from puzzlebox.stats.unit_means import mean_interval, share_interval

_MEASURES: dict[str, Callable[[ReportEpisode], float | None]] = {"proportion passed": passed, "mean return": total}
# The column of each measure in the table.
_KEYS = {"proportion passed": "passed", "mean return": "return_mean"}


@dataclass(frozen=True)
class FactorTest:
    """The test of a factor for one agent.

    Attributes:
        agent: the agent.
        measure: "proportion passed" or "mean return".
        tests: the tests of the values; None if there are none.
        why_not: why there is no test, as a clause.
        left_out: values with too few units, which were not tested.
        p_adjusted: the p value adjusted by Holm over all agents and both measures.
        constant: the value of all units, if they have the same, so that there is nothing to test; otherwise None.
    """

    agent: str
    measure: str
    tests: RankTests | None
    why_not: str = ""
    left_out: tuple[str, ...] = ()
    p_adjusted: float = 1.0
    constant: float | None = None


@dataclass(frozen=True)
class ByFactor:
    """The results for each value of a factor.

    Attributes:
        factor: the factor.
        lines: the table's lines, one for each agent and value.
        tests: the tests of each agent.
        sentences: the results in words.
    """

    factor: Factor
    lines: list[dict[str, Any]]
    tests: list[FactorTest]
    sentences: list[str] = field(default_factory=list)

    def cells(self, key: str) -> dict[tuple[str, str], Interval]:
        """Return the mean and limits of a measure by agent and value; limits equal the mean where there are none."""
        found = {}
        for line in self.lines:
            if line[key] is not None:
                low, high = line[f"{key}_low"], line[f"{key}_high"]
                limits = (line[key], line[key]) if low is None else (low, high)
                found[line["agent"], line["value"]] = Interval(line[key], *limits)
        return found


def compare_values(rows: Sequence[ReportEpisode], name: str, units: Units | None = None) -> ByFactor:
    """Compare the values of a factor for each agent, with participants, runs, tasks or variants as units."""
    units = units or Units.of(rows)
    factor = Factor.of(name, rows)
    agents = agents_of(rows)
    unit = {agent: unit_word(units, agent) for agent in agents}
    by_cell = grouped(units.rows, lambda row: (row.agent, factor.value(row)))
    lines = [
        _line(units, agent, value, by_cell[agent, value], unit[agent])
        for agent in agents
        for value in factor.values
        if (agent, value) in by_cell
    ]
    tests = [
        _test(units, agent, unit[agent], measure, {value: by_cell.get((agent, value), []) for value in factor.values})
        for agent in agents
        for measure in _MEASURES
    ]
    done = [test for test in tests if test.tests is not None]
    adjusted = iter(holm([test.tests.p for test in done if test.tests is not None]))
    tests = [replace(test, p_adjusted=next(adjusted)) if test.tests is not None else test for test in tests]
    return ByFactor(factor, lines, tests, _sentences(factor, lines, tests, rows))


def _line(units: Units, agent: str, value: str, rows: Sequence[ReportEpisode], unit: str) -> dict[str, Any]:
    shares, returns = (list(unit_means(units, rows, measure).values()) for measure in _MEASURES.values())
    line: dict[str, Any] = {
        "agent": agent,
        "value": value,
        "episodes": len(rows),
        "unit": unit,
        "units": len(returns),
    }
    line |= _mean_cells("passed", shares, share_interval)
    return line | _mean_cells("return_mean", returns, mean_interval)


def _mean_cells(key: str, values: Sequence[float], limits: Callable[[Sequence[float]], Interval]) -> dict[str, Any]:
    """Return a mean over units with its limits, which are unknown with fewer than five units."""
    if len(values) >= FEWEST_UNITS:
        return interval_cells(key, limits(values))
    return interval_cells(key, None) | {key: mean(values) if values else None}


def _test(units: Units, agent: str, word: str, measure: str, rows: dict[str, list[ReportEpisode]]) -> FactorTest:
    values = {value: UnitValues(word, unit_means(units, own, _MEASURES[measure])) for value, own in rows.items() if own}
    enough = {value: own for value, own in values.items() if len(own.returns) >= FEWEST_UNITS}
    few = tuple(value for value in values if value not in enough)
    if len(enough) < 2:
        why = f"fewer than two values have {FEWEST_UNITS} {word}s or more"
        return FactorTest(agent, measure, None, why, few)
    found = {round(value, DECIMALS) for own in enough.values() for value in own.returns.values()}
    if len(found) == 1:
        return FactorTest(agent, measure, None, left_out=few, constant=found.pop())
    try:
        return FactorTest(agent, measure, compare_agents(enough), left_out=few)
    except CannotCompute as problem:
        return FactorTest(agent, measure, None, str(problem), few)


def _sentences(
    factor: Factor, table: Sequence[dict[str, Any]], tests: Sequence[FactorTest], rows: Sequence[ReportEpisode]
) -> list[str]:
    lines = []
    for test in tests:
        show = words.percent if test.measure == "proportion passed" else words.number
        if test.constant is not None:
            without = f", without {words.listed(list(test.left_out))}" if test.left_out else ""
            lines.append(
                f"{test.agent}: the {test.measure} was {show(test.constant)} in every unit, whatever the value of "
                f"{factor.name}{without}, so there is nothing to test."
            )
        if test.tests is None:
            continue
        means = [
            f"{line['value']} {show(line[_KEYS[test.measure]])}"
            for line in table
            if line["agent"] == test.agent and line["value"] in test.tests.agents
        ]
        found = test.tests
        differ = "differed" if test.p_adjusted < 0.05 else "did not differ significantly"
        details = [", ".join(means), f"{found.text}, {words.p_equals(test.p_adjusted)}", f"{found.units} {found.unit}s"]
        details += [found.effect_text] if found.effect_text else []
        without = f" without {words.listed(list(test.left_out))}" if test.left_out else ""
        lines.append(
            f"{test.agent}: the {test.measure} {differ} between {words.count(len(found.agents), 'value')} of "
            f"{factor.name}{without} ({'; '.join(details)})."
        )
    reasons: dict[str, list[str]] = {}
    for test in tests:
        if test.tests is None and test.constant is None:
            reasons.setdefault(test.why_not, []).append(test.agent)
    for why, agents in reasons.items():
        lines.append(f"{words.listed(list(dict.fromkeys(agents)))}: {factor.name} was not tested because {why}.")
    if sum(test.tests is not None for test in tests) > 1:
        lines.append(
            "These p values are adjusted by Holm over all agents and both measures, which is conservative: passes and "
            "returns go together."
        )
    few = [test.agent for test in tests if test.tests is not None and test.tests.conservative]
    if few:
        lines.append(
            f"With so few pairs the test of {words.listed(list(dict.fromkeys(few)))} errs in less than 3 % of cases: "
            "it is conservative, and a true difference is easily missed."
        )
    missing = sum(not factor.value(row) for row in rows)
    if missing:
        lines.append(f"{words.count(missing, 'episode has', 'episodes have')} no value of {factor.name}.")
    return lines


def values_table(result: ByFactor) -> Table:
    """Tabulate the proportion passed and the returns of each agent for each value of a factor."""
    name = result.factor.name
    columns = [
        ("agent", text("agent")),
        (name, text("value")),
        ("episodes", text("episodes")),
        ("units", lambda row: f"{row['units']} {row['unit']}{'' if row['units'] == 1 else 's'}"),
        ("passed", _shown("passed", share("passed"), words.percent)),
        ("mean return", _shown("return_mean", _return, words.number)),
    ]
    caption = (
        f"Each agent for each value of {name}, with 95 % intervals over the units; with fewer than {FEWEST_UNITS} "
        "units there is no interval. Identical episodes count once."
    )
    return Table(
        f"by_{_file_name(name)}", caption, [{"factor": name, **line} for line in result.lines], columns, ditto=True
    )


def _shown(
    key: str, whole: Callable[[dict[str, Any]], str], alone: Callable[[float | None], str]
) -> Callable[..., str]:
    return lambda row: whole(row) if row[f"{key}_low"] is not None else alone(row[key])


def _return(row: dict[str, Any]) -> str:
    return words.interval(Interval(row["return_mean"], row["return_mean_low"], row["return_mean_high"]))


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)
