"""Every parameter a thing can take: its name in the Puzzlebox format and in Animal-AI's, its kind, and its meaning.

The models, the readers, the writers, the JSON Schema, `puzzlebox things` and the documentation use this table. It holds
the parameters of Animal-AI's things; a thing of another package adds its own with `declare`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from puzzlebox.scene.colours import NAMED_COLOURS
from puzzlebox.text import nearest

SYMBOLS = (
    *("default", "right-arrow", "left-arrow", "up-arrow", "down-arrow", "u-turn-arrow"),
    *("letter-a", "letter-b", "letter-c", "square", "triangle", "circle", "star", "tick", "cross"),
)
SKINS = ("panda", "pig", "hedgehog")
# A reward name for "this press brings nothing"; Animal-AI skips any name it does not know, with the same effect.
NOTHING = "nothing"


class Kind(Enum):
    """The kind of a parameter's values; its text completes the sentence "`key` expects ..."."""

    POSITION = "three numbers [x, y, z] in metres, x and z 0 or more or `random`, y the height above the floor"
    POSITIONS = "a list of two or more positions [[x, y, z], ...]"
    SIZE = "three numbers [x, y, z] in metres, each 0 or more or `random`, or one number for all three"
    COLOUR = f"three numbers [red, green, blue] from 0 to 255, or a name ({', '.join(NAMED_COLOURS)})"
    ANGLE = "a number of degrees, 0 or more, or `random`"
    NUMBER = "a number"
    NOT_NEGATIVE = "a number, 0 or more"
    PROBABILITY = "a number from 0 to 1"
    WHOLE = "a whole number, 0 or more"
    COUNT = "a whole number, 0 or more, or -1 for no limit"
    FLAG = "true or false"
    TEXT = "a text"
    SKIN = "panda, pig, hedgehog or random"
    SYMBOL = f"a symbol ({', '.join(SYMBOLS)}), rows of pixels such as 01/10, or a random grid such as 4x3"
    REWARD_NAMES = "a list of names of things (or `nothing`)"
    WEIGHTS = "a list of numbers, 0 or more, at least one above 0"
    COUNTS = "a list of whole numbers, 0 or more, or -1 for no limit"
    OPERATIONS = "a list of operations, each with a `do`"


@dataclass(frozen=True)
class Parameter:
    """A parameter of things, with its name in both formats.

    Attributes:
        name: the key in the Puzzlebox format.
        animalai: the key in Animal-AI's format.
        kind: the kind of its values.
        meaning: one phrase for the documentation.
        per_instance: Animal-AI's format has a list with an entry for each instance; the Puzzlebox format has one value
            or such a list.
        counts: the length of that list counts towards the number of instances (docs/original/task-files.md#keys).
    """

    name: str
    animalai: str
    kind: Kind
    meaning: str
    per_instance: bool = True
    counts: bool = True


def _shared(name: str, animalai: str, kind: Kind, meaning: str) -> Parameter:
    return Parameter(name, animalai, kind, meaning, per_instance=False, counts=False)


_ALL = (
    Parameter("at", "positions", Kind.POSITION, "where it stands; `random` (the default): anywhere it fits"),
    _shared("at_one_of", "positions", Kind.POSITIONS, "start positions, one of which is drawn each episode"),
    Parameter("rotation", "rotations", Kind.ANGLE, "degrees about the vertical, clockwise seen from above"),
    Parameter("size", "sizes", Kind.SIZE, "width, height and depth in metres; default: random in its range"),
    Parameter("color", "colors", Kind.COLOUR, "its colour"),
    Parameter("skin", "skins", Kind.SKIN, f"its looks: {', '.join(SKINS)}; default: random", counts=False),
    Parameter(
        "frozen_delay", "frozenAgentDelays", Kind.NOT_NEGATIVE, "seconds it cannot move at the start", counts=False
    ),
    Parameter("team", "teams", Kind.WHOLE, "the team of the animal", counts=False),
    Parameter(
        "symbol",
        "symbolNames",
        Kind.SYMBOL,
        f"what is drawn on it: {', '.join(SYMBOLS)}; or rows of pixels (01/10: black, white) or a random grid (4x3)",
    ),
    Parameter("delay", "delays", Kind.NOT_NEGATIVE, "how long before it starts"),
    Parameter("initial_value", "initialValues", Kind.NOT_NEGATIVE, "the value it starts with"),
    Parameter("final_value", "finalValues", Kind.NOT_NEGATIVE, "the value it ends with"),
    Parameter("change_rate", "changeRates", Kind.NUMBER, "change per physics step (0.02 s); the sign is set for you"),
    Parameter("spawn_count", "spawnCounts", Kind.COUNT, "how many goals it gives in all; -1: no limit"),
    Parameter("spawn_color", "spawnColors", Kind.COLOUR, "the colour of the goals it gives"),
    Parameter("time_between_spawns", "timesBetweenSpawns", Kind.NOT_NEGATIVE, "seconds between two goals"),
    Parameter("ripen_time", "ripenTimes", Kind.NOT_NEGATIVE, "seconds a goal ripens before it falls"),
    Parameter("door_delay", "doorDelays", Kind.NOT_NEGATIVE, "seconds before the door opens"),
    Parameter(
        "time_between_door_opens", "timesBetweenDoorOpens", Kind.NUMBER, "seconds of one door cycle; -1: it stays open"
    ),
    Parameter("move_duration", "moveDurations", Kind.NOT_NEGATIVE, "seconds the button takes to move in"),
    Parameter("reset_duration", "resetDurations", Kind.NOT_NEGATIVE, "seconds the button takes to move back"),
    _shared("reward_names", "rewardNames", Kind.REWARD_NAMES, "what a press may bring"),
    _shared("reward_weights", "rewardWeights", Kind.WEIGHTS, "how often each comes; default: equally often"),
    _shared("reward_at", "rewardSpawnPos", Kind.POSITION, "where the reward appears; default: anywhere it fits"),
    _shared("reward_size", "spawnedRewardSize", Kind.SIZE, "the size of the reward"),
    _shared("spawn_probability", "spawnProbability", Kind.PROBABILITY, "how likely a press brings anything"),
    _shared("max_reward_counts", "maxRewardCounts", Kind.COUNTS, "how often each may come at most; -1: no limit"),
    Parameter("zone_id", "triggerZoneID", Kind.TEXT, "the name written to the log on entry and exit", counts=False),
    _shared("visible", "zoneVisibility", Kind.FLAG, "whether it can be seen"),
    _shared("operations", "operations", Kind.OPERATIONS, "what happens on a press or on entry, in order"),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _ALL}
ANIMALAI_PARAMETERS: dict[str, Parameter] = {
    parameter.animalai: parameter for parameter in _ALL if parameter.name != "at_one_of"
}
# The words that a value of these kinds may be (besides numbers and grids).
CHOICES: dict[Kind, Iterable[str]] = {Kind.COLOUR: tuple(NAMED_COLOURS), Kind.SKIN: SKINS, Kind.SYMBOL: SYMBOLS}

# Kinds with a single parameter, since readers and world find it by its name.
_ALONE = {Kind.POSITIONS: "at_one_of", Kind.OPERATIONS: "operations"}
# Kinds whose values are lists, so that a list cannot also mean one value for each instance.
_LISTS = (Kind.REWARD_NAMES, Kind.WEIGHTS, Kind.COUNTS)
# Keys of an item that are not parameters, and the methods of an item (`schema.models.Item`).
_RESERVED = {
    *(
        "name",
        "count",
        "explicit_values",
        "construct",
        "copy",
        "dict",
        "from_orm",
        "json",
        "parse_file",
        "parse_obj",
        "parse_raw",
    ),
    *("schema", "schema_json", "update_forward_refs", "validate"),
}
# Functions that are called with every parameter that is added later.
LISTENERS: list[Callable[[Parameter], None]] = []


def declare(owner: str, name: str, kind: Kind | None, meaning: str | None) -> None:
    """Add a parameter that a thing declares to the table, if the table does not have it.

    Args:
        owner: the name of the thing, for messages.
        name: the key in a task file, in both formats.
        kind: the kind of its values; None for a parameter of the table.
        meaning: one phrase for the documentation.

    Raises:
        TypeError: the table has no such parameter and the thing declares no kind or meaning, or the table has one of
            another kind.
    """
    existing = PARAMETERS.get(name)
    if existing is not None:
        if kind is not None and kind is not existing.kind:
            raise TypeError(
                f"{owner} takes `{name}` as {kind.name}, and there is a `{name}` that is {existing.kind.name}"
            )
        return
    if kind is None:
        raise TypeError(
            f"{owner} takes `{name}`, which is not a known parameter{nearest(name, PARAMETERS)}; one of its own is "
            'declared with a kind and a meaning, as in Takes(440.0, "hertz", kind=Kind.NUMBER)'
        )
    if not meaning:
        raise TypeError(f"{owner} declares `{name}` without a meaning; the documentation of the parameter needs one")
    if not name.isidentifier() or name.startswith(("_", "model_")) or name in _RESERVED:
        raise TypeError(f"{owner} declares `{name}`, which cannot be a key of an item; call it something else")
    if kind in _ALONE:
        raise TypeError(f"{owner} declares `{name}` as {kind.name}; the only such parameter is `{_ALONE[kind]}`")
    parameter = Parameter(name, name, kind, meaning, per_instance=kind not in _LISTS, counts=False)
    for listener in LISTENERS:
        listener(parameter)
    PARAMETERS[name] = ANIMALAI_PARAMETERS[name] = parameter
