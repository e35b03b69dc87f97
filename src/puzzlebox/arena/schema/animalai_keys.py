"""The keys of Animal-AI's format besides the parameters of things: of the file, of arenas and of operations."""

from dataclasses import dataclass
from enum import Enum
from functools import cache

from pydantic import BaseModel

from puzzlebox.arena.schema.models import OPERATIONS, Arena, Task
from puzzlebox.arena.things import PARAMETERS, Kind, Parameter


class Shape(Enum):
    """The form of a key's value, if it is not a simple one."""

    ARENAS = "arenas by number, as in `0: !Arena`"
    ITEMS = "a list of !Item"
    ITEM = "an !Item"
    OPERATION = "an operation such as !grantReward {reward: 1} or !endEpisode {}"
    BLACKOUTS = "a list of whole numbers that increase, or one negative number"
    INTEGER = "a whole number"
    # A key Puzzlebox adds; its value is read as in the Puzzlebox format.
    OURS = "as in the Puzzlebox format"


@dataclass(frozen=True)
class Key:
    """A key of Animal-AI's format: its Puzzlebox name, the form of its value, and the newer key that replaced it."""

    name: str
    shape: Kind | Shape
    replaced_by: str | None = None


ROOT_KEYS: dict[str, Key] = {
    "metadata": Key("metadata", Shape.OURS),
    "randomizeArenas": Key("randomize_arenas", Kind.FLAG),
    "showNotification": Key("show_notification", Kind.FLAG),
    "canResetEpisode": Key("can_reset_episode", Kind.FLAG),
    "canChangePerspective": Key("can_change_perspective", Kind.FLAG),
    "defaultPerspective": Key("default_perspective", Kind.TEXT),
    "arenas": Key("arenas", Shape.ARENAS),
}

ARENA_KEYS: dict[str, Key] = {
    "timeLimit": Key("time_limit", Kind.WHOLE),
    "t": Key("time_limit", Kind.WHOLE, replaced_by="timeLimit"),
    "passMark": Key("pass_mark", Kind.NUMBER),
    "pass_mark": Key("pass_mark", Kind.NUMBER, replaced_by="passMark"),
    "size": Key("size", Shape.OURS),
    "theme": Key("theme", Shape.OURS),
    "blackouts": Key("blackouts", Shape.BLACKOUTS),
    "randomSeed": Key("random_seed", Shape.INTEGER),
    "random_seed": Key("random_seed", Shape.INTEGER, replaced_by="randomSeed"),
    "mergeNextArena": Key("merge_next_arena", Kind.FLAG),
    "episodeEnd": Key("episode_end", Kind.TEXT),
    "metadata": Key("metadata", Shape.OURS),
    "items": Key("items", Shape.ITEMS),
}

OPERATION_TAGS: dict[str, tuple[str, dict[str, Key]]] = {
    "!toggleObject": (
        "toggle_object",
        {
            "spawnable": Key("items", Shape.ITEM),
            "objectInitiallyPresent": Key("initially_present", Kind.FLAG),
            "spawnAndForget": Key("forget", Kind.FLAG),
        },
    ),
    "!grantReward": ("grant_reward", {"reward": Key("reward", Kind.NUMBER)}),
    "!grantContinuousReward": (
        "grant_continuous_reward",
        {"rewardPerStep": Key("reward_per_step", Kind.NUMBER)},
    ),
    "!endEpisode": ("end_episode", {"reward": Key("reward", Kind.NUMBER)}),
    "!freezeAgent": ("freeze_agent", {"freezeSteps": Key("steps", Kind.WHOLE)}),
    "!noneOperation": ("nothing", {}),
    "!limitedInvocationsOperation": (
        "limited",
        {"maxInvocations": Key("times", Kind.COUNT), "operation": Key("operation", Shape.OPERATION)},
    ),
    "!operationFromList": (
        "one_of",
        {"operations": Key("operations", Kind.OPERATIONS), "operationWeights": Key("weights", Kind.WEIGHTS)},
    ),
}
TAGS = ("!ArenaConfig", "!Arena", "!Item", "!Vector3", "!RGB", *OPERATION_TAGS)
TAG_OF_OPERATION = {name: tag for tag, (name, _) in OPERATION_TAGS.items()}

# The expected value in messages, if it differs from that of the Puzzlebox format.
EXPECTS: dict[Kind, str] = {
    Kind.POSITION: "!Vector3 {x: .., y: .., z: ..} in metres, x or z -1 for random",
    Kind.SIZE: "!Vector3 {x: .., y: .., z: ..} in metres, -1 for random",
    Kind.COLOUR: "!RGB {r: .., g: .., b: ..} from 0 to 255, -1 for random",
    Kind.ANGLE: "a number of degrees, -1 for random",
    Kind.OPERATIONS: "a list of operations such as !grantReward {reward: 1}",
}


def expected(parameter: Parameter) -> str:
    """Return what a key of an item expects, for messages."""
    if parameter.name == "at_one_of":  # its key in Animal-AI's format is also `positions`
        return expected(PARAMETERS["at"])
    one = EXPECTS.get(parameter.kind, parameter.kind.value)
    if not parameter.per_instance:
        return one
    return f"a list with an entry for each instance, each {one}" if parameter.counts else f"a list with {one}"


@cache
def animalai_names() -> dict[tuple[type[BaseModel], str], str]:
    """Return Animal-AI's name for each key of each model but `Item`.

    The keys of items are in the table of parameters.
    """
    words: dict[tuple[type[BaseModel], str], str] = {}
    for owner, keys in ((Task, ROOT_KEYS), (Arena, ARENA_KEYS)):
        words |= {(owner, key.name): word for word, key in keys.items() if key.replaced_by is None}
    for name, keys in OPERATION_TAGS.values():
        words |= {(OPERATIONS[name], key.name): word for word, key in keys.items()}
    return words
