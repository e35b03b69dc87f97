"""Animal-AI 4.x: the random action agent plays some episodes of a task file."""

import sys
from collections import deque

from animalai.actions import AAIActions
from animalai.agents.randomActionAgent import RandomActionAgent
from animalai.environment import AnimalAIEnvironment
from animalai.executable import find_or_download_executable


def watch_random_action_agent(task_file: str, agent: RandomActionAgent, episodes: int) -> list[float]:
    environment = AnimalAIEnvironment(
        file_name=str(find_or_download_executable("env")),
        arenas_configurations=task_file,
        seed=12,
        play=False,
        useCamera=False,
        useRayCasts=True,
        raysPerSide=1,
        rayMaxDegrees=30,
    )
    behavior = next(iter(environment.behavior_specs.keys()))
    returns = []
    for _ in range(episodes):
        environment.reset()
        environment.step()
        decision, terminal = environment.get_steps(behavior)
        # three rays of fourteen numbers each
        assert environment.get_obs_dict(decision.obs)["rays"].shape == (42,)
        previous, queue, total, done = AAIActions().NOOP, deque(), 0.0, False
        while not done:
            while not queue:
                previous = agent.get_new_action(prev_step=previous)
                queue = agent.get_num_steps(prev_step=previous)
            environment.set_actions(behavior, queue.pop().action_tuple)
            environment.step()
            decision, terminal = environment.get_steps(behavior)
            if len(decision.reward) > 0:
                total += decision.reward[0]
            if len(terminal) > 0:
                total += terminal.reward[0]
                assert not terminal.interrupted[0]
                done = True
        returns.append(total)
    environment.close()
    return returns


if __name__ == "__main__":
    player = RandomActionAgent(max_step_length=7, prev_step_bias=0.2)
    print(len(watch_random_action_agent(sys.argv[1], player, episodes=2)), "episodes")
