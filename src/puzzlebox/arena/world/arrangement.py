"""Making an arena: place every item in order, see what rests on what, then give everything a body."""

from collections.abc import Iterator, Mapping, Sequence, Set

import numpy as np

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Arena, Item
from puzzlebox.arena.things import LIFT, Agent, Stands, Thing
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.engine import FIRST_THING, FLOOR, FLOOR_TOP, Engine
from puzzlebox.arena.world.placement import Placer, Unplaced, build_of, make

# A structure this near to what is under it stands on it; everything starts two centimetres above the floor.
_RESTS = 0.02 + 1e-4


class Arrangement:
    """The things of one arena, in the order they were placed, and those that found no place."""

    def __init__(self, arena: Arena, rules: Rules, generator: np.random.Generator) -> None:
        self.engine = Engine(*arena.size)
        self.rules = rules
        self.generator = generator
        self.things: dict[int, Thing] = {}
        self.names: dict[int, str] = {}
        self.unplaced: list[Unplaced] = []
        self._heap: set[int] = set()
        self._next = FIRST_THING
        self.placer = Placer(self.engine, generator, self.names)
        things = [make(item, number, rules) for number, item in _in_order(arena)]
        without_place = [thing for thing in things if not self._place(thing)]
        if not rules.left_out:  # as the game: piled up in the corner, in nobody's way before
            for thing in without_place:
                if self.placer.pile_up(thing):
                    thing.fixed = thing.stands is not Stands.FREE  # ten tonnes on a heap would crush it
                    self.admit(thing)
                    self._heap.add(thing.id)
        self._settle()
        for identity in list(self.things):
            self.engine.embody(identity)
        self.engine.follow()
        self.engine.watch([identity for identity, thing in self.things.items() if isinstance(thing, Agent)])

    def _place(self, thing: Thing) -> bool:
        """Find a place; an animal without one is there all the same."""
        failure = self.placer.place(thing)
        if failure is not None:
            self.unplaced.append(failure)
        placed = failure is None or isinstance(thing, Agent)
        if placed:
            self.admit(thing)
        return placed

    def admit(self, thing: Thing) -> None:
        """Let a placed thing in: give it a number, draw its looks, tell the kernel."""
        thing.draw_looks(self.generator)
        self._number(thing)
        self.engine.enter(thing.id, build_of(thing))
        thing.parts = thing.companions()
        for part in thing.parts:
            self._number(part)
            self.engine.enter(part.id, build_of(part))
        if isinstance(thing, Agent):
            thing.face(thing.yaw)

    def _number(self, thing: Thing) -> None:
        thing.id, self._next = self._next, self._next + 1
        self.things[thing.id] = thing
        self.names[thing.id] = type(thing).__name__

    def _settle(self) -> None:
        """Fix the structures that the floor or something fixed carries, and let them down onto it."""
        waiting = [
            thing for thing in self.things.values() if thing.stands is Stands.WHERE_SUPPORTED and not thing.fixed
        ]
        under = {thing.id: self.placer.rests_on(thing, _RESTS) for thing in waiting}
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
        """Fix a thing and let it down, onto the floor or by as much as what it stands on.

        Where one of its halves stands on nothing that is fixed, it would tip: it stays free, and False is returned.
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
        """Place a thing in a running arena and give it a body."""
        failure = self.placer.place(thing, state)
        if failure is None:
            if thing.stands is Stands.WHERE_SUPPORTED:
                # What stands here has been let down already, so there the gap is wider by as much.
                near = self.placer.rests_on(thing, _RESTS, state)
                wider = self.placer.rests_on(thing, _RESTS + LIFT - FLOOR_TOP, state)
                drops = {each.id: each.let_down for each in self.things.values() if each.fixed and not each.passable}
                under = [
                    close | {each for each in further if drops.get(each)}
                    for close, further in zip(near, wider, strict=True)
                ]
                self._let_down(thing, under, drops)
            self.install(thing)
        return failure

    def install(self, thing: Thing) -> None:
        """Let a thing into a running arena, with its body."""
        self.admit(thing)
        for each in (thing, *thing.parts):
            self.engine.embody(each.id)
        self.engine.follow()

    def dismiss(self, thing: Thing) -> None:
        """Take a thing out, with what came with it."""
        for each in (thing, *thing.parts):
            self.engine.remove(each.id)
            del self.things[each.id], self.names[each.id]
            each.id = -1

    def census(self) -> tuple[int, int]:
        """Two numbers that change whenever something has come or gone."""
        return self._next, len(self.things)

    def agents(self) -> list[Agent]:
        """The animals, in file order."""
        return [thing for thing in self.things.values() if isinstance(thing, Agent)]

    def goals(self) -> list[Goal]:
        """The goals that found a place at the start."""
        return [thing for thing in self.things.values() if isinstance(thing, Goal) and thing.id not in self._heap]


def _in_order(arena: Arena) -> Iterator[tuple[int | None, Item]]:
    """Agents first where the file names them, otherwise one at a random place in the end."""
    numbered = list(enumerate(arena.items))
    agents = [pair for pair in numbered if pair[1].name == "Agent"]
    yield from agents
    yield from (pair for pair in numbered if pair[1].name != "Agent")
    if not agents:
        yield None, Item(name="Agent")
