"""A thing declares the parameters it takes; an unclear declaration is refused."""

import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Item
from puzzlebox.arena.things import CATALOGUE, PARAMETERS, Category, Kind, Takes, Thing


def refusal(**body: object) -> str:
    """Return the message that refuses a thing with this body; nothing of it stays in the catalogue or the table."""
    before = dict(CATALOGUE), dict(PARAMETERS)
    with pytest.raises(TypeError) as problem:
        type("Gong", (Thing,), {"__doc__": "A gong.", "category": Category.IMMOVABLE, **body})
    assert (CATALOGUE, PARAMETERS) == before
    return str(problem.value)


def test_an_unknown_parameter_needs_a_kind() -> None:
    message = refusal(parameters={"spawn_colour": Takes()})
    assert message.startswith("Gong takes `spawn_colour`, which is not a known parameter; did you mean `spawn_color`?;")
    assert 'Takes(440.0, "hertz", kind=Kind.NUMBER)' in message


@pytest.mark.parametrize(
    ("name", "takes", "message"),
    [
        (
            "pitch",
            Takes(440.0, kind=Kind.NUMBER),
            "Gong declares `pitch` without a meaning; the documentation of the parameter needs one",
        ),
        (
            "delay",
            Takes(1, "a wait", kind=Kind.TEXT),
            "Gong takes `delay` as TEXT, and there is a `delay` that is NOT_NEG",
        ),
        ("my pitch", Takes(1, "hertz", kind=Kind.NUMBER), "Gong declares `my pitch`, which cannot be a key of an item"),
        ("count", Takes(1, "how many", kind=Kind.WHOLE), "Gong declares `count`, which cannot be a key of an item"),
        (
            "acts",
            Takes(None, "acts", kind=Kind.OPERATIONS),
            "Gong declares `acts` as OPERATIONS; the only such parameter is",
        ),
    ],
)
def test_an_invalid_parameter_of_a_thing_is_refused_with_the_reason(name: str, takes: Takes, message: str) -> None:
    assert refusal(parameters={name: takes}).startswith(message)


@pytest.mark.parametrize("name", [name for name in dir(Item) if not name.startswith("_") and name not in PARAMETERS])
def test_no_parameter_has_the_name_of_a_method_of_an_item(name: str) -> None:
    message = refusal(parameters={name: Takes(1, "something", kind=Kind.NUMBER)})
    assert message == f"Gong declares `{name}`, which cannot be a key of an item; call it something else"


def test_the_tag_that_rays_report_for_nothing_is_refused() -> None:
    assert refusal(tag="none") == "Gong has the tag `none`, which rays report where they meet nothing"


def test_a_name_is_given_once() -> None:
    with pytest.raises(
        TypeError, match=r"there is a Wall already, in puzzlebox\.arena\.things\.structures; give yours"
    ):
        type("Wall", (Thing,), {"__doc__": "Another wall."})
    assert CATALOGUE["Wall"].__module__ == "puzzlebox.arena.things.structures"


def test_a_thing_refuses_what_it_does_not_take() -> None:
    with pytest.raises(
        TypeError, match=r"^Wall does not take `sise`; allowed: at, rotation, size, color; did you mean `size`"
    ):
        CATALOGUE["Wall"]({"sise": (1, 1, 1)}, Rules())
    assert CATALOGUE["Wall"]({"skin": None}, Rules()).settings["size"] is None
