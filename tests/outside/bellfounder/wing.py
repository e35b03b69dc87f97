import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict

from puzzlebox.columns import Column
from puzzlebox.wings.gymnasium_wing import GymnasiumWing, TaskEntry


class DarkCorridor(gym.Env):
    """A corridor without light: walk to the bell that rings somewhere in it."""

    action_space = Box(-1.0, 1.0, (1,), np.float32)  # metres
    observation_space = Dict({"loudness": Box(0.0, 1.0, (1,), np.float32)})

    def __init__(self, length):
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.steps = 0.0, 0
        self.bell = self.np_random.uniform(-self.length / 2, self.length / 2)
        return self.observation(), self.info(None)

    def step(self, action):
        self.x += float(action[0])
        self.steps += 1
        arrived, late = abs(self.bell - self.x) < 0.5, self.steps == 100
        reward = 1.0 if arrived else -0.01
        return self.observation(), reward, arrived, late, self.info(arrived if arrived or late else None)

    def observation(self):
        return {"loudness": np.array([1 / (1 + abs(self.bell - self.x))], np.float32)}

    def info(self, passed):
        events = [{"kind": "arrived", "details": {"x": self.x}}] if passed else []
        return {"passed": passed, "events": events, "measures": {"x": self.x}}


class Lamp:
    """A camera above the corridor that sees in the dark: the bell is yellow, the walker white."""

    def __init__(self, size):
        self.width, self.height = size

    def paint(self, session):
        corridor = session.env
        picture = np.full((self.height, self.width, 3), 30, np.uint8)
        for place, colour in ((corridor.bell, (255, 200, 0)), (corridor.x, (255, 255, 255))):
            column = round(self.width * np.clip(0.5 + place / corridor.length, 0.0, 1.0))
            picture[self.height // 3 : -self.height // 3, max(0, column - 4) : column + 4] = colour
        return picture


class CorridorWing(GymnasiumWing):
    name, step_seconds = "dark-corridor", 0.5
    measures = (Column("x", "number", "where the walker is", "m"),)
    views = ("above",)

    def tasks(self):
        return {
            "short": TaskEntry({"length": 10.0}, title="A short corridor", level="1", tags=("hearing",)),
            "long": TaskEntry({"length": 40.0}, title="A long corridor", level="2", tags=("hearing", "memory")),
        }

    def make(self, task, **senses):
        return DarkCorridor(**task.settings)

    def camera(self, view, size, *, fine=False):
        return Lamp(size)


WING = CorridorWing()


class Listener:
    """Walks on while the bell gets louder, and turns around when it does not."""

    senses = {}

    def begin(self, seed):
        self.step, self.before = 1.0, 0.0

    def act(self, observation, info):
        loudness = float(observation["loudness"][0])
        self.step, self.before = (self.step if loudness > self.before else -self.step), loudness
        return np.array([self.step], np.float32)
