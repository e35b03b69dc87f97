"""Every setting is defined in one place: `make`'s arguments, docstring and errors, and the page, follow from it."""

import inspect
import re
from dataclasses import fields

import pytest

import puzzlebox
from conftest import ROOT
from puzzlebox.arena.envs.settings import Settings, defaults, meanings, table
from puzzlebox.arena.senses.camera import Camera


def test_make_takes_and_explains_every_setting() -> None:
    signature = inspect.signature(puzzlebox.make).parameters
    named = {name: each.default for name, each in signature.items() if name not in ("task", "render_mode", "settings")}
    assert named == defaults()
    text = " ".join((puzzlebox.make.__doc__ or "").split())
    for name, meaning in meanings().items():
        assert f" {name}: {meaning}." in text


def test_the_defaults_are_what_an_environment_has() -> None:
    env = puzzlebox.make("foraging")
    assert env.settings == Settings.of() == Settings.of(**defaults())
    assert env.spec is not None
    settings = {**env.spec.kwargs, "max_episode_steps": env.spec.max_episode_steps}
    assert {name: settings[name] for name in defaults()} == defaults()


def test_every_field_but_one_is_a_setting() -> None:
    assert {each.name for each in fields(Settings)} == {*defaults(), "other_senses"}
    assert all(meanings().values())


def test_the_page_shows_the_table() -> None:
    text = (ROOT / "docs" / "guides" / "environments.md").read_text()
    (table_on_page,) = re.findall(r"\| setting \| default .*?\n\n", text, flags=re.DOTALL)
    assert table_on_page.strip() == table(), "copy what puzzlebox.arena.envs.settings.table() gives into the page"


@pytest.mark.parametrize("size", [3, 513])
def test_the_limits_of_the_camera_are_those_of_its_setting(size: int) -> None:
    assert "4 to 512" in meanings()["camera"]
    with pytest.raises(ValueError, match="it must be from 4 to 512 pixels"):
        puzzlebox.make("foraging", camera=size)
    with pytest.raises(ValueError, match="it can have 4 to 512"):
        Camera(size)
