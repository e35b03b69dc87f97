"""Policies that do not learn, for the gates of an item: the oracle, doing nothing, three ways of acting at random."""

from collections.abc import Callable
from typing import Any

import numpy as np

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.items.item import Mode
from puzzlebox.infant.items.seated import HEAD_PITCH, HEAD_YAW
from puzzlebox.infant.items.session import Session
from puzzlebox.seeds import agent_seed, rng_from
from puzzlebox.text import closest

# Called in each step; returns an action.
Policy = Callable[[Session], Any]


def oracle(session: Session, seed: int) -> Policy:
    """Return the script of the item."""
    return session.item.oracle


def nothing(session: Session, seed: int) -> Policy:
    """Return a policy that keeps the first posture."""
    if session.child is None:
        return lambda each: np.zeros(6)
    action = session.child.action_for(session.start_angles)
    return lambda each: action


def uniform(session: Session, seed: int) -> Policy:
    """Return a policy that draws every number of every action anew."""
    rng = rng_from(seed)
    return lambda each: rng.uniform(-1.0, 1.0, each.action_size)


class _Slow:
    """Draws a new action about once a second, and holds it; all numbers or only some."""

    def __init__(self, session: Session, seed: int, rows: list[int]) -> None:
        self._rng, self._rows, self._left = rng_from(seed), rows, 0
        still = nothing(session, seed)(session)
        self._action = np.array(still, np.float64)

    def __call__(self, session: Session) -> Any:
        if self._left == 0:
            self._left = int(self._rng.integers(5, 25))
            self._action[self._rows] = self._rng.uniform(-1.0, 1.0, len(self._rows))
        self._left -= 1
        return self._action


def slow(session: Session, seed: int) -> Policy:
    """Return a policy that draws an action and holds it for a third of a second to one and a half."""
    return _Slow(session, seed, list(range(session.action_size)))


def random_gaze(session: Session, seed: int) -> Policy:
    """Return a policy that moves only head and eyes, and looks in a random direction about once a second."""
    if session.mode is Mode.PRIMITIVES:
        return _Slow(session, seed, [HEAD_PITCH, HEAD_YAW])
    bones = ("neck", "head", "left_eye", "right_eye")
    return _Slow(session, seed, [row for row, name in enumerate(JOINT_NAMES) if name.split(".")[0] in bones])


POLICIES: dict[str, Callable[[Session, int], Policy]] = {
    "oracle": oracle,
    "nothing": nothing,
    "uniform": uniform,
    "slow": slow,
    "gaze": random_gaze,
}


def policy_named(name: str) -> Callable[[Session, int], Policy]:
    """Return the maker of a policy by its name."""
    if name not in POLICIES:
        raise ValueError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}{closest(name, list(POLICIES))}")
    return POLICIES[name]


def administer(session: Session, policy: str, seed: int, *, whole: bool = True) -> int:
    """Play an administration with a policy, and return its score.

    Args:
        session: the item.
        policy: the name of the policy.
        seed: of the administration.
        whole: whether all trials are played, or only until none of the rest can change the score.
    """
    session.reset(seed)
    # A stream of its own: the trials are drawn from the seed itself.
    act = policy_named(policy)(session, agent_seed(seed))
    while not session.over:
        session.step(act(session))
        if not whole and session.trial is None and session.clock == 0 and session.number >= 0:
            least, greatest = session.possible_scores()
            if least == greatest:
                return least
    return session.score().points
