"""The contents of a report, in order: sections of paragraphs, tables and figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from puzzlebox.report import abilities, capabilities, published_tables, words
from puzzlebox.report import equivalence as equivalence_tests
from puzzlebox.report import learners as machine_learners
from puzzlebox.report import published as published_results
from puzzlebox.report.by_factor import compare_values, values_table
from puzzlebox.report.comparison_tables import overall_table, pairs_table
from puzzlebox.report.comparisons import SPELLED_OUT, Comparisons, compare
from puzzlebox.report.contrasts import (
    CONTROL,
    RULE,
    TEST,
    by_pair_table,
    contrasts,
    contrasts_by_level,
    control_and_test_table,
)
from puzzlebox.report.data_warnings import data_warnings
from puzzlebox.report.episodes import (
    ReportEpisode,
    Results,
    Source,
    agents_of,
    grouped,
    levels_of,
    participants_of,
    passes,
)
from puzzlebox.report.figures import bars, factors, forest, heat, paths, radar, violins
from puzzlebox.report.figures.looks import Drawing, Looks, looks
from puzzlebox.report.model import Model, fit_model
from puzzlebox.report.model_words import contrasts_table, marginal_table, odds_table, sentences
from puzzlebox.report.scale import scales_of
from puzzlebox.report.shares import Shares
from puzzlebox.report.tables import (
    Table,
    by_agent,
    by_arena,
    by_level,
    by_participant,
    by_task,
    differences,
    failures,
    several_arenas,
    trained_and_held_out,
)
from puzzlebox.report.units import FEWEST_UNITS, Subject, Units, without_ids
from puzzlebox.stats import Interval
from puzzlebox.wings import find_wing

# Tasks for which a chart of bars stays legible, at most.
_MOST_BARS = 12
# Episodes of each agent on a task from which on a violin plot makes sense.
_FEWEST_FOR_VIOLINS = 8


@dataclass
class Section:
    """A section of the page: its title and its blocks in order, where a plain text is a paragraph."""

    title: str
    blocks: list[str | Table | Drawing] = field(default_factory=list)


@dataclass
class Contents:
    """The contents of a report.

    Attributes:
        headline: the sentences at the top.
        warnings: sentences about problems of the data.
        sections: the sections, in order.
        comparisons: the tests of returns.
        model: the model of passing.
        learners: the measures of machine learners.
    """

    headline: list[str]
    warnings: list[str]
    sections: list[Section]
    comparisons: Comparisons
    model: Model
    learners: machine_learners.Learners

    @property
    def tables(self) -> list[Table]:
        """All tables of the report."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    def sentences(self, title: str) -> list[str]:
        """Return the sentences of the sections with this title, with or without a prefix."""
        own = [section for section in self.sections if section.title.lower().endswith(title.lower())]
        return [block for section in own for block in section.blocks if isinstance(block, str)]

    @property
    def drawings(self) -> list[Drawing]:
        """All figures of the report."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Drawing)]


def contents(
    results: Results,
    *,
    published: bool = False,
    subject: Subject = "auto",
    reference: str = "",
    seed: int = 0,
    by: Sequence[str] = (),
    equivalence: float = equivalence_tests.POINTS,
    layout: bool = False,
    progress: capabilities.Progress = capabilities.no_progress,
) -> Contents:
    """Analyse the episodes and draw the figures of a report; `make_report` describes the arguments."""
    trained_tasks = {row.task for row in results.rows if row.trained_on}
    held_out_rows = [row for row in results.rows if row.task not in trained_tasks]
    trained_rows = [row for row in results.rows if row.task in trained_tasks]
    main = held_out_rows or trained_rows
    units = Units.of(main, subject)
    comparisons = compare(main, units)
    shares = Shares(units)
    model = fit_model(units, reference, by)
    learners = machine_learners.learners_of(units, scales_of(results), seed)
    # Chosen once, so that an agent has the same colour and marker in all figures.
    look = looks(results.agents)
    sections = []
    if main:
        prefix = ""
        if trained_tasks:
            prefix = "Held-out tasks: " if held_out_rows else "Training tasks: "
        sections = [
            _overall(main, shares, prefix),
            _participants(main, shares, prefix),
            *_levels(main, shares, prefix, look, published),
            _tasks(main, shares, prefix, look),
            *_factors(main, by, units, prefix, look),
            _returns(main, comparisons, prefix, look),
            _model(main, model, shares, prefix, look, equivalence),
            Section(_title(prefix, "For machine learners"), machine_learners.section(learners, look)),
            Section(_title(prefix, "Abilities"), abilities.blocks(main, look, published)),
            Section(_title(prefix, "Capabilities"), capabilities.blocks(main, look, layout, seed, progress)),
            _paths(main, look, results.sources),
        ]
        if trained_tasks:
            sections.insert(1, _trained(results.rows, trained_rows if held_out_rows else [], subject, look))
        if published:
            sections.append(_published(main, shares))
    advice = [*capabilities.advice(main, layout), *published_tables.wing_advice(main, published)]
    sections.append(Section("Notes", [*results.remarks, *without_ids(units), *advice]))
    if results.broken:
        sections.append(Section("Failures", [failures(results.broken)]))
    warnings = (
        data_warnings(Results(main, results.broken, results.sources, results.remarks), comparisons) if main else []
    )
    shown = [each for each in sections if each.blocks]
    return Contents(_headline(results, main, shares), warnings, shown, comparisons, model, learners)


def _headline(results: Results, main: Sequence[ReportEpisode], shares: Shares) -> list[str]:
    if not main:
        return ["No episode could be analysed: all failed or were not played to the end."]
    lines = [
        f"{words.count(len(results.rows), 'episode')}, {words.count(len(results.tasks), 'task')}, "
        f"{words.count(len(results.agents), 'agent')}: {words.listed(results.agents, 8)}."
    ]
    where = ""
    if len(main) < len(results.rows):
        where = " on held-out tasks"
        held_out = len({row.task for row in main})
        lines.append(
            f"This report is about the {words.count(held_out, 'task')} that no agent was trained on; the other "
            f"{len(results.tasks) - held_out} have their own section."
        )
    repeated = shares.units.repeated
    if repeated:
        episodes = words.count(sum(repeated.values()), "episode")
        lines.append(
            f"{episodes} of {words.listed(list(repeated))} were identical to others and count once: "
            f"{words.count(len(shares.units.rows), 'episode')} count."
        )
    groups = grouped(main, lambda row: row.agent)
    lines += [_passed(agent, groups[agent], shares, where) for agent in agents_of(main)[:8]]
    return lines


def _passed(agent: str, rows: Sequence[ReportEpisode], shares: Shares, where: str) -> str:
    """Return a sentence with the proportion that an agent passed, for both kinds of statements."""
    passed, trials = passes(rows)
    if not trials:
        return f"It is not known whether {agent} passed any episode{where}."
    units = shares.units
    tasks = len({units.task(row) for row in rows})
    kind = units.subject_word(agent)
    kinds = f", {words.count(len(units.subjects(agent)), kind)}" if kind else ""
    episodes = f"{passed} of {words.count(trials, 'episode')}"
    mean = f"mean over {words.count(tasks, units.word)}{kinds}; " if tasks > 1 or kinds else ""
    text = f"{agent} passed {words.percent(shares.value(rows))}{where} ({mean}{episodes})"
    parts = []
    these, like = shares.these_tasks(rows), shares.tasks_like_these(rows)
    if these is not None:
        limits = "known exactly" if these.exact else f"95 % interval {words.percent_limits(these.interval)}"
        these_words = f"these {units.word}s" if tasks > 1 else f"this {units.word}"
        why = ", because its episodes are identical" if these.exact else f" for {kind}s like these" if kind else ""
        parts.append(f"{limits} on {these_words}{why}")
    elif kind:
        parts.append(f"an interval needs {FEWEST_UNITS} {kind}s")
    if like is not None:
        parts.append(
            f"{words.percent_limits(like.interval)} for {units.word}s {f'and {kind}s ' if kind else ''}like these"
        )
    elif tasks < FEWEST_UNITS:
        parts.append(f"a statement about {units.word}s like these needs {FEWEST_UNITS} {units.word}s")
    return f"{text}; {'; '.join(parts)}." if parts else f"{text}."


def _overall(rows: Sequence[ReportEpisode], shares: Shares, prefix: str) -> Section:
    return Section(_title(prefix, "All agents"), [by_agent(rows, shares=shares)])


def _participants(rows: Sequence[ReportEpisode], shares: Shares, prefix: str) -> Section:
    section = Section(_title(prefix, "Participants"))
    if participants_of(rows):
        section.blocks.append(by_participant(rows, shares=shares))
    return section


def _levels(rows: Sequence[ReportEpisode], shares: Shares, prefix: str, look: Looks, published: bool) -> list[Section]:
    levels = levels_of(rows)
    tasks = sorted({row.task for row in rows})
    if len(levels) < 2:
        if len(tasks) > _MOST_BARS or all(row.passed is None for row in rows):
            return []
        caption = "Proportion passed on each task; error bars are 95 % intervals of these tasks."
        figure = bars.pass_bars(rows, "task", tasks, look, "passed_by_task", caption, shares.bar)
        return [Section(_title(prefix, "Proportion passed"), [figure])]
    levelled = [row for row in rows if row.level]
    section = Section(_title(prefix, "Levels"))
    # Tasks of others may have the same level numbers; published results are about those of the testbed alone.
    comparable = len(published_tables.testbed_rows(levelled)) == len(levelled)
    shown = published_results.shown() if published and comparable else ()
    rate, bars_of = _level_bars(levelled, shares)
    caption = f"Proportion passed on each level; error bars are 95 % intervals of {bars_of}."
    if shown:
        caption += " Pale hatched bars and horizontal lines show published results."
    chosen = levels[: 2 * _MOST_BARS]
    section.blocks.append(bars.pass_bars(levelled, "level", chosen, look, "passed_by_level", caption, rate, shown))
    if len(levels) > len(chosen):
        section.blocks.append(f"The figure shows the first {len(chosen)} of {len(levels)} levels.")
    if radar.FEWEST <= len(levels) <= radar.MOST:
        caption = "Profile of each agent: proportion passed on each level, from 0 at the centre to 100 % at the rim."
        section.blocks.append(
            radar.radar(levelled, levels, published_results.LEVELS, look, "profile", caption, shares.value)
        )
    else:
        section.blocks.append(
            f"There is no radar chart: it needs {radar.FEWEST} to {radar.MOST} levels, and there are {len(levels)}."
        )
    section.blocks.append(by_level(levelled, titles=published_results.LEVELS, shares=shares))
    if len(levelled) < len(rows):
        one, many = "episode on a task without a level is", "episodes on tasks without a level are"
        section.blocks.append(f"{words.count(len(rows) - len(levelled), one, many)} not included here.")
    return [section]


def _level_bars(
    rows: Sequence[ReportEpisode], shares: Shares
) -> tuple[Callable[[Sequence[ReportEpisode]], Interval | None], str]:
    """Return the error bars of all levels, and what they are about: one kind of statement for the whole figure."""
    cells = grouped(rows, lambda row: (row.level, row.agent)).values()
    like = all(shares.tasks_like_these(own) is not None for own in cells)
    word = shares.units.word
    return (lambda own: shares.bar(own, like)), f"{word}s like these" if like else f"these {word}s"


def _tasks(rows: Sequence[ReportEpisode], shares: Shares, prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Tasks"))
    tasks = {row.task for row in rows}
    if any(row.passed is not None for row in rows) and len(tasks) > 1:
        caption = (
            "Proportion of episodes passed on each task (rows, by level and from easy to hard) by each agent; "
            "hatched: not played."
        )
        section.blocks.append(heat.heat_map(rows, look, "tasks_and_agents", caption))
    section.blocks.append(by_task(rows, shares=shares))
    if several_arenas(rows):
        section.blocks.append(by_arena(rows, shares=shares))
    return section


def _factors(rows: Sequence[ReportEpisode], by: Sequence[str], units: Units, prefix: str, look: Looks) -> list[Section]:
    """Return the sections about control and test, and about each factor that was asked for."""
    sections = []
    found = contrasts(rows, units.kind)
    if found:
        section = Section(_title(prefix, "Control and test"), [each.sentence for each in found[:SPELLED_OUT]])
        section.blocks += [RULE, control_and_test_table(found)]
        if by_level := contrasts_by_level(rows, units.kind):
            section.blocks.append(control_and_test_table(by_level))
        if (by_pair := by_pair_table(rows)) is not None:
            section.blocks.append(by_pair)
        sections.append(section)
    for name in by:
        result = compare_values(rows, name, units)
        table = values_table(result)
        caption = f"Proportion passed and mean return for each value of {name}; bars are 95 % intervals over units."
        cells = (result.cells("passed"), result.cells("return_mean"))
        figure = factors.factor_points(*cells, agents_of(rows), result.factor.values, look, table.name, caption, name)
        blocks: list[str | Table | Drawing] = [figure, *result.sentences, table]
        if found and {value.strip().lower() for value in result.factor.values} == {CONTROL, TEST}:
            blocks[-1] = replace(table, most=0)
            blocks.append(
                f"The proportions passed for each {name} are in the section “{_title(prefix, 'Control and test')}” and "
                f"are not tabulated again; the file tables/{table.name}.csv has them with the returns."
            )
        sections.append(Section(_title(prefix, f"By {name}"), blocks))
    return sections


def _returns(rows: Sequence[ReportEpisode], comparisons: Comparisons, prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Returns"))
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.task] = counts.get(row.task, 0) + 1
    enough = _FEWEST_FOR_VIOLINS * len(agents_of(rows))
    often = [task for task, many in sorted(counts.items()) if many >= enough]
    if often:
        caption = "Returns of all episodes; white dot: median, bar: quartiles."
        if len(often) > violins.MOST_PANELS:
            caption += f" The first {violins.MOST_PANELS} of {len(often)} tasks are shown."
        chosen = often[: violins.MOST_PANELS]
        chosen_rows = [row for row in rows if row.task in chosen]
        section.blocks.append(violins.violins(chosen_rows, chosen, look, "returns", caption))
    else:
        section.blocks.append(
            "There is no violin plot of returns: "
            f"no task was played at least {_FEWEST_FOR_VIOLINS} times by each agent."
        )
    section.blocks += [test.sentence for test in comparisons.done[:SPELLED_OUT]]
    if len(comparisons.done) > SPELLED_OUT:
        section.blocks.append(
            f"These are the first {SPELLED_OUT} of {len(comparisons.done)} tasks with a test; the files have all."
        )
    if len({row.task for row in rows}) > 1:
        section.blocks.append(comparisons.across.sentence)
    if comparisons.done or comparisons.across.tests is not None:
        section.blocks += [overall_table(comparisons), pairs_table(comparisons)]
    section.blocks += comparisons.remarks
    return section


def _model(
    rows: Sequence[ReportEpisode], model: Model, shares: Shares, prefix: str, look: Looks, bound: float
) -> Section:
    section = Section(_title(prefix, "Odds of passing"))
    section.blocks += sentences(model)
    if model.fit is not None:
        caption = f"Odds ratios with 95 % intervals ({model.formula}); the dashed line marks no difference."
        section.blocks.append(forest.forest(model, look, "odds_ratios", caption))
        section.blocks.append(odds_table(model, model.fit))
        section.blocks.append(marginal_table(model))
    if model.pairs:
        section.blocks.append(contrasts_table(model))
    section.blocks += model.remarks
    if len(agents_of(rows)) > 1:
        section.blocks.append(differences(rows, shares))
        section.blocks += equivalence_tests.blocks(rows, shares, bound, model.differ)
    return section


def _paths(rows: Sequence[ReportEpisode], look: Looks, sources: Sequence[Source]) -> Section:
    section = Section("Paths")
    wings = {name: find_wing(name) for name in {row.wing for row in rows}}
    rows = [row for row in rows if (wing := wings[row.wing]) is not None and wing.views]
    if not rows:
        section.blocks.append("There are no paths: these tasks have no pictures.")
        return section
    places = paths.choose_places(rows)
    records = list(paths.records(paths.choose_episodes(rows, places)))
    if not records:
        why = "no trajectories were kept with these episodes"
        if any(row.trajectory for row in rows):
            why = "the trajectories of these episodes are missing or cannot be read"
        if all(source.kind == "table" for source in sources):
            why = "tables hold no trajectories; the file of recordings or the folder of the run they come from does"
        section.blocks.append(f"There are no paths: {why}.")
        return section
    caption = (
        f"Paths from above until the episode was decided, at most {paths.MOST_PATHS} episodes in each panel, over the "
        "arena at the start; things that moved were elsewhere later."
    )
    all_places = paths.places(rows)
    if len(all_places) > len(places):
        count = words.count(len(all_places), "arena")
        caption += f" {len(places)} of {count} are shown: those that most agents and participants played."
    drawing = paths.paths_from_above(records, rows, look, "paths", caption)
    section.blocks.append(drawing or "There are no paths: these tasks have none.")
    return section


def _trained(
    rows: Sequence[ReportEpisode], trained_rows: Sequence[ReportEpisode], subject: Subject, look: Looks
) -> Section:
    shares = Shares(Units.of(rows, subject))
    section = Section("Training and held-out tasks", [trained_and_held_out(rows, shares)])
    if trained_rows:
        section.blocks.append(
            "The rest of this section is about tasks that at least one agent was trained on, the rest of the report "
            "about held-out tasks."
        )
        section.blocks.append(by_agent(trained_rows, "agents_on_trained_tasks", shares))
        levels = levels_of(trained_rows)
        if len(levels) > 1:
            levelled = [row for row in trained_rows if row.level]
            rate, bars_of = _level_bars(levelled, shares)
            caption = (
                "Proportion passed on tasks that at least one agent was trained on; error bars are 95 % intervals of "
                f"{bars_of}."
            )
            figure = bars.pass_bars(levelled, "level", levels[:24], look, "passed_by_level_trained", caption, rate)
            section.blocks.append(figure)
        section.blocks.append(by_task(trained_rows, "tasks_trained_on", shares))
        if several_arenas(trained_rows):
            section.blocks.append(by_arena(trained_rows, "arenas_trained_on", shares))
    else:
        section.blocks.append(
            "At least one agent was trained on every task here, so the report says nothing about new tasks."
        )
    return section


def _published(rows: Sequence[ReportEpisode], shares: Shares) -> Section:
    section = Section("Comparison with published results")
    for make in (published_tables.levels_table, published_tables.places_table, published_tables.experiments_table):
        table = make(rows, shares)
        if table is not None:
            section.blocks += [table, *table.remarks]
    for table in published_tables.wing_tables(rows):
        section.blocks += [table, *table.remarks]
    if not section.blocks:
        section.blocks.append(published_tables.nothing_published(rows))
    return section


def _title(prefix: str, title: str) -> str:
    return f"{prefix}{title[0].lower() + title[1:]}" if prefix else title
