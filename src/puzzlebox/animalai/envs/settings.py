"""The options file of the older package's training script."""

from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path

import yaml

from puzzlebox.animalai.notes import without_effect


@dataclass
class AAIOptions:
    """What it says, under the names of `AnimalAIEnvironment`'s arguments; `arenaConfig` is its task file."""

    arenaConfig: str = ""
    useCamera: bool = True
    resolution: int | None = None
    grayscale: bool = False
    useRayCasts: bool = False
    raysPerSide: int = 2
    rayMaxDegrees: int = 60

    @classmethod
    def load_config(cls, path: "str | PathLike[str]") -> "AAIOptions":
        """Read such a file; keys it does not know are accepted, with a note."""
        written = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        if not isinstance(written, dict):
            raise ValueError(f"{path} is no options file; it must have lines such as `useCamera: true`")
        known = {field.name for field in fields(cls)}
        without_effect([str(key) for key in written if key not in known])
        return cls(**{key: value for key, value in written.items() if key in known})
