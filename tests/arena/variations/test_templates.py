"""The bundled templates: the number of their tasks, that all of them are valid, and that they can be solved.

A script knows what was chosen for its variation and plays it by the true state; its bare actions pass again.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from player import Player, passes, replay, solved
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.findings import covering_variations, findings
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.batteries import template_names

Values = dict[str, Any]
FAMILIES = {"object-permanence": 12_000, "basic-control": 260_000}
MEMBERS = [name for name in template_names() if name.split("/")[0] in FAMILIES and name not in FAMILIES]
# Physics steps are 0.02 s and an action takes three.
_ACTIONS_A_SECOND = 17
_SAMPLED = 3


def thaw(player: Player, seconds: float) -> None:
    player.wait(round(seconds * _ACTIONS_A_SECOND) + 5)


def food_at(player: Player) -> tuple[float, float]:
    return player.where("GoodGoal")


def cups(player: Player, values: Values) -> None:
    """Go through the gap beside the pen with the food, and in from behind."""
    thaw(player, values["wait"])
    x, _ = food_at(player)
    beside = x - values["spacing"] / 2 if values["target"] else x - 4
    player.go_to(beside, values["ahead"] - 3)
    player.go_to(beside, values["ahead"] + 7)
    player.go_to(x, values["ahead"] + 7)
    player.fetch("GoodGoal")


def falling(player: Player, values: Values) -> None:
    """Go round the nearer end of the wall."""
    thaw(player, values["wait"])
    end = 20 + (1 if values["aside"] > 0 else -1) * (values["width"] / 2 + 2)
    player.go_to(end, values["ahead"] - 3)
    player.go_to(end, values["ahead"] + values["behind"])
    player.fetch("GoodGoal")


def occluders(player: Player, values: Values) -> None:
    """Go to the gap, or beyond the far screen, and in from behind."""
    thaw(player, 10)

    def mirror(x: float) -> float:
        return x if values["side"] == "none" else 40 - x

    gap = mirror(23.5)
    x, z = food_at(player)
    player.go_to(gap, values["ahead"] - 3, near=0.2, speed=6)
    player.go_to(gap, z + 4, near=0.3, speed=6)
    player.go_to(x, z + 4)
    player.fetch("GoodGoal")


def approach(player: Player, values: Values) -> None:
    player.fetch("GoodGoal")


def avoid(player: Player, values: Values) -> None:
    """Go past the side of the danger that is nearer to the food."""

    def mirror(z: float) -> float:
        return z if values["side"] == "none" else 40 - z

    middle = 20 + values["aside"]
    end = middle + (1 if values["food_x"] > middle else -1) * (values["width"] / 2 + 2)
    for z in (values["ahead"] - values["depth"] / 2 - 2, values["ahead"] + values["depth"] / 2 + 2):
        player.go_to(end, mirror(z))
    player.fetch("GoodGoal")


def rotate_point(x: float, z: float, degrees: float) -> tuple[float, float]:
    """Return a point of an arena of 40 m after the arena was turned."""
    for _ in range(int(degrees) // 90):
        x, z = z, 40 - x
    return x, z


def climb(player: Player, values: Values) -> None:
    """Go to the foot of the ramp, then up."""
    foot = values["z"] - values["width"] / 2 - values["length"] - 2
    player.go_to(*rotate_point(values["x"], foot, values["turn"]))
    player.go_to(*rotate_point(values["x"], values["z"] - values["width"] / 2, values["turn"]), near=1.0, speed=8)
    player.fetch("GoodGoal")


def push(player: Player, values: Values) -> None:
    """Push the block out of the doorway, then go round it to the food."""
    player.go_to(values["door_x"], values["wall_z"] - 4, near=0.15, speed=5)
    player.face(0)
    kind = values["block"]
    player.push_until(lambda: player.where(kind)[1] > values["wall_z"] + 4)
    player.stop()
    aside = 1 if values["food_x"] > values["door_x"] else -1
    player.go_to(values["door_x"] + aside * 0.5, values["wall_z"] + 1.3)
    player.go_to(values["door_x"] + aside * 4, values["wall_z"] + 1.6)
    player.fetch("GoodGoal")


def press(player: Player, values: Values) -> None:
    """Run into the button, step back, and take the reward."""

    def go_to(x: float, z: float) -> None:
        player.go_to(*rotate_point(x, z, values["turn"]))

    x, z = values["button_x"], values["button_z"]
    go_to(x - 0.2, z - 4)
    player.face(values["turn"])
    player.forwards(10)
    player.wait(round(values["slowness"] * _ACTIONS_A_SECOND) + 3)
    aside = 1 if values["food_x"] > x else -1
    go_to(x + aside * 3, z - 3)
    player.fetch("GoodGoal")


def collect(player: Player, values: Values) -> None:
    for _ in range(values["amount"]):
        player.fetch("GoodGoalMulti")


SCRIPTS: dict[str, Callable[[Player, Values], None]] = {
    "object-permanence/cups": cups,
    "object-permanence/falling": falling,
    "object-permanence/occluders": occluders,
    "basic-control/approach": approach,
    "basic-control/avoid": avoid,
    "basic-control/climb": climb,
    "basic-control/push": push,
    "basic-control/press": press,
    "basic-control/collect": collect,
}


def test_every_template_has_a_script() -> None:
    assert set(SCRIPTS) == set(MEMBERS)


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_large(name: str) -> None:
    family = Template(name)
    assert family.count >= FAMILIES[name]
    members = [each for each in MEMBERS if each.startswith(name)]
    assert family.count == sum(Template(each).count for each in members)
    # The members follow one another, and the family's numbers go through all of them.
    assert family[0].values["template"] != family[-1].values["template"]
    assert sum(family.split(each).count for each in family.splits) == family.count


# A family is tested through its members, apart from how they are combined.
EACH = [pytest.param(name, marks=pytest.mark.slow) if "/" not in name else name for name in template_names()]


@pytest.mark.parametrize("name", EACH)
def test_every_value_makes_a_sound_task(name: str) -> None:
    def unplaced(task: Any) -> list[str]:
        return [str(failure) for failure in World(task, seed=0).unplaced]

    template = Template(name)
    template.check()
    assert template.title
    assert findings(template, unplaced) == []


@pytest.mark.parametrize("name", MEMBERS)
def test_tasks_are_tagged(name: str) -> None:
    for variation in Template(name).sample(5, seed=3):
        metadata = variation.task.metadata
        assert metadata.tags[0] == name.split("/")[0].replace("-", " ")
        assert metadata.title and metadata.description and "$" not in metadata.title + metadata.description


@pytest.mark.parametrize("name", MEMBERS)
def test_sampled_variations_can_be_solved(name: str) -> None:
    for variation in Template(name).sample(_SAMPLED, seed=11):
        task, values = variation.task, variation.values
        try:
            solved(task, lambda player, values=values: SCRIPTS[name](player, values))
        except AssertionError as problem:
            raise AssertionError(f"{variation.description()}: {problem}") from problem
        assert not passes(replay(task, [NOOP] * 100))


@pytest.mark.parametrize("name", [name for name in MEMBERS if name.startswith("object-permanence")])
def test_permanence_has_a_visible_control(name: str) -> None:
    """The test and its control differ in the glass alone, and in the test the food is out of sight in the end."""
    template = Template(name)
    for hidden in template.sample(4, seed=5):
        number = hidden.number % (template.count // 2)
        hidden, visible = template[number], template[number + template.count // 2]
        same = {"wall": 0, "view": 0, "control": 0}
        assert {**hidden.values, **same} == {**visible.values, **same}
        assert (hidden.labels[-1], visible.labels[-1]) == ("hidden", "visible")
        assert hidden.task.arenas[0].metadata.explicit_values()["control"] == "test"
        assert visible.task.arenas[0].metadata.explicit_values()["control"] == "control"
        assert (_sees_food(hidden), _sees_food(visible)) == (False, True)


def _sees_food(variation: Variation) -> bool:
    """Return whether some pixel shows the food when the animal can first move; glass is transparent."""
    from puzzlebox.arena.senses.camera import Camera

    world = World(variation.task, seed=0)
    for _ in range(round(float(variation.values.get("wait", 10)) * _ACTIONS_A_SECOND)):
        world.step([NOOP])
    food = next(number for number, thing in world.present.items() if type(thing).__name__ == "GoodGoal")
    return bool((Camera(128, through=True).segments(world) == food).any())


def test_showing_all_shows_every_value() -> None:
    template = Template("basic-control/approach")
    value_text = {variation.values["theme"] for variation in covering_variations(template)}
    assert value_text == {"classic", "laboratory", "meadow", "desert", "snow", "night"}


def test_drawing_from_a_family_goes_by_member() -> None:
    """Each template is as likely as any other, however many variations it has."""
    family, random = Template("object-permanence"), Random(1)
    drawn = [family.draw(random).values["template"] for _ in range(300)]
    assert all(70 < drawn.count(each) < 130 for each in ("cups", "occluders", "falling"))
