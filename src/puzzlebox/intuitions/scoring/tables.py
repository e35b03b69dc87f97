"""The table of scores beside the published ones, as Markdown and as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from puzzlebox.intuitions.catalogue import GROUPS, TASKS
from puzzlebox.intuitions.scoring import published
from puzzlebox.intuitions.scoring.observer import READ_OUTS
from puzzlebox.intuitions.scoring.order import Order
from puzzlebox.intuitions.scoring.summary import FEWEST_RUNS, Score


class Errors(NamedTuple):
    """Validation errors of a trained observer: their unit, and one for each background task."""

    unit: str
    by_task: Mapping[str, float | None]


_GENERATED = "films of our own generator"


def markdown(
    results: Mapping[str, Sequence[Score]],
    films: str = published.FAMILIAR,
    orders: Mapping[str, Sequence[Order]] | None = None,
    errors: Mapping[str, Errors] | None = None,
    measured_on: str = _GENERATED,
) -> str:
    """Return the tables of some observers: by read-out, with published scores, infants and disagreements.

    Args:
        results: the scores of each observer.
        films: which published scores stand beside: of `familiar` or `new` shapes, or `3d`.
        orders: the three-way order of each observer, if it is to be shown.
        errors: the validation errors of each trained observer, if they are to be shown.
        measured_on: in words, the films that the observers judged.
    """
    lines = [
        f"Scores in per cent of pairs, ties count half. Ours are measured on {measured_on}, the published ones on the "
        "published films; in brackets the 95 % interval over episodes.",
        *_pairs(results),
        "",
    ]
    for read_out in READ_OUTS:
        lines += [f"## Read-out: {read_out} surprise of a frame", "", *_table(results, read_out, films), ""]
    lines += _runs(results)
    if orders:
        lines += _orders(orders)
    if errors:
        lines += _errors(errors)
    lines += ["## Infants of eleven months", ""]
    lines += [f"- {TASKS[task].title}: {what}." for task, what in published.INFANTS.items()]
    lines += [
        "- These are differences of looking time between groups, so there is no score of infants in per cent.",
        "",
    ]
    lines += ["## Where published numbers disagree", ""]
    lines += [f"- {each.where}: {each.sentence}" for each in published.disagreements()]
    return "\n".join(lines) + "\n"


def _pairs(results: Mapping[str, Sequence[Score]]) -> list[str]:
    """Return the sentence that says how many pairs of each task were judged; none if nothing was."""
    found = {score.task: score.pairs for scores in results.values() for score in scores if not score.kind}
    counts = set(found.values())
    if not counts:
        return []
    if len(counts) == 1:
        return [f"Pairs of each task: {counts.pop():,}."]
    each = ", ".join(f"{TASKS[task].title} {found[task]:,}" for task in GROUPS["evaluation"] if task in found)
    return [f"Pairs: {each}."]


def _table(results: Mapping[str, Sequence[Score]], read_out: str, films: str) -> list[str]:
    models = [name for name in published.MODELS if any(published.score(name, task, films, read_out) for task in TASKS)]
    rows = [["task", *results, *(f"{name} (published)" for name in models)]]
    for task in GROUPS["evaluation"]:
        kinds = sorted({score.kind for scores in results.values() for score in scores if score.task == task})
        for kind in kinds:
            title = TASKS[task].title + (f", pair type {kind}" if kind else "")
            cells = [_cell(_find(scores, task, kind, read_out)) for scores in results.values()]
            numbers = [published.score(name, task, films, read_out) if not kind else None for name in models]
            rows.append([title, *cells, *(f"{number:.1f}" if number is not None else "" for number in numbers)])
    for group, tasks in published.GROUPS.items():
        means = [_mean([_share(_find(scores, task, "", read_out)) for task in tasks]) for scores in results.values()]
        theirs = [_mean([published.score(name, task, films, read_out) for task in tasks]) for name in models]
        cells = [f"{mean:.1f}" if mean is not None else "" for mean in (*means, *theirs)]
        rows.append([f"*{group}, mean of three*", *cells])
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]


def _find(scores: Sequence[Score], task: str, kind: str, read_out: str) -> Score | None:
    return next((s for s in scores if (s.task, s.kind, s.read_out) == (task, kind, read_out)), None)


def _cell(score: Score | None) -> str:
    if score is None:
        return ""
    value, low, high = (100 * number for number in score.over_episodes)
    return f"{value:.1f} ({low:.1f} to {high:.1f})"


def _share(score: Score | None) -> float | None:
    return None if score is None else 100 * score.over_episodes.value


def _mean(numbers: Sequence[float | None]) -> float | None:
    """Return the mean of numbers; None if one is missing."""
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known and len(known) == len(numbers) else None


def _runs(results: Mapping[str, Sequence[Score]]) -> list[str]:
    """Return what can be said of a model that was trained several times."""
    lines = []
    for name, scores in results.items():
        several = [score for score in scores if len(score.runs) > 1 and not score.kind]
        for score in several:
            title = f"{name}, {TASKS[score.task].title}, {score.read_out}"
            if score.over_runs is not None:
                low, high = 100 * score.over_runs.low, 100 * score.over_runs.high
                lines.append(
                    f"- {title}: {100 * score.over_runs.value:.1f} ({low:.1f} to {high:.1f} for runs like these)"
                )
            else:
                lowest, highest = 100 * min(score.runs), 100 * max(score.runs)
                lines.append(f"- {title}: {lowest:.1f} to {highest:.1f} in {len(score.runs)} runs of training")
    if not lines:
        return []
    return [
        "## Runs of training",
        "",
        f"An interval over runs needs {FEWEST_RUNS} runs; fewer: lowest and highest.",
        "",
        *lines,
        "",
    ]


def _orders(orders: Mapping[str, Sequence[Order]]) -> list[str]:
    lines = []
    for name, found in orders.items():
        for order in found:
            if order.task == "multi_agent":
                share = f"{100 * order.share:.1f} %"
                lines.append(f"- {name}, {order.read_out}: {order.lower} below {order.higher}: {share}")
    if not lines:
        return []
    about = "How often a film of the lower level surprises less, over all pairs of films."
    return ["## The three-way order", "", about, "", *lines, ""]


def _errors(errors: Mapping[str, Errors]) -> list[str]:
    rows = [["observer", "unit", *(TASKS[task].title for task in GROUPS["background"])]]
    for name, (unit, found) in errors.items():
        numbers = [found.get(task.rpartition("/")[2]) for task in GROUPS["background"]]
        rows.append([name, unit, *("" if number is None else f"{number:.2g}" for number in numbers)])
        theirs = published.REBUILT.get(name.partition(",")[0], "")
        if theirs in published.BACKGROUND_ERRORS:
            known = published.BACKGROUND_ERRORS[theirs]
            rows.append([f"{theirs} (published)", unit, *(f"{number:.2g}" for number in known)])
    rule = ["---", "---", *["---:"] * (len(rows[0]) - 2)]
    table = ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]
    return ["## Errors on background films that were not trained on", "", *table, ""]


def data(results: Mapping[str, Sequence[Score]]) -> list[dict[str, Any]]:
    """Return all scores as plain data, one mapping a score."""
    rows = []
    for name, scores in results.items():
        for score in scores:
            row = score._asdict()
            for interval in ("over_episodes", "over_runs"):
                row[interval] = row[interval]._asdict() if row[interval] is not None else None
            rows.append({"observer": name, **row, "runs": list(score.runs)})
    return rows
