"""Names in the files: fields of a frame in both versions of the format, and the names of files."""

import re
from typing import NamedTuple

from puzzlebox.text import nearest

# The JSON and the film of a member have the same stem.
STEM = re.compile(r"(?P<number>\d{6})(?P<code>[a-z]{2})(?P<member>[eu])")
# Names that are meant like that but written in another way: other digits, upper case.
NEARLY = re.compile(r"\d+[_-]?[a-z]{2}[_-]?[eu]", re.IGNORECASE)
# Files with this word in their names are not stimuli.
NOT_A_STIMULUS = "index"
JSON, FILM = ".json", ".mp4"


class FieldNames(NamedTuple):
    """The names that a version of the format has for key and lock; all other fields have the same name in both."""

    key: str
    lock: str


# In version 1.1 the field called `key` is the lock.
VERSIONS = {"1.1": FieldNames(key="pin", lock="key"), "old": FieldNames(key="key", lock="lock")}
NEWEST = "1.1"


def fields_of(version: str) -> FieldNames:
    """Return the names of a version; raise a ValueError with the nearest if there is no such version."""
    if version not in VERSIONS:
        raise ValueError(f"there is no version {version!r} of the files{nearest(version, VERSIONS)}")
    return VERSIONS[version]


def stem_of(number: int, code: str, member: str) -> str:
    """Return the stem of a member's files, such as `000010loe`."""
    return f"{number:06d}{code}{member}"
