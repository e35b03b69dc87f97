"""Animal-AI 4.x: the Braitenberg vehicle, and the rays it sees."""

import sys

from animalai.agents.braitenberg import Braitenberg
from animalai.environment import AnimalAIEnvironment
from animalai.raycastparser import RayCastObjects, RayCastParser
from mlagents_envs.exception import UnityCommunicationException

RAYS = 9

environment = AnimalAIEnvironment(
    seed=1,
    arenas_configurations=sys.argv[1],
    useCamera=False,
    useRayCasts=True,
    raysPerSide=int((RAYS - 1) / 2),
    rayMaxDegrees=30,
    inference=False,
)
parser = RayCastParser([RayCastObjects.ARENA, RayCastObjects.GOODGOAL, RayCastObjects.DATAZONE], RAYS)
vehicle = Braitenberg(RAYS)
behavior = next(iter(environment.behavior_specs))
try:
    environment.step()
    decision, terminal = environment.get_steps(behavior)
    parser.prettyPrint(environment.get_obs_dict(decision.obs)["rays"])
    total, done = 0.0, False
    while not done:
        if len(decision.reward) > 0:
            total += decision.reward[0]
        observations = environment.get_obs_dict(decision.obs)
        assert parser.parse(observations).shape == (3, RAYS)
        action = vehicle.get_action(observations["rays"])
        environment.set_actions(behavior, action.action_tuple)
        environment.step()
        decision, terminal = environment.get_steps(behavior)
        if len(terminal) > 0:
            total += terminal.reward[0]
            done = True
    print("found it" if total > 0.5 else "did not find it")
except UnityCommunicationException:
    print("the game was closed")
environment.close()
