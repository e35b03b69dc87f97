"""Random arenas with everything a task may hold, drawn with NumPy because Hypothesis would be too slow.

`strategies.tasks` draws what the models allow; most of that is far outside the fence. Here things are crowded together,
stacked, overlapping and moving, where errors of physics and bookkeeping are likely.
"""

from typing import Any

import numpy as np

from puzzlebox.arena.schema.models import Arena, Item, Task
from puzzlebox.arena.things import CATALOGUE, NOTHING, PARAMETERS, SKINS, SYMBOLS, Category, Kind

Rng = np.random.Generator
# Drawn more often than the rest: things that move, and things that make others move, appear or end.
_LIVELY = [
    *("LightBlock", "HeavyBlock", "UBlock", "LBlock", "JBlock", "HollowBox", "GoodGoalMultiBounce", "BadGoalMulti"),
    *("GrowGoal", "ShrinkGoal", "SpawnerTree", "SpawnerDispenserTall", "SpawnerContainerShort", "SpawnerButton"),
    *("Ramp", "CylinderTunnel", "DataZone", "Wall"),
]
_ALL = [name for name in CATALOGUE if name != "Agent"]
_GOALS = [name for name in _ALL if CATALOGUE[name].category is Category.GOAL]
# These end an arena at the first touch: with too many of them, little else would happen.
_QUICK = {name for name in _ALL if CATALOGUE[name].ends}
_ENORMOUS = (1e4, 1e6, 1e12, 1e300)
_ENDLESS = 1e308  # seconds; as physics steps more than a float can hold


def chance(rng: Rng, share: float) -> bool:
    return bool(rng.random() < share)


def pick(rng: Rng, choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


class ArenaDrawer:
    """Draws the parts of one arena.

    Attributes:
        wild: numbers that make no sense are drawn too: enormous, far outside, zero where something is needed.
    """

    def __init__(self, rng: Rng, size: tuple[float, float], *, wild: bool) -> None:
        self.rng = rng
        self.size = size
        self.wild = wild
        # Most things are in one part of a large arena, so that they meet.
        spread = rng.uniform(4.0, 20.0)
        self.corner = [rng.uniform(0.0, max(0.0, side - spread)) for side in size]
        self.span = [min(spread, side) for side in size]
        self._columns: list[tuple[float, float]] = []

    def coordinate(self, axis: int) -> float | None:
        if chance(self.rng, 0.1):
            return None
        if chance(self.rng, 0.1):
            return float(pick(self.rng, (0.0, 0.5, self.size[axis] - 0.5, self.size[axis], self.size[axis] + 3.0)))
        value = self.corner[axis] + self.rng.uniform(0.0, self.span[axis])
        return round(value, int(self.rng.integers(4)))

    def position(self) -> tuple[float | None, float, float | None]:
        rng = self.rng
        x, z = self.coordinate(0), self.coordinate(1)
        if self._columns and chance(rng, 0.2):
            x, z = pick(rng, self._columns)  # above another thing, or in the same place
        y = 0.0 if chance(rng, 0.6) else round(rng.uniform(0.0, 12.0), int(rng.integers(3)))
        if self.wild and chance(rng, 0.05):
            y = float(pick(rng, (30.0, 150.0, 198.0, *_ENORMOUS)))
        if x is not None and z is not None:
            self._columns.append((x, z))
        return (x, y, z)

    def extent(self, name: str) -> tuple[float | None, ...]:
        rng = self.rng
        limits = CATALOGUE[name].size
        assert limits is not None
        # Small things more often than large ones, so that many fit.
        reach = pick(rng, (0.1, 0.3, 0.3, 1.0, 1.3))
        sides: list[float | None] = []
        for low, high in zip(limits.smallest, limits.largest, strict=True):
            sides.append(None if chance(rng, 0.05) else float(rng.uniform(0.9 * low, low + reach * (high - low))))
        if chance(rng, 0.3):
            sides[int(rng.integers(3))] = limits.smallest[0]
        return tuple(sides)

    def number(self, scale: float, *, signed: bool = False) -> float:
        rng = self.rng
        if self.wild and chance(rng, 0.05):
            return float(pick(rng, _ENORMOUS)) * (-1.0 if signed and chance(rng, 0.5) else 1.0)
        if chance(rng, 0.15):
            return 0.0
        value = float(rng.uniform(-scale if signed else 0.0, scale))
        return round(value, 2) if chance(rng, 0.5) else value

    def value(self, name: str, key: str, depth: int) -> Any:
        rng = self.rng
        scales = {"change_rate": 0.1, "delay": 3.0, "initial_value": 4.0, "final_value": 4.0, "frozen_delay": 2.0}
        match PARAMETERS[key].kind:
            case Kind.POSITION:
                return self.position()
            case Kind.POSITIONS:
                return tuple(
                    tuple(self.size[i // 2] / 2 if axis is None else axis for i, axis in enumerate(self.position()))
                    for _ in range(3)
                )
            case Kind.SIZE:
                return self.extent(name if CATALOGUE[name].size else "GoodGoal")
            case Kind.COLOUR:
                return tuple(float(channel) for channel in rng.integers(0, 256, 3))
            case Kind.ANGLE:
                return float(pick(rng, (0.0, 45.0, 90.0, 180.0, 270.0, rng.uniform(0.0, 720.0))))
            case Kind.NUMBER:
                return self.number(scales.get(key, 3.0), signed=True)
            case Kind.NOT_NEGATIVE:
                if self.wild and chance(rng, 0.02):
                    return _ENDLESS
                return self.number(scales.get(key, 2.0))
            case Kind.PROBABILITY:
                return float(pick(rng, (0.0, 1.0, rng.random())))
            case Kind.WHOLE:
                return int(rng.integers(4))
            case Kind.COUNT:
                return int(pick(rng, (-1, 0, 1, 3, 20)))
            case Kind.FLAG:
                return chance(rng, 0.5)
            case Kind.TEXT:
                return pick(rng, ("", "here", "Küche 3"))
            case Kind.SKIN:
                return pick(rng, SKINS)
            case Kind.SYMBOL:
                return pick(rng, (*SYMBOLS, "01/10", "*1*/000", "4x3"))
            case Kind.OPERATIONS:
                return tuple(self.operation(depth) for _ in range(rng.integers(1, 4))) if depth else None
        raise AssertionError(f"no case draws a {PARAMETERS[key].kind}")

    def item(self, name: str, depth: int = 2) -> Item:
        rng = self.rng
        takes = CATALOGUE[name].takes()
        values: dict[str, Any] = {}
        for key in takes:
            share = {"at": 0.9, "size": 0.8, "operations": 0.9, "at_one_of": 0.1, "frozen_delay": 0.2}.get(key, 0.5)
            if not chance(rng, share) or key in ("reward_weights", "max_reward_counts"):
                continue
            if key == "reward_names":
                names = [pick(rng, (*_GOALS, *_GOALS, *_ALL, NOTHING)) for _ in range(rng.integers(1, 4))]
                values[key] = tuple(names)
                if chance(rng, 0.5):
                    values["reward_weights"] = tuple(float(i == 0) + self._weight() for i in range(len(names)))
                if chance(rng, 0.5):
                    values["max_reward_counts"] = tuple(int(pick(rng, (-1, 0, 1, 2))) for _ in names)
            elif not (key == "at_one_of" and "at" in values):
                values[key] = self.value(name, key, depth)
        return Item(name=name, **values)

    def _weight(self) -> float:
        return float(pick(self.rng, (0.0, 1.0, 0.3, 1e-9)))

    def operation(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        match int(rng.integers(10)):
            case 0:
                return {"do": "grant_reward", "reward": self.number(0.5, signed=True)}
            case 1:
                return {"do": "grant_continuous_reward", "reward_per_step": self.number(0.01, signed=True)}
            case 2:
                return {"do": "freeze_agent", "steps": int(rng.integers(60))}
            case 3 if chance(rng, 0.3):
                return {"do": "end_episode", "reward": self.number(1.0, signed=True)}
            case 4:
                return {
                    "do": "limited",
                    "times": int(pick(rng, (-1, 0, 1, 2))),
                    "operation": self.operation(depth - 1) if depth > 0 else {"do": "nothing"},
                }
            case 5:
                inner = [self.operation(depth - 1) for _ in range(rng.integers(4))] if depth > 0 else []
                weigh = bool(inner) and chance(rng, 0.5)
                weights = [float(i == 0) + self._weight() for i in range(len(inner))] if weigh else []
                return {"do": "one_of", "operations": inner, "weights": weights}
        item = self.item(self.name(), depth - 1)
        # Several times the same thing at different positions.
        items = [item.model_copy(update={"at": self.position()}) for _ in range(pick(rng, (0, 1, 2)))]
        return {
            "do": "toggle_object",
            "items": items if chance(rng, 0.3) else [item],
            "initially_present": chance(rng, 0.3),
            "forget": chance(rng, 0.3),
        }

    def name(self) -> str:
        name: str = pick(self.rng, _LIVELY if chance(self.rng, 0.5) else _ALL)
        return pick(self.rng, _LIVELY) if name in _QUICK and chance(self.rng, 0.7) else name

    def arena(self, number: int, agents: int, *, merge: bool) -> Arena:
        rng = self.rng
        items = [self.item(self.name()) for _ in range(int(pick(rng, (0, 3, 8, 15, 15, 25, 40, 80))))]
        for _ in range(agents):
            agent = self.item("Agent")
            items.insert(int(rng.integers(len(items) + 1)), agent)
            if agent.at is not None and None not in agent.at and chance(rng, 0.3):
                # Within reach, or buttons and zones would rarely be used.
                x, _, z = (float(axis or 0.0) for axis in agent.at)
                near = self.item(pick(rng, ("SpawnerButton", "DataZone", "GoodGoalMulti", "GoodGoal")))
                offset = rng.uniform(-3.0, 3.0, 2).tolist()
                items.append(near.model_copy(update={"at": (max(x + offset[0], 0.0), 0.0, max(z + offset[1], 0.0))}))
        blackouts: tuple[int, ...] = ()
        if chance(rng, 0.2):
            blackouts = tuple(sorted(set(rng.integers(0, 60, 4).tolist())))
        elif chance(rng, 0.1):
            blackouts = (-int(rng.integers(1, 20)),)
        return Arena(
            id=number,
            time_limit=int(1 if chance(rng, 0.02) else pick(rng, (0, 0, 0, 20, 100, 250, 1000))),
            pass_mark=float(pick(rng, (0.0, 0.0, 0.5, -1.0, 3.0))),
            size=self.size,
            blackouts=blackouts,
            random_seed=int(pick(rng, (0, 0, 0, 7, -3))),
            merge_next_arena=merge,
            episode_end=pick(rng, ("any", "all")),
            items=tuple(items),
        )


def random_task(rng: Rng, *, wild: bool = False) -> Task:
    """Return a task of one arena, or of several that merge or follow each other, with up to five agents."""
    agents = int(pick(rng, (0, 1, 1, 1, 1, 2, 3, 5)))
    count = int(pick(rng, (1, 1, 1, 1, 2, 3)))
    arenas = []
    for number in range(count):
        sides = (5.0, 8.0, 12.5, 20.0, 40.0, 40.0, 100.0, round(float(rng.uniform(5.0, 100.0)), 2))
        drawer = ArenaDrawer(rng, (pick(rng, sides), pick(rng, sides)), wild=wild)
        # The last arena may merge too, into nothing.
        arenas.append(drawer.arena(number, agents, merge=chance(rng, 0.6)))
    return Task(arenas=tuple(arenas), show_notification=chance(rng, 0.2))


def random_actions(rng: Rng, animals: int, steps: int) -> list[tuple[int, ...]]:
    """Return actions of animals, mostly held for a while, which reaches higher speeds than changing actions."""
    rows = np.empty((steps, animals), np.int64)
    for column in range(animals):
        step = 0
        while step < steps:
            held = 1 if chance(rng, 0.3) else int(rng.geometric(0.06))
            # Forwards more often: an animal that turns in place meets nothing.
            rows[step : step + held, column] = 3 if chance(rng, 0.4) else rng.integers(9)
            step += held
    return [tuple(row) for row in rows.tolist()]
