"""The arithmetic of templates, which is never executed as code, and the page that explains them."""

import re
from pathlib import Path
from typing import Any

import pytest

from puzzlebox.arena.variations import Template, TemplateError
from puzzlebox.arena.variations.expressions import FUNCTIONS, Expression, ExpressionError
from puzzlebox.arena.variations.findings import findings
from puzzlebox.arena.variations.variables import LAWS
from puzzlebox.batteries import template_names

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "variations.md"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("x / 4", 1.25),
        ("x // 2 + x % 2", 3),
        ("-x ** 2", -25),
        ("1 < x <= 5 and not x == 4", True),
        ("x in [1, 5]", True),
        ("'a' if x > 9 else 'b'", "b"),
        ("[x, 2][0]", 5),
        ("min(x, 3) + round(2.6) + sin(90)", 7),
        ("distance(0, 0, 3, 4)", 5),
        ("0.1 + 0.2 == 0.3", True),
        ("clamp(x, 0, 2)", 2),
        ("x" + "+0" * 249, 5),
        ("x" + "-1" * 249, -244),
        ("x" + "*1/1" * 124, 5),
        ("x*2" + "+x*2" * 124, 1250),
        ("100 - 10 - 1 + 2 * 3 % 4 // 2 * 5", 94),
        ("(" * 15 + "x" + "*1+1)" * 15, 20),
        ("(" * 100 + "x" + ")" * 100, 5),
    ],
)
def test_expressions_have_the_expected_values(text: str, value: Any) -> None:
    assert Expression(text).evaluate({"x": 5}.__getitem__) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "x.__class__",
        "(lambda: 1)()",
        "[y for y in x]",
        "open('a')",
        "9 ** 9 ** 9",
        "'a' * 1000000000",
        "x[0:1]",
        "f'{x}'",
        "x := 1",
        "1 +",
        "",
        "-" * 200 + "1",
        "1e400",
        "x @ x",
        "1 / 0",
        "'a' + 1",
        "x" + "+x" * 400,
        "(" * 16 + "x" + "*1+1)" * 16,
        "x" + "+(x" * 31 + ")" * 31,
        "x" + "+0" * 30 + "@x" + "+0" * 30,
    ],
)
def test_invalid_expressions_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        Expression(text).evaluate({"x": 5}.__getitem__)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 700


def test_too_many_levels_and_a_long_chain_have_different_messages() -> None:
    with pytest.raises(ExpressionError) as raised:
        Expression("abs(" * 31 + "x" + "+0" * 100 + ")" * 31)
    assert str(raised.value) == (
        "the expression has more than 30 operations, functions or lists within one another; "
        "give parts of it names with `let`"
    )


@pytest.mark.parametrize("option", [".inf", "-.inf", ".nan"])
def test_options_that_are_not_finite_are_refused_as_in_a_task(option: str) -> None:
    with pytest.raises(TemplateError, match=re.escape(f"<text>:3:22: error: `{option}` is not a finite number")):
        Template(f"vary: {{x: [1, 2]}}\narenas:\n- pass_mark: {{vary: [{option}, 1]}}\n")


def test_the_templates_of_the_page_are_right() -> None:
    written = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    counts = []
    for text in written:
        template = Template(text)
        template.check()
        assert findings(template) == []
        counts.append(template.count)
    assert counts == [26, 6]


def test_the_python_of_the_page_runs_as_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    exec(compile(code, "variations.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("11664 ") and len(lines) == 5


def test_the_page_has_every_way_and_every_count() -> None:
    page = PAGE.read_text()
    assert [law for law in LAWS if f"{law}:" not in page] == []
    assert [name for name in FUNCTIONS if not re.search(rf"\b{name}\b", page)] == []
    for name in (name for name in template_names() if name.startswith(("object-permanence", "basic-control"))):
        assert f"`{name}`" in page and f"{Template(name).count:,}" in page, name
