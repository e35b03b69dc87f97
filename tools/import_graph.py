"""Draw which package imports which, from the imports in the source: `python tools/import_graph.py` writes the picture.

A package is a folder below `src/puzzlebox`, or a single module there; each subfolder of a wing is a package. An arrow
is left out if a longer path of arrows leads to the same package. Imports for type checkers do not count, as for
`lint-imports`; imports inside functions do. `native` is the compiled kernel.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "puzzlebox"
PICTURE = ROOT / "docs" / "images" / "import-graph.svg"
# Folders whose subfolders are packages.
WINGS = ("arena", "infant", "intuitions")
# In pixels: width and height of a box, gap between boxes, height of a row, and margin of the picture.
_WIDTH, _HEIGHT, _GAP, _ROW, _EDGE = 132, 30, 24, 64, 20

Graph = Mapping[str, set[str]]


def package_of(module: str) -> str | None:
    """Return the package of a module such as `puzzlebox.arena.world.world`; None for `puzzlebox` itself."""
    parts = module.split(".")[1:]
    if not parts:
        return None
    return "/".join(parts[:2]) if parts[0] in WINGS and len(parts) > 1 else parts[0].lstrip("_")


@cache
def _modules() -> frozenset[str]:
    return frozenset(_name(path) for path in SOURCE.rglob("*.py"))


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of this package that a file imports, also inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("puzzlebox"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("puzzlebox"):
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield inner if inner in _modules() else str(node.module)
        else:
            yield from _imports(node)


def packages() -> Graph:
    """Return each package with the packages it imports."""
    graph: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        own = package_of(_name(path))
        if own is None or own in WINGS:
            continue
        others = {package_of(module) for module in _imports(ast.parse(path.read_text()))}
        graph.setdefault(own, set()).update(
            package for package in others if package and package != own and package not in WINGS
        )
    # The compiled kernel has no source here and imports nothing.
    return {"native": set(), **graph}


def _reduce(graph: Graph) -> Graph:
    """Return the graph without the arrows that a longer path implies."""

    @cache
    def below(package: str) -> frozenset[str]:
        return frozenset(graph[package]).union(*(below(other) for other in graph[package]))

    return {
        package: {other for other in others if not any(other in below(between) for between in others)}
        for package, others in graph.items()
    }


def _rows(graph: Graph) -> list[list[str]]:
    """Return the packages in rows, the highest first; each lies just below the lowest package that imports it."""
    importers = {package: {other for other in graph if package in graph[other]} for package in graph}
    depth: dict[str, int] = {}
    for package in TopologicalSorter(importers).static_order():
        depth[package] = 1 + max((depth[other] for other in importers[package]), default=-1)
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for package, number in depth.items():
        rows[number].append(package)
    return rows


def picture() -> str:
    """Return the graph as an SVG.

    Raises:
        graphlib.CycleError: two packages import each other.
    """
    graph = _reduce(packages())
    rows = _rows(graph)
    width = 2 * _EDGE + max(map(len, rows)) * (_WIDTH + _GAP) - _GAP
    height = 2 * _EDGE + len(rows) * _ROW - (_ROW - _HEIGHT)
    middle: dict[str, float] = {}
    top: dict[str, int] = {}
    for number, row in enumerate(rows):
        # Each package near the middle of those that import it, so that few arrows cross.
        targets = {
            package: [middle[other] for other in middle if package in graph[other]] or [width / 2] for package in row
        }
        start = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
        for column, package in enumerate(
            sorted(row, key=lambda package: (sum(targets[package]) / len(targets[package]), package))
        ):
            middle[package] = start + column * (_WIDTH + _GAP) + _WIDTH / 2
            top[package] = _EDGE + number * _ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        "<title>Which package imports which: arrows point to what is imported</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>',
    ]
    for package in sorted(graph):
        for other in sorted(graph[package]):
            x, y, to_x, to_y = middle[package], top[package] + _HEIGHT, middle[other], top[other] - 1
            bend = (to_y - y) / 2
            lines.append(
                f'<path d="M{x:g} {y}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y}" '
                'fill="none" stroke="#889" marker-end="url(#tip)"/>'
            )
    for package in sorted(graph):
        colour = "#dcebd8" if package.split("/")[0] in WINGS else "#e4e8f2"
        x, y = middle[package] - _WIDTH / 2, top[package]
        lines.append(f'<rect x="{x:g}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="{colour}"/>')
        lines.append(f'<text x="{middle[package]:g}" y="{y + 19}" text-anchor="middle" fill="#223">{package}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
    print(f"wrote {PICTURE.relative_to(ROOT)}")
