"""The interface between the studio and a wing: its pages, its addresses below /api, and the page that plays a task."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from starlette.routing import BaseRoute

from puzzlebox.record import Store
from puzzlebox.studio.limits import PLAYERS
from puzzlebox.wings import wing_named, wing_names


@dataclass(frozen=True)
class StudioContext:
    """The store and the settings that the studio shares with the pages of every wing.

    Attributes:
        store: where episodes are recorded.
        rules: the name of the rules of all episodes. Default: those of the wing.
        players: the number of participants and watched agents at the same time.
        agent: the agent that the command line named, which may be an import path; pages may only name registered ones.
        runs: the folder below which runs of training are shown.
    """

    store: Store
    rules: str | None = None
    players: int = PLAYERS
    agent: str | None = None
    runs: Path = Path(".")


class Pages(Protocol):
    """The pages of one wing.

    Attributes:
        addresses: the addresses at which the browser application shows them, such as "/play".
        for_participants: the addresses that a participant's link to a task of this wing opens; all others are refused.
            The link leads to the first one.
    """

    addresses: Sequence[str]
    for_participants: Sequence[str]

    def add_task(self, source: str) -> str:
        """Add a task file or a bundled task, and return the name under which pages play it.

        Outside the arena, the name begins with that of the wing, as in `intuitions/preference`.

        Raises:
            ValueError, FileNotFoundError: there is no such task, or it has mistakes.
        """

    def address_of(self, task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
        """Return the address of the page that plays a task, or that shows an agent playing it."""

    def routes(self, context: StudioContext) -> Sequence[BaseRoute]:
        """Return the routes of the wing's own addresses. Called once, before `open`.

        Raises:
            ValueError: there are no such rules.
        """

    async def open(self) -> None:
        """Start serving; called in the event loop of the server."""

    async def close(self) -> None:
        """Stop serving. The store is still open, and is closed afterwards."""


@dataclass(frozen=True)
class GalleryTask:
    """A task that the start page shows.

    Attributes:
        name: what every command calls it.
        title: what it is about.
        group: the heading under which it is listed.
        play: the address of the page on which a person plays it.
        watch: the address of the page on which an agent plays it.
        picture: the address of a picture of it, 3 : 2.
    """

    name: str
    title: str
    group: str
    play: str
    watch: str
    picture: str


@dataclass(frozen=True)
class Gallery:
    """The tasks of a wing for the start page.

    Attributes:
        heading: the heading of the section.
        about: a sentence about them.
        trouble: why they cannot be played here, such as an extra that is not installed; "" if they can.
        tasks: the tasks.
    """

    heading: str
    about: str
    trouble: str
    tasks: Sequence[GalleryTask]


class HasGallery(Protocol):
    """What pages may offer in addition: a section of the start page."""

    def gallery(self) -> Gallery:
        """Return the tasks of the wing."""


def find_galleries(pages: Mapping[str, Pages]) -> list[Gallery]:
    """Return the galleries of all wings that have one, in the order of their names."""
    return [each.gallery() for _, each in sorted(pages.items()) if hasattr(each, "gallery")]


def load_pages() -> dict[str, Pages]:
    """Return the pages of each wing that has some, by name; a wing that cannot be imported is logged and left out."""
    pages: dict[str, Pages] = {}
    for name in wing_names():
        try:
            place = wing_named(name).pages
        except Exception as problem:  # a wing of another package may fail in any way
            logging.getLogger(__name__).warning("%s", problem)
            continue
        if place is not None:
            module, _, attribute = place.partition(":")
            pages[name] = getattr(import_module(module), attribute)()
    return pages
