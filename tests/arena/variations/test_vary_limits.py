"""Templates that would take too much memory or time: they are refused before anything is computed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from signal import ITIMER_VIRTUAL, SIGVTALRM, setitimer, signal
from types import FrameType

import pytest
from typer.testing import CliRunner

from puzzlebox.arena.variations import Template, TemplateError, template, template_source
from puzzlebox.arena.variations.findings import findings
from puzzlebox.arena.variations.parts import Context, Formula
from puzzlebox.cli.app import app
from test_vary import A, ours, procgen


class Hangs(Exception):
    """A template takes too long."""


@contextmanager
def no_hang() -> Iterator[None]:
    """Stop a test that takes a minute of CPU time, which would otherwise run for hours."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hangs

    before = signal(SIGVTALRM, stop)
    setitimer(ITIMER_VIRTUAL, 60)
    try:
        yield
    finally:
        setitimer(ITIMER_VIRTUAL, 0)
        signal(SIGVTALRM, before)


def message_of(text: str) -> str:
    """Return the message about a template when it is checked and all of it is used."""
    with no_hang(), pytest.raises(TemplateError) as raised:
        template = Template(text)
        template.check()
        for variation in (template.at(0), template.at(template.count - 1), template.draw(Random(1))):
            assert variation.text and variation.stem() and variation.description()
        findings(template)
    return str(raised.value)


def chain(count: int, step: str, value: str, first: str = "1") -> str:
    """Return a template in which each name refers to the one before."""
    let = "".join(f"  v{number}: {step.replace('V', f'v{number - 1}')}\n" for number in range(1, count))
    return f"vary: {{v0: [{first}, 2]}}\nlet:\n{let}arenas: [{{time_limit: {value}}}]\n"


def repeated(depth: int) -> str:
    nested = "1"
    for _ in range(depth):
        nested = f"!ProcRepeatChoice {{amount: 9999, value: {nested}}}"
    return procgen(f"passMark: !ProcList [0, 1]\nblackouts: {nested}")


def following(count: int, also: str = "") -> str:
    """Return a template in which each item refers twice to the rotation of the next one."""
    items = [
        f"- !Item {{name: Wall, id: i{number}, rotations: [!ProcIf {{value: [i{number + 1}.rotations.0, "
        f"i{number + 1}.rotations.0], cases: [[1, 1]], then: [1], default: 2}}]}}"
        for number in range(count)
    ]
    last = f"- !Item {{name: Wall, id: i{count}, rotations: [!ProcList [1, 2]]}}"
    return procgen("items:\n" + "\n".join(f"  {line}" for line in [*items, last]))


ROW, NL = "[" + "1, " * 150 + "],", "\n"
HUGE = "1" + "0" * 400
# The text, the line and column of the mistake, and the message.
CASES: dict[str, tuple[str, str, str]] = {
    "round": (
        ours("a: [1, 2]", 'time_limit: "$round(a, -100000000)"'),
        "4:17",
        "`round(a, -100000000)` has no value: round takes from -15 to 15 digits, not -100000000",
    ),
    "lists in lists": (chain(26, '"$[V, V]"', "$v25"), "", "more than 100,000 values"),
    "lists joined": (chain(30, "$V + V", "$len(v29)", "[a, b]"), "", "more than 100,000 values"),
    "lists written": (chain(30, "[$V, $V]", "$v29"), "", "more than 100,000 values"),
    "mappings written": (chain(30, "{a: $V, b: $V}", "$v29"), "", "more than 100,000 values"),
    "texts": (chain(30, '"${V}${V}"', "$v29"), "", "more than 10,000 characters"),
    "texts joined": (chain(30, "$V + V", "$v29", "a"), "", "more than 10,000 characters"),
    "names": (chain(900, "$V + 1", "$v899"), "52:3", "`v50` rests on a chain of more than 50 names"),
    "names in any order": (
        "vary: {a: [1]}\nlet: {"
        + ", ".join(f"v{i}: v{i + 1} + 1" for i in range(500))
        + ", v500: a}\narenas: [{time_limit: $v0}]\n",
        "2:7005",
        "`v451` rests on a chain of more than 50 names",
    ),
    "too many names": (
        chain(5000, "$V + 1", "$v4999"),
        "1002:3",
        "the template has more than 1,000 names",
    ),
    "repetitions": (repeated(3), "", "more than 100,000 values"),
    "repetitions of a choice": (repeated(2).replace("value: 1}", "value: !ProcList [1, 2]}"), "", "100,000 values"),
    "conditions on conditions": (following(60), "", "conditions that depend on each other more than"),
    "conditions that ask twice": (following(18), "", ""),
    "factorial": (
        ours(f"x: {{permutations: [{', '.join(map(str, range(90_000)))}]}}"),
        "1:26",
        "`x` has more than 10^15 permutations; at most 50,000 can be listed",
    ),
    "wide subsets": (
        ours(f"x: {{subsets: [{', '.join(map(str, range(9000)))}], size: 8999}}"),
        "1:21",
        "`x` has 9,000 subsets of 8,999 values each; at most 500,000 values can be listed",
    ),
    "infinite value": (ours("x: [1, 2]", "time_limit: .inf"), "4:17", "`.inf` is not a finite number"),
    "infinite option": (procgen("passMark: !ProcList [.nan, 1]"), "4:26", "`.nan` is not a finite number"),
    "huge value": (
        procgen(f"passMark: !ProcList [{HUGE}, 1]"),
        "4:26",
        "is too large; numbers go from -1e15 to 1e15",
    ),
    "huge scale": (
        procgen(f"items: [!Item {{name: Wall, sizes: [!ProcVector3Scaled {{scales: [{HUGE}]}}]}}]"),
        "4:69",
        "is too large; numbers go from -1e15 to 1e15",
    ),
    "huge end": (A.replace("!R [0, 20]", f"!R [0, {HUGE}]"), "11:75", "is too large"),
    "huge case": (A.replace("[!R [0, 20]]", f"[{HUGE}]"), "11:68", "is too large"),
    "mirrored": (
        ours("f: [x]", f"{{mirror: $f, items: [{{name: Wall, at: [{HUGE}, 0, 1.5]}}]}}"),
        "4:44",
        "is too large",
    ),
    "restricted amount": (
        procgen(f"passMark: !ProcRestrictCombinations {{amount: {HUGE}, item: !ProcList [1, 2]}}"),
        "4:50",
        "is too large",
    ),
    "restricted": (
        procgen("passMark: !ProcRestrictCombinations {amount: 2, item: [" + "!ProcColor 10, " * 400 + "]}"),
        "",
        "more than 10^100 variations",
    ),
    "nothing to choose from": (procgen("passMark: !ProcList [1, !ProcList []]"), "", ""),
    "family with a long name": (f"templates: {{a: {'x' * 300}}}\n", "1:16", "there is no file xxx"),
    "no file": ("templates: {a: /dev/zero}\n", "1:16", "/dev/zero is not a file"),
    "mirrored mapping": (
        ours("f: [x]", "{mirror: $f, items: [{name: {a: 1}, at: [1, 0, 1]}]}"),
        "",
        "",
    ),
    "linked": (
        ours(f'"{", ".join(f"n{i}" for i in range(150))}": [\n{NL.join([ROW] * 600)}\n]'),
        "",
        "",
    ),
    "ranges": (
        ours(
            ", ".join(f"v{i}: {{range: [1, 999999999]}}" for i in range(11)),
            f"time_limit: ${'+'.join(f'v{i}' for i in range(11))}+1/0",
        ),
        "4:17",
        "division by zero",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_templates_that_cost_too_much_are_refused_with_one_sentence(name: str) -> None:
    text, place, sentence = CASES[name]
    if not sentence:  # large, but allowed
        with no_hang():
            template = Template(text)
            template.check()
            assert template.at(template.count - 1).text and template.draw(Random(1)).text
        return
    message = message_of(text)
    assert sentence in message, message
    assert message.startswith(f"<text>:{place}" if place else "<text>:"), message
    assert "\n" not in message and len(message) < 1000


def test_long_labels_are_cut_to_what_a_file_system_takes(tmp_path: Path) -> None:
    file = tmp_path / "template.yml"
    file.write_text(ours(f"x: {{options: [1, 2], labels: [{'a' * 300}, {'b' * 300}]}}", "time_limit: $x"))
    outcome = CliRunner().invoke(app, ["vary", str(file), "-o", str(tmp_path / "tasks")])
    assert outcome.exit_code == 0, outcome.output
    names = sorted(path.name for path in (tmp_path / "tasks").glob("*.yaml"))
    assert names == [f"00000_{'a' * 194}.yaml", f"00001_{'b' * 194}.yaml"]


def test_long_names_are_refused() -> None:
    name = "n" * 300
    message = message_of(f"vary: {{{name}: [1, 2]}}\narenas: [{{time_limit: 1}}]\n")
    assert message == f"<text>:1:8: error: the name `{'n' * 20}...` has 300 letters; the most is 100"


def test_the_number_of_templates_in_a_template_is_limited(tmp_path: Path) -> None:
    """Each of three files names the next one thirty times: 27,000 templates to read."""
    for number in range(3):
        names = ", ".join(f"t{i}: {number + 1}.yml" for i in range(30))
        (tmp_path / f"{number}.yml").write_text(f"templates: {{{names}}}\n")
    (tmp_path / "3.yml").write_text(ours("x: [1, 2]"))
    with pytest.raises(TemplateError, match="the template names more than 100 others"):
        Template(tmp_path / "0.yml")


def test_balance_says_what_is_wrong_with_the_template() -> None:
    template = Template(ours("x: [0, 1], y: [1, 2]", rest="let: {z: 1 / x}\ndesign: {balance: [z]}"))
    with pytest.raises(TemplateError, match="division by zero"):
        template.sample(2)


def test_a_family_shares_the_steps_of_one_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the templates is within the limit, and all of them together are far beyond it."""
    (tmp_path / "many.yml").write_text(ours("x: {range: [1, 30], steps: 3999}", rest="require: x*x > 899"))
    monkeypatch.setattr(template_source, "STEPS_TO_TIE", 100_000)
    names = ", ".join(f"t{number}: many.yml" for number in range(99))
    (tmp_path / "family.yml").write_text(f"templates: {{{names}}}\n")
    assert Template(tmp_path / "many.yml").count == 3
    with pytest.raises(TemplateError) as raised:
        Template(tmp_path / "family.yml")
    place = f"{tmp_path / 'many.yml'}:2:10: error: "
    sentence = "to try this condition on all combinations takes more than 100,000 steps for all templates together"
    assert str(raised.value).startswith(place + sentence)


def test_a_family_is_checked_in_the_steps_of_one_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every member gets its share of the steps, so that a mistake in the last one is found."""
    tried = 0
    evaluate = Formula.realise

    def counted(formula: Formula, context: Context) -> object:
        nonlocal tried
        tried += 1
        return evaluate(formula, context)

    monkeypatch.setattr(Formula, "realise", counted)
    monkeypatch.setattr(template, "STEPS_TO_CHECK", 2_000)
    (tmp_path / "many.yml").write_text(ours("x: {range: [1, 2], steps: 1000}", "time_limit: $x + 1"))
    (tmp_path / "wrong.yml").write_text(ours("x: [1, 0]", "time_limit: $1 / x"))
    names = ", ".join(f"t{number}: many.yml" for number in range(20))
    (tmp_path / "family.yml").write_text(f"templates: {{{names}, last: wrong.yml}}\n")
    with pytest.raises(TemplateError) as raised:
        Template(tmp_path / "family.yml").check()
    assert str(raised.value).startswith(f"{tmp_path / 'wrong.yml'}:4:17: error: `1 / x` has no value")
    assert tried < 2_000
