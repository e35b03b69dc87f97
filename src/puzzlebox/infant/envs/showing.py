"""Films of an episode with all senses side by side: the child from outside, both eyes, both ears and the skin."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.agents import agent_named
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.envs.env import InfantEnv
from puzzlebox.infant.envs.touch_camera import TouchCamera
from puzzlebox.infant.envs.views import near_picture
from puzzlebox.infant.looks.panel import Layout, Moment, compose, layout_of
from puzzlebox.infant.senses.touch_map import touch_legend
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.sound.wav import to_integers
from puzzlebox.record.gif import GifFile
from puzzlebox.record.mp4 import Mp4File
from puzzlebox.seeds import agent_seed

Image = NDArray[np.uint8]
Progress = Callable[[int, int], None]
FPS = round(1 / CONTROL_STEP)
FILMS = (".mp4", ".gif")
# A GIF has every second picture: the unit of its delays is a hundredth of a second, and its files are large.
_GIF_EVERY = 2
# Seconds of sound that a wave shows.
_WINDOW_SECONDS = 2
_SAMPLES = 2


@dataclass(frozen=True)
class Showing:
    """An episode to be shown.

    Attributes:
        task: the name of an infant task.
        agent: the name of the agent that plays: `infant-script` or `random`.
        seed: that of the episode.
        seconds: the most seconds that are shown; an episode that ends earlier is shown to its end.
        age_months: the age of the child. Default: that of the task.
    """

    task: str
    agent: str = "infant-script"
    seed: int = 1
    seconds: float = 10.0
    age_months: float | None = None

    def play(self, **senses: Any) -> Iterator[InfantEnv]:
        """Yield the environment at the beginning of the episode and after each step."""
        agent = agent_named(self.agent)
        ages: dict[str, Any] = {} if self.age_months is None else {"age_months": self.age_months}
        env = InfantEnv(self.task, script=bool(agent.senses.get("script")), **ages, **senses)
        observation, info = env.reset(seed=self.seed)
        agent.begin(agent_seed(self.seed))
        if hasattr(agent, "use_space"):
            agent.use_space(env.action_space)
        yield env
        for _ in range(round(self.seconds / CONTROL_STEP)):
            observation, _, over, truncated, info = env.step(agent.act(observation, info))
            yield env
            if over or truncated:
                return

    def sound(self) -> NDArray[np.float32]:
        """Return what both ears hear, 2 x 2,940 samples for the beginning and as many for each step."""
        return np.concatenate([env.core.play.states()[0]["ears"] for env in self.play(senses=("ears",))], axis=1)

    def pictures(self, size: tuple[int, int], sound: NDArray[np.float32], every: int = 1) -> Iterator[Image]:
        """Yield a picture of the beginning, and another after each `every` steps.

        Args:
            size: width and height in pixels.
            sound: that of the episode, as `sound` returns it.
            every: how many steps are between two pictures.
        """
        layout = layout_of(*size)
        loudest = float(np.abs(sound).max())
        touch: TouchCamera | None = None
        senses = {"senses": ("eyes", "skin"), "pixels": layout.eyes[0][2], "skin_part": "whole"}
        for number, env in enumerate(self.play(**senses)):
            if number % every:
                continue
            play = env.core.play
            if touch is None:
                touch = TouchCamera(play.stage.person(play.names[0]).body, env.core.settings.taxels)
            yield self._picture(env, layout, touch, sound[:, : (number + 1) * FRAME], loudest, number)

    def last_picture(self, size: tuple[int, int], sound: NDArray[np.float32]) -> Image:
        """Return the picture of the last moment."""
        steps = sound.shape[1] // FRAME - 1
        *_, image = self.pictures(size, sound, every=max(1, steps))
        return image

    def _picture(
        self,
        env: InfantEnv,
        layout: Layout,
        touch: TouchCamera,
        sound: NDArray[np.float32],
        loudest: float,
        steps: int,
    ) -> Image:
        play = env.core.play
        state = play.states()[0]
        left, right = state["eyes"]
        moment = Moment(
            title=f"{env.core.entry.name}, {self.agent}, seed {self.seed}",
            clock=f"{steps * CONTROL_STEP:.1f} s",
            outside=near_picture(play, layout.outside[2:], samples=_SAMPLES),
            eyes=(left, right),
            touch=touch.paint(state["skin"], layout.touch[0][2:]),
            sound=sound,
            loudest=loudest,
            window=_WINDOW_SECONDS * SAMPLE_RATE,
            window_text=f"{_WINDOW_SECONDS} seconds",
            legend=touch_legend(64),
        )
        return compose(layout, moment)


def write_showing(
    showing: Showing, path: Path, size: tuple[int, int], sound: NDArray[np.float32], progress: Progress | None = None
) -> None:
    """Write an episode as a film by the suffix of its name: MP4 with its sound, or GIF.

    Args:
        showing: the episode.
        path: the file; it appears when it is complete.
        size: width and height in pixels; odd numbers are rounded down to even ones for MP4.
        sound: that of the episode, as `Showing.sound` returns it.
        progress: a function called after every picture with the number of pictures written and that of all.

    Raises:
        ModuleNotFoundError: MP4 needs PyAV; the message says what brings it.
        ValueError: the name is not that of a film, or the size does not fit.
    """
    form = path.suffix.lower()
    if form not in FILMS:
        raise ValueError(f"{path.name} is not a film; its name must end in {' or '.join(FILMS)}")
    every = 1 if form == ".mp4" else _GIF_EVERY
    if form == ".mp4":
        size = (size[0] - size[0] % 2, size[1] - size[1] % 2)
    layout_of(*size)
    frames = sound.shape[1] // FRAME
    total = (frames + every - 1) // every
    draft = path.with_name(path.name + ".part")
    loud = to_integers(sound)
    reel = Mp4File(draft, size, FPS, SAMPLE_RATE) if form == ".mp4" else GifFile(draft, size, FPS / every)
    try:
        for number, image in enumerate(showing.pictures(size, sound, every)):
            reel.add(image)
            if isinstance(reel, Mp4File):
                reel.add_sound(loud[:, number * FRAME : (number + 1) * FRAME])
            if progress is not None:
                progress(number + 1, total)
        reel.close()
    except BaseException:
        reel.abandon()
        draft.unlink(missing_ok=True)
        raise
    draft.replace(path)
