"""The options file of the older package's training script."""

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path

import yaml

from puzzlebox.animalai.notes import warn_ignored


@dataclass
class AAIOptions:
    """The values of an options file, by the names of `AnimalAIEnvironment`'s arguments; `arenaConfig` is the task."""

    arenaConfig: str = ""
    useCamera: bool = True
    resolution: int | None = None
    grayscale: bool = False
    useRayCasts: bool = False
    raysPerSide: int = 2
    rayMaxDegrees: int = 60

    @classmethod
    def load_config(cls, path: "str | PathLike[str]") -> "AAIOptions":
        """Read an options file; unknown keys are ignored, with a warning."""
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        if not isinstance(values, dict):
            raise ValueError(f"{path} is not an options file; it must have lines such as `useCamera: true`")
        names = {field.name for field in fields(cls)}
        warn_ignored([str(key) for key in values if key not in names])
        return cls(**{key: value for key, value in values.items() if key in names})
