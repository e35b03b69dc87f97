"""Solutions of each bundled task, and wrong attempts that must not pass: scripts for `player.Player`.

A script is a function of the player and of the number of the arena.
"""

from collections.abc import Callable, Sequence

from player import Player

Script = Callable[[Player, int], None]


def walk(player: Player, *places: tuple[float, float], speed: float = 26.0) -> None:
    """Walk from place to place."""
    for x, z in places:
        player.go_to(x, z, speed=speed)


def way(*places: tuple[float, float], food: str = "GoodGoal", speed: float = 26.0) -> Script:
    """Return a script that walks from place to place, then to the food, in every arena."""

    def script(player: Player, arena: int) -> None:
        walk(player, *places, speed=speed)
        player.fetch(food)

    return script


def thaw(player: Player) -> None:
    """Wait until the animal can move."""
    player.wait(round(player.world.arena.items[0].frozen_delay or 0) * 17 + 10)


def collect(name: str, count: int) -> Script:
    """Return a script that collects all things of a name, in order."""

    def script(player: Player, arena: int) -> None:
        for _ in range(count):
            player.fetch(name)

    return script


def choose(*numbers: int, food: str = "GoodGoal") -> Script:
    """Return a script that fetches one of several things of the same name, another one in each arena."""
    return lambda player, arena: player.fetch(food, numbers[arena])


def press(player: Player, x: float, z: float) -> None:
    """Push a button that faces -z, and wait until it has moved in."""
    player.go_to(x - 0.2, z - 3)
    player.face(0)
    player.forwards(10)
    player.wait(10)
    player.go_to(x - 0.2, z - 3)


def wait_at_the_machine(player: Player, arena: int) -> None:
    player.wait(100)
    for _ in range((3, 1)[arena]):
        for _ in range(60):
            if not any(type(thing).__name__ == "GoodGoalMulti" for thing in player.world.things):
                player.wait(1)
        player.fetch("GoodGoalMulti")


def gold_then_green(player: Player, arena: int) -> None:
    walk(player, (6, 6))
    player.fetch("GoodGoalMulti")
    walk(player, (6, 20))
    player.fetch("GoodGoalMulti")
    walk(player, (20, 20))
    player.fetch("GoodGoalMulti")
    player.fetch("GoodGoal")


def into_the_arm(sides: Sequence[float]) -> Script:
    """Return a script that leaves the corridor and goes round one of its walls."""

    def script(player: Player, arena: int) -> None:
        x = 15 + 5.5 * sides[arena]
        walk(player, (15, 13.5), (x, 13.5), (x, 3))

    return script


def fork(sides: Sequence[float]) -> Script:
    """Return a script that goes into one arm of the fork."""

    def script(player: Player, arena: int) -> None:
        walk(player, (12, 11.5), (12 + 6 * sides[arena], 14), (12 + 7 * sides[arena], 20))

    return script


def ram(pillars: Sequence[float]) -> Script:
    """Return a script that runs into a pillar, then fetches the food that falls off."""

    def script(player: Player, arena: int) -> None:
        x = pillars[arena]
        player.go_to(x, 5, near=0.15)
        player.face(0)
        foods = [thing for thing in player.world.things if type(thing).__name__ == "GoodGoal"]
        food = min(foods, key=lambda thing: abs(player.world.position_of(thing)[0] - x))
        player.forwards(16)
        player.wait(25)
        if food.id >= 0:
            number = foods.index(food)
            player.fetch("GoodGoal", number)

    return script


def round_one_wall(player: Player, arena: int) -> None:
    aside, behind = ((4.5, 15), (2.2, 19), (5, 16))[arena]
    walk(player, (aside, 6), (aside, behind))
    player.fetch("GoodGoal")


def past_company(player: Player, arena: int) -> None:
    walk(player, (10.1, 8), (10.1, 16))
    for _ in range(3):
        player.fetch("GoodGoalMulti")


def in_the_dark(*places: tuple[float, float]) -> Script:
    def script(player: Player, arena: int) -> None:
        thaw(player)
        walk(player, *places, speed=8)
        player.fetch("GoodGoal")

    return script


def behind_the_screen(sides: Sequence[float]) -> Script:
    """Return a script that goes down on one side, and round the screen."""

    def script(player: Player, arena: int) -> None:
        thaw(player)
        side = sides[arena]
        x = 18 + 14 * side
        walk(player, (x, 4), (x, 12), (x, 20))
        if (player.where("GoodGoalBounce")[0] > 18) == (side > 0):
            player.fetch("GoodGoalBounce")
        walk(player, (18 + 8 * side, 20))

    return script


def into_a_pen(places: Sequence[float]) -> Script:
    def script(player: Player, arena: int) -> None:
        thaw(player)
        x = places[arena]
        walk(player, (x, 4), (x, 17))

    return script


def every_arm(player: Player, arena: int) -> None:
    arms = {(14.0, 26.0): (0, 1), (26.0, 14.0): (1, 0), (14.0, 2.0): (0, -1), (2.0, 14.0): (-1, 0)}
    for (x, z), (along_x, along_z) in arms.items():
        # Beside the screen, then behind it.
        beside = (14 + 9 * along_x + 2.9 * along_z, 14 + 9 * along_z + 2.9 * along_x)
        walk(player, (14, 14), (beside[0] - 4 * along_x, beside[1] - 4 * along_z), beside)
        walk(player, (beside[0] + 2.4 * along_x, beside[1] + 2.4 * along_z), (x, z))
        if not player.world.over:
            walk(player, (beside[0] + 2.4 * along_x, beside[1] + 2.4 * along_z))
            walk(player, beside, (beside[0] - 4 * along_x, beside[1] - 4 * along_z))


def down_to_the_gold(sides: Sequence[int]) -> Script:
    """Return a script that collects everything on one side, the green ball last."""

    def script(player: Player, arena: int) -> None:
        side = sides[arena]
        walk(player, (13 + 6.5 * side, 4), (13 + 6.5 * side, 10))

        def numbers_on_side(name: str) -> list[int]:
            things = [thing for thing in player.world.things if type(thing).__name__ == name]
            return [n for n, thing in enumerate(things) if (player.world.position_of(thing)[0] - 13) * side > 0]

        while not player.world.over and numbers_on_side("GoodGoalMulti"):
            player.fetch("GoodGoalMulti", numbers_on_side("GoodGoalMulti")[0])
        player.fetch("GoodGoal", numbers_on_side("GoodGoal")[0])

    return script


def wait_till_ripe(player: Player, arena: int) -> None:
    player.wait(170)
    player.fetch("RipenGoalEpEnding")


def in_turn(first: Sequence[str], then: Sequence[str]) -> Script:
    """Return a script that fetches the first thing at once, the second when it is ripe."""

    def script(player: Player, arena: int) -> None:
        player.fetch(first[arena])
        walk(player, (11, 8))
        player.wait(180)
        player.fetch(then[arena])

    return script


def open_the_gate(player: Player, arena: int) -> None:
    press(player, 6, 11)
    walk(player, (12, 8), (12, 16))
    player.fetch("GoodGoal")


def press_one(places: Sequence[float]) -> Script:
    def script(player: Player, arena: int) -> None:
        press(player, places[arena], 13)
        if any(type(thing).__name__ == "GoodGoal" for thing in player.world.things):
            player.fetch("GoodGoal")

    return script


def push_through(doorways: Sequence[float]) -> Script:
    def script(player: Player, arena: int) -> None:
        x = doorways[arena]
        block = player.find("LightBlock")
        player.go_to(x, 8, near=0.15)
        player.face(0)
        player.push_until(lambda: player.world.position_of(block)[2] > 17)
        player.stop()
        walk(player, (x - 2.5, 14.2))
        player.fetch("GoodGoal")

    return script


def draw_the_hook(player: Player, arena: int) -> None:
    walk(player, (7, 8), (9, 15.2), (16, 15.2))
    player.face(180)
    player.push_until(lambda: player.where("GoodGoal")[1] < 17.0)
    player.stop()
    player.fetch("GoodGoal")


def push_the_stick(player: Player, arena: int) -> None:
    food = player.find("GoodGoal")
    player.go_to(10, 4, near=0.1, speed=5)
    player.face(0)
    player.push_until(lambda: player.world.position_of(food)[2] > 16.5)
    player.stop()
    walk(player, (5, 8), (5, 20))
    player.fetch("GoodGoal")


def step_on_the_mat(player: Player, arena: int) -> None:
    walk(player, (4, 8), (4, 12), (4, 7), (14, 7))
    player.fetch("GoodGoal")


SOLUTIONS: dict[str, Script] = {
    "food/first-steps": choose(0, 0, 0),
    "food/picnic": collect("GoodGoalMulti", 5),
    "food/runaway-apple": choose(0, 0, food="GoodGoalBounce"),
    "food/snack-machine": wait_at_the_machine,
    "preferences/big-or-small": choose(1, 0),
    "preferences/green-or-red": fork((-1, 1)),
    "preferences/gold-before-green": gold_then_green,
    "obstacles/the-corner": way((21, 7), (21, 21), (14, 21)),
    "obstacles/the-tunnel": way((15, 9), (15, 20)),
    "obstacles/the-window": way((4.5, 8), (4.5, 19), (12, 19)),
    "obstacles/hedge-maze": way((15, 3), (15, 9), (21, 9), (21, 15), (9, 15), (9, 21)),
    "avoidance/zigzag": way((21, 4), (21, 15), (3, 15), (3, 25)),
    "avoidance/hot-floor": way((20, 6), (20, 16), (20, 24)),
    "avoidance/red-field": way((12, 9), (10, 12), (10, 15), (12, 17), (12, 21)),
    "space/follow-the-arrow": into_the_arm((-1, 1)),
    "space/round-the-back": way((4, 8), (4, 26), (12, 26)),
    "space/which-pillar": ram((12, 16, 8)),
    "space/the-bridge": way((16, 3), (16, 30), speed=5),
    "generalisation/new-clothes": round_one_wall,
    "generalisation/purple-apples": choose(0, 0, 0),
    "generalisation/company": past_company,
    "models/lights-out": in_the_dark((3, 6), (3, 14)),
    "models/flicker": way((3, 6), (3, 15), (19, 15), (19, 24)),
    "models/dark-causeway": in_the_dark((10, 19.5), (15, 19.5)),
    "memory/left-or-right": behind_the_screen((-1, 1)),
    "memory/three-pens": into_a_pen((4, 20)),
    "memory/four-arms": every_arm,
    "numbers/more-or-fewer": down_to_the_gold((1, -1)),
    "numbers/marshmallow": wait_till_ripe,
    "numbers/fading-first": in_turn(("DecayGoal", "ShrinkGoal"), ("RipenGoal", "GrowGoal")),
    "causes/the-gate": open_the_gate,
    "causes/which-button": press_one((6, 18)),
    "causes/clear-the-doorway": push_through((12, 17.5)),
    "causes/the-hook": draw_the_hook,
    "causes/the-stick": push_the_stick,
    "causes/magic-mat": step_on_the_mat,
}


def straight_ahead(player: Player, arena: int) -> None:
    player.forwards(600)


def just_the_green(player: Player, arena: int) -> None:
    player.fetch("GoodGoal")


# Attempts of a player that lacks the ability the task tests.
MISTAKES: dict[str, Script] = {
    "preferences/big-or-small": choose(0, 1),
    "preferences/green-or-red": fork((1, -1)),
    "preferences/gold-before-green": just_the_green,
    "space/follow-the-arrow": into_the_arm((1, -1)),
    "memory/left-or-right": behind_the_screen((1, -1)),
    "memory/three-pens": into_a_pen((12, 4)),
    "numbers/more-or-fewer": down_to_the_gold((-1, 1)),
    "numbers/marshmallow": just_the_green,
    "numbers/fading-first": in_turn(("RipenGoal", "GrowGoal"), ("DecayGoal", "ShrinkGoal")),
    "causes/which-button": press_one((18, 6)),
    **dict.fromkeys(
        (
            *("obstacles/the-corner", "obstacles/the-tunnel", "obstacles/the-window", "obstacles/hedge-maze"),
            *("avoidance/zigzag", "avoidance/red-field", "space/round-the-back", "space/the-bridge"),
            *("generalisation/new-clothes", "generalisation/company", "models/lights-out", "models/flicker"),
            *("models/dark-causeway", "memory/four-arms", "causes/the-gate", "causes/the-hook", "causes/magic-mat"),
        ),
        straight_ahead,
    ),
}
