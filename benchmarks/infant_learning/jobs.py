"""All runs by name: which task, senses, learner, seed and length."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PPO, SAC = "ppo", "sac"
EASY, HARD = "easy", "hard"
# The settings of both difficulties of each task.
LEVELS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "grab-object": {EASY: {"spread": 0.02}, HARD: {"spread": 0.06}},
    "object-nav": {EASY: {"level": "easy"}, HARD: {"level": "hard"}},
    "kick-the-ball": {EASY: {"level": "easy"}, HARD: {"level": "hard2"}},
    "multi-agent-nav": {EASY: {"level": "easy"}, HARD: {"level": "hard"}},
}
# Senses of the toolkit's curves: those that VECA's learners had; GrabObject does without eyes (see `JOBS`).
SENSES: Mapping[str, tuple[str, ...]] = {
    "grab-object": ("joints", "skin"),
    "object-nav": ("eyes", "target"),
    "kick-the-ball": ("eyes", "ears"),
    "multi-agent-nav": ("eyes", "ears", "target"),
}
# Pixels along each side of the picture of an eye.
PIXELS = 32


@dataclass(frozen=True)
class Job:
    """One run of a learner.

    Attributes:
        name: the name of the run and of its folder.
        task: the task.
        level: "easy" or "hard", a key of `LEVELS`.
        senses: the senses that the learner has.
        learner: "ppo" or "sac".
        seed: the seed of the networks and of the first episodes.
        steps: how many control steps of a child it lasts.
        hearing: the setting of the ears.
        group: which curves are drawn together.
        label: the name of its curve.
    """

    name: str
    task: str
    level: str
    senses: tuple[str, ...]
    learner: str = PPO
    seed: int = 0
    steps: int = 500_000
    hearing: str = "hrtf"
    group: str = ""
    label: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def all_settings(self) -> dict[str, Any]:
        """The settings of the environment."""
        eyes = {"pixels": PIXELS} if "eyes" in self.senses else {}
        ears = {"hearing": self.hearing, "sound": "wave"} if "ears" in self.senses else {}
        return {**LEVELS[self.task][self.level], **self.settings, "senses": self.senses, **eyes, **ears}


def _jobs() -> dict[str, Job]:
    out = []
    # Figure 7 asks what one sense is worth, so eyes are closed in it: who sees the ball needs no ears, and pictures
    # would cost most of the time.
    for seed in range(3):
        for hearing, label in (("hrtf", "HRTF"), ("plain", "sound without direction"), ("silent", "silence")):
            name = f"kick-{hearing}-{seed}"
            out.append(Job(name, "kick-the-ball", EASY, ("ears",), seed=seed, hearing=hearing, group="7a", label=label))
        for short, senses, label in (
            ("touch", ("joints", "skin"), "with touch"),
            ("no-touch", ("joints",), "without touch"),
        ):
            out.append(Job(f"grab-{short}-{seed}", "grab-object", EASY, senses, seed=seed, group="7b", label=label))
    for task, levels in LEVELS.items():
        for level in levels:
            for learner in (PPO, SAC):
                name, label = f"{learner}-{task}-{level}", f"{learner.upper()}, {level}"
                out.append(Job(name, task, level, SENSES[task], learner, steps=200_000, group=task, label=label))
    return {job.name: job for job in out}


JOBS = _jobs()
BASELINES = {f"baseline-{task}-{level}": (task, level) for task, levels in LEVELS.items() for level in levels}
