"""`puzzlebox.animalai.unity_gym_env` where ML-Agents has it."""

from puzzlebox.animalai.unity_gym_env import ActionFlattener, UnityGymException, UnityToGymWrapper

__all__ = ["ActionFlattener", "UnityGymException", "UnityToGymWrapper"]
