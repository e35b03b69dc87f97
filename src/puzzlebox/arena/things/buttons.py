"""The button an animal can press."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from puzzlebox.arena.rules import Rules, steps_in
from puzzlebox.arena.things.kinds import Category, Notices, Origin, Takes
from puzzlebox.arena.things.thing import Thing
from puzzlebox.scene.colours import linear
from puzzlebox.scene.parts import Part, between, box
from puzzlebox.scene.shapes import Box, Shape
from puzzlebox.scene.themes import Look

if TYPE_CHECKING:
    from puzzlebox.arena.things.animal import Agent
    from puzzlebox.arena.things.stage import Stage


# docs/original/things.md#button; `at` names a lower corner of the pillar.
PILLAR = between((-0.40, 0.0, -0.40), (0.0, 1.60, 0.0))
HOLDER = between((-0.08, 0.59, -0.50), (0.12, 1.09, 0.09))
BUTTON = between((0.11, 0.69, -0.36), (0.19, 1.00, -0.05))
TRIGGER = between((0.20, 0.32, -0.57), (0.37, 1.05, 0.16))
TRAVEL = 0.09
_BEIGE, _LIGHT_BLUE = linear((222, 224, 135)), (0.019, 0.517, 0.790)


class SpawnerButton(Thing):
    """A pillar with a blue button, facing +x at rotation 0; a press brings rewards or runs operations."""

    category = Category.BUTTON
    aliases = ("Pillar-Button",)
    # The published operant chamber fits only a button that faced the other way.
    turned_aliases = {"Pillar-Button": 180.0}
    fixed_size = (0.59, 1.6, 0.59)
    turns = False
    parameters = {
        "rotation": Takes(0.0, "degrees, clockwise seen from above; at 0 the button faces +x"),
        "move_duration": Takes(1.0),
        "reset_duration": Takes(1.0),
        "reward_names": Takes(()),
        "reward_weights": Takes(()),
        "reward_at": Takes(),
        "reward_size": Takes((1.0, 1.0, 1.0)),
        "spawn_probability": Takes(1.0),
        "max_reward_counts": Takes(()),
        "operations": Takes((), "what happens on a press, in order"),
    }
    origin = Origin.BASE
    notices = Notices.ENTRY
    fades = True
    tag = "PillarButton"

    def __init__(self, settings: Mapping[str, Any], rules: Rules) -> None:
        super().__init__(settings, rules)
        self._in_steps: int = max(1, steps_in(self.settings["move_duration"]))
        self._out_steps: int = max(1, steps_in(self.settings["reset_duration"]))
        # Physics steps since the press; None while it is not pressed.
        self._since: int | None = None
        self._presser: Agent | None = None
        self.presses = 0

    def probe(self) -> Box:
        """Return the box of the pillar."""
        return PILLAR

    def shapes(self) -> tuple[Shape, ...]:
        """Return the box of the pillar."""
        return (PILLAR,)

    def looks(self, look: Look) -> tuple[Part, ...]:
        """Return the pillar, the holder, and the button as far in as it is pushed."""
        x, y, z = BUTTON.at
        knob = Box(BUTTON.half, (x - TRAVEL * self.pushed, y, z))
        return (box(PILLAR, _BEIGE), box(HOLDER, _BEIGE), box(knob, _LIGHT_BLUE))

    def look_state(self) -> float:
        """Return how far the button is pushed in, 0 to 1."""
        return self.pushed

    def soft_shapes(self) -> tuple[Shape, ...]:
        """Return the holder, which may reach into a neighbour, as in the published operant chamber."""
        return (HOLDER,)

    def entrances(self) -> tuple[Shape, ...]:
        """Return the box an animal must enter to press the button."""
        return (TRIGGER,)

    def entered(self, stage: "Stage", animal: "Agent") -> None:
        """Start a press, unless the button is still moving."""
        if self._since is None:
            self._since, self._presser = 0, animal
            self.presses += 1
            stage.wake(self)
            stage.note("pressed", self, animal)

    def tick(self, stage: "Stage") -> None:
        """Move the button in, run its operations, and move it back."""
        assert self._since is not None
        self._since += 1
        if self._since == self._in_steps:
            assert self._presser is not None
            stage.operate(self, self._presser)
        elif self._since >= self._in_steps + self._out_steps:
            self._since = self._presser = None
            stage.rest(self)

    @property
    def pushed(self) -> float:
        """How far the button is pushed in, 0 to 1."""
        if self._since is None:
            return 0.0
        if self._since <= self._in_steps:
            return self._since / self._in_steps
        return 1.0 - (self._since - self._in_steps) / self._out_steps

    def condition(self) -> dict[str, Any]:
        """Return how far the button is pushed in, and how often it was pressed."""
        return {"pushed": self.pushed, "presses": self.presses}
