"""The original's heuristic agent: it goes to food it sees."""

from typing import Any

import numpy as np

from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser

_GOOD, _MULTI, _BAD = RayCastObjects.GOODGOAL, RayCastObjects.GOODGOALMULTI, RayCastObjects.BADGOAL


class Braitenberg:
    """Goes to food it sees, backs off from bad goals, and otherwise turns left every other step."""

    def __init__(self, no_rays: int) -> None:
        if no_rays < 1 or no_rays % 2 == 0:
            raise ValueError(f"no_rays is {no_rays}; it must be odd")
        self.no_rays = no_rays
        self.listOfObjects = [_GOOD, _MULTI, _BAD]
        self.raycast_parser = RayCastParser(self.listOfObjects, no_rays)
        self.actions = AAIActions()
        self.prev_action = self.actions.NOOP

    def prettyPrint(self, obs: Any) -> None:
        """Print the distances of the objects the agent reacts to, a line for each."""
        self.raycast_parser.prettyPrint(obs)

    def get_action(self, obs: Any) -> AAIAction:
        """Return the action for these rays: the first object seen decides, multi goals first, bad goals last."""
        distances, do = self.raycast_parser.parse(obs), self.actions
        for what, ahead, left, right in (
            (_MULTI, do.FORWARDS, do.LEFT, do.RIGHT),
            (_GOOD, do.FORWARDS, do.LEFT, do.RIGHT),
            (_BAD, do.BACKWARDS, do.BACKWARDSLEFT, do.BACKWARDSRIGHT),
        ):
            for is_there, action in ((self.ahead, ahead), (self.left, left), (self.right, right)):
                if is_there(distances, what):
                    return self._remember(action)
        idle = self.prev_action in (do.NOOP, do.BACKWARDS)
        return self._remember(do.LEFT if idle else do.NOOP)

    def _remember(self, action: AAIAction) -> AAIAction:
        self.prev_action = action
        return action

    def _row(self, obs: Any, what: RayCastObjects) -> Any:
        return obs[self.listOfObjects.index(what)]

    def ahead(self, obs: Any, object: RayCastObjects) -> bool:
        """Return whether the ray in the middle hits the object; `obs` is what the parser returned."""
        return bool(self._row(obs, object)[self.no_rays // 2] > 0)

    def left(self, obs: Any, object: RayCastObjects) -> bool:
        """Return whether a ray on the left hits the object; `obs` is what the parser returned."""
        return bool(np.any(self._row(obs, object)[: self.no_rays // 2] > 0))

    def right(self, obs: Any, object: RayCastObjects) -> bool:
        """Return whether a ray on the right hits the object; `obs` is what the parser returned."""
        return bool(np.any(self._row(obs, object)[self.no_rays // 2 + 1 :] > 0))
