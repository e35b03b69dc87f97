"""Animal-AI's own names: a script written for the original runs with its imports changed.

`animalai` becomes `puzzlebox.animalai`; `mlagents_envs.base_env` becomes `puzzlebox.animalai.base_env`;
`mlagents_envs.envs.unity_gym_env` (or `gym_unity.envs`) becomes `puzzlebox.animalai.unity_gym_env`.
"""

from puzzlebox import __version__
from puzzlebox.animalai.environment import AnimalAIEnvironment

__all__ = ["AnimalAIEnvironment", "__version__"]
