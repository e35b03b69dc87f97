"""Animal-AI's own names: a script written for the original runs after changing its imports.

`animalai`, `mlagents_envs` and `gym_unity` become `puzzlebox.animalai`, whatever follows: older names such as
`animalai.envs.environment` and `mlagents_envs.envs.unity_gym_env` exist as well.

The behaviour of each build of the original (3.1, 4.3, that of 2019) is in one table, `BUILDS` in
`puzzlebox/arena/rules/builds.py`; `Rules` beside it describes each rule. `AnimalAIEnvironment(rules="3.1")`
plays by the rules of a build.
"""

from puzzlebox import __version__
from puzzlebox.animalai import arenas
from puzzlebox.animalai.download import download_binary, get_package_version
from puzzlebox.animalai.environment import AnimalAIEnvironment
from puzzlebox.animalai.gym import UnityToGymWrapper

__all__ = [
    "AnimalAIEnvironment",
    "UnityToGymWrapper",
    "__version__",
    "arenas",
    "download_binary",
    "get_package_version",
]
