"""The modules under their older names (`animalai.envs`, `mlagents_envs.envs`, `gym_unity.envs`)."""

from puzzlebox.animalai.environment import AnimalAIEnvironment
from puzzlebox.animalai.unity_gym_env import UnityToGymWrapper

__all__ = ["AnimalAIEnvironment", "UnityToGymWrapper"]
