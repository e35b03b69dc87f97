"""The methods section of a report: agents, participants, tasks, rules, and all choices of the statistics."""

import platform
import shlex
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from puzzlebox import __version__
from puzzlebox.record.entries import HUMAN
from puzzlebox.report import conditions, words
from puzzlebox.report.comparisons import Comparisons
from puzzlebox.report.contrasts import RULE, condition_of
from puzzlebox.report.episodes import Remark, ReportEpisode, Results, Source, agents_of, grouped, participants_of
from puzzlebox.report.model import Model
from puzzlebox.report.rank_tests import BRUNNER_MUNZEL, FRIEDMAN, KRUSKAL_WALLIS, SIGNED_RANKS, RankTests
from puzzlebox.report.tables import Table
from puzzlebox.report.units import DECIMALS, FEWEST_UNITS
from puzzlebox.wings import ARENA, find_methods, find_published, find_wing


def paragraphs(
    results: Results,
    tasks: Table,
    model: Model,
    comparisons: Comparisons,
    seed: int,
    published: bool,
    measures: Sequence[str] = (),
) -> list[str]:
    """Return the paragraphs of the methods section.

    Args:
        results: the episodes.
        tasks: the table from `conditions.task_table`.
        model: the model of passing.
        comparisons: the tests of returns.
        seed: the seed of random numbers.
        published: whether published results are shown.
        measures: sentences about further measures, such as those of machine learners.
    """
    return [
        _procedure(results, tasks),
        " ".join([*_statistics(results, model, comparisons), *measures, _software(seed)]),
        *([text] if published and (text := _published(results)) else []),
    ]


def _procedure(results: Results, conditions_table: Table) -> str:
    rows = results.rows
    lines = [
        f"{words.count(len(rows), 'episode')} on {words.count(len(results.tasks), 'task')}"
        f" ({words.listed(results.tasks, 3)}) were analysed."
    ]
    for agent, own in ((agent, [row for row in rows if row.agent == agent]) for agent in agents_of(rows)):
        name = f"“{agent}”"
        people = "Participants" if agent == HUMAN else f"Participants ({name})"
        who = people if any(row.person for row in own) else f"The agent {name}"
        lines.append(f"{who} played {_how_often(own)}.")
        lines += _participants(own)
    rules = sorted({row.rules for row in rows} - {""})
    if rules:
        lines.append(f"Episodes were played by the rules {words.listed([f'“{each}”' for each in rules])} of Puzzlebox.")
    for source in results.sources:
        if source.settings:
            lines.append(_settings_sentence(source))
    lines += conditions.agent_sentences(results.sources)
    lines += _definitions(results)
    lines.append(conditions.task_sentence(conditions_table))
    if any(row.trained_on for row in rows):
        lines.append("Tasks that at least one agent was trained on were analysed separately.")
    lines += [remark.methods if isinstance(remark, Remark) else remark for remark in results.remarks]
    return " ".join(line for line in lines if line)


def _how_often(rows: Sequence[ReportEpisode]) -> str:
    """Return how many tasks were played how often: by a participant, if all episodes have ids, otherwise in all."""
    tasks = len({row.task for row in rows})
    whole = words.count(tasks, "task")
    with_ids = all(row.participant for row in rows)
    cells = grouped(rows, lambda row: (row.participant if with_ids else "", row.task))
    often = _span([len(each) for each in cells.values()])
    times = "once" if often == "1" else f"{often} times"
    if not with_ids:
        return f"{whole} {times}{' each' if tasks > 1 else ''}"
    of_each = _span([len({row.task for row in own}) for own in grouped(rows, lambda row: row.participant).values()])
    if of_each == str(tasks):
        which = "it" if tasks == 1 else "each of them"
    else:
        which = f"{of_each} of them"
    return f"{whole}; each participant played {which} {times}"


def _span(counts: Sequence[int]) -> str:
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _definitions(results: Results) -> list[str]:
    """Return what a step, a latency and a pass are, as far as Puzzlebox played the episodes; tables say it themselves.

    Rows of a table with the hash of a task, or with rules, are those of a run or of recordings.
    """
    rows = results.rows
    tables = {source.kind == "table" for source in results.sources}
    nameless = [row for row in rows if not row.task_hash and not row.rules]
    lines = []
    # A wing may say itself what its episodes are; the sentences below are about simulated worlds.
    own = {name: find_methods(find_wing(name)) for name in dict.fromkeys(row.wing for row in rows)}
    simulated = [row for row in rows if not own[row.wing]]
    if simulated and (tables != {True} or len(nameless) < len(rows)):
        lines.append(
            f"{_step_lengths(simulated)} times are simulated time. The latency of an "
            "episode is the time from when the animal could first move to the event that decided the episode."
        )
        lines.append(
            "An episode that ended by itself was passed if its return (the sum of its rewards) was at least the pass "
            "mark of its task; where that mark is 0, the episode must also not have been ended by a penalty, and its "
            "return must have been above 0 or the task completed without a penalty. Episodes that were stopped early "
            "were neither passed nor failed; proportions are of the other episodes."
        )
    lines += [sentence for sentences in own.values() for sentence in sentences]
    nameless = [row for row in nameless if not own[row.wing]]
    if True in tables and any(row.passed is not None for row in nameless):
        which = "" if len(nameless) == len(rows) else " of tables of other programs"
        lines.append(f"Which episodes{which} were passed was read from the tables.")
    return lines


def _participants(rows: Sequence[ReportEpisode]) -> list[str]:
    """Return a sentence with the number of participants, if they have ids."""
    ids = participants_of(rows)
    if not ids:
        return []
    unknown = sum(not row.participant for row in rows)
    rest = (
        f"; {words.count(unknown, 'episode')} {'has' if unknown == 1 else 'have'} no participant id" if unknown else ""
    )
    return [f"There {'were' if len(ids) > 1 else 'was'} {words.count(len(ids), 'participant')}{rest}."]


def _step_lengths(rows: Sequence[ReportEpisode]) -> str:
    """Return the beginning of a sentence with the length of a step in each wing."""
    wings = [wing for name in dict.fromkeys(row.wing for row in rows) if (wing := find_wing(name)) is not None]
    if not wings:
        return "All"
    if len(wings) == 1:
        return f"A step lasts {wings[0].step_seconds:g} s; all"
    return f"A step lasts {words.listed([f'{wing.step_seconds:g} s ({wing.name})' for wing in wings])}; all"


def _settings_sentence(source: Source) -> str:
    settings = source.settings
    parts = []
    if "seed" in settings:
        parts.append(
            f"the seed of each episode was derived from {settings['seed']}, its task, arena and repetition, and was "
            "the same for all agents"
        )
    fields = settings.get("rules_fields")
    if isinstance(fields, Mapping) and "decision_period" in fields:
        parts.append(f"an action was held for {fields['decision_period']} steps")
    if "longest" in settings:
        parts.append(f"episodes were stopped after at most {settings['longest']} steps")
    if "puzzlebox" in settings:
        machine = settings.get("machine")
        engine = f" (SAPIEN {machine['sapien']})" if isinstance(machine, Mapping) and "sapien" in machine else ""
        parts.append(f"played with Puzzlebox {settings['puzzlebox']}{engine}")
    return f"Run {source.name}: {'; '.join(parts)}." if parts else ""


def _statistics(results: Results, model: Model, comparisons: Comparisons) -> list[str]:
    lines = [*_proportions(model), *_returns(model, comparisons)]
    if any(map(condition_of, results.rows)):
        lines.append(
            "The proportions passed of control and test were compared over units that have both conditions (t interval "
            "of the differences), or over those of either (Welch's interval); where these have no variance, Newcombe's "
            f"interval combines those of both proportions. {RULE}"
        )
    return lines + _model(model)


def _returns(model: Model, comparisons: Comparisons) -> list[str]:
    """Return the sentences about the tests of returns: those that were made, and no others."""
    across = comparisons.across.tests
    on_tasks = [test.tests for test in comparisons.done if test.tests is not None]
    if not on_tasks:
        return []
    shared = " or ".join(f"{name}s" for name in ("seed", *_kinds(model)))
    used = _methods_of(on_tasks) | _methods_of([] if across is None else [across])
    repeated = "Identical episodes of an agent counted once, " if model.units.repeated else ""
    means = f"the episodes of a {' or '.join(_kinds(model))} counted by their mean, " if _kinds(model) else ""
    ties = f"{repeated}{means}{'and ' if repeated or means else ''}returns equal to {DECIMALS} decimals were ties"
    effects = [
        "Cliff's δ (below .147 negligible, .33 small, .474 medium; intervals after Feng and Cliff with the variance of "
        "Brunner and Munzel)"
    ]
    effects += ["ε² = H / (n − 1)"] if KRUSKAL_WALLIS in used else []
    effects += ["Kendall's W"] if FRIEDMAN in used else []
    noncentral = " (noncentral chi-squared intervals)" if len(effects) > 1 else ""
    lines = [f"On each task, returns of agents were compared by {_named(_methods_of(on_tasks), shared)}."]
    lines.append(f"{ties[0].upper()}{ties[1:]}.")
    if len(on_tasks) > 1:
        lines.append("p values were adjusted by Holm over tasks, those of pairs over all pairs of all tasks.")
    elif len(on_tasks[0].pairs) > 1:
        lines.append("p values of pairs were adjusted by Holm.")
    if across is not None:
        word = f"{comparisons.across.word}s"
        lines.append(f"Mean returns with {word} as units were compared by {_named(_methods_of([across]), word)}.")
    lines.append(f"Effect sizes are {words.listed(effects)}{noncentral}.")
    if any(pair.passes is not None for each in on_tasks for pair in each.pairs):
        lines.append("Passes in shared episodes were compared by McNemar's exact test.")
    return lines


def _methods_of(made: Sequence[RankTests]) -> set[str]:
    """Return the names of all tests that were made, of all agents and of pairs."""
    return {each.method for each in made} | {pair.method for each in made for pair in each.pairs}


def _named(used: set[str], shared: str) -> str:
    """Return tests in words; `shared` is what two agents share if they are compared in pairs."""
    pairs = []
    if SIGNED_RANKS in used:
        where = f" where they shared {shared}" if BRUNNER_MUNZEL in used else ""
        pairs.append(f"the Wilcoxon signed-rank test (zeros after Pratt, exact up to 50 pairs){where}")
    if BRUNNER_MUNZEL in used:
        otherwise = " otherwise" if SIGNED_RANKS in used else ""
        pairs.append(f"the Brunner–Munzel test{otherwise} (by permutations if an agent had fewer than 20 units)")
    several = {
        FRIEDMAN: "the Friedman test (F of Iman and Davenport, or permutations of up to 100 ranks)",
        KRUSKAL_WALLIS: "the Kruskal–Wallis test",
    }
    whole = [text for name, text in several.items() if name in used]
    return " and by ".join(pairs) + (f"; three or more agents by {' or '.join(whole)}" if whole else "")


def _software(seed: int) -> str:
    used = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"Computed with Puzzlebox {__version__} ({used}); random numbers had the seed {seed}."


def _proportions(model: Model) -> list[str]:
    units = model.units
    word = units.word
    kinds = _kinds(model)
    within = ["arenas", *(f"{kind}s" for kind in kinds)]
    lines = [
        f"The unit of evidence is the {' and the '.join([word, *kinds])}, not the episode: {word}s weigh equally, and "
        f"within them {words.listed(within)}."
    ]
    if units.repeated:
        lines.append(
            f"{words.count(sum(units.repeated.values()), 'episode')} that were identical to others of the same agent "
            f"counted once with them; {words.count(len(units.rows), 'episode')} counted."
        )
    lines.append(
        f"Proportions passed have 95 % Wilson intervals with the effective sample size that the variance implies (Korn "
        f"and Graubard 1998; Dean and Pagano 2015), with t quantiles: for these {word}s, from the variance within "
        f"{word}s{' and between ' + ' and '.join(within[1:]) if kinds else ''}; for "
        f"{word}s like these, from that between {word}s"
        + (" (two-way clusters: Cameron, Gelbach and Miller 2011)" if kinds else "")
        + f". Differences have, for these {word}s, Newcombe's intervals from those of both agents, and for {word}s "
        f"like these t intervals of the differences on single {word}s. Statements about {word}s like these need "
        f"{FEWEST_UNITS} {word}s."
    )
    return lines


def _kinds(model: Model) -> list[str]:
    """Return what the subjects of a report are called: "participant", "training run"."""
    kinds = {model.units.subject_word(agent) for agent in agents_of(model.units.rows)}
    return [name for kind, name in (("participant", "participant"), ("run", "training run")) if kind in kinds]


def _model(model: Model) -> list[str]:
    if model.fit is None:
        if not model.pairs:
            return []
        return [
            "Agents were compared by sign-flip permutation of the differences of their proportions on single "
            f"{model.units.word}s (all combinations of signs up to 12 {model.units.word}s, otherwise 10,000 random "
            "ones), adjusted for all pairs by Holm's method."
        ]
    intervals = "profile-likelihood intervals" if model.profiled else "Wald intervals"
    lines = [
        f"Passing was modelled as {model.formula}: a logistic mixed model with normal random intercepts, fitted by "
        "maximum likelihood with Laplace's approximation. Tests are likelihood-ratio tests, whose statistic, divided "
        "by the number of contrasts, was compared with an F distribution; its second degrees of freedom are those of "
        f"the {' or '.join(f'{each}s' for each in [model.units.word, *_kinds(model)])} that carry the contrast, the "
        "fewest of them. Intervals are "
        f"{intervals} with the matching t quantile. Pairs of agents were compared by "
        f"{'likelihood-ratio' if model.tested else 'Wald'} tests, adjusted for all pairs by Holm's method."
    ]
    if model.fit.penalised:
        lines.append(
            "Because some categories, alone or together, were passed always or never, so that the likelihood has no "
            "finite maximum, it was penalised by log-F(1, 1) priors "
            "of the deviations of categories from the mean of their factor (Greenland and Mansournia 2015)."
        )
    lines.append("The file model.R recomputes the model with lme4.")
    return lines


def _published(results: Results) -> str:
    """Return what the published results are that the report shows; empty if there are none for its wings."""
    wings = list(dict.fromkeys(row.wing for row in results.rows))
    lines = [brought.remarks[0] for wing in wings if (brought := find_published(find_wing(wing))) is not None]
    if ARENA in wings:
        lines.append(
            "Published results are those of the children of Voudouris et al. (2022), recomputed from their scores; of "
            "the entrants of the Animal-AI competition of 2019 (Crosby et al. 2020); and of the agents of Voudouris et "
            "al. (2024, arXiv 2312.11414), with reconstructed task names for PPO."
        )
    return " ".join(lines)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages used for the statistics."""
    numbers = {"Python": platform.python_version()}
    for package in ("numpy", "scipy", "matplotlib"):
        try:
            numbers[package] = version(package)
        except PackageNotFoundError:
            continue
    return numbers


def commands(results: Results, command: str) -> list[str]:
    """Return the commands that reproduce the results and the report, in order."""
    lines: list[str] = []
    for source in results.sources:
        for part in source.settings.get("commands", [source.settings.get("command", "")]):
            lines.append(str(part.get("command", "")) if isinstance(part, Mapping) else str(part))
    return list(dict.fromkeys(line for line in (*lines, command) if line))


def settings_rows(results: Results) -> list[tuple[str, str, str]]:
    """Return run, name and value of every setting of every run, except tasks, which have a table of their own."""
    lines = []
    for source in results.sources:
        for name, value in source.settings.items():
            if name in ("tasks", "commands", "command"):
                continue
            if isinstance(value, Mapping):
                lines += [(source.name, f"{name}.{key}", _text(each)) for key, each in value.items()]
            else:
                lines.append((source.name, name, _text(value)))
        lines += [(source.name, name, value) for name, value in conditions.agent_rows(source)]
    return lines


def _text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(each.get("name", each)) if isinstance(each, Mapping) else _text(each) for each in value)
    return str(value)


def quoted(arguments: Sequence[str]) -> str:
    """Return a command quoted for a shell."""
    return shlex.join(arguments)
