"""The commands of the guide to language models, as pasted but without a model."""

import re
import shlex
from pathlib import Path

from command import puzzlebox

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "language-models.md"


def test_the_first_command_of_the_guide_is_accepted(tmp_path: Path) -> None:
    found = re.search(
        r"^    (puzzlebox run .*--budget money=5 -o out)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found is not None
    # Nothing may be spent, so no call is made, and every episode ends with the budget.
    words = shlex.split(found.group(1).replace("money=5", "money=0").replace('"testbed/01-*"', "examples/food"))
    done = puzzlebox(*words[1:], "--workers", "1", cwd=tmp_path)
    assert "the budget is spent: 0.0000 of 0 money" in done.stderr, done.stderr
