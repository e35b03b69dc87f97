"""What a thing may ask of the world it lives in. The world fulfils it; things never import the world."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from puzzlebox.scene.shapes import Vector

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.thing import Thing


class Stage(Protocol):
    """The world, as its things see it."""

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
        """Tell whoever listens what happened."""

    def pay(self, animal: "Agent", amount: float, *, completes: bool = False) -> bool:
        """Give or take reward and health; maybe complete the arena. False when nothing counts for it now."""

    def appear(self, name: str, asked: Mapping[str, Any], at: Vector, *, size: float, hanging: bool = False) -> "Thing":
        """Put a ball where nobody asks whether there is room; hanging, it stays there until it is let go."""

    def vanish(self, thing: "Thing") -> None:
        """Take a thing out of the arena."""

    def reshape(self, thing: "Thing") -> None:
        """Give a thing the body its shapes now say, where it is and as fast as it is."""

    def body(self, thing: "Thing") -> Any:
        """The engine's body of a thing that can move."""

    def position_of(self, thing: "Thing") -> Vector:
        """Where a thing is now."""

    def near(self, point: Vector, radius: float) -> Sequence["Thing | None"]:
        """Solid things nearer to a point than that; None is the floor or the fence."""

    def operate(self, thing: "Thing", animal: "Agent") -> None:
        """Run the operations of a thing."""

    def stop_operating(self, thing: "Thing", animal: "Agent") -> None:
        """Stop those that last."""

    def wake(self, thing: "Thing") -> None:
        """Let a thing tick from the next physics step on."""

    def rest(self, thing: "Thing") -> None:
        """It has nothing to do at every physics step any more."""
