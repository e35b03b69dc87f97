"""Every number a user can enter: rules, settings, options and messages refuse what is not finite, in one sentence."""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer
import typer.models
from typer.testing import CliRunner

import puzzlebox
from puzzlebox.animalai.environment import _WITHOUT_EFFECT, AnimalAIEnvironment
from puzzlebox.arena.envs.parallel import ArenaParallelEnv
from puzzlebox.arena.envs.settings import defaults
from puzzlebox.arena.world import Rules, World
from puzzlebox.cli.app import app
from puzzlebox.record import film
from puzzlebox.studio.page_messages import InvalidMessage, read_number
from worlds import AGENT, task_of

NOT_FINITE = (math.nan, math.inf, -math.inf)
TOO_LARGE = 10**400


def assert_refused(call: Callable[[], Any], name: str, value: Any) -> None:
    """Require an error in one sentence that says which number it is about, its value, and what is allowed."""
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    message = str(raised.value)
    assert name in message and str(value)[:20] in message, message
    assert any(word in message for word in ("must be", "allowed", "expects", "from ")), message
    assert "\n" not in message


@pytest.mark.parametrize("value", [*NOT_FINITE, TOO_LARGE], ids=["nan", "inf", "-inf", "huge"])
@pytest.mark.parametrize("name", [each.name for each in fields(Rules)])
def test_every_field_of_the_rules_refuses_numbers_that_are_not_finite(name: str, value: float) -> None:
    assert_refused(lambda: Rules(**{name: value}), name, value)
    assert_refused(lambda: Rules.named("4.3", **{name: value}), name, value)


@pytest.mark.parametrize("value", [*NOT_FINITE, TOO_LARGE], ids=["nan", "inf", "-inf", "huge"])
def test_masses_refuse_numbers_that_are_not_finite(value: float) -> None:
    assert_refused(lambda: Rules(masses={"Wall": value}), "the mass of Wall", value)


# A limit of 10^400 steps is a valid number.
UNLIMITED = ("max_episode_steps",)


@pytest.mark.parametrize("value", [*NOT_FINITE, TOO_LARGE], ids=["nan", "inf", "-inf", "huge"])
@pytest.mark.parametrize("name", defaults())
def test_every_setting_refuses_numbers_that_are_not_finite(name: str, value: float) -> None:
    if value == TOO_LARGE and name in UNLIMITED:
        return
    assert_refused(lambda: puzzlebox.make("foraging", **{name: value}), name, value)
    if name != "max_episode_steps":  # Gymnasium checks this setting itself
        assert_refused(lambda: puzzlebox.make_vec("foraging", 1, workers=0, **{name: value}), name, value)


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("num_envs", lambda value: puzzlebox.make_vec("foraging", value)),
        ("workers", lambda value: puzzlebox.make_vec("foraging", 1, workers=value)),
        ("seed", lambda value: puzzlebox.make("foraging", camera=None).reset(seed=value)),
        ("max_cycles", lambda value: ArenaParallelEnv("foraging", max_cycles=value)),
    ],
)
def test_arguments_of_environments_refuse_numbers_that_are_not_finite(
    name: str, call: Callable[[float], Any], value: float
) -> None:
    assert_refused(lambda: call(value), name, value)


# --- the command line

VERBS = {each.name or each.callback.__name__: each.callback for each in app.registered_commands if each.callback}
assert app.registered_callback is not None and app.registered_callback.callback is not None
VERBS[""] = app.registered_callback.callback


def options() -> Iterator[tuple[str, str, Any, str | None]]:
    """Yield every option of every verb: the verb, the option, the type of its value, and its name in the help."""
    for verb, function in VERBS.items():
        for name, hint in get_type_hints(function, include_extras=True).items():
            kind, *rest = get_args(hint) or (hint,)
            for info in rest:
                if isinstance(info, typer.models.OptionInfo):
                    # Within `Annotated`, Typer keeps the first name as the default.
                    words = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
                    names = [word for word in words if word.startswith("--")]
                    yield verb, names[0] if names else f"--{name.replace('_', '-')}", kind, info.metavar


NUMBERS = [
    pytest.param(verb, option, id=f"{verb}{option}")
    for verb, option, kind, _ in options()
    if {int, float} & {kind, *get_args(kind)}
]
# Texts that hold numbers, by their name in the help.
PATTERNS = {"WxH": "{0}x{0}", "X,Y,Z": "1,{0},1"}
TEXTS = [
    pytest.param(verb, option, PATTERNS[metavar], id=f"{verb}{option}")
    for verb, option, _, metavar in options()
    if metavar in PATTERNS
]


def error_of(*words: object) -> str:
    """Return the error of a command in one line, without its frame."""
    outcome = CliRunner().invoke(app, [str(word) for word in words])
    assert outcome.exit_code in (1, 2) and (outcome.exception is None or isinstance(outcome.exception, SystemExit))
    return " ".join(outcome.output.replace("│", " ").split())


def test_the_numeric_options_of_the_command_line_are_found() -> None:
    assert len(NUMBERS) >= 15 and len(TEXTS) >= 4


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400"])
@pytest.mark.parametrize(("verb", "option"), NUMBERS)
def test_every_numeric_option_refuses_numbers_that_are_not_finite(verb: str, option: str, value: str) -> None:
    message = error_of(*([verb] if verb else []), f"{option}={value}")
    assert f"Invalid value for '{option}': " in message, message
    assert re.search(r": (nan|-?inf|1e400) is not a (whole|finite) number", message), message


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("verb", "option", "pattern"), TEXTS)
def test_every_option_that_holds_numbers_refuses_those_that_are_not_finite(
    verb: str, option: str, pattern: str, value: str, tmp_path: Path
) -> None:
    text = pattern.format(value)
    fixed = ["--view=fixed"] if verb == "show" else []
    if option == "--at":
        fixed.append("--from=1,1,1")
    message = error_of(
        verb, "foraging" if verb == "show" else "last", "-o", tmp_path / "a.png", f"{option}={text}", *fixed
    )
    assert f"{option} {text} is not a p" in message, message


# --- pictures, films and the studio


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("name", ["fps", "speed"])
def test_films_refuse_numbers_that_are_not_finite(name: str, value: float, tmp_path: Path) -> None:
    assert name in inspect.signature(film.film).parameters
    record = World(task_of(AGENT)).snapshot()
    assert_refused(lambda: film.film(record, tmp_path / "a.mp4", "third", (64, 64), **{name: value}), name, value)


@pytest.mark.parametrize("value", NOT_FINITE)
def test_messages_of_the_page_refuse_numbers_that_are_not_finite(value: float) -> None:
    with pytest.raises(InvalidMessage, match=re.escape(f"step is '{value}'; it must be a whole number from 0 to 10")):
        read_number({"step": value}, "step", 10)


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize(
    "name",
    [
        name
        for name, parameter in inspect.signature(AnimalAIEnvironment).parameters.items()
        if {int, float} & {parameter.annotation, *get_args(parameter.annotation)} and name not in _WITHOUT_EFFECT
    ],
)
def test_arguments_of_animal_ai_refuse_numbers_that_are_not_finite(name: str, value: float) -> None:
    assert_refused(lambda: AnimalAIEnvironment(arenas_configurations="", **{name: value}), name, value)
