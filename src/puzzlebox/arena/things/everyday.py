"""Everyday words for things: a task cannot use them; the error message suggests the thing's name."""

from collections.abc import Iterable

from puzzlebox.text import nearest

# Each word in the singular and in small letters, with the thing most tasks would use for it.
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


def nearest_thing(word: str, known: Iterable[str]) -> str:
    """How a message about an unknown thing ends: what it is called here, or what is spelt like it, or where all are."""
    small = word.lower()
    meant = EVERYDAY.get(small) or EVERYDAY.get(small.removesuffix("s"))
    return f"; did you mean `{meant}`?" if meant else nearest(word, known, "puzzlebox things")
