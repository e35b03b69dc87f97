"""Arithmetic in templates: written as in Python, parsed into a tree and evaluated; nothing is executed as code."""

import ast
import math
import operator
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from puzzlebox.arena.variations.budget import LARGEST, MOST_CHARACTERS, MOST_VALUES, Sized, size_of
from puzzlebox.text import nearest

# Python's parser needs time and stack for long expressions, and people cannot read them.
_LONGEST = 500
_DEEPEST = 30
_LARGEST_POWER = 64
# Results may be larger than numbers in the text.
_LARGEST_RESULT = LARGEST**4
_MOST_DIGITS = 15


_ValueOf = Callable[[str], Any]
_Evaluate = Callable[[_ValueOf], Any]


class ExpressionError(ValueError):
    """An expression that cannot be parsed or evaluated; the text is one sentence."""


def _degrees(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda angle: round(function(math.radians(angle)), 12)


def _clamp(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


def _round(value: Any, digits: Any = None) -> Any:
    if digits is None:
        return round(value)
    if isinstance(digits, int) and abs(digits) > _MOST_DIGITS:
        raise ValueError(f"round takes from -{_MOST_DIGITS} to {_MOST_DIGITS} digits, not {digits}")
    return round(value, digits)


def _distance(ax: float, az: float, bx: float, bz: float) -> float:
    return math.hypot(bx - ax, bz - az)


# Functions that an expression may call; angles are in degrees, as everywhere in a task.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "clamp": _clamp,
    "cos": _degrees(math.cos),
    "distance": _distance,
    "floor": math.floor,
    "len": len,
    "max": max,
    "min": min,
    "round": _round,
    "sin": _degrees(math.sin),
    "sqrt": math.sqrt,
    "tan": _degrees(math.tan),
    "text": str,
}
_CONSTANTS = {"true": True, "false": False, "none": None, "pi": math.pi}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
# Precedence of operators that are evaluated from left to right.
_RANKS: dict[type[ast.operator], int] = {
    ast.Add: 1,
    ast.Sub: 1,
    ast.Mult: 2,
    ast.Div: 2,
    ast.FloorDiv: 2,
    ast.Mod: 2,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: _equal(a, b),
    ast.NotEq: lambda a, b: not _equal(a, b),
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: any(_equal(a, each) for each in b),
    ast.NotIn: lambda a, b: not any(_equal(a, each) for each in b),
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}


def _equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal up to rounding: 0.1 + 0.2 is 0.3."""
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) if numbers else bool(a == b)


class Expression:
    """An expression over named values.

    Args:
        text: the expression, such as `wall_x + 2`.

    Attributes:
        names: the names it refers to, in order of appearance.
        cost: how many steps it takes to evaluate.
        depth: how deep it is nested; a chain such as `a + b - c` is one level.

    Raises:
        ExpressionError: the text is not an expression, or uses something that is not allowed.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        if not self.text:
            raise ExpressionError("an expression is missing after the `$`")
        if len(self.text) > _LONGEST:
            raise ExpressionError(f"the expression has more than {_LONGEST} characters")
        try:
            root = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            cut = self.text.count("(") != self.text.count(")") or self.text.count("[") != self.text.count("]")
            hint = "; put an expression with a comma in quotes" if cut else " such as `wall_x + 2`"
            raise ExpressionError(f"`{self.text}` is not an expression{hint}") from None
        self.names = tuple(dict.fromkeys(_names_in(root, 0)))
        self.cost = sum(1 for _ in ast.walk(root))
        self.depth = _depth(root)
        self._evaluate = _compile(root)

    def evaluate(self, value_of: _ValueOf) -> Any:
        """Return the value, with names looked up by `value_of`.

        Raises:
            ExpressionError: there is none, as with a division by zero.
        """
        try:
            return _rounded(self._evaluate(value_of))
        except (ArithmeticError, TypeError, ValueError, IndexError, KeyError) as problem:
            if isinstance(problem, ExpressionError):
                raise
            raise ExpressionError(f"`{self.text}` has no value: {problem}") from None


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError("the result is not a finite number")
        # Digits after the ninth decimal are rounding errors.
        return round(value, 9)
    if isinstance(value, list | tuple):
        size = _check_size(value)
        result = Sized(_rounded(part) for part in value)
        result.size = size
        return result
    _check_size(value)
    return value


def _check_size(value: Any) -> int:
    """Return how many values a value holds.

    Raises:
        ExpressionError: it is too large.
    """
    if isinstance(value, int | float):
        if abs(value) > _LARGEST_RESULT:
            raise ExpressionError("the result is too large")
        return 1
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        raise ExpressionError(f"the result has more than {MOST_CHARACTERS:,} characters")
    size = size_of(value)
    if size > MOST_VALUES:
        raise ExpressionError(f"the result holds more than {MOST_VALUES:,} values")
    return size


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """Return an expression; equal texts are parsed once."""
    return Expression(text)


def _names_in(node: ast.AST, depth: int) -> Iterator[str]:
    """Yield the names in an expression; refuse anything that is not allowed in one."""
    if depth > _DEEPEST:
        raise ExpressionError(
            f"the expression has more than {_DEEPEST} operations, functions or lists within one another; "
            "give parts of it names with `let`"
        )
    match node:
        case ast.Name(id=name):
            if name.lower() not in _CONSTANTS:
                yield name
            return
        case ast.Constant(value=value):
            if not isinstance(value, str | int | float | bool):
                raise ExpressionError(f"`{value!r}` is neither a number nor a text")
            if isinstance(value, int | float) and abs(value) > LARGEST:
                raise ExpressionError(f"`{str(value)[:40]}` is too large a number")
            return
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            if name not in FUNCTIONS:
                raise ExpressionError(f"there is no function `{name}`{nearest(name, FUNCTIONS)}")
            inner: list[ast.AST] = list(args)
        case ast.BinOp(op=op) if type(op) in _BINARY:
            first, steps = _chain(node)
            inner = [first, *(right for _, right in steps)]
        case ast.UnaryOp(op=unary, operand=operand) if type(unary) in _UNARY:
            inner = [operand]
        case ast.BoolOp(values=values):
            inner = list(values)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(each) in _COMPARE for each in ops):
            inner = [left, *others]
        case ast.IfExp(test=test, body=body, orelse=other):
            inner = [test, body, other]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            inner = list(parts)
        case ast.Subscript(value=whole, slice=index) if not isinstance(index, ast.Slice):
            inner = [whole, index]
        case _:
            raise ExpressionError(f"`{_words(node)}` is not allowed in an expression")
    for part in inner:
        yield from _names_in(part, depth + 1)


def _chain(node: ast.BinOp) -> tuple[ast.expr, list[tuple[ast.operator, ast.expr]]]:
    """Return the first value of a chain such as `a + b - c`, and the operator and operand of each step."""
    rank = _RANKS.get(type(node.op))
    first, steps = node.left, [(node.op, node.right)]
    while rank is not None and isinstance(first, ast.BinOp) and _RANKS.get(type(first.op)) == rank:
        steps.append((first.op, first.right))
        first = first.left
    return first, steps[::-1]


def _depth(node: ast.AST) -> int:
    if isinstance(node, ast.BinOp):
        first, steps = _chain(node)
        inner: list[ast.AST] = [first, *(right for _, right in steps)]
    else:
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    return 1 + max(map(_depth, inner), default=0)


def _words(node: ast.AST) -> str:
    try:
        return ast.unparse(node)[:60]
    except (ValueError, RecursionError):
        return type(node).__name__


def _compile(node: ast.AST) -> _Evaluate:
    """Return a function that evaluates a node, so that its kind is looked up once and not at each evaluation."""
    match node:
        case ast.Name(id=name):
            if name.lower() in _CONSTANTS:
                return _constant(_CONSTANTS[name.lower()])
            return lambda value_of: value_of(name)
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(FUNCTIONS[name], [_compile(each) for each in args])
        case ast.BinOp():
            first, steps = _chain(node)
            return _operations(_compile(first), [(type(op), _compile(right)) for op, right in steps])
        case ast.UnaryOp(op=unary, operand=operand):
            change, inner = _UNARY[type(unary)], _compile(operand)
            return lambda value_of: change(inner(value_of))
        case ast.BoolOp(op=op, values=values):
            tests, combine = [_compile(each) for each in values], all if isinstance(op, ast.And) else any
            return lambda value_of: combine(test(value_of) for test in tests)
        case ast.Compare(left=left, ops=ops, comparators=others):
            comparisons = [_COMPARE[type(each)] for each in ops]
            return _comparison(_compile(left), list(zip(comparisons, map(_compile, others), strict=True)))
        case ast.IfExp(test=test, body=body, orelse=other):
            condition, then, otherwise = _compile(test), _compile(body), _compile(other)
            return lambda value_of: then(value_of) if condition(value_of) else otherwise(value_of)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return _list([_compile(each) for each in elements])
        case ast.Subscript(value=whole, slice=index):
            values_of, place_of = _compile(whole), _compile(index)
            return lambda value_of: values_of(value_of)[place_of(value_of)]
    raise AssertionError(node)


def _constant(value: Any) -> _Evaluate:
    return lambda value_of: value


def _call(function: Callable[..., Any], arguments: list[_Evaluate]) -> _Evaluate:
    def evaluate(value_of: _ValueOf) -> Any:
        result = function(*[each(value_of) for each in arguments])
        _check_size(result)
        return result

    return evaluate


def _operations(first: _Evaluate, steps: list[tuple[type[ast.operator], _Evaluate]]) -> _Evaluate:
    def evaluate(value_of: _ValueOf) -> Any:
        result = first(value_of)
        for op, right in steps:
            result = _binary(op, result, right(value_of))
        return result

    return evaluate


def _comparison(first: _Evaluate, steps: list[tuple[Callable[[Any, Any], Any], _Evaluate]]) -> _Evaluate:
    def evaluate(value_of: _ValueOf) -> bool:
        left = first(value_of)
        for compare, other in steps:
            right = other(value_of)
            if not compare(left, right):
                return False
            left = right
        return True

    return evaluate


def _list(elements: list[_Evaluate]) -> _Evaluate:
    def evaluate(value_of: _ValueOf) -> Sized:
        result = Sized([each(value_of) for each in elements])
        result.size = 1 + sum(map(size_of, result))
        _check_size(result)
        return result

    return evaluate


def _binary(op: type[ast.operator], left: Any, right: Any) -> Any:
    """Return the result of one operation; refuse one that is too large."""
    if op is ast.Pow and (abs(right) > _LARGEST_POWER or abs(left) > LARGEST):
        raise ExpressionError("the power is too large")
    if op is ast.Mult and not all(isinstance(each, int | float) for each in (left, right)):
        raise ExpressionError("only numbers can be multiplied")
    if op is ast.Mod and isinstance(left, str):
        raise ExpressionError("% is for numbers")
    if isinstance(left, list) and isinstance(right, list):
        size = size_of(left) + size_of(right)
        if size > MOST_VALUES:
            raise ExpressionError(f"the result holds more than {MOST_VALUES:,} values")
        joined = Sized(_BINARY[op](left, right))
        joined.size = size - 1
        return joined
    result = _BINARY[op](left, right)
    if isinstance(result, complex):
        raise ArithmeticError(f"{left} is negative and has no power of {right}")
    _check_size(result)
    return result
