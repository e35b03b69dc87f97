"""The stage: one world with things, people and a room, which can be stepped, seen, heard and restored.

A step holds all actions for one control step of 1/15 s. The same seed and actions give the same bytes, and a restored
snapshot continues byte for byte, also in another process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
import numpy as np

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.body.bones import BONES
from puzzlebox.infant.body.build import add_mocap_bones, empty_world
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.physics import CONTROL_STEP, Physics, PhysicsSnapshot
from puzzlebox.infant.scenes.building import add_prop, add_ties, set_hands, tie_name
from puzzlebox.infant.scenes.motion import Mover
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop, Tie, names_of
from puzzlebox.infant.scenes.puppet import Puppet, PuppetSnapshot
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.sights import StageSights
from puzzlebox.infant.scenes.thing import Thing, ThingSnapshot
from puzzlebox.infant.senses.senses import Senses, SensesSnapshot, State
from puzzlebox.infant.senses.soundscape import Soundscape, SoundscapeSnapshot
from puzzlebox.infant.sound.sources import Source
from puzzlebox.infant.sound.voice import Voice
from puzzlebox.scene.scene import Scene
from puzzlebox.seeds import check_seed, rng_from
from puzzlebox.text import closest

# Seconds of a physics step on a stage where nobody has joints: things alone need no more than 6 in a control step.
_PHYSICS_STEP = CONTROL_STEP / 6
# The mouth in the frame of the head at 18 months, in metres.
_MOUTH = (0.09, 0.0, 0.041)
FLOOR_MATERIAL = "floor"


class Actor(Protocol):
    """Something that acts on a stage before each step: a script, a caregiver."""

    def reset(self) -> None:
        """Start again, at the start of an episode."""

    def act(self) -> None:
        """Act before a step."""

    def snapshot(self) -> Any:
        """Return its state; it can be pickled."""

    def restore(self, snapshot: Any) -> None:
        """Go back to a state."""


class Driver(Protocol):
    """Turns actions into motions of a puppet, as control by primitives does."""

    def reset(self) -> None:
        """Start again, at the start of an episode."""

    def drive(self, action: Any) -> None:
        """Move the puppet by an action, before a step; without an action (None) as before."""

    def snapshot(self) -> Any:
        """Return its state; it can be pickled."""

    def restore(self, snapshot: Any) -> None:
        """Go back to a state."""


@dataclass
class Player:
    """Somebody on a stage.

    Attributes:
        person: the description.
        body: the body: a `Child` with joints, or a `Puppet`.
        id: the number in segments.
        senses: what the person senses, or None.
        voice: speaks from the mouth; everybody with ears hears it.
        driver: turns actions into motions of a puppet. Default: none; then `step` takes no actions of the person.
    """

    person: Person
    body: Body
    id: int
    senses: Senses | None
    voice: Voice
    driver: Driver | None = None

    @property
    def name(self) -> str:
        """The name."""
        return self.person.name


@dataclass(frozen=True)
class StageSnapshot:
    """The state of a stage between two steps."""

    physics: PhysicsSnapshot
    moved: bytes
    puppets: tuple[PuppetSnapshot, ...]
    things: tuple[ThingSnapshot, ...]
    senses: tuple[SensesSnapshot | None, ...]
    drivers: tuple[Any, ...]
    actors: tuple[Any, ...]
    sounds: SoundscapeSnapshot
    lamp: float
    rng: dict[str, Any]


class Stage:
    """A world with things, people and a room.

    Attributes:
        people: everybody, by name, children first.
        things: all things, by name; `stage[name]` is short for it.
        physics: the MuJoCo model and its state.
        sights: what can be seen; `stage.scene` is short for the Scene.
        sounds: what can be heard.
        actors: what acts before each step; add scripts and caregivers here.
        initial_lamp: the light at the start of an episode.
        rng: the random stream of the episode.
        states: what everybody with senses sensed last, by name.
    """

    def __init__(
        self,
        props: Sequence[Prop] = (),
        children: Sequence[Person] = (),
        adults: Sequence[Person] = (),
        *,
        room: Room | None = None,
        lamp: float = 1.0,
        ties: Sequence[Tie] = (),
        floor_material: str | None = FLOOR_MATERIAL,
    ) -> None:
        """Build the world.

        Args:
            props: the things.
            children: the children; at most one of all people has joints.
            adults: the adults.
            room: the room. Default: 3 x 3 m with walls.
            lamp: the light at the start of an episode, 0 (dark) to 1.
            ties: knots between things.
            floor_material: what floor and walls sound like when they are struck; None for no sound, which is faster.
        """
        self.room = room or Room()
        persons = [*children, *adults]
        names = names_of(props)
        for name in (each.name for each in persons):
            if name in names:
                raise ValueError(f"two people or things are named {name!r}; names must differ")
            names.append(name)
        jointed = [person for person in persons if person.jointed]
        if len(jointed) > 1:
            raise ValueError(f"{jointed[0].name!r} and {jointed[1].name!r} have joints; at most one person can")
        self.initial_lamp = _check_lamp(lamp)
        self._ties = {tie_name(tie): tie for tie in ties}

        def furnish(spec: mujoco.MjSpec) -> None:
            self.room.add_to(spec)
            for prop in props:
                add_prop(spec, prop)
            for person in persons:
                if not person.jointed:
                    add_mocap_bones(spec, _growth(person), prefix_of(person))
            add_ties(spec, ties)

        self.child: Child | None = None
        if jointed:
            person = jointed[0]
            self.child = Child(
                person.age_months,
                control=person.control,
                growth=person.growth,
                furnish=furnish,
                locked=person.locked,
                fixed=person.seated and bool(person.locked),
            )
            self.physics = self.child.physics
        else:
            spec = empty_world(_PHYSICS_STEP)
            furnish(spec)
            self.physics = Physics(spec.compile())
        model, data = self.physics.model, self.physics.data
        bodies: list[Body] = [self.child if each.jointed and self.child else self._puppet(each) for each in persons]
        self._puppets = [each for each in bodies if isinstance(each, Puppet)]
        regions = np.array([bone.region == "hand" for bone in BONES])
        hands = np.concatenate([np.zeros(0, np.int32), *(each.built.bodies[regions] for each in self._puppets)])
        set_hands(model, hands, self.child.built.bodies if self.child else hands[:0])
        self.things = {prop.name: Thing(prop, len(persons) + i, data, model) for i, prop in enumerate(props)}
        self._mover = Mover(self.physics, self._puppets, list(self.things.values()))
        numbered = [(person, body, i) for i, (person, body) in enumerate(zip(persons, bodies, strict=True))]
        self.sights = StageSights(data, numbered, list(self.things.values()), self.room)
        for thing in self.things.values():
            thing.mover = self._mover
            thing.repaint = lambda each: self.sights.paint(each, each.colour, each.glows)
        materials: dict[str, str] = {prop.name: prop.material for prop in props if prop.material}
        skins = np.concatenate([np.asarray(body.built.bodies) for body in bodies]) if bodies else None
        self._hears = any(each.senses is not None and each.senses.ears for each in persons)
        if floor_material is not None:
            materials["world"] = floor_material
        self.sounds = Soundscape(self.physics, materials, skins, heard=self._hears)
        self.people = {person.name: self._player(person, body, number) for person, body, number in numbered}
        self.actors: list[Actor] = []
        self.rng = rng_from(0)
        self.states: dict[str, State] = {}
        self.reset()

    def _puppet(self, person: Person) -> Puppet:
        return Puppet(person.name, person.age_months, _growth(person), self.physics, prefix_of(person))

    def _player(self, person: Person, body: Body, number: int) -> Player:
        senses = None
        if person.senses is not None:
            senses = Senses(body, person.senses, sights=self.sights, soundscape=self.sounds)
        voice = Voice()
        scale = np.array(_growth(person).scales["head"])
        self.sounds.attach(f"{person.name} speaks", voice, prefix_of(person) + "head", np.array(_MOUTH) * scale)
        return Player(person, body, number, senses, voice)

    # --- things and people

    def __getitem__(self, name: str) -> Thing:
        """Return a thing by its name."""
        if name not in self.things:
            raise KeyError(f"there is no thing {name!r}{closest(name, list(self.things))}")
        return self.things[name]

    def person(self, name: str) -> Player:
        """Return somebody by name."""
        if name not in self.people:
            raise KeyError(f"there is nobody named {name!r}{closest(name, list(self.people))}")
        return self.people[name]

    def puppet(self, name: str) -> Puppet:
        """Return the body of somebody whom an animation moves."""
        body = self.person(name).body
        if not isinstance(body, Puppet):
            raise ValueError(f"{name!r} has joints and muscles; no animation moves this body")
        return body

    @property
    def ids(self) -> dict[str, int]:
        """The number in segments of everybody and everything, by name."""
        people = {name: player.id for name, player in self.people.items()}
        return {**people, **{name: thing.id for name, thing in self.things.items()}}

    def attach_sound(self, name: str, source: Source, to: str = "world", at: Any = (0.0, 0.0, 0.0)) -> None:
        """Let something sound; do so before the first reset, because a snapshot needs the same sources.

        Args:
            name: of the source; no two share one.
            source: what it sounds like.
            to: what carries it: a thing, `thing/link`, or a bone of a person as `person/bone`. Default: the world.
            at: where in the frame of that, in metres.
        """
        person, _, bone = to.partition("/")
        if person in self.people:
            to = prefix_of(self.people[person].person) + (bone or "head")
        self.sounds.attach(name, source, to, at)

    def tie(self, one: str, two: str, tied: bool = True) -> None:
        """Tie or untie a knot that the stage was built with."""
        name = f"{one} and {two}"
        if name not in self._ties:
            raise ValueError(f"there is no tie between {one!r} and {two!r}")
        self.physics.data.eq_active[self.physics.model.equality(name).id] = tied

    @property
    def lamp(self) -> float:
        """The light, 0 (dark: only things that glow are seen) to 1; it may be set."""
        return self.sights.lamp

    @lamp.setter
    def lamp(self, light: float) -> None:
        self.sights.light(_check_lamp(light))

    @property
    def scene(self) -> Scene:
        """The Scene as it is now."""
        return self.sights.update()

    @property
    def steps(self) -> int:
        """Control steps since the reset."""
        return self.physics.steps

    @property
    def seconds(self) -> float:
        """Simulated seconds since the reset."""
        return self.physics.steps * CONTROL_STEP

    # --- episodes

    def reset(self, seed: int | None = None) -> dict[str, State]:
        """Start again and return what everybody with senses senses.

        Args:
            seed: of the random stream `rng`, and of the posture of a jointed body. Default: 0, and the exact posture.
        """
        self.rng = rng_from(0 if seed is None else check_seed(seed))
        data = self.physics.data
        mujoco.mj_resetData(self.physics.model, data)
        for thing in self.things.values():
            thing.reset()
        for player in self.people.values():
            person, body = player.person, player.body
            if isinstance(body, Child):
                start = {"at": person.at, "height": person.height, "heading": person.heading, "seated": person.seated}
                body.reset(seed, person.pose, **start)  # type: ignore[arg-type]
            elif isinstance(body, Puppet):
                body.stand(person.at, person.heading, person.pose, person.height)
            if player.driver is not None:
                player.driver.reset()
        self._mover.reset()
        for name, tie in self._ties.items():
            data.eq_active[self.physics.model.equality(name).id] = tie.tied
        mujoco.mj_forward(self.physics.model, data)
        self.physics.steps = 0
        self.lamp = self.initial_lamp
        self.sounds.reset()
        for player in self.people.values():
            if player.senses is not None:
                player.senses.reset()
        for actor in self.actors:
            actor.reset()
        return self._sense()

    def step(self, actions: Mapping[str, Any] | None = None) -> dict[str, State]:
        """Let one control step pass, and return what everybody with senses senses.

        Args:
            actions: by the name of the person: a number from -1 to 1 for each joint of a jointed body, or what the
                driver of a puppet takes. Without an action, a jointed body holds the last one.
        """
        given = dict(actions or {})
        for actor in self.actors:
            actor.act()
        for name, player in self.people.items():
            action = given.pop(name, None)
            if player.driver is not None:
                player.driver.drive(action)
            elif isinstance(player.body, Child):
                if action is not None:
                    player.body.command(action)
            elif action is not None:
                raise ValueError(f"{name!r} takes no actions: an animation moves this body, and it has no driver")
        if given:
            name = next(iter(given))
            raise ValueError(f"there is nobody named {name!r}{closest(name, list(self.people))}")
        self._mover.begin()
        self.physics.advance()
        return self._sense()

    def _sense(self) -> dict[str, State]:
        if self._hears:
            self.sounds.emit()
        else:
            # Utterances end whether or not anybody listens.
            for player in self.people.values():
                player.voice.emit()
        self.states = {name: player.senses.read() for name, player in self.people.items() if player.senses is not None}
        return self.states

    def snapshot(self) -> StageSnapshot:
        """Return the state of everything."""
        players = self.people.values()
        return StageSnapshot(
            physics=self.physics.snapshot(),
            moved=self._mover.snapshot(),
            puppets=tuple(each.snapshot() for each in self._puppets),
            things=tuple(each.snapshot() for each in self.things.values()),
            senses=tuple(None if each.senses is None else each.senses.snapshot() for each in players),
            drivers=tuple(None if each.driver is None else each.driver.snapshot() for each in players),
            actors=tuple(each.snapshot() for each in self.actors),
            sounds=self.sounds.snapshot(),
            lamp=self.lamp,
            rng=dict(self.rng.bit_generator.state),
        )

    def restore(self, snapshot: StageSnapshot) -> dict[str, State]:
        """Go back to a snapshot of a stage that was built alike, and return what everybody sensed then."""
        for thing, thing_state in zip(self.things.values(), snapshot.things, strict=True):
            thing.restore(thing_state)
        for puppet, puppet_state in zip(self._puppets, snapshot.puppets, strict=True):
            puppet.restore(puppet_state)
        self._mover.restore(snapshot.moved)
        self.physics.restore(snapshot.physics)
        self.lamp = snapshot.lamp
        self.sounds.restore(snapshot.sounds)
        self.states = {}
        for player, senses, driver in zip(self.people.values(), snapshot.senses, snapshot.drivers, strict=True):
            if player.senses is not None and senses is not None:
                self.states[player.name] = player.senses.restore(senses)
            if player.driver is not None:
                player.driver.restore(driver)
        for actor, state in zip(self.actors, snapshot.actors, strict=True):
            actor.restore(state)
        self.rng.bit_generator.state = snapshot.rng
        return self.states


def prefix_of(person: Person) -> str:
    """Return what stands before the names of the bones of a person in MuJoCo: nothing for a jointed body."""
    return "" if person.jointed else f"{person.name}/"


def _growth(person: Person) -> Growth:
    return person.growth or Growth.at(person.age_months)


def _check_lamp(light: float) -> float:
    if not 0 <= light <= 1:
        raise ValueError(f"the lamp is {light!r}; it must be 0 (dark) to 1")
    return float(light)
