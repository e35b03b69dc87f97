"""Perception: the senses of the settings, read one after the other into one flat dictionary of arrays."""

import numpy as np
from gymnasium import spaces

from puzzlebox._native import Cruise
from puzzlebox.arena.envs.frames import Frames, Observation
from puzzlebox.arena.envs.settings import Settings
from puzzlebox.arena.senses import Camera, Cruising, Depth, Heading, Rays, Segments, Sense, Vitals
from puzzlebox.arena.senses.sense import make_sense
from puzzlebox.arena.world import World


def senses_of(settings: Settings) -> list[Sense]:
    """Return the senses of the settings, each after those it depends on."""
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
        space: the space of the observations.
        senses: the latest values of the senses, before they are arranged according to the settings.
        ray_tags: the names of the columns of a ray.
        cruises: whether a cruise can fill in the senses.
        completes: whether `complete` must be called after each decision of a cruise.
    """

    def __init__(self, settings: Settings) -> None:
        senses = senses_of(settings)
        self.ray_tags = Rays.tags(settings.rules)
        self.space = spaces.Dict({sense.name: sense.space for sense in senses})
        self.cruises = all(sense.cruising is not Cruising.NEVER for sense in senses)
        self._reads = [(sense.name, sense.read) for sense in senses]
        self._joins = [(sense.name, sense.join) for sense in senses if sense.cruising is Cruising.JOINS]
        self._late_reads = [(sense.name, sense.read) for sense in senses if sense.cruising is Cruising.READS]
        self.senses: Observation = {}
        self._frames: Frames | None = None
        if settings.frame_stack > 1 or settings.channels_first or any(sense.scale is not None for sense in senses):
            self.senses = {sense.name: np.zeros(sense.space.shape, sense.space.dtype) for sense in senses}
            self._frames = Frames(senses, settings.frame_stack, settings.channels_first)
            self.space = self._frames.space
        self.completes = bool(self._late_reads) or self._frames is not None
        self._arrays = [(name, space.shape, space.dtype) for name, space in self.space.items()]

    def perceive(self, world: World, animal_index: int = 0, out: Observation | None = None) -> Observation:
        """Return the current observation of an agent, in new arrays or in those of `out`."""
        if out is None:
            out = {name: np.empty(shape, dtype) for name, shape, dtype in self._arrays}  # type: ignore[arg-type]
        if self._frames is None:
            self.senses = out
            for name, read in self._reads:
                read(world, animal_index, out[name])
            return out
        for name, read in self._reads:
            read(world, animal_index, self.senses[name])
        return self._frames.arrange(self.senses, world, out)

    def join(self, cruise: Cruise, world: World, out: Observation) -> None:
        """Make a cruise fill these arrays with what its animal perceives; `complete` adds the rest."""
        values = out if self._frames is None else self.senses
        for name, join in self._joins:
            join(cruise, world, values[name])

    def complete(self, world: World, out: Observation) -> None:
        """Read the senses that a cruise cannot fill in, and arrange all of them according to the settings."""
        values = out if self._frames is None else self.senses
        for name, read in self._late_reads:
            read(world, 0, values[name])
        if self._frames is not None:
            self._frames.arrange(values, world, out)
