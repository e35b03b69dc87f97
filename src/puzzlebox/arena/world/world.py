"""One episode: a task made alive, stepped by actions, telling what happened. Front ends are none of its business."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Cruise, Motion, Stretch
from puzzlebox.arena.rules import NOTICE_STEPS, PHYSICS_STEP, TIME_UNIT, Rules
from puzzlebox.arena.schema.models import Arena, Item, Task
from puzzlebox.arena.things import CATALOGUE, Agent, Notices, Thing
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.actions import checked_actions
from puzzlebox.arena.world.arrangement import Arrangement
from puzzlebox.arena.world.description import describe
from puzzlebox.arena.world.engine import SOLID, Engine
from puzzlebox.arena.world.events import Event
from puzzlebox.arena.world.lights import Lights
from puzzlebox.arena.world.operations import Operation, operations_of
from puzzlebox.arena.world.picture import Picture
from puzzlebox.arena.world.placement import Unplaced, build_of, make
from puzzlebox.arena.world.record import Record, check_record, check_start
from puzzlebox.arena.world.verdict import judge
from puzzlebox.scene.scene import Scene
from puzzlebox.scene.shapes import Vector
from puzzlebox.seeds import arena_rng, rng_from
from puzzlebox.wings import flags

# What `World.measures` gives.
MEASURES = ("x", "y", "z", "vx", "vy", "vz", "heading", "health")


class Outcome(NamedTuple):
    """What one step brought: a reward per agent, whether and how the episode ended, and what happened."""

    rewards: tuple[float, ...]
    terminated: bool
    truncated: bool
    events: tuple[Event, ...]


class World:
    """An episode of a task, from the first arena to the end, through all it merges into.

    Attributes:
        arena: the arena that is played now; `position` is its place in the task.
        lights: whether the light is on.
        cause: what decided the episode: "completed", "health", "time" or "error"; None while it lasts.
        over: the episode has ended, `terminated` or `truncated`; `error` says why where the physics failed.
        unplaced: the things that found no place.
        look: what floor, fence, walls and sky look like.
        engine: the bodies, and the kernel that knows who is near what.
        present: everything in the arena, by number.
    """

    def __init__(self, task: Task, *, arena: int = 0, seed: int = 0, rules: str | Rules = "puzzlebox") -> None:
        check_start(task, arena, seed)
        self.task = task
        self.rules = Rules.named(rules)
        self.seed = int(seed)
        self.start_arena = int(arena)
        self.over = self.terminated = self.truncated = False
        self.cause: str | None = None
        self.error: str | None = None
        self.actions: list[tuple[int, ...]] = []
        self._episode_generator = rng_from(seed)
        self._events: list[Event] = []
        # The end is shown for so many more physics steps.
        self._notice = 0
        # Physics steps that are not on the clock of this arena's motion.
        self._elsewhere = 0
        self._enter(arena)

    def _enter(self, position: int, before: Sequence[Agent] = ()) -> None:
        """Build an arena; animals that come from another bring their health and their return."""
        self.position = position
        self.arena: Arena = self.task.arenas[position]
        self.rng = arena_rng(self.arena.random_seed, self._episode_generator)
        self.time_cost = -1.0 / (TIME_UNIT * self.arena.time_limit) if self.arena.time_limit else 0.0
        self.goals_so_far = self.bad_goals_so_far = 0
        self.look = self.arena.theme.look()
        elsewhere = self.clock if before else 0
        self._schedule = Lights(self.arena.blackouts)
        self.lights = self._schedule.on(0)
        self._next_light = self._schedule.next_change(0)
        self._operations: dict[int, list[Operation]] = {}
        self.lasting: dict[tuple[Operation, int], tuple[Agent, float]] = {}
        self._within: set[tuple[int, int]] = set()
        self._merging = self._halted = False
        self._tickers: list[Thing] = []
        self._picture: Picture | None = None

        self._arrangement = Arrangement(self.arena, self.rules, self.rng)
        self.engine: Engine = self._arrangement.engine
        self.present = self._arrangement.things
        self.animals = self._arrangement.agents()
        self._motion, self._elsewhere = self._moved_by_the_engine(), elsewhere
        self.unplaced: list[Unplaced] = self._arrangement.unplaced
        for index, animal in enumerate(self.animals):
            animal.index = index
            if before:
                old = before[index]
                animal.health, animal.total, animal.earned = old.health, old.total, old.earned
                animal.penalised = old.penalised
                animal.waited += old.waited
                animal.motor.before = old.motor.before
        self.note("started", arena=self.arena.id)
        for failure in self.unplaced:
            self._note_unplaced(failure)
        if not self.lights:
            self.note("lights", on=False)
        for goal in self._arrangement.goals():
            goal.register(self)
        present = list(self.present.values())
        self._tickers = [thing for thing in present if thing.ticks]
        for thing in present:
            thing.begin(self)
        for thing in present:
            for operation in self._operations_of(thing):
                operation.prepare(self)

    def _moved_by_the_engine(self) -> Motion:
        """The native loop over physics steps, for the animals and bodies there are."""
        bodies = [self.engine.body(animal.id) for animal in self.animals]
        motors = [animal.motor for animal in self.animals]
        return Motion(self.engine.system, self.engine.solids, motors, bodies, self.engine.put_back)

    # --- stepping

    @property
    def clock(self) -> int:
        """Physics steps since the start."""
        return self._elsewhere + self._motion.clock  # type: ignore[no-any-return]

    @property
    def arena_clock(self) -> int:
        """Physics steps in this arena."""
        return self._motion.clock  # type: ignore[no-any-return]

    def step(self, actions: Sequence[int]) -> Outcome:
        """Let every agent act for one decision; `actions` has one number (0-8) for each, in file order."""
        if self.over:
            raise RuntimeError("the episode is over; build a new World for the next one")
        chosen = checked_actions(actions, len(self.animals))
        self.actions.append(chosen)
        self._motion.begin()
        return self._carry_out(chosen, self.rules.decision_period)

    def _carry_out(self, chosen: tuple[int, ...], left: int) -> Outcome:
        """The physics steps of a decision that are left, and what all of it brought."""
        while left and not self.over:
            left -= self._advance(chosen, left)
        rewards = tuple([animal.motor.total - animal.motor.before for animal in self.animals])
        return Outcome(rewards, self.terminated, self.truncated, self.take_events())

    def cruise(self, decisions: int | None = None) -> Cruise | None:
        """Return a native loop over decisions in which no rule can fire, for one animal in the light.

        None where a rule could fire now. The loop is valid until something happens in it, which `resume` then finishes,
        or until anything else is done to this world. Given the number of `decisions` left, it stops before the last.
        """
        if self._notice or self._tickers or self.lasting or self._within or self.over or not self.lights:
            return None
        if len(self.animals) > 1:
            return None
        until = -1 if self._next_light is None else self._next_light
        if decisions is not None:
            last = self._motion.clock + decisions * self.rules.decision_period
            until = last if until < 0 else min(until, last)
        return Cruise(self._motion, self.actions, self.time_cost, self.rules.decision_period, until)

    def resume(self, stretch: Stretch) -> Outcome:
        """Go on with a decision in which something happened on a cruise."""
        self._heed(stretch)
        return self._carry_out(self.actions[-1], self.rules.decision_period - stretch.steps)

    def take_events(self) -> tuple[Event, ...]:
        """What has happened since the last step; nobody is told it again."""
        if not self._events:
            return ()
        events, self._events = self._events, []
        return tuple(events)

    def _advance(self, actions: tuple[int, ...], most: int) -> int:
        """Physics steps: all act and pay for the time, things change, the engine moves everything, some meet.

        Where nothing but the engine has a say in them, up to `most` at once; how many is returned.
        """
        if self._notice:
            self._elsewhere += 1
            self._show_notice()
            return 1
        if self._tickers or self.lasting:
            starved = self._motion.act(actions, self.time_cost)
            if starved:
                self._starve(starved)
                if self._halted:
                    return 1
            self._tick()
            for animal, reward in tuple(self.lasting.values()):
                self.pay(animal, reward)
            if self._halted:
                self._maybe_merge()
            else:
                self._witness(self._motion.move())
            return 1
        if self._within:
            most = 1
        elif self._next_light is not None:
            most = min(most, self._next_light - self.arena_clock)
        stretch = self._motion.go(actions, self.time_cost, most)
        if stretch is None:
            self._witness(None)
            return most
        self._heed(stretch)
        return stretch.steps  # type: ignore[no-any-return]

    def _heed(self, stretch: Stretch) -> None:
        """Something happened in the last of some physics steps."""
        if stretch.starved:
            self._starve(stretch.starved)
            if self._halted:
                return
            stretch = self._motion.move()
        self._witness(stretch)

    def _starve(self, starved: Sequence[int]) -> None:
        """End it for those whose last health time has taken."""
        animals = [self.animals[index] for index in starved]
        for animal in animals:
            self._retire(animal, "health" if animal.earned else "time")
        # What ends for all ends by the first of them; where each one's end counts, by the last.
        self._conclude(animals[-1 if self.arena.episode_end == "all" else 0])

    def _tick(self) -> None:
        """Let things change that change by themselves."""
        for thing in tuple(self._tickers):
            if thing.id >= 0:
                thing.tick(self)

    def _witness(self, stretch: Stretch | None) -> None:
        """What came of physics steps: a lost body ends the episode, the light changes, animals met things."""
        if stretch is not None and stretch.astray >= 0:
            self._fail(stretch.astray)
            return
        if self.arena_clock == self._next_light:
            self.lights = self._schedule.on(self.arena_clock)
            self._next_light = self._schedule.next_change(self.arena_clock)
            self.note("lights", on=self.lights)
        if stretch is not None or self._within:
            self._meet([] if stretch is None else stretch.meetings)
            self._maybe_merge()

    def _meet(self, meetings: list[tuple[int, int]]) -> None:
        """Tell things which animals touch them, came in, are inside, went out."""
        if len(meetings) > 1:  # what kills comes first, so that nothing else counts any more
            meetings.sort(key=lambda meeting: not self._kills(meeting[1]))
        inside: set[tuple[int, int]] = set()
        for index, identity in meetings:
            thing, animal = self.present.get(identity), self.animals[index]
            if thing is None or animal.spared:
                continue  # another animal was first; or it can gain and lose nothing yet, and what is here waits for it
            if thing.notices is Notices.ENTRY:
                inside.add((index, identity))
            if animal.done:
                continue
            if thing.notices is Notices.TOUCH:
                thing.touched(self, animal)
            else:
                if (index, identity) not in self._within:
                    self._within.add((index, identity))
                    self._note_passage("entered", thing, animal)
                    thing.entered(self, animal)
                thing.inside(self, animal)
            if self._halted:
                return
        for meeting in sorted(self._within - inside):
            self._leave(*meeting)

    def _leave(self, index: int, identity: int) -> None:
        """An animal is no longer inside a thing."""
        self._within.discard((index, identity))
        thing = self.present.get(identity)
        if thing is not None:
            self._note_passage("left", thing, self.animals[index])
            thing.left(self, self.animals[index])

    def _kills(self, identity: int) -> bool:
        thing = self.present.get(identity)
        return thing is not None and thing.passable and thing.ends

    def _note_passage(self, kind: str, thing: Thing, animal: Agent) -> None:
        if thing.passable:
            self.note(kind, thing, animal, zone_id=thing.settings.get("zone_id"))

    # --- reward, health, the end

    def pay(self, animal: Agent, amount: float, *, completes: bool = False) -> bool:
        """Give or take reward and health, and maybe complete the arena; False when nothing counts.

        The rule is the original's: docs/original/rewards.md#health.
        """
        if not self.counts(animal):
            return False
        if amount or completes:
            animal.earned = True
        if amount < 0.0:
            animal.penalised = True
        if not animal.gain(amount):
            self._finish(animal, "health", by_penalty=amount < 0.0)
        elif completes:
            self._finish(animal, "completed", by_penalty=amount < 0.0)
        return True

    def counts(self, animal: Agent) -> bool:
        """Whether an animal can gain and lose now."""
        return not (self._halted or animal.done or animal.spared)

    def _finish(self, animal: Agent, cause: str, *, by_penalty: bool = False) -> None:
        """An animal is done with this arena, which may end it for all."""
        self._retire(animal, cause, by_penalty=by_penalty)
        self._conclude(animal)

    def _retire(self, animal: Agent, cause: str, *, by_penalty: bool = False) -> None:
        """Say how an animal that is done has fared."""
        animal.done, animal.ending = True, cause
        judge(animal, self.arena.pass_mark, self.rules.success, by_penalty=by_penalty)
        animal.latency = round((self.clock - animal.waited) * PHYSICS_STEP, 2)
        self.note("finished", animal=animal, cause=cause, passed=animal.passed, latency=animal.latency)

    def _conclude(self, animal: Agent) -> None:
        """After an animal is done, go on to the next arena or end the episode, unless others have still to finish."""
        if self.arena.episode_end == "all" and not all(each.done for each in self.animals):
            return
        counted = self.animals if self.arena.episode_end == "all" else [animal]
        success = all(each.succeeded for each in counted)
        if success and self._merges and all(each.ending == "completed" for each in counted):
            self._merging = self._halted = True
            return
        self._end(animal.ending or "", success=success)

    @property
    def _merges(self) -> bool:
        """Whether an arena follows this one in the same episode, for those who succeed in it."""
        return self.arena.merge_next_arena and self.position + 1 < len(self.task.arenas)

    def _end(self, cause: str, *, success: bool) -> None:
        self.cause = cause
        for animal in self.animals:
            if not animal.done:
                self._retire(animal, "other")
        if self.task.show_notification:
            self._notice, self._halted = NOTICE_STEPS, True
            self.note("notified", success=success)
        else:
            self._close()

    def _show_notice(self) -> None:
        """Nobody can move and nothing counts, but the world goes on (docs/original/rewards.md#the-end)."""
        self._tick()
        astray = self._motion.move().astray
        if astray >= 0:
            self._fail(astray)
        self._notice -= 1
        if not self._notice and not self.over:
            self._close()

    def _close(self) -> None:
        self.over, self.truncated = True, self.cause in ("time", "error")
        self.terminated = not self.truncated
        self._halted = True
        self.note("ended", cause=self.cause)

    def _fail(self, row: int) -> None:
        """The engine lost a body: never go on from there."""
        thing = self.present[self.engine.rows()[row]]
        reason = f"{type(thing).__name__} {thing.id} left the arena or its state is not finite"
        self.error = reason
        self.note("error", thing, reason=reason)
        self.cause = "error"
        self._notice = 0
        self._close()

    def _maybe_merge(self) -> None:
        if self._merging and not self.over:
            self.note("merged", arena=self.task.arenas[self.position + 1].id)
            self._enter(self.position + 1, self.animals)

    def passed(self, animal: Agent | None = None) -> bool | None:
        """Whether an animal (default: the first) has passed; None while its episode lasts and where the physics failed.

        It is known from the event that decides the episode on, while the end may still be shown.
        """
        if self.error is not None or (self.cause is None and self._merges):
            return None
        return (animal or self.animals[0]).passed

    @property
    def total(self) -> float:
        """The return of the first animal so far."""
        return self.animals[0].total

    def measures(self) -> dict[str, float | None]:
        """Position (m), velocity (m/s), heading (degrees) and health of the first animal, by the names of tables."""
        animal = self.animals[0]
        values = (*self.position_of(animal), *self.engine.velocity(animal.id), animal.heading, animal.health)
        return dict(zip(MEASURES, values, strict=True))

    def flags(self) -> int:
        """What is true of the first animal and the arena now, as bits (`puzzlebox.wings.flags`)."""
        animal = self.animals[0]
        bits = (
            (flags.LIGHT_ON, self.lights),
            (flags.OVER, self.over),
            (flags.CANNOT_MOVE, bool(animal.held or animal.done)),
            (flags.HEALTH_STANDS, bool(animal.spared)),
            (flags.PASSED, self.passed(animal) is True),
        )
        return sum(bit for bit, true in bits if true)

    # --- what things may ask for (things.Stage)

    @property
    def things(self) -> list[Thing]:
        """Everything present, in the order of appearance."""
        return list(self.present.values())

    @property
    def numbered(self) -> int:
        """All things there have been have smaller numbers."""
        return self._arrangement.census()[0]

    def note(self, kind: str, thing: Thing | None = None, animal: Agent | None = None, **details: Any) -> None:
        """Tell whoever listens what happened."""
        self._events.append(
            Event(
                kind,
                self.clock,
                None if thing is None else thing.id,
                None if thing is None else type(thing).__name__,
                None if animal is None else animal.index,
                details,
            )
        )

    def _note_unplaced(self, failure: Unplaced) -> None:
        self._events.append(
            Event("unplaced", self.clock, None, failure.name, None, {"at": failure.at, "against": failure.against})
        )

    def bring(self, item: Item) -> Thing | None:
        """Place a new thing where there is room for it; None when there is none, or when it is an agent."""
        thing = make(item, None, self.rules)
        if isinstance(thing, Agent):
            failure: Unplaced | None = Unplaced("Agent", None, thing.at, "the rule that operations bring no agents")
        else:
            failure = self._arrangement.bring(thing, self.state())
        if failure is not None:
            self.unplaced.append(failure)
            self._note_unplaced(failure)
            return None
        self._admitted(thing)
        self.note("appeared", thing)
        return thing

    def appear(self, name: str, asked: Mapping[str, Any], at: Vector, *, size: float, hanging: bool = False) -> Thing:
        """Put a ball where nobody asks whether there is room; hanging, it stays there until it is let go."""
        thing = CATALOGUE[name](asked, self.rules)
        assert isinstance(thing, Goal)
        thing.set_diameter(size)
        thing.at, thing.kinematic = at, hanging
        self._arrangement.install(thing)
        self._admitted(thing)
        return thing

    def _admitted(self, thing: Thing) -> None:
        self._motion.state = None
        thing.begin(self)
        if thing.ticks:
            self._tickers.append(thing)
        for operation in self._operations_of(thing):
            operation.prepare(self)

    def vanish(self, thing: Thing) -> None:
        """Take a thing out of the arena; whoever is inside has left it."""
        self._motion.state = None
        for meeting in sorted(self._within):
            if meeting[1] == thing.id:
                self._leave(*meeting)
        thing.removed(self)
        self.rest(thing)
        self._operations.pop(thing.id, None)
        self._arrangement.dismiss(thing)

    def wake(self, thing: Thing) -> None:
        """Let a thing tick from the next physics step on, in its turn."""
        if thing not in self._tickers:
            self._tickers = sorted([*self._tickers, thing], key=lambda each: each.id)

    def rest(self, thing: Thing) -> None:
        """Let a thing tick no more."""
        if thing in self._tickers:
            self._tickers.remove(thing)

    def reshape(self, thing: Thing) -> None:
        """Give a thing the body its shapes now say, where it is and as fast as it is."""
        self._motion.state = None
        self.engine.replace(thing.id, build_of(thing))

    def body(self, thing: Thing) -> Any:
        """The engine's body of a thing that can move; whoever asks may change it."""
        self._motion.state = None
        return self.engine.body(thing.id)

    def state(self) -> bytes:
        """The packed state of all bodies that can move."""
        if self._motion.state is None:
            self._motion.state = self.engine.pack()
        return self._motion.state  # type: ignore[no-any-return]

    def scene(self) -> Scene:
        """All there is to see, for painters: one object for each arena, brought up to date by this call."""
        if self._picture is None:
            self._picture = Picture(self._arrangement, self.look)
        return self._picture.update(self._motion)

    def feel(self, animal: Agent, out: NDArray[np.float32]) -> None:
        """What an animal feels of itself, seven numbers: health, velocity as it looks, position."""
        self._motion.feel(animal.index, out)

    def position_of(self, thing: Thing) -> Vector:
        """Where a thing is now."""
        return self.engine.pose(thing.id)[0]

    def near(self, point: Vector, radius: float) -> list[Thing | None]:
        """Solid things nearer to a point than that; None is the floor or the fence."""
        hits = self.engine.solids.near(self.state(), point, radius, SOLID)
        return [self.present.get(hit) for hit in hits]

    def _operations_of(self, thing: Thing) -> list[Operation]:
        if thing.id not in self._operations:
            self._operations[thing.id] = operations_of(thing)
        return self._operations[thing.id]

    def operate(self, thing: Thing, animal: Agent) -> None:
        """Run the operations of a thing."""
        for operation in self._operations_of(thing):
            operation.start(self, animal)

    def stop_operating(self, thing: Thing, animal: Agent) -> None:
        """Stop those that last."""
        for operation in self._operations_of(thing):
            operation.stop(self, animal)

    # --- going back, branching off, telling all

    def snapshot(self) -> Record:
        """Everything needed to be here again: the task, the arena, the seed, the rules and the actions so far."""
        return Record(self.task, self.start_arena, self.seed, self.rules, tuple(self.actions))

    @classmethod
    def replay(cls, record: Record) -> "World":
        """The world at the end of a record, byte for byte what it was."""
        check_record(record)
        world = cls(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
        cruise = world.cruise()
        for actions in record.actions:
            # Most decisions are physics alone, which a cruise does without the rules and without an outcome.
            happened: Any = False if cruise is None else cruise.go(checked_actions(actions, 1)[0])
            if happened is None:
                continue
            if happened is False:
                world.step(actions)
            else:
                world.resume(happened)
            cruise = world.cruise()
        if record.actions:
            world.take_events()
        return world

    def restore(self, record: Record) -> None:
        """Be where a record ends."""
        self.__dict__ = World.replay(record).__dict__

    def branch(self) -> "World":
        """A second world that starts where this one is now, for search.

        It is made from positions, velocities and who is asleep, without what the engine remembers of contacts, so it
        may come out a little differently: a plan counts once it replays from the start. `Fork` makes exact copies.
        """
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> "World":
        """What never changes is shared: the task with all its parts, and the rules."""
        for each in (self.task, self.rules, self.look, *self.task.arenas):
            memo[id(each)] = each
        for arena in self.task.arenas:
            memo.update((id(item.operations), item.operations) for item in arena.items)
        twin = object.__new__(World)
        memo[id(self)] = twin
        twin.__dict__ = {name: deepcopy(value, memo) for name, value in self.__dict__.items() if name != "_motion"}
        twin._motion = twin._moved_by_the_engine()
        twin._motion.state, twin._motion.clock = self._motion.state, self._motion.clock
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its record, and replayed when unpickled."""
        return (World.replay, (self.snapshot(),))

    def describe(self) -> dict[str, Any]:
        """The true state of everything, as plain data."""
        return describe(self)

    def inside(self, thing: Thing) -> list[int]:
        """Which animals are inside a thing, by index."""
        return [index for index, identity in sorted(self._within) if identity == thing.id]
