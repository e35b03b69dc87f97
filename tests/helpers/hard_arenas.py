"""Arenas in which things are pressed against the fence: driven, dropped, tipped, grown, launched or piled up there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arenas import Rng, chance, pick, random_actions
from puzzlebox.arena.schema.models import Arena, Item, Task
from puzzlebox.arena.things import CATALOGUE

SIDES = (5.0, 6.5, 8.0, 12.5, 20.0, 40.0, 100.0)


def _against(rng: Rng, side: float, off: float) -> tuple[float, float, float]:
    """Return a position at a distance from one of the four fences, and the direction towards that fence."""
    along = float(rng.uniform(min(off, side / 2), max(side - off, side / 2)))
    return pick(rng, ((off, along, 270.0), (side - off, along, 90.0), (along, off, 180.0), (along, side - off, 0.0)))  # type: ignore[no-any-return]


def _sized(rng: Rng, name: str, low: float, high: float) -> tuple[float, float, float]:
    if name in ("UBlock", "LBlock", "JBlock"):
        return (float(rng.uniform(1, 3)), float(rng.uniform(0.3, 2)), float(rng.uniform(3, 6)))
    sides = [float(rng.uniform(low, high)) for _ in range(3)]
    return (sides[0], sides[1], sides[2])


_PUSHED = ("LightBlock", "HeavyBlock", "UBlock", "LBlock", "JBlock", "HollowBox", "GoodGoalMulti", "BadGoalMulti")
_ANGLES = (0.0, 90.0, 45.0, 13.0)


def _driven(rng: Rng, side: float) -> list[Item]:
    """Return animals that drive at full speed into things at the fence."""
    x, z, yaw = _against(rng, side, float(rng.uniform(0.5, 1.5)))
    name = pick(rng, _PUSHED)
    items = [Item(name=name, at=(x, 0.0, z), rotation=pick(rng, _ANGLES), size=_sized(rng, name, 0.5, 1.5))]
    for number in range(int(rng.integers(1, 4))):
        away = float(rng.uniform(2.0, min(15.0, side - 2.0))) + 1.2 * number
        dx, dz = -np.sin(np.radians(yaw)), -np.cos(np.radians(yaw))
        at = (float(np.clip(x + away * dx, 0.6, side - 0.6)), 0.0, float(np.clip(z + away * dz, 0.6, side - 0.6)))
        items.append(Item(name="Agent", at=at, rotation=yaw))
    return items


def _dropped(rng: Rng, side: float) -> list[Item]:
    """Return heavy things that fall onto light ones at the fence."""
    items: list[Item] = []
    for _ in range(int(rng.integers(1, 4))):
        x, z, _ = _against(rng, side, float(rng.uniform(0.3, 2.5)))
        for name in (pick(rng, _PUSHED), pick(rng, _PUSHED)):
            items.append(Item(name=name, at=(x, 0.0, z), rotation=pick(rng, _ANGLES), size=_sized(rng, name, 0.3, 1.5)))
        high = float(rng.uniform(1.5, 12.0))
        for number in range(int(rng.integers(1, 4))):
            name = pick(rng, ("Ramp", "Wall", "HeavyBlock", "WallTransparent", "CylinderTunnel", "HollowBox"))
            items.append(
                Item(
                    name=name,
                    at=(x, high + 4.0 * number, z),
                    rotation=pick(rng, _ANGLES),
                    size=_sized(rng, name, 0.5, 4.0),
                )
            )
    return items


def _beams(rng: Rng, side: float) -> list[Item]:
    """Return long thin free walls with one end on something, which tip."""
    items: list[Item] = []
    for _ in range(int(rng.integers(1, 4))):
        x, z, yaw = _against(rng, side, float(rng.uniform(0.5, 2.5)))
        foot = float(rng.uniform(0.5, 3.0))
        items.append(Item(name=pick(rng, ("Wall", "HeavyBlock")), at=(x, 0.0, z), size=(1.0, foot, 1.0), rotation=0.0))
        long = float(rng.uniform(1.0, min(side - 1.0, 10.0)))
        items.append(
            Item(
                name=pick(rng, ("Wall", "Ramp", "WallTransparent")),
                at=(
                    float(np.clip(x + rng.uniform(-2, 2), 0, side)),
                    foot + 0.1,
                    float(np.clip(z + rng.uniform(-2, 2), 0, side)),
                ),
                size=(float(rng.uniform(0.1, 1.0)), float(rng.uniform(0.1, 1.0)), long),
                rotation=yaw,
            )
        )
        for _ in range(int(rng.integers(3))):
            name = pick(rng, _PUSHED)
            bx, bz, _ = _against(rng, side, float(rng.uniform(0.3, 1.5)))
            items.append(Item(name=name, at=(bx, 0.0, bz), size=_sized(rng, name, 0.3, 1.2)))
    return items


def _grown(rng: Rng, side: float) -> list[Item]:
    """Return goals that grow, and dispensers, with little room between the fence and another thing."""
    items: list[Item] = []
    for _ in range(int(rng.integers(1, 4))):
        x, z, yaw = _against(rng, side, float(rng.uniform(0.3, 1.2)))
        dx, dz = -np.sin(np.radians(yaw)), -np.cos(np.radians(yaw))
        if chance(rng, 0.6):
            items.append(
                Item(
                    name="GrowGoal",
                    at=(x, float(pick(rng, (0.0, 2.0))), z),
                    initial_value=float(rng.uniform(0.1, 1.0)),
                    final_value=float(rng.uniform(1.0, 8.0)),
                    change_rate=float(rng.uniform(0.01, 0.2)),
                )
            )
        else:
            name = pick(rng, ("SpawnerTree", "SpawnerDispenserTall", "SpawnerContainerShort"))
            values = {
                "delay": 0.0,
                "time_between_spawns": 0.1,
                "initial_value": 0.2,
                "final_value": float(rng.uniform(0.3, 3.0)),
                "ripen_time": 0.5,
                "spawn_count": int(pick(rng, (5, 20, 60))),
            }
            takes = CATALOGUE[name].takes()
            values = {key: value for key, value in values.items() if key in takes}
            items.append(Item(name=name, at=(x, 0.0, z), rotation=yaw, **values))
        for _ in range(int(rng.integers(3))):
            away = float(rng.uniform(1.0, 3.0))
            name = pick(rng, (*_PUSHED, "Wall", "Ramp"))
            at = (
                float(np.clip(x + away * dx, 0, side)),
                float(pick(rng, (0.0, 0.0, 3.0))),
                float(np.clip(z + away * dz, 0, side)),
            )
            items.append(Item(name=name, at=at, rotation=pick(rng, _ANGLES), size=_sized(rng, name, 0.3, 2.0)))
    return items


def _launched(rng: Rng, side: float) -> list[Item]:
    """Return ramps up to the fence, and fast balls."""
    items: list[Item] = []
    for _ in range(int(rng.integers(1, 4))):
        long = float(rng.uniform(1.0, min(4.0, side / 2)))
        x, z, yaw = _against(rng, side, long / 2 + 0.05)
        size = (float(rng.uniform(1.0, 3.0)), float(rng.uniform(0.5, 3.0)), long)
        items.append(Item(name="Ramp", at=(x, 0.0, z), rotation=(yaw + 180.0) % 360.0, size=size))
        dx, dz = -np.sin(np.radians(yaw)), -np.cos(np.radians(yaw))
        away = float(rng.uniform(long, min(20.0, max(long + 0.1, side - 1.0))))
        at = (float(np.clip(x + away * dx, 0.6, side - 0.6)), 0.0, float(np.clip(z + away * dz, 0.6, side - 0.6)))
        items.append(Item(name="Agent", at=at, rotation=yaw))
    for _ in range(int(rng.integers(1, 8))):
        name = pick(rng, ("GoodGoalMultiBounce", "BadGoalBounce", "GoodGoalBounce"))
        bx, bz, yaw = _against(rng, side, float(rng.uniform(0.3, 3.0)))
        items.append(Item(name=name, at=(bx, 0.0, bz), rotation=yaw, size=(float(rng.uniform(0.3, 1.5)),) * 3))
    return items


def _heaped(rng: Rng, side: float) -> list[Item]:
    """Return a small arena full of heavy things, some in the air, piled up in a corner where the rules do so."""
    items = []
    for _ in range(int(rng.integers(10, 40))):
        name = pick(
            rng, (*_PUSHED, "Wall", "Ramp", "WallTransparent", "CylinderTunnel", "DataZone", "HotZone", "GrowGoal")
        )
        x, z = (float(rng.uniform(0.0, min(side, 8.0))) for _ in range(2))
        values: dict[str, Any] = {"at": (x, float(pick(rng, (0.0, 0.0, rng.uniform(0, 12)))), z)}
        if name != "GrowGoal":
            values["size"] = _sized(rng, name, 0.3, 3.0)
        items.append(Item(name=name, rotation=pick(rng, _ANGLES), **values))
    return items


HARD: Mapping[str, Callable[[Rng, float], list[Item]]] = {
    "driven": _driven,
    "dropped": _dropped,
    "beams": _beams,
    "grown": _grown,
    "launched": _launched,
    "heaped": _heaped,
}


def hard_task(rng: Rng, name: str) -> Task:
    """Return a task in which things are pressed against the fence."""
    side = float(pick(rng, SIDES))
    items = HARD[name](rng, side)
    if not any(item.name == "Agent" for item in items):
        x, z, yaw = _against(rng, side, float(rng.uniform(0.6, min(3.0, side / 2))))
        items.append(Item(name="Agent", at=(x, 0.0, z), rotation=yaw))
    return Task(arenas=(Arena(size=(side, side), time_limit=0, items=tuple(items)),))


def hard_actions(rng: Rng, animals: int, steps: int) -> list[tuple[int, ...]]:
    """Return actions that are mostly forwards."""
    rows = random_actions(rng, animals, steps)
    if chance(rng, 0.7):
        rows = [tuple(3 if rng.random() < 0.9 else move for move in row) for row in rows]
    return rows
