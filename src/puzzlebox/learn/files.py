"""Files that are either complete or absent, whatever interrupts the program or the machine."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Write a file aside and put it in its place once it is on the disk."""
    draft = path.with_name(f".{path.name}.part")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file as `write_text` does."""
    write_text(path, json.dumps(data, indent=1, default=str) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it holds something else.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ValueError(f"{path} is damaged: it is not a JSON object")
    return data


def sync_folder(folder: Path) -> None:
    """Wait until the entries of a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_files(folder: Path) -> None:
    """Wait until all files of a folder, and its entries, are on the disk."""
    for path in folder.iterdir():
        if path.is_dir():
            sync_files(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder and what it holds; it may be missing."""
    shutil.rmtree(folder, ignore_errors=True)
