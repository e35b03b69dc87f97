"""Tasks that scripts pass: they read the true state, and their actions alone pass again in a new world."""

from math import cos, radians, sin
from pathlib import Path

import pytest

from player import Player, passes, replay, solved
from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import FORWARDS, NOOP


def arena(items: str, *, time_limit: int = 250, pass_mark: float = 0.5) -> Task:
    """Return a task of one arena with these items."""
    reading = read(f"arenas:\n  - time_limit: {time_limit}\n    pass_mark: {pass_mark}\n    items:\n{items}")
    assert reading.task is not None and not reading.findings, reading.findings
    return reading.task


def charge(task: Task) -> World:
    """Return the world after an animal has only run ahead."""
    world = World(task)
    while not world.over:
        world.step([FORWARDS])
    return world


def test_food_straight_ahead_is_solved_by_going_ahead() -> None:
    task = arena("""
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: GoodGoal, at: [20, 0, 30], size: 1}
    """)
    solved(task, lambda player: player.forwards(40))
    assert passes(charge(task))
    assert not passes(replay(task, [NOOP] * 500))


def test_y_maze_can_be_solved() -> None:
    task = arena("""
      - {name: Agent, at: [20, 0, 3], rotation: 0}
      - {name: Wall, at: [[18, 0, 7.5], [22, 0, 7.5]], rotation: 0, size: [0.5, 3, 15]}
      - {name: Wall, at: [[13.4, 0, 20.6], [15.4, 0, 26.6]], rotation: 315, size: [0.5, 3, 12]}
      - {name: Wall, at: [[26.6, 0, 20.6], [24.6, 0, 26.6]], rotation: 45, size: [0.5, 3, 12]}
      - {name: GoodGoal, at: [12, 0, 26], size: 1}
      - {name: BadGoal, at: [28, 0, 26], size: 1}
    """)

    def into_the_arm(player: Player, x: float) -> None:
        player.go_to(20, 17.5)
        player.go_to(x, 26)

    solved(task, lambda player: into_the_arm(player, 12))
    assert not passes(charge(task))
    wrong = Player(task)
    into_the_arm(wrong, 28)
    assert wrong.world.terminated and wrong.animal.total < 0.0


def test_detour_round_glass_can_be_solved() -> None:
    task = arena("""
      - {name: Agent, at: [20, 0, 10], rotation: 0}
      - {name: WallTransparent, at: [20, 0, 20], rotation: 0, size: [16, 3, 0.5]}
      - {name: WallTransparent, at: [[12, 0, 17], [28, 0, 17]], rotation: 0, size: [0.5, 3, 5]}
      - {name: GoodGoal, at: [20, 0, 22], size: 1}
    """)

    def script(player: Player) -> None:
        player.go_to(9.5, 12)
        player.go_to(9.5, 22)
        player.fetch("GoodGoal")

    solved(task, script)
    assert not passes(charge(task))


def test_ramp_to_a_platform_can_be_solved() -> None:
    task = arena("""
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Wall, at: [20, 0, 25], rotation: 0, size: [6, 2, 6]}
      - {name: Ramp, at: [26.1, 0, 25], rotation: 90, size: [4, 2, 6]}
      - {name: GoodGoal, at: [19, 2, 25], size: 1}
    """)

    def script(player: Player) -> None:
        player.go_to(33, 12)
        player.go_to(33, 25)
        player.fetch("GoodGoal")

    assert solved(task, script).highest > 2.0
    assert not passes(charge(task))


def test_tunnel_can_be_solved() -> None:
    task = arena("""
      - {name: Agent, at: [10, 0, 5], rotation: 0}
      - {name: Wall, at: [[9.1, 0, 20], [30.9, 0, 20]], rotation: 0, size: [18.2, 4, 1]}
      - {name: Wall, at: [20, 1.8, 20], rotation: 0, size: [3.4, 2, 1]}
      - {name: CylinderTunnel, at: [20, 0, 20], rotation: 0, size: [3.5, 3.5, 6]}
      - {name: GoodGoal, at: [10, 0, 30], size: 1}
    """)

    def script(player: Player) -> None:
        player.go_to(20, 12)
        player.go_to(20, 28)
        player.fetch("GoodGoal")

    assert solved(task, script).highest < 0.6  # through it, not over it
    assert not passes(charge(task))


def test_button_then_food_can_be_solved() -> None:
    task = arena("""
      - {name: Agent, at: [19.8, 0, 8], rotation: 0}
      - {name: SpawnerButton, at: [20, 0, 20], rotation: 90, reward_names: [GoodGoal], reward_at: [30, 0, 30]}
    """)

    def script(player: Player) -> None:
        player.go_to(19.8, 17)
        player.forwards(10)
        player.wait(15)  # the button takes a second to move in
        player.go_to(26, 17)
        player.fetch("GoodGoal")

    solved(task, script)
    assert not passes(charge(task))
    idle = Player(task)
    idle.go_to(26, 17)
    idle.go_to(30, 30)
    assert not idle.world.over  # there is nothing before the press


def test_foraging_under_a_tree_can_be_solved() -> None:
    task = arena(
        """
      - {name: Agent, at: [10, 0, 10], rotation: 0}
      - {name: SpawnerTree, at: [20, 0, 20], spawn_count: 3, delay: 1, time_between_spawns: 2, ripen_time: 3}
        """,
        pass_mark=2,
    )

    def script(player: Player) -> None:
        player.wait(200)
        for _ in range(3):
            player.fetch("GoodGoalMulti")

    assert solved(task, script).animal.collected == 3
    assert not passes(charge(task))


def radial_maze(food: tuple[int, ...]) -> str:
    """Return a task with eight arms round the middle, an eighth of a turn apart; food at the end of some."""
    walls, turns = [], []
    for arm in range(8):
        along, across = sin(radians(45 * arm)), cos(radians(45 * arm))
        for side in (-1.7, 1.7):
            walls.append([round(20 + 11 * along + side * across, 2), 0, round(20 + 11 * across - side * along, 2)])
            turns.append(45 * arm)
    ends = [[round(x, 2), 0, round(z, 2)] for x, z in map(arm_end, food)]
    return f"""
      - {{name: Agent, at: [20, 0, 20], rotation: 0}}
      - {{name: Wall, at: {walls}, rotation: {turns}, size: [0.2, 3, 12]}}
      - {{name: GoodGoalMulti, at: {ends}, size: 1}}
    """


def arm_end(arm: int) -> tuple[float, float]:
    """Return the position of the food of an arm."""
    return 20 + 15 * sin(radians(45 * arm)), 20 + 15 * cos(radians(45 * arm))


def test_radial_maze_can_be_solved() -> None:
    food = (0, 2, 3, 5)
    task = arena(radial_maze(food), time_limit=500, pass_mark=3)

    def script(player: Player) -> None:
        for visited, arm in enumerate(food, start=1):
            player.go_to(*arm_end(arm), near=1.2)
            assert player.animal.collected == visited
            assert player.world.over == (visited == len(food))  # the last one ends it, and only the last
            player.go_to(20, 20)

    solved(task, script)
    assert not passes(charge(task))


def test_block_off_a_platform_can_be_solved() -> None:
    """A block fills the only way off a walled platform; the food is on the floor beside it."""
    items = """
      - {name: Agent, at: [20, 2, 7], rotation: 0}
      - {name: Wall, at: [20, 0, 11], rotation: 0, size: [4.4, 2, 12]}
      - {name: Wall, at: [[18.1, 2, 11], [21.9, 2, 11]], rotation: 0, size: [0.4, 4, 12]}
      - {name: Wall, at: [20, 2, 5.2], rotation: 0, size: [3.2, 4, 0.3]}
      - {name: %s, at: [20, 2, 14], rotation: 0, size: [2.8, 2.8, 2]}
      - {name: GoodGoal, at: [30, 0, 11], size: 1}
    """

    def script(player: Player) -> None:
        block = player.find("LightBlock")
        assert player.world.position_of(block)[1] > 3.0
        player.push_until(lambda: player.world.position_of(block)[1] < 2.0)
        player.wait(30)
        _, y, z = player.world.position_of(block)
        assert y < 1.5 and z > 17.0
        player.go_to(30, 22)
        player.fetch("GoodGoal")

    actions = solved(arena(items % "LightBlock"), script).actions
    # With a wall in the block's place the food cannot be reached: the push opens the way.
    assert not passes(replay(arena(items % "Wall"), actions))
    assert not passes(charge(arena(items % "LightBlock")))


def test_food_in_a_death_zone_can_be_hooked_out() -> None:
    """A U lies half in the zone with the food between its feet: pushing the near foot away pulls the far one out."""
    task = arena(
        """
      - {name: Agent, at: [20.5, 0, 4], rotation: 0}
      - {name: DeathZone, at: [20, 0, 24], rotation: 0, size: [12, 0.5, 12]}
      - {name: UBlock, at: [23, 0, 18], rotation: 90, size: [5, 1, 10]}
      - {name: GoodGoal, at: [20.5, 0, 22], size: 1}
        """,
        time_limit=500,
    )

    def script(player: Player) -> None:
        start = player.where("UBlock")
        player.go_to(12, 8)
        player.go_to(14, 15.2)
        player.go_to(21, 15.2)
        assert player.where("UBlock") == pytest.approx(start, abs=0.02)
        player.face(180)
        player.push_until(lambda: player.where("GoodGoal")[1] < 17.0)
        player.stop()
        assert player.where("UBlock")[1] < start[1] - 4.0
        player.fetch("GoodGoal")

    solved(task, script)
    greedy = charge(task)
    assert greedy.terminated and greedy.animals[0].total < 0.0


def test_food_on_a_support_can_be_solved() -> None:
    """Food on a block, too high to touch: ramming the block brings it down."""
    items = """
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: %s, at: [20, 0, 20], rotation: 0, size: [1, 2, 1]}
      - {name: GoodGoal, at: [20, 2, 20], size: 1}
    """

    def script(player: Player) -> None:
        food = player.find("GoodGoal")
        assert player.world.position_of(food)[1] > 2.0
        player.push_until(lambda: food.id < 0 or player.world.position_of(food)[1] < 1.0)
        player.fetch("GoodGoal")

    actions = solved(arena(items % "LightBlock"), script).actions
    assert not passes(replay(arena(items % "Wall"), actions))
    assert not passes(charge(arena(items % "Wall")))


def original(reference: Path, name: str) -> Task:
    """Return a task of the original's testbed."""
    reading = read((reference / "data" / "animal-ai" / "testbed-sample" / f"{name}.yaml").read_bytes())
    assert reading.task is not None
    return reading.task


def test_original_task_of_pushing_food_through_a_zone_can_be_solved(reference: Path) -> None:
    """10-02: a long block is the stick that sends the food out of the zone on the far side."""
    task = original(reference, "10-02-02")

    def script(player: Player) -> None:
        player.go_to(4.5, 20, near=0.1, speed=5)
        player.face(90)
        player.push_until(lambda: player.where("GoodGoal")[0] > 21.0)
        player.stop()
        player.go_to(10, 11)
        player.go_to(28, 11)
        assert player.where("GoodGoal")[0] > 25.5
        player.fetch("GoodGoal")

    solved(task, script)
    assert not passes(charge(task))


def test_original_string_pulling_can_be_solved(reference: Path) -> None:
    """10-05: food in a death zone, hooked by a U."""
    task = original(reference, "10-05-02")

    def script(player: Player) -> None:
        for x, z in ((16, 5), (25, 6), (25, 12), (18.6, 12.5)):
            player.go_to(x, z)
        player.face(180)
        player.push_until(lambda: player.where("GoodGoal")[1] < 14.0)
        player.stop()
        player.fetch("GoodGoal")

    solved(task, script)
    assert not passes(charge(task))


def test_original_task_of_choosing_a_block_can_be_solved(reference: Path) -> None:
    """10-26: two blocks close the gaps of a low wall, and the food lies right behind the first."""
    task = original(reference, "10-26-02")

    def push(player: Player, number: int) -> None:
        player.go_to(8, 18)
        player.go_to(17, player.where("LightBlock", number)[1])
        player.face(90)
        player.push_until(lambda: player.where("LightBlock", number)[0] > 22.0)
        player.stop()

    def script(player: Player) -> None:
        push(player, 1)
        player.go_to(22, 20)
        player.fetch("GoodGoal")

    solved(task, script)
    wrong = Player(task)
    push(wrong, 0)
    wrong.wait(60)
    assert wrong.where("GoodGoal")[0] > 25.0  # it has rolled into the zone


def test_original_trap_tube_can_be_solved(reference: Path) -> None:
    """10-29: food in a tube with a stick at either end; it has to come out on the side without the trap."""
    task = original(reference, "10-29-02")

    def push(player: Player, number: int, outside: float, heading: float) -> None:
        player.go_to(outside, 8)
        player.go_to(outside, 20, near=0.1, speed=5)
        player.face(heading)
        start = player.where("HeavyBlock", number)[0]
        player.push_until(lambda: abs(player.where("HeavyBlock", number)[0] - start) > 3.2)
        player.wait(20)
        player.go_to(outside, 20)
        player.go_to(outside, 8)

    def script(player: Player) -> None:
        push(player, 0, 2.5, 90)
        assert player.where("GoodGoal")[0] > 22.5
        player.go_to(23.5, 8)
        player.fetch("GoodGoal")

    solved(task, script)
    trapped = Player(task)
    push(trapped, 1, 37.5, 270)
    assert 15.5 < trapped.where("GoodGoal")[0] < 17.5
    trapped.go_to(16.5, 8)
    trapped.go_to(16.5, 20)
    assert trapped.world.terminated and trapped.animal.total < 0.0
