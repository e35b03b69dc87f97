"""The results of the model of passing in sentences and tables."""

from typing import Any

from puzzlebox.report import words
from puzzlebox.report.model import Model, Pair
from puzzlebox.report.tables import Table, interval_cells, real, share, text
from puzzlebox.stats.crossed import CrossedFit, Test
from puzzlebox.stats.crossed_likelihood import PAIR, SUBJECT, TASK

# The p value below which a sentence says that agents differed, after adjustment for all pairs.
_SIGNIFICANT = 0.05
# Pairs that a sentence names.
_MOST_NAMED = 8


def sentences(model: Model) -> list[str]:
    """Return the results in sentences for a results section."""
    if model.fit is None:
        return [f"There is no model of passing: {model.why_not}.", *_permutation_sentences(model)]
    lines = []
    count = len(model.fit.categories["agent"])
    if model.overall is not None and count > 2:
        differ = "differed" if model.overall.p < _SIGNIFICANT else "did not differ significantly"
        lines.append(f"The {count} agents {differ} in their odds of passing ({_test(model.overall)}).")
    ratios = [
        f"{term.name} {words.ratio(term.odds_ratio)} (95 % CI [{words.ratio(term.low)}, {words.ratio(term.high)}], "
        f"{_test(term.test)}{_adjusted(model, term.name)})"
        for term in model.terms
        if term.factor == "agent"
    ]
    more = f"; {len(ratios) - 8} more are in the table" if len(ratios) > 8 else ""
    reference = model.fit.references["agent"]
    lines.append(f"Odds ratios of passing, with {reference} as the reference: {'; '.join(ratios[:8])}{more}.")
    if count > 2:
        lines.append(_pairs_sentence(model.pairs))
    return [*lines, _deciding(model, "the model")] if model.pairs else lines


def _adjusted(model: Model, agent: str) -> str:
    """Return the p value of an agent and the reference adjusted for all pairs, as a clause; "" with a single pair."""
    assert model.fit is not None
    both = {agent, model.fit.references["agent"]}
    found = [pair.p_holm for pair in model.pairs if {pair.first, pair.second} == both]
    return f"; adjusted for all pairs: {words.p_equals(found[0])}" if found and len(model.pairs) > 1 else ""


def _deciding(model: Model, test: str) -> str:
    """Return the sentence that says which of the analyses of this section decides whether two agents differ."""
    adjusted = ", adjusted for all pairs by Holm's method" if len(model.pairs) > 1 else ""
    return (
        f"Whether two agents differ is decided by the test of {test}{adjusted}; intervals of odds ratios and of "
        "differences describe single pairs and are not adjusted."
    )


def _test(test: Test) -> str:
    return f"F({test.contrasts}, {words.number(test.df, 0)}) = {words.number(test.statistic)}, {words.p_equals(test.p)}"


def _pairs_sentence(pairs: list[Pair]) -> str:
    found = [f"{pair.first} – {pair.second}" for pair in pairs if pair.p_holm < _SIGNIFICANT]
    if not found:
        return "No pair of agents differed significantly (Holm-adjusted for all pairs)."
    which = "all pairs" if len(found) == len(pairs) else words.listed(found, _MOST_NAMED)
    return f"Pairs that differed (Holm-adjusted p < .05): {which}."


def _permutation_sentences(model: Model) -> list[str]:
    """Return the results of the permutation tests that replace the model."""
    if not model.pairs:
        return []
    word = model.units.word
    lines = [
        f"Instead, agents were compared by sign-flip permutation of the differences of their proportions over {word}s."
    ]
    for pair in model.pairs[:_MOST_NAMED]:
        differ = "differed" if pair.p_holm < _SIGNIFICANT else "did not differ significantly"
        lines.append(
            f"{pair.first} and {pair.second} {differ} (mean difference {words.number(100 * pair.gap, 1)} percentage "
            f"points, {words.p_equals(pair.p_holm)}{', Holm-adjusted' if len(model.pairs) > 1 else ''})."
        )
    if any(flip.smallest > 0.03 for flip in model.flips.values()):
        lines.append(
            f"With so few {word}s this test is conservative: its smallest p value is "
            f"{words.p_value(min(flip.smallest for flip in model.flips.values()))}."
        )
    return [*lines, _deciding(model, "permutations").replace("odds ratios and of differences", "differences")]


def odds_table(model: Model, fit: CrossedFit) -> Table:
    """Tabulate the odds ratios of all categories."""
    intercept = fit.effects[0]
    lines: list[dict[str, Any]] = [
        {
            "factor": "",
            "term": "intercept",
            "estimate": intercept.estimate,
            "standard_error": intercept.error,
            **dict.fromkeys(("odds_ratio", "odds_ratio_low", "odds_ratio_high", "f", "df", "p")),
        }
    ]
    lines += [
        {
            "factor": term.factor,
            "term": term.name,
            "estimate": term.log_odds.value,
            "standard_error": term.error,
            "odds_ratio": term.odds_ratio,
            "odds_ratio_low": term.low,
            "odds_ratio_high": term.high,
            "f": term.test.statistic,
            "df": term.test.df,
            "p": term.test.p,
        }
        for term in model.terms
    ]
    columns = [
        ("term", lambda row: f"{row['factor']} {row['term']}".strip()),
        ("log odds (SE)", lambda row: f"{words.number(row['estimate'])} ({words.number(row['standard_error'])})"),
        ("odds ratio [95 % CI]", _ratio_cell),
        ("F", real("f")),
        ("df", lambda row: words.NOT_KNOWN if row["df"] is None else f"1, {words.number(row['df'], 0)}"),
        ("p", lambda row: words.p_value(row["p"])),
    ]
    references = ", ".join(f"{factor} {name}" for factor, name in fit.references.items())
    caption = (
        f"{'Penalised l' if fit.penalised else 'L'}ogistic mixed model of passing, {model.formula}; reference: "
        f"{references}. {_size(model, fit)}; log-likelihood {words.number(fit.log_likelihood)}. Standard deviations of "
        f"the intercepts: {_spreads(model, fit)}."
    )
    return Table("odds_ratios", caption, lines, columns)


def _ratio_cell(row: dict[str, Any]) -> str:
    if row["odds_ratio"] is None:
        return words.NOT_KNOWN
    value, low, high = (words.ratio(row[key]) for key in ("odds_ratio", "odds_ratio_low", "odds_ratio_high"))
    return f"{value} [{low}, {high}]"


def _size(model: Model, fit: CrossedFit) -> str:
    parts = [words.count(fit.episodes, "episode"), words.count(fit.tasks, model.units.word)]
    if fit.subjects:
        parts.append(f"{fit.subjects} {_subject_word(model)}s")
    return ", ".join(parts)


def _spreads(model: Model, fit: CrossedFit) -> str:
    word = model.units.word
    names = {TASK: word, PAIR: f"{word} by agent", SUBJECT: _subject_word(model)}
    return ", ".join(f"{names[name]} {words.number(value)}" for name, value in fit.spreads.items())


def _subject_word(model: Model) -> str:
    agents = dict.fromkeys(row.agent for row in model.units.rows)
    return next((word for agent in agents if (word := model.units.subject_word(agent))), "participant")


def contrasts_table(model: Model) -> Table:
    """Tabulate all pairs of agents."""
    lines = [
        {
            "first": pair.first,
            "second": pair.second,
            "log_odds_difference": pair.log_odds,
            "standard_error": pair.error,
            "difference_in_probability": pair.gap,
            "f": pair.statistic,
            "df": pair.df,
            "p": pair.p,
            "p_holm": pair.p_holm,
        }
        for pair in model.pairs
    ]
    with_model = model.fit is not None
    columns: list[tuple[str, Any]] = [("pair", lambda row: f"{row['first']} – {row['second']}")]
    if with_model:
        columns.append(
            (
                "log odds ratio (SE)",
                lambda row: f"{words.number(row['log_odds_difference'])} ({words.number(row['standard_error'])})",
            )
        )
    columns.append(
        ("difference, percentage points", lambda row: words.number(100 * row["difference_in_probability"], 1))
    )
    if with_model:
        columns += [("F", real("f")), ("df", lambda row: f"1, {words.number(row['df'], 0)}")]
    columns += [("p", lambda row: words.p_value(row["p"])), ("Holm", lambda row: words.p_value(row["p_holm"]))]
    word = model.units.word
    if with_model:
        caption = (
            "Each pair of agents in the model, first minus second: difference in log odds and in the probability of "
            f"passing {word}s like these, {'likelihood-ratio' if model.tested else 'Wald'} test, and p value adjusted "
            "for all pairs by Holm's method."
        )
    else:
        caption = (
            f"Each pair of agents, first minus second: mean difference of the proportions passed over {word}s, p value "
            "of the sign-flip permutation, and p value adjusted for all pairs by Holm's method."
        )
    return Table("contrasts", caption, lines, columns, most=28)


def marginal_table(model: Model) -> Table:
    """Tabulate the probability that each agent passes in the model."""
    lines = [{"agent": agent, **interval_cells("probability", each)} for agent, each in model.marginal.items()]
    fixed = model.fit is not None and TASK not in model.fit.spreads
    which = f"these {model.units.word}s" if fixed else f"{model.units.word}s like these"
    columns = [("agent", text("agent")), (f"probability of passing {which} [95 % CI]", share("probability"))]
    caption = (
        f"Probability of passing in the model, averaged over {which}"
        f"{f' and {_subject_word(model)}s like these' if model.fit and SUBJECT in model.fit.spreads else ''}."
    )
    return Table("model_probabilities", caption, lines, columns)
