"""Learn to find food from a picture of 64 x 64 pixels: a few minutes on two cores."""

from stable_baselines3 import PPO

import puzzlebox

task = """
arenas:
  - time_limit: 100
    size: [12, 12]
    items:
      - {name: Agent}
      - {name: GoodGoal, size: 1}
"""
envs = puzzlebox.make_sb3(task, num_envs=16, camera=64, vitals=False)
model = PPO("MultiInputPolicy", envs, n_steps=128, batch_size=256, n_epochs=4, gamma=0.98, ent_coef=0.01, seed=1)
model.learn(200_000)
print("mean return of the last 100 episodes:", sum(each["r"] for each in model.ep_info_buffer) / 100)
model.save("food")
