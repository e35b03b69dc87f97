"""Every thing a task can hold, by its name; each class enters itself when it is defined."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlebox.arena.things.thing import Thing

CATALOGUE: dict[str, type["Thing"]] = {}
