"""Everyday words for things: a task cannot use them; the error message suggests the thing's name."""

from collections.abc import Iterable

from puzzlebox.text import nearest, suggestion

# Each word in the singular and in lower case, with the thing that most tasks would use for it.
EVERYDAY = {
    "animal": "Agent",
    "ball": "GoodGoal",
    "barrier": "Wall",
    "block": "LightBlock",
    "box": "LightBlock",
    "button": "SpawnerButton",
    "crate": "LightBlock",
    "cube": "LightBlock",
    "danger": "DeathZone",
    "dispenser": "SpawnerDispenserTall",
    "fence": "Wall",
    "food": "GoodGoal",
    "apple": "GoodGoal",
    "fruit": "GoodGoal",
    "glass": "WallTransparent",
    "goal": "GoodGoal",
    "lava": "DeathZone",
    "lever": "SpawnerButton",
    "pipe": "CylinderTunnel",
    "platform": "Wall",
    "player": "Agent",
    "poison": "BadGoal",
    "reward": "GoodGoal",
    "robot": "Agent",
    "sign": "SignBoard",
    "slope": "Ramp",
    "switch": "SpawnerButton",
    "target": "GoodGoal",
    "treat": "GoodGoal",
    "tree": "SpawnerTree",
    "tube": "CylinderTunnel",
    "tunnel": "CylinderTunnel",
    "window": "WallTransparent",
}


def nearest_thing(word: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown thing: the suggested name, or where all names are listed."""
    small = word.lower()
    name = EVERYDAY.get(small) or EVERYDAY.get(small.removesuffix("s"))
    return suggestion(name) if name else nearest(word, names, "puzzlebox things")
