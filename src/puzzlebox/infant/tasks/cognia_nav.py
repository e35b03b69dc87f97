"""COGNIANav: go to the good thing and avoid the bad one; they sound good and bad."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, floor
from typing import Any, ClassVar

from puzzlebox.infant.control.speeds import UNIT
from puzzlebox.infant.sound.sources import Noise, Source, Tone
from puzzlebox.infant.tasks.navigation import NavigationSettings, NavigationTask
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.toys import THREE

GOOD, BAD = "good", "bad"
# VECA's curriculum: the largest reward of a step for being near, in how many steps it rises, how fast it falls with the
# distance in units, and the share of the term for the bad thing.
_NEAR_REWARD, _LEVELS, _FALL, _BAD_SHARE = 0.0005, 15, 0.25, 0.3
# Things sound while the child is this near, in metres, or has them in view.
_HEARD = 1.5


@dataclass(frozen=True, kw_only=True)
class COGNIANavSettings(NavigationSettings):
    """Settings of COGNIANav.

    Attributes:
        stage: of VECA's curriculum: 0 pays at the things alone, 1 also for being near the good one, 2 also for being
            far from the bad one.
        always_sound: whether both sound all the time, not only while they are near (1.5 m) or in view. Default: at the
            level "easy" alone.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "ears", "touch")

    stage: int = 0
    always_sound: bool | None = None

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.whole("stage", 0, 2)


class COGNIANav(NavigationTask):
    """Which of two toys is good changes from episode to episode; only its sound says so: the bad one hisses."""

    settings: COGNIANavSettings
    settings_class = COGNIANavSettings
    reward = "+1 at the good thing, -1 at the bad one (the amounts are ours), and VECA's curriculum by `stage`"
    end = "at any of both; passed if it is the good one"
    shapes = THREE

    def sounds(self) -> Mapping[str, tuple[Source, str]]:
        """Return both sounds."""
        return {GOOD: (Tone(523.0, level=0.08), ""), BAD: (Noise(level=0.05), "")}

    def begin(self, play: Play) -> None:
        """Draw which two toys there are, and which of them is good."""
        order = play.rng.permutation(len(self.shapes)).tolist()
        good, bad = (f"{self.toy_colours[0]} {self.shapes[index]} 0" for index in order[:2])
        self.memory.update(goal=good, bad=bad)
        self.arrange(play, [good, bad])
        play.move_sound(GOOD, play.place(good))
        play.move_sound(BAD, play.place(bad))
        self._sound(play)

    def step(self, play: Play) -> Outcome:
        """Judge where the child is, and let things sound."""
        self._sound(play)
        good = self.memory["goal"]
        reward, found = self._curriculum(play), self.reached(play, 0)
        if found is None:
            return Outcome([reward + self.shaped(play, 0, good)])
        play.emit("reached" if found == good else "wrong", thing=found)
        return Outcome([reward + (1.0 if found == good else -1.0)], over=True, passed=found == good)

    def _sound(self, play: Play) -> None:
        """Let each toy sound if it should."""
        always = self.settings.always_sound
        always = self.settings.level == "easy" if always is None else always
        for sound, name, level in ((GOOD, self.memory["goal"], 0.08), (BAD, self.memory["bad"], 0.05)):
            heard = always or self.distance(play, name) < _HEARD or play.in_view(0, play.place(name))
            play.source(sound).level = level if heard else 0.0

    def _curriculum(self, play: Play) -> float:
        def near(name: str) -> float:
            return floor(_LEVELS * exp(-_FALL * self.distance(play, name) / UNIT)) / _LEVELS

        reward = 0.0
        if self.settings.stage >= 1:
            reward += _NEAR_REWARD * near(self.memory["goal"])
        if self.settings.stage >= 2:
            reward += _BAD_SHARE * _NEAR_REWARD * (1.0 - near(self.memory["bad"]))
        return reward

    def measures(self, play: Play) -> Mapping[str, Any]:
        """Return how far the child is from both things."""
        bad = self.distance(play, self.memory["bad"])
        return {"distance": self.distance(play, self.memory["goal"]), "bad_distance": bad}
