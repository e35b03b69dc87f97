"""Where rays see things, for agents with simple rules: ahead, on the left or on the right."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Sighting(NamedTuple):
    """Where a kind of thing is seen: by the ray in the middle, by any ray on the left, by any on the right."""

    ahead: bool
    left: bool
    right: bool


class Sight:
    """Finds kinds of things in the numbers of a fan of rays (see `puzzlebox.arena.senses.rays`).

    Args:
        kinds: the tags to look for; a tag without a column is never seen.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        self._tags: tuple[str, ...] | None = None
        self._columns: list[int] = []
        self._visible_kinds: list[str] = []

    def look(self, observation: dict[str, Any], info: dict[str, Any]) -> dict[str, Sighting]:
        """Return where each kind is seen; kinds that are not in sight are omitted."""
        tags = info["ray_tags"]
        if tags is not self._tags:
            self._tags = tags
            self._visible_kinds = [kind for kind in self._kinds if kind in tags]
            self._columns = [tags.index(kind) for kind in self._visible_kinds]
        rays = observation["rays"].reshape(-1, len(tags) + 2)
        # As in the original, a thing at distance 0 counts as not seen.
        hits = (rays[:, self._columns] * rays[:, -1:]) > 0
        if not hits.any():
            return {}
        # The middle ray comes first, then right and left in turn.
        places = zip(hits[0].tolist(), hits[2::2].any(0).tolist(), hits[1::2].any(0).tolist(), strict=True)
        return {kind: Sighting(*place) for kind, place in zip(self._visible_kinds, places, strict=True) if any(place)}


def checked_rays(rays: int) -> int:
    """Return the number of rays as an int, or raise a ValueError; the environment checks the upper limit."""
    if isinstance(rays, bool) or not isinstance(rays, int | np.integer) or rays < 1 or not rays % 2:
        raise ValueError(f"rays is {rays!r}; it must be odd: one ray ahead, pairs beside it")
    return int(rays)
