"""The example of a stage in the guide runs as pasted, and the ball is where the guide says."""

import contextlib
import io
import re
from typing import Any

import numpy as np

from conftest import ROOT


def test_the_ball_is_in_the_hand_before_it_is_released() -> None:
    guide = (ROOT / "docs" / "guides" / "infant.md").read_text(encoding="utf-8")
    (code,) = (
        each for each in re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL) if "stage.attach_sound" in each
    )
    held, _, _ = code.partition('stage["ball"].release()')
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(held, "infant.md", "exec"), names)
        stage = names["stage"]
        hand = stage.physics.data.xpos[stage.puppet("caregiver").row("right_hand")]
        assert np.linalg.norm(stage["ball"].position - hand) < 0.08
        exec(compile(code, "infant.md", "exec"), {})
