"""Items as Gymnasium environments."""

from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.control.numbers import action_numbers
from puzzlebox.infant.items.catalogue import item_named
from puzzlebox.infant.items.checks import SENSES, check_item
from puzzlebox.infant.items.item import Item, Mode
from puzzlebox.infant.items.session import CHILD, Session
from puzzlebox.infant.senses.senses import SensesSettings, State
from puzzlebox.seeds import check_seed, next_episode_seed

# Bounds of senses that are not 0 to 1 or bytes: joints and torques, accelerations and rotations.
_BOUNDS = {"joints": 100.0, "balance": 1000.0, "ears": 1.0}


class ItemEnv(gym.Env[State, Any]):
    """An item of the battery as an environment; one episode is one administration with all its trials.

    The reward is 0 until the end, when it is the score: 0, 1 or 2. `info["outcomes"]` has what came of each trial so
    far. No reward guides learning on the way: an item defines none.

    Args:
        item: an item, its number or its name.
        mode: `joints` or `primitives`.
        age_months: the age of the child.
        senses: what the child senses. Default: the senses that the item needs.
        blocks: how many blocks of trials. Default: as many as the chance guard asks for.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "render_fps": round(1 / CONTROL_STEP)}  # type: ignore[misc]

    def __init__(
        self,
        item: Item | int | str,
        mode: Mode | str = Mode.JOINTS,
        *,
        age_months: float = 18.0,
        senses: SensesSettings | None = None,
        blocks: int | None = None,
    ) -> None:
        chosen = item if isinstance(item, Item) else item_named(item, age_months)
        check_item(chosen)
        if senses is None:
            wanted = {name: name in chosen.senses for name in SENSES}
            senses = SensesSettings(**wanted)
        self.session = Session(chosen, mode, age_months=age_months, senses=senses, blocks=blocks)
        self._playing = False
        state = self.session.reset(0)[CHILD]
        self.observation_space = spaces.Dict({name: _space(name, each) for name, each in state.items()})
        self.action_space = spaces.Box(-1.0, 1.0, (self.session.action_size,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[State, dict[str, Any]]:
        """Begin an administration; with a seed it is that one, without one its seed is drawn."""
        super().reset(seed=None if seed is None else check_seed(seed))
        own = next_episode_seed(self.np_random) if seed is None else check_seed(seed)
        state = self.session.reset(own)[CHILD]
        self._playing = True
        return self._clipped(state), self._info()

    def step(self, action: Any) -> tuple[State, float, bool, bool, dict[str, Any]]:
        """Take one control step of 1/15 s; numbers outside -1 to 1 are clipped."""
        if not self._playing:
            raise RuntimeError("there is no episode; call reset() first")
        numbers = action_numbers(action, (self.session.action_size,))
        if not np.isfinite(numbers).all():
            raise ValueError(f"the action {numbers.tolist()} has a number that is not finite")
        state = self.session.step(action)[CHILD]
        over = self.session.over
        self._playing = not over
        score = float(self.session.score().points) if over else 0.0
        return self._clipped(state), score, over, False, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"trial": self.session.number, "trials": len(self.session.trials)}
        if self.session.over:
            score = self.session.score()
            info["score"] = score.points
            info["outcomes"] = [{"kind": each.kind, **each.values} for each in score.outcomes]
        return info

    def _clipped(self, state: State) -> State:
        out = {}
        for name, each in state.items():
            bound = _BOUNDS.get(name)
            out[name] = each.copy() if bound is None else np.clip(each, -bound, bound)
        return out


def _space(name: str, array: Any) -> spaces.Box:
    if array.dtype == np.uint8:
        return spaces.Box(0, 255, array.shape, np.uint8)
    bound = _BOUNDS.get(name)
    return spaces.Box(0.0 if bound is None else -bound, bound or 1.0, array.shape, np.float32)
