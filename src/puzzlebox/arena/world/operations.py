"""The operations of buttons and zones during an episode, each with its own state."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from puzzlebox.arena.schema import models
from puzzlebox.arena.things import CATALOGUE, NOTHING, SHRINK, Agent, Thing

if TYPE_CHECKING:
    from puzzlebox.arena.world.world import World


class Operation:
    """One operation of one button or zone; this base class does nothing."""

    def start(self, world: "World", animal: Agent) -> None:
        """Run the operation for an animal that pressed the button or entered the zone."""

    def stop(self, world: "World", animal: Agent) -> None:
        """Stop what lasts, after the animal has left the zone."""

    def prepare(self, world: "World") -> None:
        """Prepare the operation, after the arena has been built."""


def grant(world: "World", animal: Agent, reward: float, *, completes: bool = False) -> None:
    """Give reward if it counts; the event precedes those that the reward causes."""
    if world.counts(animal):
        world.note("granted", animal=animal, value=reward)
        world.pay(animal, reward, completes=completes)


class _Toggle(Operation):
    def __init__(self, model: models.ToggleObject) -> None:
        self._model = model
        self._current: Thing | None = None

    def prepare(self, world: "World") -> None:
        if self._model.initially_present and not self._model.forget:
            self._bring(world)

    def _bring(self, world: "World") -> None:
        for item in self._model.items:
            thing = world.bring(item)
            if thing is not None and not self._model.forget:
                self._current = thing  # of several, only the last is removed again, as in the original

    def start(self, world: "World", animal: Agent) -> None:
        current, self._current = self._current, None
        if current is None or current.id < 0:
            self._bring(world)
        else:
            world.note("vanished", current)
            world.vanish(current)


class _Grant(Operation):
    def __init__(self, model: models.GrantReward) -> None:
        self._reward = model.reward

    def start(self, world: "World", animal: Agent) -> None:
        grant(world, animal, self._reward)


class _GrantWhileInside(Operation):
    def __init__(self, model: models.GrantContinuousReward) -> None:
        self._reward = model.reward_per_step

    def start(self, world: "World", animal: Agent) -> None:
        world.lasting[self, animal.index] = (animal, self._reward)

    def stop(self, world: "World", animal: Agent) -> None:
        world.lasting.pop((self, animal.index), None)


class _End(Operation):
    def __init__(self, model: models.EndEpisode) -> None:
        self._reward = model.reward

    def start(self, world: "World", animal: Agent) -> None:
        grant(world, animal, self._reward, completes=True)


class _Freeze(Operation):
    def __init__(self, model: models.FreezeAgent) -> None:
        self._steps = model.steps

    def start(self, world: "World", animal: Agent) -> None:
        if animal.done:
            return
        world.body(animal).set_linear_velocity((0.0, 0.0, 0.0))
        animal.held = self._steps
        world.note("froze", animal=animal, steps=self._steps)


class _Limited(Operation):
    def __init__(self, model: models.Limited) -> None:
        self._left = model.times
        self._inner = make_operation(model.operation)

    def prepare(self, world: "World") -> None:
        self._inner.prepare(world)

    def start(self, world: "World", animal: Agent) -> None:
        if self._left != 0:
            self._left -= 1
            self._inner.start(world, animal)


class _OneOf(Operation):
    def __init__(self, model: models.OneOf) -> None:
        self._inner = [make_operation(each) for each in model.operations]
        weights = model.weights or (1.0,) * len(self._inner)
        shares = [weight / max(weights) for weight in weights]  # the sum of the weights themselves may overflow
        self._probabilities = [share / sum(shares) for share in shares]

    def prepare(self, world: "World") -> None:
        for each in self._inner:
            each.prepare(world)

    def start(self, world: "World", animal: Agent) -> None:
        if self._inner:
            self._inner[int(world.rng.choice(len(self._inner), p=self._probabilities))].start(world, animal)


def make_operation(model: models.Operation) -> Operation:
    """Create the operation that a model describes."""
    match model:
        case models.ToggleObject():
            return _Toggle(model)
        case models.GrantReward():
            return _Grant(model)
        case models.GrantContinuousReward():
            return _GrantWhileInside(model)
        case models.EndEpisode():
            return _End(model)
        case models.FreezeAgent():
            return _Freeze(model)
        case models.Limited():
            return _Limited(model)
        case models.OneOf():
            return _OneOf(model)
        case models.NoOperation():
            return Operation()


def operations_of(thing: Thing) -> list[Operation]:
    """Return what a thing does when pressed or entered, legacy keys first (docs/original/task-files.md#operations)."""
    return [make_operation(model) for model in operation_models(thing)]


def operation_models(thing: Thing) -> list[models.Operation]:
    """Return the description of each operation of a thing, those of legacy keys first."""
    models_in_task: Sequence[models.Operation] = thing.settings.get("operations") or ()
    described = [*_legacy_operations(thing), *models_in_task]
    # An animal never leaves a button, so a continuous reward would never stop; the original has it for zones only.
    return [each for each in described if thing.passable or not isinstance(each, models.GrantContinuousReward)]


def _legacy_operations(thing: Thing) -> list[models.Operation]:
    names = thing.settings.get("reward_names") or ()
    if not names:
        return []
    counts = thing.settings["max_reward_counts"] or (-1,) * len(names)
    choices: list[models.Operation] = []
    for name, count in zip(names, counts, strict=True):
        choice: models.Operation = models.NoOperation(do="nothing")
        if name != NOTHING:
            choice = models.ToggleObject(do="toggle_object", items=(_reward_item(thing, name),), forget=True)
        choices.append(choice if count < 0 else models.Limited(do="limited", times=count, operation=choice))
    press: models.Operation = models.OneOf(
        do="one_of", operations=tuple(choices), weights=tuple(thing.settings["reward_weights"] or ())
    )
    probability = thing.settings["spawn_probability"]
    if probability < 1:
        nothing = models.NoOperation(do="nothing")
        press = models.OneOf(do="one_of", operations=(press, nothing), weights=(probability, 1 - probability))
    return [press]


def _reward_item(thing: Thing, name: str) -> models.Item:
    takes = CATALOGUE[name].takes()
    # Without a size the original creates a goal of exactly 1; a size in the file is shrunk like any other.
    size = thing.settings["reward_size"] if "reward_size" in thing.explicit_settings else (1 / SHRINK,) * 3
    values = {"at": thing.settings["reward_at"], "size": size}
    return models.Item(name=name, **{key: value for key, value in values.items() if key in takes})
