"""Names of any script in figures: installed fonts are used, and letters that no font has are replaced."""

from pathlib import Path

import pytest

from puzzlebox.report.figures import fonts, looks
from puzzlebox.report.figures.lettering import cells, clusters, shorten, text_width, wrap

# A letter of a private area, which no font for text has.
NOWHERE = "\U0010fffd"


def test_letters_that_no_font_has_are_replaced_and_named() -> None:
    names = [f"agent {NOWHERE}", "é ñ ж"]
    with looks.style(names):
        assert shorten(names) == {names[0]: "agent [10FFFD]", names[1]: "é ñ ж"}
        (remark,) = fonts.remarks(names)
        assert "[10FFFD]" in remark
        assert fonts.remarks(["é ñ ж"]) == []


def test_an_installed_font_with_the_letters_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two fonts with a letter, the one with outlines is taken; the other has only pictures."""
    has = {"Base.ttf": set("abc"), "Picture.ttf": set("中文字"), "Outline.ttf": set("中文")}
    monkeypatch.setattr(fonts, "_path_of", lambda family: f"{family}.ttf")
    monkeypatch.setattr(fonts, "BASE", "Base")
    monkeypatch.setattr(fonts, "_installed", lambda: sorted(has))
    monkeypatch.setattr(fonts, "_letters_in", lambda path: frozenset(has.get(path, ())))
    monkeypatch.setattr(fonts, "_has_outlines", lambda path, letter: path != "Picture.ttf")
    monkeypatch.setattr(fonts, "_family", lambda path: path.removesuffix(".ttf"))
    assert fonts.families_for(["abc"]) == ["Base"]
    assert fonts.families_for(["中文 abc"]) == ["Base", "Outline"]


def test_every_chosen_font_of_this_machine_draws_its_letters() -> None:
    names = ["中文", "עברית", "عربي", "हिन्दी", "한국어", "ไทย", "🧠"]
    with looks.style(names):
        lacking = set(fonts.lacking_letters(names))
        for name in names:
            drawn = set(name) - lacking
            assert not drawn or text_width(["".join(sorted(drawn))], 9) > 0


def test_marks_and_joined_pictures_are_not_separated() -> None:
    assert clusters("e\u0301a") == ["e\u0301", "a"]
    assert clusters("👩\u200d🔬x") == ["👩\u200d🔬", "x"]
    assert wrap("e\u0301" * 6, 4) == "\n".join(("e\u0301" * 4, "e\u0301" * 2))
    assert cells(clusters("中文a")) == 5
    (short,) = shorten(["中" * 60]).values()
    assert cells(clusters(short)) <= 40


def test_names_are_one_line_and_stay_different() -> None:
    names = ["a\nb", "a b", "", "\x01"]
    with looks.style(names):
        labels = list(shorten(names).values())
    assert len(set(labels)) == len(names)
    assert not any("\n" in label for label in labels)
    assert shorten([""]) == {"": "(no name)"}


def test_a_formula_is_drawn_as_it_is_written() -> None:
    names = ["$x^2$", "\\frac{1", "a_b"]
    with looks.style(names):
        figure = looks.new_figure(2, 1)
        for name in names:
            figure.text(0.1, 0.5, name)
        figure.draw_without_rendering()
        assert shorten(names) == {name: name for name in names}


def test_no_two_of_48_agents_look_the_same() -> None:
    for agents in ([f"a{i}" for i in range(48)], ["random", "heuristic", *(f"a{i}" for i in range(46))]):
        chosen = looks.looks(agents).values()
        assert len({(look.colour, look.marker) for look in chosen}) == 48
        assert len({(look.colour, look.hatch) for look in chosen}) == 48
