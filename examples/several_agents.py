"""Two animals race for one piece of food: a PettingZoo environment."""

import puzzlebox

TASK = """
arenas:
  - time_limit: 250
    episode_end: any      # the race is over when one of them has it
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0, skin: panda}
      - {name: Agent, at: [20, 0, 36], rotation: 180, skin: hedgehog}
      - {name: GoodGoal, at: [20, 0, 22], size: 2}
"""

env = puzzlebox.make_parallel(TASK, camera=32)
observations, infos = env.reset(seed=1)
print({name: {part: each.shape for part, each in observation.items()} for name, observation in observations.items()})

returns = dict.fromkeys(env.agents, 0.0)
while env.agents:  # those that are still in the episode
    actions = dict.fromkeys(env.agents, 3)  # all go straight ahead
    observations, rewards, terminated, truncated, infos = env.step(actions)
    for name, reward in rewards.items():
        returns[name] += reward
print("returns:", {name: round(total, 3) for name, total in returns.items()})
