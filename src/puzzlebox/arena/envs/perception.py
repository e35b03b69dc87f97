"""Perception: the senses somebody asked for, one after the other, as one flat dictionary of arrays."""

import numpy as np
from gymnasium import spaces

from puzzlebox._native import Cruise
from puzzlebox.arena.envs.frames import Frames, Observation
from puzzlebox.arena.envs.settings import Settings
from puzzlebox.arena.senses import Camera, Cruising, Depth, Heading, Rays, Segments, Sense, Vitals
from puzzlebox.arena.senses.sense import make_sense
from puzzlebox.arena.world import World


def senses_of(settings: Settings) -> list[Sense]:
    """The senses that settings ask for, each after those it needs."""
    senses: list[Sense] = []
    if settings.camera is not None:
        camera = Camera(settings.camera, settings.grayscale)
        senses.append(camera)
        if settings.depth:
            senses.append(Depth(camera))
        if settings.segments:
            senses.append(Segments(camera))
    if settings.rays is not None:
        senses.append(Rays(settings.rays, settings.ray_degrees, settings.rules))
    if settings.vitals:
        senses.append(Vitals(settings.scaled_vitals))
    if settings.heading:
        senses.append(Heading())
    return senses + [make_sense(name, options) for name, options in settings.other_senses.items()]


class Perception:
    """The senses of one agent.

    Attributes:
        space: what they can say.
        senses: what they said last, before it was arranged as the settings ask; what `perceive` filled, where nothing
            is to be arranged.
        ray_tags: the names of the columns of a ray, where there are rays.
        cruises: a cruise can fill in what they say.
        completes: after each decision of a cruise, `complete` has to be called.
    """

    def __init__(self, settings: Settings) -> None:
        senses = senses_of(settings)
        self.ray_tags = Rays.tags(settings.rules)
        self.space = spaces.Dict({sense.name: sense.space for sense in senses})
        self.cruises = all(sense.cruising is not Cruising.NEVER for sense in senses)
        self._reads = [(sense.name, sense.read) for sense in senses]
        self._joins = [(sense.name, sense.join) for sense in senses if sense.cruising is Cruising.JOINS]
        self._late = [(sense.name, sense.read) for sense in senses if sense.cruising is Cruising.READS]
        self.senses: Observation = {}
        self._frames: Frames | None = None
        if settings.frame_stack > 1 or settings.channels_first or any(sense.scale is not None for sense in senses):
            self.senses = {sense.name: np.zeros(sense.space.shape, sense.space.dtype) for sense in senses}
            self._frames = Frames(senses, settings.frame_stack, settings.channels_first)
            self.space = self._frames.space
        self.completes = bool(self._late) or self._frames is not None
        self._forms = [(name, space.shape, space.dtype) for name, space in self.space.items()]

    def perceive(self, world: World, animal_index: int = 0, out: Observation | None = None) -> Observation:
        """What an agent perceives now, in new arrays or in those given."""
        if out is None:
            out = {name: np.empty(shape, dtype) for name, shape, dtype in self._forms}  # type: ignore[arg-type]
        if self._frames is None:
            self.senses = out
            for name, read in self._reads:
                read(world, animal_index, out[name])
            return out
        for name, read in self._reads:
            read(world, animal_index, self.senses[name])
        return self._frames.arrange(self.senses, world, out)

    def join(self, cruise: Cruise, world: World, out: Observation) -> None:
        """Let a cruise fill these arrays with what its animal perceives; `complete` does the rest of it."""
        seen = out if self._frames is None else self.senses
        for name, join in self._joins:
            join(cruise, world, seen[name])

    def complete(self, world: World, out: Observation) -> None:
        """Read what a cruise cannot fill in, and arrange it all as the settings ask."""
        seen = out if self._frames is None else self.senses
        for name, read in self._late:
            read(world, 0, seen[name])
        if self._frames is not None:
            self._frames.arrange(seen, world, out)
