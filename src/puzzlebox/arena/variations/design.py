"""The use of a template's combinations: splits that share none, balanced samples, Latin squares."""

from puzzlebox.arena.schema.tree import MAPPING, SCALAR, SEQUENCE, Node
from puzzlebox.arena.variations.names import Names
from puzzlebox.arena.variations.parts import Context
from puzzlebox.arena.variations.plan import Design
from puzzlebox.arena.variations.problems import refuse
from puzzlebox.arena.variations.space import Choice
from puzzlebox.arena.variations.tables import Constraint
from puzzlebox.arena.variations.variables import number_of, pairs_of, whole_of
from puzzlebox.seeds import SEEDS
from puzzlebox.text import nearest

DESIGN_KEYS = ("design", "splits")
_KEYS = ("sample", "seed", "balance", "latin_square")


def read_design(root: Node, names: list[str]) -> Design:
    """Read the sections `design` and `splits`."""
    design = Design()
    node = root.get("design")
    if node is not None:
        for key, value in pairs_of(node, "design", "a mapping"):
            match key.value:
                case "sample":
                    design.sample = whole_of(value, "`sample`", 1, 10**12)
                case "seed":
                    design.seed = whole_of(value, "`seed`", 0, SEEDS)
                case "balance":
                    design.balance = tuple(_variable_name(each, names) for each in _variable_nodes(value, "`balance`"))
                case "latin_square":
                    pass
                case word:
                    refuse(f"`{word}` is not a key of `design`{nearest(word, _KEYS)}", key, "unknown-key")
    splits = root.get("splits")
    if splits is not None:
        _read_splits(splits, design)
    return design


def _read_splits(node: Node, design: Design) -> None:
    for key, value in pairs_of(node, "splits", "a mapping"):
        if key.value == "seed":
            design.split_seed = whole_of(value, "`seed`", 0, SEEDS)
            continue
        share = number_of(value, f"the share of `{key.short()}`")
        if not 0 < share <= 1:
            refuse(f"the share of `{key.short()}` must be above 0 and at most 1; got {value.describe()}", value)
        design.splits[key.value] = share
    total = sum(design.splits.values())
    if not design.splits or total > 1 + 1e-9:
        refuse(f"the shares of `splits` must add up to 1 or less; they add up to {round(total, 6)}", node)


def latin_square(root: Node, names: Names) -> list[Constraint]:
    """Return the constraint that leaves a Latin square of three variables; none if the template has no square.

    Each value stands once in each row and column. With an even number of values, each also follows each other one
    equally often along the rows (a Williams square).

    With an even number of values, each also follows each other one equally often along the rows (a Williams square).
    """
    design = root.get("design")
    node = design.get("latin_square") if design is not None and design.kind == MAPPING else None
    if node is None:
        return []
    entries = _variable_nodes(node, "`latin_square`")
    if len(entries) != 3:
        refuse("`latin_square` names three variables: rows, columns and what stands in the cells", node, "length")
    axes: list[Choice] = []
    for each in entries:
        part = names.parts[_variable_name(each, list(names.parts))]
        if not isinstance(part, Choice):
            refuse(f"`{each.short()}` has no list of options, so it cannot be part of a Latin square", each)
        axes.append(part)
    rows, columns, cells = axes
    size = len(rows.options)
    if not size == len(columns.options) == len(cells.options):
        counts = ", ".join(f"`{axis.name}` has {len(axis.options)}" for axis in axes)
        refuse(f"the variables of a Latin square need equally many options; {counts}", node, "length")

    def holds(context: Context) -> bool:
        row, column, cell = (context.choose(axis) for axis in axes)
        return cell == square(size, row, column)

    return [Constraint(frozenset(axes), holds, node.place)]


def square(size: int, row: int, column: int) -> int:
    """Return the value in a cell of the Latin square."""
    if size % 2:
        return (row + column) % size
    # 0, 1, n-1, 2, n-2, ...: the differences between neighbours are all different.
    first = 0 if column == 0 else (column + 1) // 2 if column % 2 else size - column // 2
    return (row + first) % size


def _variable_name(node: Node, names: list[str]) -> str:
    if node.kind != SCALAR or node.value not in names:
        refuse(f"there is no variable `{node.short()}`{nearest(node.short(), names)}", node, "unknown-name")
    return str(node.value)


def _variable_nodes(node: Node, what: str) -> list[Node]:
    if node.kind != SEQUENCE:
        refuse(f"{what} expects a list of variables; got {node.describe()}", node)
    entries: list[Node] = node.value
    return entries
