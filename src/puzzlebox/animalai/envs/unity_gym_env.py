"""`puzzlebox.animalai.unity_gym_env` under its name in ML-Agents."""

from puzzlebox.animalai.unity_gym_env import ActionFlattener, UnityGymException, UnityToGymWrapper

__all__ = ["ActionFlattener", "UnityGymException", "UnityToGymWrapper"]
