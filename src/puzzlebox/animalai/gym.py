"""The Gym wrapper of Animal-AI 3.x as a Gymnasium environment.

`puzzlebox.animalai.envs.unity_gym_env` has the original wrapper: `reset` returns the observation alone, and
`step` four values.
"""

from puzzlebox.animalai.wrappers import UnityToGymnasiumWrapper as UnityToGymWrapper

__all__ = ["UnityToGymWrapper"]
