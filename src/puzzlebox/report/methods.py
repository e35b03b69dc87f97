"""How it was done, ready to paste: who played what by which rules, and every choice the statistics made."""

import platform
import shlex
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from puzzlebox import __version__
from puzzlebox.record.entries import HUMAN
from puzzlebox.report import conditions, words
from puzzlebox.report.comparisons import DECIMALS
from puzzlebox.report.model import Model
from puzzlebox.report.played import Played, Remark, Results, Source, agents_of, grouped, participants_of
from puzzlebox.report.tables import Table
from puzzlebox.stats.means import RESAMPLES

# What a reader must know of some groups beside their name.
_GROUPS = {"participant": "participant (an agent counts as one)"}


def paragraphs(results: Results, tasks: Table, model: Model, tested: bool, seed: int, published: bool) -> list[str]:
    """The methods section; `tasks` is the table of what they asked for."""
    return [_who(results, tasks), _statistics(results, model, tested, seed), *([_published()] if published else [])]


def _who(results: Results, asked: Table) -> str:
    rows = results.rows
    lines = [
        f"{words.count(len(rows), 'episode')} on {words.count(len(results.tasks), 'task')}"
        f" ({words.listed(results.tasks, 3)}) were analysed."
    ]
    for agent, own in ((agent, [row for row in rows if row.agent == agent]) for agent in agents_of(rows)):
        per_task = sorted({len(each) for each in grouped(own, lambda row: row.task).values()})
        often = f"{per_task[0]}" if len(per_task) == 1 else f"{per_task[0]} to {per_task[-1]}"
        name = f"“{agent}”"
        people = "People" if agent == HUMAN else f"People ({name})"
        who = people if any(row.person for row in own) else f"The agent {name}"
        tasks = len({row.task for row in own})
        times = "once" if often == "1" else f"{often} times"
        lines.append(f"{who} played {words.count(tasks, 'task')} {times}{' each' if tasks > 1 else ''}.")
        lines += _participants(own)
    rules = sorted({row.rules for row in rows} - {""})
    if rules:
        lines.append(f"Episodes were played by the rules {words.listed([f'“{each}”' for each in rules])} of Puzzlebox.")
    for source in results.sources:
        if source.settings:
            lines.append(_settings_sentence(source))
    lines += conditions.agents_told(results.sources)
    lines.append(
        "The physics has steps of 0.02 s; times are seconds of the arena, not of the computer. The latency of an "
        "episode is the time from when the animal could first move to the event that decided the episode."
    )
    lines.append(
        "Whether an episode was passed is known once it has ended by itself: it was when its return (the sum of its "
        "rewards) was at least the pass mark of its task and, where that mark is 0, no penalty ended it and the return "
        "was above 0 or the task completed without a penalty. Episodes that were cut off were neither passed nor "
        "failed; shares are of the others."
    )
    lines.append(conditions.tasks_told(asked))
    if any(row.trained_on for row in rows):
        lines.append("Tasks any agent was trained on were analysed apart from the others.")
    lines += [remark.methods if isinstance(remark, Remark) else remark for remark in results.remarks]
    return " ".join(line for line in lines if line)


def _participants(rows: Sequence[Played]) -> list[str]:
    """How many people these were, where their ids tell."""
    ids = participants_of(rows)
    if not ids:
        return []
    unknown = sum(not row.participant for row in rows)
    rest = f"; {words.count(unknown, 'episode')} {'carries' if unknown == 1 else 'carry'} no id" if unknown else ""
    return [f"{'They were' if len(ids) > 1 else 'This was'} {words.count(len(ids), 'participant')}{rest}."]


def _settings_sentence(source: Source) -> str:
    settings = source.settings
    told = [f"run {source.name}"]
    if "seed" in settings:
        told.append(
            f"the seed of each episode was made from {settings['seed']}, its task, arena and repetition, the same for "
            "all agents"
        )
    fields = settings.get("rules_fields")
    if isinstance(fields, Mapping) and "decision_period" in fields:
        told.append(f"an action was held for {fields['decision_period']} physics steps")
    if "longest" in settings:
        told.append(f"episodes were stopped after {settings['longest']} physics steps at the latest")
    if "puzzlebox" in settings:
        machine = settings.get("machine")
        engine = f" (SAPIEN {machine['sapien']})" if isinstance(machine, Mapping) and "sapien" in machine else ""
        told.append(f"played with Puzzlebox {settings['puzzlebox']}{engine}")
    return f"{told[0][0].upper() + told[0][1:]}: {'; '.join(told[1:])}." if len(told) > 1 else ""


def _statistics(results: Results, model: Model, tested: bool, seed: int) -> str:
    lines = [
        "Shares passed have 95 % Wilson score intervals; differences of shares have Newcombe's hybrid score intervals."
    ]
    if tested:
        lines.append(
            "Returns of agents were compared on each task with the Kruskal–Wallis rank test, corrected for ties "
            f"(returns equal to {DECIMALS} decimals), and each pair with Dunn's test; p values were adjusted over all "
            "pairs of a task by Bonferroni and by Holm. "
            "Effect sizes are ε² = H / (n − 1) and Cliff's δ (below .147 negligible, .33 small, .474 medium)."
        )
    lines.append(
        "Interquartile means cut a quarter of the values at each end; their 95 % intervals are percentiles of "
        f"{RESAMPLES} bootstrap resamples stratified by task (seed {seed})."
    )
    fit = model.fit
    if fit is not None:
        if fit.spread is not None:
            group = _GROUPS.get(model.group, model.group)
            lines.append(
                f"Passing was modelled as {model.formula}: a logistic mixed model with a normal random intercept for "
                f"each {group}, fitted by maximum likelihood (BFGS) with adaptive Gauss–Hermite quadrature at "
                f"{fit.nodes} nodes."
            )
        else:
            lines.append(f"Passing was modelled as {model.formula}, a logistic model fitted by maximum likelihood.")
        lines.append("Intervals of odds ratios are estimate ± 1.96 standard errors on the scale of log odds (Wald).")
    used = ", ".join(f"{name} {found}" for name, found in versions().items())
    lines.append(f"Computed with Puzzlebox {__version__} ({used}).")
    return " ".join(lines)


def _published() -> str:
    return (
        "Published results: children of Voudouris et al. (2022), recomputed from their scores; entrants of the "
        "Animal-AI competition of 2019 (Crosby et al. 2020); agents of Voudouris et al. (2024, arXiv 2312.11414), PPO "
        "with its task names reconstructed."
    )


def versions() -> dict[str, str]:
    """What the numbers were computed with."""
    found = {"Python": platform.python_version()}
    for package in ("numpy", "scipy", "matplotlib"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def commands(results: Results, command: str) -> list[str]:
    """What to type to get all of it again, in order."""
    lines: list[str] = []
    for source in results.sources:
        for part in source.settings.get("commands", [source.settings.get("command", "")]):
            lines.append(str(part.get("command", "")) if isinstance(part, Mapping) else str(part))
    return list(dict.fromkeys(line for line in (*lines, command) if line))


def settings_rows(results: Results) -> list[tuple[str, str, str]]:
    """Every setting of every run: the run, the name of the setting, its value; tasks have a table of their own."""
    lines = []
    for source in results.sources:
        for name, value in source.settings.items():
            if name in ("tasks", "commands", "command"):
                continue
            if isinstance(value, Mapping):
                lines += [(source.name, f"{name}.{key}", _said(each)) for key, each in value.items()]
            else:
                lines.append((source.name, name, _said(value)))
        lines += [(source.name, name, value) for name, value in conditions.agent_rows(source)]
    return lines


def _said(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_said(each.get("name", each)) if isinstance(each, Mapping) else _said(each) for each in value)
    return str(value)


def quoted(arguments: Sequence[str]) -> str:
    """A command as it can be typed."""
    return shlex.join(arguments)
