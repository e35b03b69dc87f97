"""Build an arena: place every item in order, find what rests on what, then create the bodies."""

from collections.abc import Iterator, Mapping, Sequence, Set

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Arena, Item
from puzzlebox.arena.things import LIFT, Agent, Stands, Thing
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.engine import FIRST_THING, FLOOR, FLOOR_TOP, Engine
from puzzlebox.arena.world.placement import Placer, Unplaced, build_of, make

# A structure stands on what is at most this far (metres) below it; everything is placed 0.02 m above the floor.
_RESTING_GAP = 0.02 + 1e-4


class Arrangement:
    """The things of one arena, in the order of their placement, and those that could not be placed."""

    def __init__(self, arena: Arena, rules: Rules, rng: np.random.Generator) -> None:
        self.engine = Engine(*arena.size)
        self.rules = rules
        self.rng = rng
        self.things: dict[int, Thing] = {}
        self.names: dict[int, str] = {}
        self.unplaced: list[Unplaced] = []
        self._heap: set[int] = set()
        self._next_id = FIRST_THING
        self.placer = Placer(self.engine, rng, self.names)
        things = [make(item, number, rules) for number, item in _placement_order(arena)]
        without_place = [thing for thing in things if not self._place(thing)]
        if not rules.left_out:  # as in the original: piled up in the corner, after everything else is placed
            for thing in without_place:
                if self.placer.pile_up(thing):
                    thing.fixed = thing.stands is not Stands.FREE  # a free structure of ten tonnes would crush the heap
                    self.admit(thing)
                    self._heap.add(thing.id)
        self._settle()
        for identity in list(self.things):
            self.engine.embody(identity)
        self.engine.follow()
        self.engine.watch([identity for identity, thing in self.things.items() if isinstance(thing, Agent)])

    def _place(self, thing: Thing) -> bool:
        """Place a thing and return whether it is in the arena; an animal always is, even if there is no room."""
        failure = self.placer.place(thing)
        if failure is not None:
            self.unplaced.append(failure)
        placed = failure is None or isinstance(thing, Agent)
        if placed:
            self.admit(thing)
        return placed

    def admit(self, thing: Thing) -> None:
        """Add a placed thing: draw its looks, give it an id and register its shapes with the kernel."""
        thing.draw_looks(self.rng)
        self._register(thing)
        self.engine.enter(thing.id, build_of(thing))
        thing.parts = thing.companions()
        for part in thing.parts:
            self._register(part)
            self.engine.enter(part.id, build_of(part))
        if isinstance(thing, Agent):
            thing.face(thing.yaw)

    def _register(self, thing: Thing) -> None:
        thing.id, self._next_id = self._next_id, self._next_id + 1
        self.things[thing.id] = thing
        self.names[thing.id] = type(thing).__name__

    def _settle(self) -> None:
        """Fix the structures that the floor or a fixed thing supports, and let them down onto it."""
        waiting = [
            thing for thing in self.things.values() if thing.stands is Stands.WHERE_SUPPORTED and not thing.fixed
        ]
        under = {thing.id: self.placer.rests_on(thing, _RESTING_GAP) for thing in waiting}
        drops = {thing.id: 0.0 for thing in self.things.values() if thing.fixed and not thing.passable}
        changed = True
        while changed:
            changed = False
            for thing in list(waiting):
                if self._let_down(thing, under[thing.id], drops):
                    drops[thing.id] = thing.let_down
                    self.engine.let_down(thing.id, thing.at)
                    waiting.remove(thing)
                    changed = True

    @staticmethod
    def _let_down(thing: Thing, under: Sequence[Set[int]], drops: Mapping[int, float]) -> bool:
        """Fix a thing and let it down, onto the floor or by the same distance as what it stands on.

        A thing would tip if one of its halves stands on nothing fixed: it stays free, and False is returned.
        """
        if any(FLOOR in half for half in under):
            drop = thing.at[1] - thing.foot() - FLOOR_TOP
        else:
            supports = [[drops[each] for each in half if each in drops] for half in under]
            if not all(supports):
                return False
            drop = min(map(min, supports))
        thing.fixed, thing.let_down = True, drop
        thing.at = (thing.at[0], thing.at[1] - drop, thing.at[2])
        return True

    def bring(self, thing: Thing, state: bytes) -> Unplaced | None:
        """Place a thing in a running arena and create its body; return None, or why it could not be placed."""
        failure = self.placer.place(thing, state)
        if failure is None:
            if thing.stands is Stands.WHERE_SUPPORTED:
                # Structures that stand were let down already, so the gap above them is wider by that distance.
                near = self.placer.rests_on(thing, _RESTING_GAP, state)
                wider = self.placer.rests_on(thing, _RESTING_GAP + LIFT - FLOOR_TOP, state)
                drops = {each.id: each.let_down for each in self.things.values() if each.fixed and not each.passable}
                under = [
                    close | {each for each in further if drops.get(each)}
                    for close, further in zip(near, wider, strict=True)
                ]
                self._let_down(thing, under, drops)
            self.install(thing)
        return failure

    def install(self, thing: Thing) -> None:
        """Add a thing that has a position to a running arena, with its body."""
        self.admit(thing)
        for each in (thing, *thing.parts):
            self.engine.embody(each.id)
        self.engine.follow()

    def remove(self, thing: Thing) -> None:
        """Remove a thing from the arena, together with its companions."""
        for each in (thing, *thing.parts):
            self.engine.remove(each.id)
            del self.things[each.id], self.names[each.id]
            each.id = -1

    def census(self) -> tuple[int, int]:
        """Return two numbers that change whenever a thing is added or removed: the next id and the count."""
        return self._next_id, len(self.things)

    def agents(self) -> list[Agent]:
        """Return the animals, in file order."""
        return [thing for thing in self.things.values() if isinstance(thing, Agent)]

    def goals(self) -> list[Goal]:
        """Return the goals that were placed at the start, without those piled up in the corner."""
        return [thing for thing in self.things.values() if isinstance(thing, Goal) and thing.id not in self._heap]


def _placement_order(arena: Arena) -> Iterator[tuple[int | None, Item]]:
    """Yield items with their numbers: agents first, or, if the file has none, one agent at a random place last."""
    numbered = list(enumerate(arena.items))
    agents = [pair for pair in numbered if pair[1].name == "Agent"]
    yield from agents
    yield from (pair for pair in numbered if pair[1].name != "Agent")
    if not agents:
        yield None, Item(name="Agent")
