"""Which things of the world strike each other, how fast and when: what makes them ring."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.physics import Physics

# Blows slower than this, in metres a second, make no sound: things that rest on each other touch again and again.
_SLOWEST = 0.05

# Called for each blow: the two bodies, the speed in metres a second, the place, the number of the physics step.
Strike = Callable[[int, int, float, NDArray[np.float64], int], None]


class Blows:
    """Watches the physics steps of a world for contacts that begin."""

    def __init__(self, physics: Physics, bodies: list[int], strike: Strike) -> None:
        """Prepare to watch.

        Args:
            physics: the world.
            bodies: contacts of these bodies are watched, with each other and with any body.
            strike: called for each blow.
        """
        self.physics, self._strike = physics, strike
        watched = np.zeros(physics.model.nbody, bool)
        watched[bodies] = True
        self._watched = watched[physics.model.geom_bodyid]
        self._touching: frozenset[tuple[int, int]] = frozenset()

    def reset(self) -> None:
        """Take what touches now as touching since long."""
        self._touching = frozenset(self._pairs())

    def watch(self, number: int) -> None:
        """Look for blows after a physics step; bodies still have the speeds with which they met."""
        pairs = self._pairs()
        for pair, row in pairs.items():
            if pair not in self._touching:
                speed, place = self._meeting(row)
                if speed >= _SLOWEST:
                    self._strike(*pair, speed, place, number)
        self._touching = frozenset(pairs)

    def _pairs(self) -> dict[tuple[int, int], int]:
        """Return the pairs of bodies that touch, each with its first contact."""
        contact = self.physics.data.contact
        geoms = contact.geom
        if not len(geoms):
            return {}
        rows = np.flatnonzero(self._watched[geoms].any(axis=1) & (contact.dist < contact.includemargin))
        bodies = self.physics.model.geom_bodyid[geoms[rows]].tolist()
        out: dict[tuple[int, int], int] = {}
        for row, (one, two) in zip(rows.tolist(), bodies, strict=True):
            out.setdefault((one, two), row)
        return out

    def _meeting(self, row: int) -> tuple[float, NDArray[np.float64]]:
        """Return the speed at which the bodies of a contact approach each other, and where."""
        contact, model, data = self.physics.data.contact[row], self.physics.model, self.physics.data
        place = np.array(contact.pos)
        speeds = []
        for geom in contact.geom:
            body = model.geom_bodyid[geom]
            a, b, c = data.cvel[body, :3].tolist()
            x, y, z = (place - data.subtree_com[model.body_rootid[body]]).tolist()
            # The cross product, written out: numpy's is slow for three numbers.
            speed = data.cvel[body, 3:] + (b * z - c * y, c * x - a * z, a * y - b * x)
            speeds.append(speed + self.physics.drift[body])
        return float((speeds[0] - speeds[1]) @ contact.frame[:3]), place

    def snapshot(self) -> frozenset[tuple[int, int]]:
        """Return the pairs that touch."""
        return self._touching

    def restore(self, snapshot: frozenset[tuple[int, int]]) -> None:
        """Go back to a state."""
        self._touching = snapshot
