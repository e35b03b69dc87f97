"""The contents of a report, in order: sections of paragraphs, tables and figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from puzzlebox.report import abilities, capabilities, published_tables, words
from puzzlebox.report import published as published_results
from puzzlebox.report.comparisons import SPELLED_OUT, Comparisons, compare, overall_table, pairs_table
from puzzlebox.report.data_warnings import data_warnings
from puzzlebox.report.episodes import ReportEpisode, Results, Source, agents_of, levels_of, participants_of, passes
from puzzlebox.report.figures import bars, forest, heat, paths, radar, violins
from puzzlebox.report.figures.looks import Drawing, Looks, looks
from puzzlebox.report.model import Group, Model, fit_model, model_table
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
from puzzlebox.stats import wilson
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
    """

    headline: list[str]
    warnings: list[str]
    sections: list[Section]
    comparisons: Comparisons
    model: Model

    @property
    def tables(self) -> list[Table]:
        """All tables of the report."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    @property
    def drawings(self) -> list[Drawing]:
        """All figures of the report."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Drawing)]


def contents(
    results: Results, *, published: bool = False, group: Group = "auto", seed: int = 0, layout: bool = False
) -> Contents:
    """Analyse the episodes and draw the figures of a report; with `layout`, also infer capabilities, which is slow."""
    trained_tasks = {row.task for row in results.rows if row.trained_on}
    held_out_rows = [row for row in results.rows if row.task not in trained_tasks]
    trained_rows = [row for row in results.rows if row.task in trained_tasks]
    main = held_out_rows or trained_rows
    comparisons = compare(main)
    model = fit_model(main, group)
    # Chosen once, so that an agent has the same colour and marker in all figures.
    look = looks(results.agents)
    sections = []
    if main:
        prefix = ""
        if trained_tasks:
            prefix = "Held-out tasks: " if held_out_rows else "Training tasks: "
        sections = [
            _overall(main, prefix, seed),
            _participants(main, prefix),
            *_levels(main, prefix, look, published),
            _tasks(main, prefix, look),
            _returns(main, comparisons, prefix, look),
            _model(main, model, prefix, look),
            Section(_title(prefix, "Abilities"), abilities.blocks(main, look, published)),
            Section(_title(prefix, "Capabilities"), capabilities.blocks(main, look, layout, seed)),
            _paths(main, look, results.sources),
        ]
        if trained_tasks:
            sections.insert(1, _trained(results.rows, trained_rows if held_out_rows else [], look, seed))
        if published:
            sections.append(_published(main))
    sections.append(Section("Notes", list(results.remarks)))
    if results.broken:
        sections.append(Section("Failures", [failures(results.broken)]))
    warnings = (
        data_warnings(Results(main, results.broken, results.sources, results.remarks), comparisons) if main else []
    )
    return Contents(_headline(results, main), warnings, [each for each in sections if each.blocks], comparisons, model)


def _headline(results: Results, main: Sequence[ReportEpisode]) -> list[str]:
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
    for agent in agents_of(main)[:8]:
        passed, trials = passes([row for row in main if row.agent == agent])
        if trials:
            share = wilson(passed, trials)
            lines.append(f"{agent} passed {passed} of {trials}{where}: {words.percent_interval(share)}.")
        else:
            lines.append(f"It is not known whether {agent} passed any episode{where}.")
    return lines


def _overall(rows: Sequence[ReportEpisode], prefix: str, seed: int) -> Section:
    table = by_agent(rows, seed=seed)
    return Section(_title(prefix, "All agents"), [table, *table.remarks])


def _participants(rows: Sequence[ReportEpisode], prefix: str) -> Section:
    section = Section(_title(prefix, "Participants"))
    if participants_of(rows):
        section.blocks.append(by_participant(rows))
    return section


def _levels(rows: Sequence[ReportEpisode], prefix: str, look: Looks, published: bool) -> list[Section]:
    levels = levels_of(rows)
    tasks = sorted({row.task for row in rows})
    if len(levels) < 2:
        if len(tasks) > _MOST_BARS or all(row.passed is None for row in rows):
            return []
        caption = "Proportion of episodes passed on each task; error bars are 95 % Wilson intervals."
        figure = bars.pass_bars(rows, "task", tasks, look, "passed_by_task", caption)
        return [Section(_title(prefix, "Proportion passed"), [figure])]
    levelled = [row for row in rows if row.level]
    section = Section(_title(prefix, "Levels"))
    ours = [level for level in levels if level in published_results.LEVELS]
    shown = published_results.shown() if published and ours == levels else ()
    caption = "Proportion of episodes passed on each level; error bars are 95 % Wilson intervals."
    if shown:
        caption += " Pale hatched bars and horizontal lines show published results."
    chosen = levels[: 2 * _MOST_BARS]
    section.blocks.append(bars.pass_bars(levelled, "level", chosen, look, "passed_by_level", caption, shown))
    if len(levels) > len(chosen):
        section.blocks.append(f"The figure shows the first {len(chosen)} of {len(levels)} levels.")
    if radar.FEWEST <= len(levels) <= radar.MOST:
        caption = "Profile of each agent: proportion passed on each level, from 0 at the centre to 100 % at the rim."
        section.blocks.append(radar.radar(levelled, levels, published_results.LEVELS, look, "profile", caption))
        if len(agents_of(levelled)) > radar.MOST_AGENTS:
            section.blocks.append(f"The radar chart shows the first {radar.MOST_AGENTS} agents.")
    else:
        section.blocks.append(
            f"There is no radar chart: it needs {radar.FEWEST} to {radar.MOST} levels, and there are {len(levels)}."
        )
    section.blocks.append(by_level(levelled, titles=published_results.LEVELS))
    if len(levelled) < len(rows):
        one, many = "episode on a task without a level is", "episodes on tasks without a level are"
        section.blocks.append(f"{words.count(len(rows) - len(levelled), one, many)} not included here.")
    return [section]


def _tasks(rows: Sequence[ReportEpisode], prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Tasks"))
    tasks = {row.task for row in rows}
    if any(row.passed is not None for row in rows) and len(tasks) > 1:
        caption = (
            "Proportion of episodes passed on each task (rows, by level and from easy to hard) by each agent; grey: "
            "not played."
        )
        section.blocks.append(heat.heat_map(rows, look, "tasks_and_agents", caption))
    section.blocks.append(by_task(rows))
    if several_arenas(rows):
        section.blocks.append(by_arena(rows))
    return section


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
    done = comparisons.done
    if done:
        section.blocks += [test.sentence for test in done[:SPELLED_OUT]]
        section.blocks += [overall_table(comparisons), pairs_table(comparisons)]
    section.blocks += comparisons.remarks
    return section


def _model(rows: Sequence[ReportEpisode], model: Model, prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Odds of passing"))
    section.blocks += model.sentences
    if model.fit is not None:
        if any(term.factor for term in model.fit.terms):
            caption = f"Odds ratios with 95 % intervals ({model.formula}); the dashed line marks no difference."
            section.blocks.append(forest.forest(model.fit, look, "odds_ratios", caption))
        section.blocks.append(model_table(model.fit))
    section.blocks += model.remarks
    if len(agents_of(rows)) > 1:
        section.blocks.append(differences(rows))
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
        "arena at the start of the first of them; things with random positions were elsewhere in the others."
    )
    all_places = paths.places(rows)
    if len(all_places) > len(places):
        count = words.count(len(all_places), "arena")
        caption += f" {len(places)} of {count} are shown: those that most agents and participants played."
    drawing = paths.paths_from_above(records, rows, look, "paths", caption)
    section.blocks.append(drawing or "There are no paths: these tasks have none.")
    return section


def _trained(rows: Sequence[ReportEpisode], trained_rows: Sequence[ReportEpisode], look: Looks, seed: int) -> Section:
    section = Section("Training and held-out tasks", [trained_and_held_out(rows)])
    if trained_rows:
        section.blocks.append(
            "The rest of this section is about tasks that at least one agent was trained on, the rest of the report "
            "about held-out tasks."
        )
        section.blocks.append(by_agent(trained_rows, "agents_on_trained_tasks", seed))
        levels = levels_of(trained_rows)
        if len(levels) > 1:
            caption = (
                "Proportion of episodes passed on tasks that at least one agent was trained on; error bars are 95 % "
                "Wilson intervals."
            )
            levelled = [row for row in trained_rows if row.level]
            figure = bars.pass_bars(levelled, "level", levels[:24], look, "passed_by_level_trained", caption)
            section.blocks.append(figure)
        section.blocks.append(by_task(trained_rows, "tasks_trained_on"))
        if several_arenas(trained_rows):
            section.blocks.append(by_arena(trained_rows, "arenas_trained_on"))
    else:
        section.blocks.append(
            "At least one agent was trained on every task here, so the report says nothing about new tasks."
        )
    return section


def _published(rows: Sequence[ReportEpisode]) -> Section:
    section = Section("Comparison with published results")
    for make in (published_tables.levels_table, published_tables.places_table, published_tables.experiments_table):
        table = make(rows)
        if table is not None:
            section.blocks += [table, *table.remarks]
    if not section.blocks:
        section.blocks.append(published_tables.nothing_published(rows))
    return section


def _title(prefix: str, title: str) -> str:
    return f"{prefix}{title[0].lower() + title[1:]}" if prefix else title
