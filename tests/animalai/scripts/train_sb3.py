"""Animal-AI 3.x: training with stable-baselines3 straight on the Gym wrapper, on pictures and on rays."""

import sys

from animalai.envs.environment import AnimalAIEnvironment
from animalai.gym import UnityToGymWrapper
from stable_baselines3 import A2C, PPO


def wrapped(task_file: str, **senses: object) -> UnityToGymWrapper:
    environment = AnimalAIEnvironment(
        file_name="env/AnimalAI", seed=3, arenas_configurations=task_file, play=False, timescale=300, **senses
    )
    return UnityToGymWrapper(environment, uint8_visual=True, flatten_branched=True, allow_multiple_obs=False)


env = wrapped(sys.argv[1], useCamera=True, resolution=36)
model = PPO("CnnPolicy", env, n_steps=32, batch_size=16, n_epochs=1, device="cpu")
model.learn(32)
observations = model.get_env().reset()
action, _ = model.predict(observations)
model.get_env().step(action)
env.close()

env = wrapped(sys.argv[1], useCamera=False, useRayCasts=True, raysPerSide=2, rayMaxDegrees=60)
model = A2C("MlpPolicy", env, n_steps=10, device="cpu")
model.learn(20, reset_num_timesteps=False)
print(env.observation_space.shape, env.action_space)
env.close()
