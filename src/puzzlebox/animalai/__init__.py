"""Animal-AI's own names: a script written for the original runs with its imports changed.

`animalai`, `mlagents_envs` and `gym_unity` become `puzzlebox.animalai`, whatever follows: `animalai.envs.environment`
of older scripts is there as well as `animalai.environment`, and so is `mlagents_envs.envs.unity_gym_env`.

What each build of the original did (3.1, 4.3, the one of 2019) is decided by one table, `BUILDS` in
`puzzlebox/arena/rules/builds.py`; `Rules` beside it says what each rule means. `AnimalAIEnvironment(rules="3.1")`
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
