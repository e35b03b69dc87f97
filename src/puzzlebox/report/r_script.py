"""The R script of a report, which recomputes its model of passing with lme4, and the tables that it reads."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from puzzlebox.csv_cells import CellWriter
from puzzlebox.report.model import Model, subject_of

SCRIPT = "model.R"


def write_r_files(model: Model, folder: Path) -> list[Path]:
    """Write the R script, its data and the covariance matrix of the fixed effects; nothing if there is no model.

    Args:
        model: the model of passing.
        folder: the folder of the report, which has a folder `tables`.
    """
    fit = model.fit
    if fit is None:
        return []
    tables = folder / "tables"
    names = [f"{each.factor} {each.name}".strip() for each in fit.effects]
    order = [names.index("intercept"), *(names.index(f"{term.factor} {term.name}") for term in model.terms)]
    names = [names[index] for index in order]
    matrix = fit.covariance[order][:, order].tolist()
    files = [
        _write(tables / "model_data.csv", *_data(model)),
        _write(tables / "model_summary.csv", ("quantity", "value"), _summary(model)),
        _write(
            tables / "model_covariance.csv",
            ("term", *names),
            ([name, *row] for name, row in zip(names, matrix, strict=True)),
        ),
        folder / SCRIPT,
    ]
    files[-1].write_text((Path(__file__).parent / SCRIPT).read_text(encoding="utf-8"), encoding="utf-8")
    return files


def _data(model: Model) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
    """Return the names of the columns and the rows of the cells: passes and episodes of the same categories."""
    assert model.fit is not None
    factors = list(model.fit.categories)
    numbers = {
        factor: {name: index for index, name in enumerate([model.fit.references[factor], *_others(model, factor)], 1)}
        for factor in factors
    }
    with_subjects = "subject" in model.fit.spreads
    cells: dict[tuple[str, ...], list[int]] = {}
    for row in model.units.weighed:
        if row.passed is None:
            continue
        who = subject_of(model.units, row) if with_subjects else ""
        key = (*(model.category(row, factor) for factor in factors), model.units.task(row), who)
        counts = cells.setdefault(key, [0, 0])
        counts[0] += bool(row.passed)
        counts[1] += 1
    columns = (*factors, *(f"{factor}_number" for factor in factors), "unit", "subject", "passes", "episodes")
    lines = []
    for key, counts in cells.items():
        own = [numbers[factor][name] for factor, name in zip(factors, key, strict=False)]
        lines.append((*key[: len(factors)], *own, *key[len(factors) :], *counts))
    return columns, lines


def _others(model: Model, factor: str) -> list[str]:
    return [term.name for term in model.terms if term.factor == factor]


def _summary(model: Model) -> list[tuple[str, Any]]:
    """Return the numbers of the model that belong to no single term."""
    assert model.fit is not None
    assert model.overall is not None
    return [
        ("log_likelihood", model.fit.log_likelihood),
        ("penalised", int(bool(model.fit.penalised))),
        *((f"sd_{name}", value) for name, value in model.fit.spreads.items()),
        ("overall_f", model.overall.statistic),
        ("overall_df", model.overall.df),
        ("overall_p", model.overall.p),
    ]


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = CellWriter(file)
        writer.writerow(names)
        writer.writerows(rows)
    return path
