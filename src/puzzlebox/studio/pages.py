"""What a wing brings to the studio: its pages, its addresses below /api, and where a task of its own is played."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from starlette.routing import BaseRoute

from puzzlebox.record import Store
from puzzlebox.studio.limits import PLAYERS
from puzzlebox.wings import wing_named, wing_names


@dataclass(frozen=True)
class Desk:
    """What the studio shares with the pages of every wing.

    Attributes:
        store: where episodes are recorded.
        rules: the name of the rules that tasks are played by. Default: those of the wing.
        players: how many participants and watched agents there may be at the same time.
        agent: an agent that the command line names, which may be an import path; pages know agents by name only.
    """

    store: Store
    rules: str | None = None
    players: int = PLAYERS
    agent: str | None = None


class Pages(Protocol):
    """The pages of one wing.

    Attributes:
        addresses: the addresses at which the browser application shows them, such as "/play".
        for_participants: the addresses that a participant's link opens; all others are closed to it. The first one is
            where the link leads.
    """

    addresses: Sequence[str]
    for_participants: Sequence[str]

    def add_task(self, source: str) -> str:
        """Offer a task file, or a bundled task; returns the name under which pages play it.

        Raises:
            ValueError, FileNotFoundError: there is no such task, or it has mistakes.
        """

    def address_of(self, task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
        """Return the address of the page that plays a task, or that shows an agent playing it."""

    def routes(self, desk: Desk) -> Sequence[BaseRoute]:
        """Return the routes of the wing's own addresses. Called once, before `open`.

        Raises:
            ValueError: there are no such rules.
        """

    async def open(self) -> None:
        """Begin to serve; called in the event loop of the server."""

    async def close(self) -> None:
        """Stop serving. The store is still open, and is closed afterwards."""


def load_pages() -> dict[str, Pages]:
    """Make the pages of each wing that has some, by the wing's name; a wing that cannot be imported is left out."""
    pages: dict[str, Pages] = {}
    for name in wing_names():
        try:
            place = wing_named(name).pages
        except ValueError as problem:
            logging.getLogger(__name__).warning("%s", problem)
            continue
        if place is not None:
            module, _, attribute = place.partition(":")
            pages[name] = getattr(import_module(module), attribute)()
    return pages
