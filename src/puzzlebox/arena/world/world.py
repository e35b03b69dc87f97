"""One running episode of a task: stepped by actions, it returns rewards and events. It imports no front end."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Cruise, Motion, Stretch
from puzzlebox.arena.rules import NOTICE_STEPS, PHYSICS_STEP, TIME_UNIT, Rules
from puzzlebox.arena.schema.models import Arena, Item, Task
from puzzlebox.arena.things import CATALOGUE, Agent, Notices, Thing
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.actions import checked_actions
from puzzlebox.arena.world.arrangement import Arrangement
from puzzlebox.arena.world.description import describe, flags_of, measures_of
from puzzlebox.arena.world.engine import SOLID, Engine
from puzzlebox.arena.world.events import Event, Outcome
from puzzlebox.arena.world.lights import Lights
from puzzlebox.arena.world.operations import Operation, operations_of
from puzzlebox.arena.world.picture import Picture
from puzzlebox.arena.world.placement import Unplaced, build_of, make
from puzzlebox.arena.world.record import Record, check_record, check_start
from puzzlebox.arena.world.verdict import judge
from puzzlebox.scene.scene import Scene
from puzzlebox.scene.shapes import Vector
from puzzlebox.seeds import arena_rng, rng_from


class World:
    """One episode of a task, from its first arena through all that merge into it.

    Attributes:
        arena: the current arena; `position` is its index in the task.
        lights: whether the light is on.
        cause: what decided the episode: "completed", "health", "time" or "error"; None while it lasts.
        over: the episode has ended, `terminated` or `truncated`; `error` states why if the physics failed.
        unplaced: the things that could not be placed.
        look: the look of floor, fence, walls and sky.
        engine: the bodies, and the kernel that finds contacts.
        present: all things in the arena, by id.
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
        self._episode_rng = rng_from(seed)
        self._events: list[Event] = []
        # Physics steps for which the end is still shown.
        self._notice_steps_left = 0
        # Physics steps that the clock of `_motion` does not count: earlier arenas, and the end being shown.
        self._earlier_steps = 0
        self._enter(arena)

    def _enter(self, position: int, before: Sequence[Agent] = ()) -> None:
        """Build an arena; animals from the arena before keep their health and their return."""
        self.position = position
        self.arena: Arena = self.task.arenas[position]
        self.rng = arena_rng(self.arena.random_seed, self._episode_rng)
        self.time_cost = -1.0 / (TIME_UNIT * self.arena.time_limit) if self.arena.time_limit else 0.0
        self.goals_so_far = self.bad_goals_so_far = 0
        self.look = self.arena.theme.look()
        earlier_steps = self.clock if before else 0
        self._schedule = Lights(self.arena.blackouts)
        self.lights = self._schedule.on(0)
        self._next_light = self._schedule.next_change(0)
        self._operations: dict[int, list[Operation]] = {}
        self.lasting: dict[tuple[Operation, int], tuple[Agent, float]] = {}
        self._inside: set[tuple[int, int]] = set()
        self._merging = self._halted = False
        self._tickers: list[Thing] = []
        self._picture: Picture | None = None

        self._arrangement = Arrangement(self.arena, self.rules, self.rng)
        self.engine: Engine = self._arrangement.engine
        self.present = self._arrangement.things
        self.animals = self._arrangement.agents()
        self._motion, self._earlier_steps = self._make_motion(), earlier_steps
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

    def _make_motion(self) -> Motion:
        """Create the native loop over physics steps, for the animals and bodies of this arena."""
        bodies = [self.engine.body(animal.id) for animal in self.animals]
        motors = [animal.motor for animal in self.animals]
        return Motion(self.engine.system, self.engine.solids, motors, bodies, self.engine.put_back)

    # --- stepping

    @property
    def clock(self) -> int:
        """Return the number of physics steps since the start of the episode."""
        return self._earlier_steps + self._motion.clock  # type: ignore[no-any-return]

    @property
    def arena_clock(self) -> int:
        """Return the number of physics steps in this arena."""
        return self._motion.clock  # type: ignore[no-any-return]

    def step(self, actions: Sequence[int]) -> Outcome:
        """Play one decision; `actions` has one number (0-8) for each agent, in file order."""
        if self.over:
            raise RuntimeError("the episode is over; build a new World for the next one")
        chosen = checked_actions(actions, len(self.animals))
        self.actions.append(chosen)
        self._motion.begin()
        return self._carry_out(chosen, self.rules.decision_period)

    def _carry_out(self, chosen: tuple[int, ...], left: int) -> Outcome:
        """Play the remaining physics steps of a decision and return the outcome of all of it."""
        while left and not self.over:
            left -= self._advance(chosen, left)
        rewards = tuple([animal.motor.total - animal.motor.before for animal in self.animals])
        return Outcome(rewards, self.terminated, self.truncated, self.take_events())

    def cruise(self, decisions: int | None = None) -> Cruise | None:
        """Return a native loop over decisions in which no rule can fire, for one animal in the light.

        None if a rule could fire now. The loop is valid until something happens in it, which `resume` then finishes,
        or until anything else is done to this world. Given the number of `decisions` left, it stops before the last.
        """
        if self._notice_steps_left or self._tickers or self.lasting or self._inside or self.over or not self.lights:
            return None
        if len(self.animals) > 1:
            return None
        until = -1 if self._next_light is None else self._next_light
        if decisions is not None:
            last = self._motion.clock + decisions * self.rules.decision_period
            until = last if until < 0 else min(until, last)
        return Cruise(self._motion, self.actions, self.time_cost, self.rules.decision_period, until)

    def resume(self, stretch: Stretch) -> Outcome:
        """Finish a decision in which something happened during a cruise."""
        self._handle_stretch(stretch)
        return self._carry_out(self.actions[-1], self.rules.decision_period - stretch.steps)

    def take_events(self) -> tuple[Event, ...]:
        """Return and clear the events since the last step."""
        if not self._events:
            return ()
        events, self._events = self._events, []
        return tuple(events)

    def _advance(self, actions: tuple[int, ...], most: int) -> int:
        """Play physics steps and return how many: `most` if no rule can fire in them, otherwise fewer.

        In each step the animals act and pay for the time, things change, the engine moves the bodies, contacts count.
        """
        if self._notice_steps_left:
            self._earlier_steps += 1
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
                self._apply_physics(self._motion.move())
            return 1
        if self._inside:
            most = 1
        elif self._next_light is not None:
            most = min(most, self._next_light - self.arena_clock)
        stretch = self._motion.go(actions, self.time_cost, most)
        if stretch is None:
            self._apply_physics(None)
            return most
        self._handle_stretch(stretch)
        return stretch.steps  # type: ignore[no-any-return]

    def _handle_stretch(self, stretch: Stretch) -> None:
        """Handle what happened in the last of several physics steps."""
        if stretch.starved:
            self._starve(stretch.starved)
            if self._halted:
                return
            stretch = self._motion.move()
        self._apply_physics(stretch)

    def _starve(self, starved: Sequence[int]) -> None:
        """Finish the animals that lost their last health to time."""
        animals = [self.animals[index] for index in starved]
        for animal in animals:
            self._retire(animal, "health" if animal.earned else "time")
        # The first of them ends an episode that one animal ends; the last of them one that ends when all are done.
        self._conclude(animals[-1 if self.arena.episode_end == "all" else 0])

    def _tick(self) -> None:
        """Update the things that change with time."""
        for thing in tuple(self._tickers):
            if thing.id >= 0:
                thing.tick(self)

    def _apply_physics(self, stretch: Stretch | None) -> None:
        """Apply the results of physics steps: a lost body ends the episode, the light changes, animals meet things."""
        if stretch is not None and stretch.astray >= 0:
            self._fail(stretch.astray)
            return
        if self.arena_clock == self._next_light:
            self.lights = self._schedule.on(self.arena_clock)
            self._next_light = self._schedule.next_change(self.arena_clock)
            self.note("lights", on=self.lights)
        if stretch is not None or self._inside:
            self._meet([] if stretch is None else stretch.meetings)
            self._maybe_merge()

    def _meet(self, meetings: list[tuple[int, int]]) -> None:
        """Call the handlers of things that animals touch, enter, are inside of, or leave."""
        if len(meetings) > 1:  # a deadly zone comes first, so that nothing else counts
            meetings.sort(key=lambda meeting: not self._kills(meeting[1]))
        inside: set[tuple[int, int]] = set()
        for index, identity in meetings:
            thing, animal = self.present.get(identity), self.animals[index]
            if thing is None or animal.spared:
                continue  # another animal has taken it, or rewards do not count for this animal yet
            if thing.notices is Notices.ENTRY:
                inside.add((index, identity))
            if animal.done:
                continue
            if thing.notices is Notices.TOUCH:
                thing.touched(self, animal)
            else:
                if (index, identity) not in self._inside:
                    self._inside.add((index, identity))
                    self._note_passage("entered", thing, animal)
                    thing.entered(self, animal)
                thing.inside(self, animal)
            if self._halted:
                return
        for meeting in sorted(self._inside - inside):
            self._leave(*meeting)

    def _leave(self, index: int, identity: int) -> None:
        """Report that an animal is no longer inside a thing."""
        self._inside.discard((index, identity))
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
        """Add reward and health, and complete the arena if `completes`; return False if rewards do not count now.

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
        """Return whether rewards count for an animal now."""
        return not (self._halted or animal.done or animal.spared)

    def _finish(self, animal: Agent, cause: str, *, by_penalty: bool = False) -> None:
        """Finish an animal, which may end the episode for all."""
        self._retire(animal, cause, by_penalty=by_penalty)
        self._conclude(animal)

    def _retire(self, animal: Agent, cause: str, *, by_penalty: bool = False) -> None:
        """Mark an animal as done and decide whether it passed."""
        animal.done, animal.ending = True, cause
        judge(animal, self.arena.pass_mark, self.rules.success, by_penalty=by_penalty)
        animal.latency = round((self.clock - animal.waited) * PHYSICS_STEP, 2)
        self.note("finished", animal=animal, cause=cause, passed=animal.passed, latency=animal.latency)

    def _conclude(self, animal: Agent) -> None:
        """Merge into the next arena or end the episode after an animal is done, unless others must still finish."""
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
        """Return whether success in this arena continues the episode in the next one."""
        return self.arena.merge_next_arena and self.position + 1 < len(self.task.arenas)

    def _end(self, cause: str, *, success: bool) -> None:
        self.cause = cause
        for animal in self.animals:
            if not animal.done:
                self._retire(animal, "other")
        if self.task.show_notification:
            self._notice_steps_left, self._halted = NOTICE_STEPS, True
            self.note("notified", success=success)
        else:
            self._close()

    def _show_notice(self) -> None:
        """Play one physics step in which no animal acts and no reward counts (docs/original/rewards.md#the-end)."""
        self._tick()
        astray = self._motion.move().astray
        if astray >= 0:
            self._fail(astray)
        self._notice_steps_left -= 1
        if not self._notice_steps_left and not self.over:
            self._close()

    def _close(self) -> None:
        self.over, self.truncated = True, self.cause in ("time", "error")
        self.terminated = not self.truncated
        self._halted = True
        self.note("ended", cause=self.cause)

    def _fail(self, row: int) -> None:
        """End the episode with an error: the engine lost a body."""
        thing = self.present[self.engine.rows()[row]]
        reason = f"{type(thing).__name__} {thing.id} left the arena or its state is not finite"
        self.error = reason
        self.note("error", thing, reason=reason)
        self.cause = "error"
        self._notice_steps_left = 0
        self._close()

    def _maybe_merge(self) -> None:
        if self._merging and not self.over:
            self.note("merged", arena=self.task.arenas[self.position + 1].id)
            self._enter(self.position + 1, self.animals)

    def passed(self, animal: Agent | None = None) -> bool | None:
        """Return whether an animal has passed. Default: the first animal.

        None until the event that decides the episode, and where the physics failed.
        """
        if self.error is not None or (self.cause is None and self._merges):
            return None
        return (animal or self.animals[0]).passed

    @property
    def total(self) -> float:
        """Return the sum of the first animal's rewards so far."""
        return self.animals[0].total

    def measures(self) -> dict[str, float | None]:
        """Return position (m), velocity (m/s), heading (degrees) and health of the first animal, by column name."""
        return measures_of(self)

    def flags(self) -> int:
        """Return the state of the first animal and the light as bits (`puzzlebox.wings.flags`)."""
        return flags_of(self)

    # --- what things may use (things.Stage)

    @property
    def things(self) -> list[Thing]:
        """Return all things in the arena, in the order of their appearance."""
        return list(self.present.values())

    @property
    def numbered(self) -> int:
        """Return the id that the next thing will get."""
        return self._arrangement.census()[0]

    def note(self, kind: str, thing: Thing | None = None, animal: Agent | None = None, **details: Any) -> None:
        """Add an event to the episode."""
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
        """Place a new thing; return None if there is no room, or if it is an agent."""
        thing = make(item, None, self.rules)
        if isinstance(thing, Agent):
            failure: Unplaced | None = Unplaced("Agent", None, thing.at, "the rule that operations bring no agents")
        else:
            failure = self._arrangement.bring(thing, self.state())
        if failure is not None:
            self.unplaced.append(failure)
            self._note_unplaced(failure)
            return None
        self._begin_thing(thing)
        self.note("appeared", thing)
        return thing

    def appear(self, name: str, asked: Mapping[str, Any], at: Vector, *, size: float, hanging: bool = False) -> Thing:
        """Put a ball at a position without testing for room; a hanging ball stays there until it is released."""
        thing = CATALOGUE[name](asked, self.rules)
        assert isinstance(thing, Goal)
        thing.set_diameter(size)
        thing.at, thing.kinematic = at, hanging
        self._arrangement.install(thing)
        self._begin_thing(thing)
        return thing

    def _begin_thing(self, thing: Thing) -> None:
        self._motion.state = None
        thing.begin(self)
        if thing.ticks:
            self._tickers.append(thing)
        for operation in self._operations_of(thing):
            operation.prepare(self)

    def vanish(self, thing: Thing) -> None:
        """Remove a thing from the arena; animals inside it leave it."""
        self._motion.state = None
        for meeting in sorted(self._inside):
            if meeting[1] == thing.id:
                self._leave(*meeting)
        thing.removed(self)
        self.rest(thing)
        self._operations.pop(thing.id, None)
        self._arrangement.remove(thing)

    def wake(self, thing: Thing) -> None:
        """Call a thing's `tick` from the next physics step on, in the order of ids."""
        if thing not in self._tickers:
            self._tickers = sorted([*self._tickers, thing], key=lambda each: each.id)

    def rest(self, thing: Thing) -> None:
        """Stop calling a thing's `tick`."""
        if thing in self._tickers:
            self._tickers.remove(thing)

    def reshape(self, thing: Thing) -> None:
        """Replace the body of a thing by one of its current shapes, keeping position and velocity."""
        self._motion.state = None
        self.engine.replace(thing.id, build_of(thing))

    def body(self, thing: Thing) -> Any:
        """Return the engine's body of a moving thing; the caller may change it."""
        self._motion.state = None
        return self.engine.body(thing.id)

    def state(self) -> bytes:
        """Return the packed state of all moving bodies."""
        if self._motion.state is None:
            self._motion.state = self.engine.pack()
        return self._motion.state  # type: ignore[no-any-return]

    def scene(self) -> Scene:
        """Return the Scene that painters draw: one object for each arena, updated by this call."""
        if self._picture is None:
            self._picture = Picture(self._arrangement, self.look)
        return self._picture.update(self._motion)

    def feel(self, animal: Agent, out: NDArray[np.float32]) -> None:
        """Write seven numbers about an animal to `out`: health, velocity relative to its heading, position."""
        self._motion.feel(animal.index, out)

    def position_of(self, thing: Thing) -> Vector:
        """Return the position of a thing."""
        return self.engine.pose(thing.id)[0]

    def near(self, point: Vector, radius: float) -> list[Thing | None]:
        """Return the solid things within a radius (metres) of a point; None means the floor or the fence."""
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
        """Stop the operations of a thing that last, for one animal."""
        for operation in self._operations_of(thing):
            operation.stop(self, animal)

    # --- copies and descriptions

    def snapshot(self) -> Record:
        """Return what a replay of the episode needs: task, arena, seed, rules and the actions so far."""
        return Record(self.task, self.start_arena, self.seed, self.rules, tuple(self.actions))

    @classmethod
    def replay(cls, record: Record) -> "World":
        """Return a world at the end of a record, byte for byte as it was."""
        check_record(record)
        world = cls(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
        cruise = world.cruise()
        for actions in record.actions:
            # In most decisions no rule fires; a cruise plays them faster, without building an Outcome.
            stretch: Any = False if cruise is None else cruise.go(checked_actions(actions, 1)[0])
            if stretch is None:
                continue
            if stretch is False:
                world.step(actions)
            else:
                world.resume(stretch)
            cruise = world.cruise()
        if record.actions:
            world.take_events()
        return world

    def restore(self, record: Record) -> None:
        """Go to the end of a record."""
        self.__dict__ = World.replay(record).__dict__

    def branch(self) -> "World":
        """Return a second world that starts from the current state, for search.

        It copies positions, velocities and which bodies sleep, but not the engine's cached contacts, so it may continue
        slightly differently: verify a plan by replaying it from the start. `Fork` makes exact copies.
        """
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> "World":
        """Copy the world; the task, the rules and the look never change and are shared."""
        for each in (self.task, self.rules, self.look, *self.task.arenas):
            memo[id(each)] = each
        for arena in self.task.arenas:
            memo.update((id(item.operations), item.operations) for item in arena.items)
        twin = object.__new__(World)
        memo[id(self)] = twin
        twin.__dict__ = {name: deepcopy(value, memo) for name, value in self.__dict__.items() if name != "_motion"}
        twin._motion = twin._make_motion()
        twin._motion.state, twin._motion.clock = self._motion.state, self._motion.clock
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the world as its record, which unpickling replays."""
        return (World.replay, (self.snapshot(),))

    def describe(self) -> dict[str, Any]:
        """Return the true state of everything in the arena, as plain data."""
        return describe(self)

    def inside(self, thing: Thing) -> list[int]:
        """Return the indices of the animals inside a thing."""
        return [index for index, identity in sorted(self._inside) if identity == thing.id]
