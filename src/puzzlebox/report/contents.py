"""What a report holds, in the order of reading: sections of paragraphs, tables and figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from puzzlebox.report import beside, words
from puzzlebox.report import published as known
from puzzlebox.report.comparisons import SPELLED_OUT, Comparisons, compare, overall_table, pairs_table
from puzzlebox.report.doubts import doubts
from puzzlebox.report.figures import bars, forest, heat, paths, radar, violins
from puzzlebox.report.figures.looks import Drawing, Looks, looks
from puzzlebox.report.model import Group, Model, fit_model, model_table
from puzzlebox.report.played import Played, Results, Source, agents_of, levels_of, participants_of, passes
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
from puzzlebox.wings import wing_named

# Bars of more tasks than this cannot be read.
_MOST_BARS = 12
# Violins are for tasks that were played more than a few times.
_FEWEST_FOR_VIOLINS = 8


@dataclass
class Section:
    """A part of the page; blocks are shown in order, a plain text is a paragraph."""

    title: str
    blocks: list[str | Table | Drawing] = field(default_factory=list)


@dataclass
class Contents:
    """Everything of a report."""

    headline: list[str]
    doubts: list[str]
    sections: list[Section]
    comparisons: Comparisons
    model: Model

    @property
    def tables(self) -> list[Table]:
        """All tables."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    @property
    def drawings(self) -> list[Drawing]:
        """All figures."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Drawing)]


def contents(results: Results, *, published: bool = False, group: Group = "auto", seed: int = 0) -> Contents:
    """Analyse everything and draw it."""
    trained_tasks = {row.task for row in results.rows if row.trained_on}
    fresh = [row for row in results.rows if row.task not in trained_tasks]
    seen = [row for row in results.rows if row.task in trained_tasks]
    main = fresh or seen
    comparisons = compare(main)
    model = fit_model(main, group)
    # Chosen once: an agent looks the same in all figures.
    look = looks(results.agents)
    sections = []
    if main:
        held_out = "Held-out tasks: " if trained_tasks and fresh else "Tasks trained on: " if trained_tasks else ""
        sections = [
            _overall(main, held_out, seed),
            _participants(main, held_out),
            *_levels(main, held_out, look, published),
            _tasks(main, held_out, look),
            _returns(main, comparisons, held_out, look),
            _model(main, model, held_out, look),
            _paths(main, look, results.sources),
        ]
        if trained_tasks:
            sections.insert(1, _trained(results.rows, seen if fresh else [], look, seed))
        if published:
            sections.append(_published(main))
    sections.append(Section("Notes", list(results.remarks)))
    if results.broken:
        sections.append(Section("Failures", [failures(results.broken)]))
    said = doubts(Results(main, results.broken, results.sources, results.remarks), comparisons) if main else []
    return Contents(_headline(results, main), said, [each for each in sections if each.blocks], comparisons, model)


def _headline(results: Results, main: Sequence[Played]) -> list[str]:
    if not main:
        return ["No episode counts: all failed or were left."]
    lines = [
        f"{words.count(len(results.rows), 'episode')}, {words.count(len(results.tasks), 'task')}, "
        f"{words.count(len(results.agents), 'agent')}: {words.listed(results.agents, 8)}."
    ]
    where = ""
    if len(main) < len(results.rows):
        where = " on held-out tasks"
        held_out = len({row.task for row in main})
        lines.append(
            f"What follows is about the {words.count(held_out, 'task')} no agent was trained on; the other "
            f"{len(results.tasks) - held_out} have a section of their own."
        )
    for agent in agents_of(main)[:8]:
        passed, trials = passes([row for row in main if row.agent == agent])
        if trials:
            share = wilson(passed, trials)
            lines.append(f"{agent} passed {passed} of {trials}{where}: {words.percent_interval(share)}.")
        else:
            lines.append(f"Whether {agent} passed{where} is not known of any episode.")
    return lines


def _overall(rows: Sequence[Played], prefix: str, seed: int) -> Section:
    table = by_agent(rows, seed=seed)
    return Section(_title(prefix, "All agents"), [table, *table.remarks])


def _participants(rows: Sequence[Played], prefix: str) -> Section:
    section = Section(_title(prefix, "Participants"))
    if participants_of(rows):
        section.blocks.append(by_participant(rows))
    return section


def _levels(rows: Sequence[Played], prefix: str, look: Looks, published: bool) -> list[Section]:
    levels = levels_of(rows)
    tasks = sorted({row.task for row in rows})
    if len(levels) < 2:
        if len(tasks) > _MOST_BARS or all(row.passed is None for row in rows):
            return []
        caption = "Share passed on each task; error bars are 95 % Wilson intervals."
        drawn = bars.pass_bars(rows, "task", tasks, look, "passed_by_task", caption)
        return [Section(_title(prefix, "Share passed"), [drawn])]
    levelled = [row for row in rows if row.level]
    section = Section(_title(prefix, "Levels"))
    ours = [level for level in levels if level in known.LEVELS]
    shown = known.shown() if published and ours == levels else ()
    caption = "Share passed on each level; error bars are 95 % Wilson intervals."
    if shown:
        caption += " Pale hatched bars and horizontal lines are published results."
    chosen = levels[: 2 * _MOST_BARS]
    section.blocks.append(bars.pass_bars(levelled, "level", chosen, look, "passed_by_level", caption, shown))
    if len(levels) > len(chosen):
        section.blocks.append(f"The figure shows the first {len(chosen)} of {len(levels)} levels.")
    if radar.FEWEST <= len(levels) <= radar.MOST:
        caption = "The profile of each agent over levels: share passed, from 0 in the middle to 100 % at the rim."
        section.blocks.append(radar.radar(levelled, levels, known.LEVELS, look, "profile", caption))
        if len(agents_of(levelled)) > radar.MOST_AGENTS:
            section.blocks.append(f"The wheel shows the first {radar.MOST_AGENTS} agents.")
    else:
        section.blocks.append(
            f"No wheel of levels: it needs {radar.FEWEST} to {radar.MOST} of them, and there are {len(levels)}."
        )
    section.blocks.append(by_level(levelled, titles=known.LEVELS))
    if len(levelled) < len(rows):
        one, many = "episode on a task without a level is", "episodes on tasks without a level are"
        section.blocks.append(f"{words.count(len(rows) - len(levelled), one, many)} not in here.")
    return [section]


def _tasks(rows: Sequence[Played], prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Tasks"))
    tasks = {row.task for row in rows}
    if any(row.passed is not None for row in rows) and len(tasks) > 1:
        caption = "Share passed of each task (rows, by level and from easy to hard) by each agent; grey: not played."
        section.blocks.append(heat.heat_map(rows, look, "tasks_and_agents", caption))
    section.blocks.append(by_task(rows))
    if several_arenas(rows):
        section.blocks.append(by_arena(rows))
    return section


def _returns(rows: Sequence[Played], comparisons: Comparisons, prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Returns"))
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.task] = counts.get(row.task, 0) + 1
    enough = _FEWEST_FOR_VIOLINS * len(agents_of(rows))
    often = [task for task, many in sorted(counts.items()) if many >= enough]
    if often:
        caption = "Returns of all episodes; white dot: median, bar: quartiles."
        if len(often) > violins.MOST_PANELS:
            caption += f" The first {violins.MOST_PANELS} of {len(often)} tasks."
        chosen = often[: violins.MOST_PANELS]
        drawn = [row for row in rows if row.task in chosen]
        section.blocks.append(violins.violins(drawn, chosen, look, "returns", caption))
    else:
        section.blocks.append(
            f"No violins of returns: no task was played at least {_FEWEST_FOR_VIOLINS} times by each agent."
        )
    done = comparisons.done
    if done:
        section.blocks += [test.sentence for test in done[:SPELLED_OUT]]
        section.blocks += [overall_table(comparisons), pairs_table(comparisons)]
    section.blocks += comparisons.remarks
    return section


def _model(rows: Sequence[Played], model: Model, prefix: str, look: Looks) -> Section:
    section = Section(_title(prefix, "Odds of passing"))
    section.blocks += model.sentences
    if model.fit is not None:
        if any(term.factor for term in model.fit.terms):
            caption = f"Odds ratios with 95 % intervals ({model.formula}); the dashed line is no difference."
            section.blocks.append(forest.forest(model.fit, look, "odds_ratios", caption))
        section.blocks.append(model_table(model.fit))
    section.blocks += model.remarks
    if len(agents_of(rows)) > 1:
        section.blocks.append(differences(rows))
    return section


def _paths(rows: Sequence[Played], look: Looks, sources: Sequence[Source]) -> Section:
    section = Section("Paths")
    rows = [row for row in rows if wing_named(row.wing).views]
    if not rows:
        section.blocks.append("No paths: there are no pictures of these tasks.")
        return section
    drawn = paths.chosen(rows)
    found = list(paths.records(paths.wanted(rows, drawn)))
    if not found:
        why = "no trajectories were kept with these episodes"
        if all(source.kind == "table" for source in sources):
            why = "tables hold no ways to draw; the file of recordings or the folder of the run they come from does"
        section.blocks.append(f"No paths: {why}.")
        return section
    caption = (
        f"Ways from above until the episode was decided, at most {paths.MOST_PATHS} episodes in each panel, over the "
        "arena as the first of them began; things placed by chance stood elsewhere in the others."
    )
    places = paths.places(rows)
    if len(places) > len(drawn):
        caption += f" {len(drawn)} of {words.count(len(places), 'arena')}: those most agents and participants played."
    section.blocks.append(paths.paths_from_above(found, rows, look, "paths", caption))
    return section


def _trained(rows: Sequence[Played], seen: Sequence[Played], look: Looks, seed: int) -> Section:
    section = Section("Trained on and held out", [trained_and_held_out(rows)])
    if seen:
        section.blocks.append(
            "The rest of this report is about held-out tasks; what follows is about the tasks any agent was trained on."
        )
        section.blocks.append(by_agent(seen, "agents_on_trained_tasks", seed))
        levels = levels_of(seen)
        if len(levels) > 1:
            caption = "Share passed on tasks that some agent was trained on; error bars are 95 % Wilson intervals."
            levelled = [row for row in seen if row.level]
            drawn = bars.pass_bars(levelled, "level", levels[:24], look, "passed_by_level_trained", caption)
            section.blocks.append(drawn)
        section.blocks.append(by_task(seen, "tasks_trained_on"))
        if several_arenas(seen):
            section.blocks.append(by_arena(seen, "arenas_trained_on"))
    else:
        section.blocks.append("Every task here was one some agent was trained on, so nothing is said about new ones.")
    return section


def _published(rows: Sequence[Played]) -> Section:
    section = Section("Beside published results")
    for table in (beside.levels_table(rows), beside.places_table(rows), beside.experiments_table(rows)):
        if table is not None:
            section.blocks += [table, *table.remarks]
    if not section.blocks:
        section.blocks.append(beside.nothing_published(rows))
    return section


def _title(prefix: str, title: str) -> str:
    return f"{prefix}{title[0].lower() + title[1:]}" if prefix else title
