"""CogSciNav: go to the toy with a given shape and a given colour."""

from dataclasses import dataclass
from typing import ClassVar

from puzzlebox.infant.tasks.navigation import NavigationSettings, NavigationTask, judged
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.toys import COLOURS, TEN

# How many wrong toys there are if no setting says so.
_WRONG = 2


@dataclass(frozen=True, kw_only=True)
class CogSciNavSettings(NavigationSettings):
    """Settings of CogSciNav.

    Attributes:
        toys: how many toys there are in all, 2 to 7; instead of `fakes`. Default: 3.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "target", "colour")

    toys: int | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        if self.toys is None:
            return
        self.whole("toys", 2, 7)
        if self.fakes is not None:
            raise ValueError(
                f"toys is {self.toys} and fakes is {self.fakes}; both say how many toys there are, so leave one out"
            )

    @property
    def wrong_toys(self) -> int:
        """How many wrong toys there are."""
        if self.fakes is not None:
            return self.fakes
        return _WRONG if self.toys is None else self.toys - 1


class CogSciNav(NavigationTask):
    """A child is shown, by two one-hot codes, the shape (of ten) and the colour (of three) of the toy to walk to."""

    settings_class = CogSciNavSettings
    reward = "+1 at the target, -1 at another toy (the amounts are ours); optional shaping as VECA's learners had"
    end = "at any toy; passed if it is the target"
    shapes = TEN
    toy_colours = tuple(COLOURS)
    targets, colours = TEN, tuple(COLOURS)

    def begin(self, play: Play) -> None:
        """Draw a target and wrong toys."""
        goal, names = self.draw_toys(play)
        self.memory["goal"] = goal
        self.arrange(play, names)

    def step(self, play: Play) -> Outcome:
        """Judge where the child is."""
        return judged(self, play)
