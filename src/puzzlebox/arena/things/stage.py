"""The part of a World that its things may use, as a protocol: things never import the world."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from puzzlebox.scene.shapes import Vector

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.thing import Thing


class Stage(Protocol):
    """The part of a World that its things may use."""

    rng: np.random.Generator
    # The reward of one physics step: zero or less.
    time_cost: float
    # Goals registered for collecting under "so_far" rules.
    goals_so_far: int
    bad_goals_so_far: int

    @property
    def things(self) -> Sequence["Thing"]:
        """Everything present, in the order of appearance."""

    def note(self, kind: str, thing: "Thing | None" = None, animal: "Agent | None" = None, **details: Any) -> None:
        """Add an event to the log of the episode."""

    def pay(self, animal: "Agent", amount: float, *, completes: bool = False) -> bool:
        """Give or take reward and health, and maybe complete the arena.

        Return False when nothing counts for the animal now.
        """

    def appear(
        self, name: str, settings: Mapping[str, Any], at: Vector, *, size: float, hanging: bool = False
    ) -> "Thing":
        """Add a ball without checking for room; a hanging one stays in place until it is let go."""

    def vanish(self, thing: "Thing") -> None:
        """Take a thing out of the arena."""

    def reshape(self, thing: "Thing") -> None:
        """Rebuild the body of a thing from its current shapes; position and velocity stay."""

    def body(self, thing: "Thing") -> Any:
        """Return the engine's body of a thing that can move."""

    def position_of(self, thing: "Thing") -> Vector:
        """Return the current position of a thing."""

    def near(self, point: Vector, radius: float) -> Sequence["Thing | None"]:
        """Return the solid things within a radius of a point; None means the floor or the fence."""

    def operate(self, thing: "Thing", animal: "Agent") -> None:
        """Run the operations of a thing."""

    def stop_operating(self, thing: "Thing", animal: "Agent") -> None:
        """Stop the operations of a thing that last, such as a continuous reward."""

    def wake(self, thing: "Thing") -> None:
        """Call the `tick` of a thing from the next physics step on."""

    def rest(self, thing: "Thing") -> None:
        """Stop calling the `tick` of a thing."""
