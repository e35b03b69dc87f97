"""MultiAgentNav: several children look for the same toy in one room."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from puzzlebox.infant.sound.sources import Source, Tone
from puzzlebox.infant.tasks.navigation import NavigationSettings, NavigationTask, kind_of
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import SPECTRUM
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.toys import THREE

SOUND = "target's sound"


@dataclass(frozen=True, kw_only=True)
class MultiAgentNavSettings(NavigationSettings):
    """Settings of MultiAgentNav.

    Attributes:
        agents: how many children there are, 1 to 4.
        sound: "spectrum" (the default here, as VECA's learners had it) or "wave".
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "ears", "target")

    agents: int = 2
    sound: str = SPECTRUM

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.whole("agents", 1, 4)


class MultiAgentNav(NavigationTask):
    """Children share a room and a target, which sounds; each is rewarded for itself."""

    settings: MultiAgentNavSettings
    settings_class = MultiAgentNavSettings
    reward = "to each child: +1 when it comes to the target, -1 when it comes to another toy (the amounts are ours)"
    end = "when all have come to the target, or one to another toy; passed if all have come to the target"
    targets = THREE

    @property
    def agents(self) -> int:
        """How many children there are."""
        return self.settings.agents

    def sounds(self) -> Mapping[str, tuple[Source, str]]:
        """Return the sound at the target."""
        return {SOUND: (Tone(660.0, level=0.08), "")}

    def begin(self, play: Play) -> None:
        """Draw a target and wrong toys."""
        goal, names = self.draw_toys(play)
        self.memory.update(goal=goal, there=[False] * self.agents)
        self.arrange(play, names, self.agents)
        play.move_sound(SOUND, play.place(goal))

    def step(self, play: Play) -> Outcome:
        """Judge where each child is."""
        goal, there, rewards, wrong = self.memory["goal"], self.memory["there"], [], False
        for agent in range(self.agents):
            found = self.reached(play, agent)
            reward = 0.0 if there[agent] else self.shaped(play, agent, goal)
            if found == goal and not there[agent]:
                there[agent] = True
                reward += 1.0
                play.emit("reached", thing=found, agent=agent)
            elif found is not None and found != goal:
                wrong = True
                reward -= 1.0
                play.emit("wrong", thing=found, agent=agent)
            rewards.append(reward)
        done = all(there)
        return Outcome(rewards, over=done or wrong, passed=done if done or wrong else None)

    def reason(self, play: Play) -> str:
        """Return how many children are at the target, or which came to another toy."""
        if any(event["kind"] == "wrong" for event in play.events):
            return super().reason(play)
        return f"{sum(self.memory['there'])} of {self.agents} children have come to the {kind_of(self.memory['goal'])}"

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how many children have come to the target, and how far the first is from it."""
        return {"arrived": sum(self.memory["there"]), "distance": self.distance(play, self.memory["goal"])}
