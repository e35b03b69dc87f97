"""The nine actions under their original names."""

import random
from collections.abc import Sequence

import numpy as np

from puzzlebox.animalai.base_env import ActionTuple


class AAIAction:
    """An action with a name."""

    def __init__(self, name: str, action_tuple: ActionTuple) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of an action is a text, not {name!r}")
        if not isinstance(action_tuple, ActionTuple):
            raise TypeError(f"an action is an ActionTuple, not {action_tuple!r}")
        self.name = name
        self.action_tuple = action_tuple

    def __str__(self) -> str:
        return self.name


class AAIActions:
    """The nine actions, for one agent or the same for several."""

    def __init__(self, no_agents: int = 1) -> None:
        if no_agents <= 0:
            raise ValueError(f"no_agents is {no_agents}; it must be 1 or more")

        def action(name: str, move: int, turn: int) -> AAIAction:
            return AAIAction(name, ActionTuple(np.zeros((no_agents, 0)), np.full((no_agents, 2), (move, turn))))

        self.NOOP = action("noop", 0, 0)
        self.LEFT = action("left", 0, 2)
        self.RIGHT = action("right", 0, 1)
        self.FORWARDS = action("forwards", 1, 0)
        self.FORWARDSLEFT = action("forwards&left", 1, 2)
        self.FORWARDSRIGHT = action("forwards&right", 1, 1)
        self.BACKWARDS = action("backwards", 2, 0)
        self.BACKWARDSLEFT = action("backwards&left", 2, 2)
        self.BACKWARDSRIGHT = action("backwards&right", 2, 1)
        self.allActions = [
            *(self.NOOP, self.LEFT, self.RIGHT),
            *(self.FORWARDS, self.FORWARDSLEFT, self.FORWARDSRIGHT),
            *(self.BACKWARDS, self.BACKWARDSLEFT, self.BACKWARDSRIGHT),
        ]

    def random(self) -> AAIAction:
        """Return a random action."""
        return random.choice(self.allActions)


def stack_actions(actions: "Sequence[AAIAction | ActionTuple]") -> ActionTuple:
    """Return the actions of several agents as one, their rows in this order."""
    if not actions:
        raise ValueError("there are no actions to stack; give one for each agent")
    parts = [each.action_tuple if isinstance(each, AAIAction) else each for each in actions]
    return ActionTuple(
        np.concatenate([each.continuous for each in parts]), np.vstack([each.discrete for each in parts])
    )
