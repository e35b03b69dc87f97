"""What rays say, for agents that decide by it: is it ahead, on the left, on the right?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Seen(NamedTuple):
    """Where something of a kind is seen: by the ray in the middle, by any on the left, by any on the right."""

    ahead: bool
    left: bool
    right: bool


class Sight:
    """Finds kinds of things among the numbers of a fan of rays (see `puzzlebox.arena.senses.rays`).

    Args:
        kinds: the tags to look for; one that the rays cannot tell apart is never seen.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        self._tags: tuple[str, ...] | None = None
        self._columns: list[int] = []
        self._known: list[str] = []

    def look(self, observation: dict[str, Any], info: dict[str, Any]) -> dict[str, Seen]:
        """Where each kind is; kinds that are nowhere are left out."""
        tags = info["ray_tags"]
        if tags is not self._tags:
            self._tags = tags
            self._known = [kind for kind in self._kinds if kind in tags]
            self._columns = [tags.index(kind) for kind in self._known]
        rays = observation["rays"].reshape(-1, len(tags) + 2)
        # As in the original, what is at distance 0 counts as not seen.
        met = (rays[:, self._columns] * rays[:, -1:]) > 0
        if not met.any():
            return {}
        # The middle comes first, then right and left in turn.
        places = zip(met[0].tolist(), met[2::2].any(0).tolist(), met[1::2].any(0).tolist(), strict=True)
        return {kind: Seen(*place) for kind, place in zip(self._known, places, strict=True) if any(place)}


def checked_rays(rays: int) -> int:
    """How many rays, or a sentence; the environment checks the rest."""
    if isinstance(rays, bool) or not isinstance(rays, int | np.integer) or rays < 1 or not rays % 2:
        raise ValueError(f"rays is {rays!r}; it must be odd: one ray ahead, pairs beside it")
    return int(rays)
