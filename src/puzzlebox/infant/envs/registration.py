"""Registration of `puzzlebox/Infant-TASK-v1` and of items with Gymnasium. It does not import MuJoCo."""

from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.items.numbers import NUMBERS, id_of


def register() -> None:
    """Register the environments with Gymnasium, unless they are registered already."""
    from gymnasium.envs import registration

    for entry in CATALOGUE.values():
        if entry.id not in registration.registry:
            registration.register(
                entry.id,
                entry_point="puzzlebox.infant.envs.env:InfantEnv",
                kwargs={"task": entry.name},
                # The environment itself refuses to step without an episode; after `restore` it has one without `reset`.
                order_enforce=False,
            )
    for number in NUMBERS:
        if id_of(number) not in registration.registry:
            registration.register(
                id_of(number), entry_point="puzzlebox.infant.items.env:ItemEnv", kwargs={"item": number}
            )
