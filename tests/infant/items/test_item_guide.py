"""The guide teaches how to write an item: its example runs as pasted, and its tables have every verb and predicate."""

import contextlib
import inspect
import io
import re

from conftest import ROOT
from puzzlebox.infant.items.item import Verb
from puzzlebox.infant.scenes import predicates

GUIDE = (ROOT / "docs" / "guides" / "infant.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("### Write an item\n")[2].partition("\n## ")[0]
# Helpers of other predicates.
HELPERS = {"steps_of", "gaze", "towards", "positions", "palms", "runs"}


def test_the_example_of_an_item_runs_as_pasted() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", SECTION, flags=re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "infant.md", "exec"), {})
    assert printed.getvalue().splitlines() == [
        "2.0 {'kind': 'test', 'looked': True}",
        "oracle (2,) open",
        "nothing (0,) open",
    ]


def test_every_verb_and_every_predicate_is_explained() -> None:
    rows = "".join(re.findall(r"^\| (`.*?) \|", SECTION, flags=re.MULTILINE))
    named = set(re.findall(r"`(\w+)`", rows))
    functions = inspect.getmembers(predicates, inspect.isfunction)
    public = {name for name, each in functions if each.__module__ == predicates.__name__ and name[0] != "_"}
    assert named == {each.name for each in Verb} | (public - HELPERS)
