"""Rays against recordings of the original and against the kernel's own distances; and vitals."""

from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

from arenas import random_task
from puzzlebox.arena.senses.rays import LENGTH, RADIUS, TAGS, Rays
from puzzlebox.arena.senses.vitals import HIGH, LOW, NAMES, Vitals
from puzzlebox.arena.things import CATALOGUE
from puzzlebox.arena.world import Rules, World
from test_original_runs import action_of, episodes
from worlds import FINE, FORWARDS, NOOP, parsed, run, world_of

AGENT = "name: Agent, at: [20, 0, 20], rotation: 0"


@pytest.mark.parametrize(
    ("log", "file"),
    [("Template_datazones.csv", "testDatazone.yml"), ("Template_observations.csv", "testUnmergedArenas.yml")],
)
def test_rays_agree_with_every_ray_in_the_originals_logs(log: str, file: str, reference: Path) -> None:
    folder = reference / "data" / "animal-ai" / "e2e"
    task, rays, compared = parsed((folder / file).read_text()), Rays(9, 60), 0
    for number, rows in enumerate(episodes(folder / log)):
        world = World(task, arena=number % len(task.arenas), rules=FINE)
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            recorded = [entry.split(":") for entry in row["CombinedRaycastData"].split(";")]
            hits = rays.hits(world)
            assert [tag for tag, _ in hits] == [tag for _, tag in recorded], row["Step"]
            assert [far for _, far in hits] == pytest.approx([float(far) for far, _ in recorded], abs=1e-4), row["Step"]
            compared += len(hits)
            if following is not None:
                world.step([action_of(following)])
    assert compared > 300


def test_the_measured_values_of_the_first_row() -> None:
    world = world_of(AGENT, "name: GoodGoal, at: [20, 0, 25], size: 1")
    distances = [far for _, far in Rays(9, 60).hits(world)]
    # docs/original/senses.md#a-recorded-fan
    assert distances[::2] == pytest.approx([0.0200025, 0.02100105, 0.1009394, 0.1055332, 0.1125833], abs=1e-6)
    assert distances[1::2] == pytest.approx(distances[2::2])


def test_the_middle_comes_first_then_right_then_left() -> None:
    world = world_of(AGENT, "name: GoodGoal, at: [25, 0, 25], size: 1")
    tags = [tag for tag, _ in Rays(5, 180).hits(world)]
    assert tags == ["arena", "goodGoal", "arena", "arena", "arena"]


def test_each_ray_is_a_tag_and_a_distance() -> None:
    world = world_of(AGENT, "name: GoodGoal, at: [20, 0, 25], size: 1")
    rows = Rays(3, 180).cast(world).reshape(3, len(TAGS) + 2)
    assert rows.dtype == np.float32
    expected = np.zeros_like(rows)
    expected[0, TAGS.index("goodGoal")] = expected[1:, TAGS.index("arena")] = 1
    expected[:, -1] = (5 - 0.5 - 0.4995) / LENGTH, 19.5 / LENGTH, 19.5 / LENGTH
    assert rows == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("rules", "tags"), [("puzzlebox", 18), ("4.3", 12), ("3.1", 12), ("2019", 6)])
def test_the_columns_of_each_build(rules: str, tags: int) -> None:
    world = world_of(
        AGENT,
        "name: DecoyGoal, at: [20, 0, 25], size: 1",
        "name: DeathZone, at: [30, 0, 20], size: [4, 0, 4]",
        rules=rules,
    )
    rays = Rays(3, 180)
    assert rays.tags(world.rules) == TAGS[:tags]
    rows = rays.cast(world).reshape(3, tags + 2)
    ahead, right = rows[:2, :-1]
    assert list(np.flatnonzero(ahead)) == ([TAGS.index("DecoyGoal")] if tags == 18 else [])
    # With six tags a DeathZone was a bad goal.
    assert list(np.flatnonzero(right)) == [TAGS.index("badGoal" if tags == 6 else "DeathZone")]
    assert np.all(rows[:, -1] > 0)


def test_a_buffer_is_overwritten() -> None:
    world = world_of(AGENT)
    rays = Rays(3)
    buffer = np.full(rays.size(world.rules), 7, np.float32)
    assert rays.cast(world, 0, buffer) is buffer
    assert np.array_equal(buffer, rays.cast(world))


@pytest.mark.parametrize(("rules", "dark"), [("puzzlebox", True), ("4.3", False)])
def test_rays_are_zero_in_the_dark_except_under_4_3(rules: str, dark: bool) -> None:
    world = world_of(AGENT, rules=rules, blackouts="[0, 2]")
    assert not world.lights
    assert np.all(Rays().cast(world) == 0) == dark
    run(world, [NOOP] * 4)
    assert world.lights
    assert np.any(Rays().cast(world) != 0)


def test_rays_see_a_zone_from_outside_but_not_from_within() -> None:
    zone = "name: DataZone, at: [20, 0, 20], size: [6, 1, 6], visible: false, rotation: 0"
    inside = world_of(AGENT, zone)
    assert Rays(1).hits(inside)[0][0] == "arena"
    outside = world_of("name: Agent, at: [20, 0, 5], rotation: 0", zone)
    assert Rays(1).hits(outside)[0] == ("DataZone", pytest.approx((15 - 3 * 0.999 - 0.5) / LENGTH))


def test_a_flat_zone_is_met_where_the_ball_sinks_into_it() -> None:
    world = world_of(AGENT, "name: HotZone, at: [20, 0, 30], size: [6, 0, 6], rotation: 0")
    run(world, [NOOP] * 20)
    tag, far = Rays(1).hits(world)[0]
    assert tag == "HotZone"
    edge = 10 - 3 * 0.999
    assert edge - 0.5 < far * LENGTH < edge


def test_the_trigger_of_a_button_is_met_without_a_name() -> None:
    button = "name: SpawnerButton, at: [30, 0, 20], rotation: {}"
    facing = world_of("name: Agent, at: [20, 0, 19.8], rotation: 90", button.format(180))
    assert Rays(1).hits(facing)[0][0] == ""
    assert not np.any(Rays(1).cast(facing)[:-1])
    behind = world_of("name: Agent, at: [20, 0, 19.8], rotation: 90", button.format(0))
    assert Rays(1).hits(behind)[0][0] == "PillarButton"


def test_rays_see_another_agent_and_not_their_own() -> None:
    world = world_of(AGENT, "name: Agent, at: [20, 0, 30], rotation: 90")
    rays = Rays(1)
    assert rays.hits(world)[0] == ("agent", pytest.approx(9 / LENGTH))
    assert rays.hits(world, 1)[0][0] == "arena"


def test_through_a_tunnel_and_onto_its_rim() -> None:
    tunnel = "name: CylinderTunnel, at: [20, 0, 25], size: [5, 5, 5], rotation: 0"
    through = world_of(AGENT, tunnel)
    assert Rays(1).hits(through)[0][0] == "arena"
    rim = world_of("name: Agent, at: [22.3, 0, 20], rotation: 0", tunnel)
    assert Rays(1).hits(rim)[0] == ("Immovable", pytest.approx((5 - 2.5 * 0.999 - 0.5) / LENGTH, abs=1e-4))
    sideways = world_of("name: Agent, at: [10, 0, 25], rotation: 90", tunnel)
    assert Rays(1).hits(sideways)[0][0] == "Immovable"


def test_a_ramp_is_met_on_its_slope() -> None:
    world = world_of(
        "name: Agent, at: [20, 0, 10], rotation: 0", "name: Ramp, at: [20, 0, 20], size: [4, 2, 4], rotation: 180"
    )
    run(world, [NOOP] * 20)
    tag, far = Rays(1).hits(world)[0]
    slope = 20 - 2 * 0.999
    assert tag == "Immovable"
    assert slope - 10 - 0.5 < far * LENGTH < slope - 10 + 2


@pytest.mark.parametrize("seed", range(25))
def test_rays_agree_with_the_distances_of_the_kernel(seed: int) -> None:
    """The ball fits just before the position where it hits something, and no longer just after it."""
    rng = np.random.default_rng(seed)
    world = World(random_task(rng), seed=seed, rules="4.3")
    run(world, [FORWARDS] * int(rng.integers(1, 8)))
    if world.over:
        return
    solids, state, animal = world.engine.solids, world.state(), world.animals[0]
    start = np.array(world.position_of(animal))
    yaws = [float(yaw) for yaw in rng.uniform(0, 2 * np.pi, 15)]
    beside = {0, animal.id, *solids.near(state, tuple(start), RADIUS + 1e-9, 15)}
    for yaw, (thing, _, far) in zip(yaws, solids.cast(state, animal.id, yaws, RADIUS, LENGTH), strict=True):
        towards = np.array((sin(yaw), 0.0, cos(yaw)))
        for way in np.linspace(0, max(far - 1e-6, 0), 60):
            assert set(solids.near(state, tuple(start + way * towards), RADIUS - 1e-5, 15)) <= beside
        # Rotations have single precision, which makes these distances slightly uncertain.
        assert thing in (-1, *solids.near(state, tuple(start + far * towards), RADIUS + 1e-5, 15))


@pytest.mark.parametrize("count", [0, 2, -1, 2.5, "5", True, 10**6])
def test_invalid_numbers_of_rays_are_refused(count: object) -> None:
    with pytest.raises(ValueError, match="it must be an odd number"):
        Rays(count)  # type: ignore[arg-type]


@pytest.mark.parametrize("degrees", [-1, 361, "60", float("nan")])
def test_invalid_angles_of_the_fan_are_refused(degrees: object) -> None:
    with pytest.raises(ValueError, match="it must be from 0 to 360"):
        Rays(5, degrees)  # type: ignore[arg-type]


def test_the_tags_of_all_things_are_known_or_deliberately_not() -> None:
    unknown = {name for name, thing in CATALOGUE.items() if thing.tag not in TAGS}
    assert unknown == {"GrowGoal", "ShrinkGoal"}


def test_the_fan_turns_with_the_animal() -> None:
    world = world_of(AGENT, "name: GoodGoal, at: [25, 0, 20], size: 1")
    world.animals[0].face(90)
    assert Rays(1).hits(world)[0][0] == "goodGoal"


def test_rules_choose_the_layout() -> None:
    assert Rays(5).size(Rules()) == 100
    assert Rays(5).size(Rules.named("4.3")) == 70
    assert Rays(5).size(Rules.named("2019")) == 40


# --- vitals


def test_vitals_are_health_velocity_and_position() -> None:
    world = world_of("name: Agent, at: [20, 0, 20], rotation: 30", time_limit=100, rules=FINE)
    first = Vitals().feel(world)
    assert first.dtype == np.float32
    assert first == pytest.approx([100, 0, 0, 0, 20, 0.51, 20])
    run(world, [NOOP] * 10 + [FORWARDS] * 40)
    named = dict(zip(NAMES, Vitals().feel(world).tolist(), strict=True))
    assert named["health"] == pytest.approx(90.0)
    assert named["velocity_forward"] > 10
    assert named["velocity_right"] == pytest.approx(0, abs=1e-3)
    assert named["x"] - 20 == pytest.approx((named["z"] - 20) * np.tan(np.radians(30)), abs=1e-3)


def test_velocity_is_that_of_the_animals_own_axes() -> None:
    world = world_of("name: Agent, at: [20, 0, 20], rotation: 0", rules=FINE)
    run(world, [NOOP] * 10 + [FORWARDS] * 20)
    speed = float(Vitals().feel(world)[3])
    world.animals[0].face(90)
    assert Vitals().feel(world)[1:4] == pytest.approx([-speed, 0, 0], abs=1e-4)
    world.animals[0].face(270)
    assert Vitals().feel(world)[1:4] == pytest.approx([speed, 0, 0], abs=1e-4)


def test_each_animal_has_its_own_rays() -> None:
    world = world_of(AGENT, "name: Agent, at: [5, 0, 6], rotation: 90", "name: LightBlock, at: [10, 0, 10]")
    buffer = np.empty(7, np.float32)
    assert Vitals().feel(world, 1, buffer) is buffer
    assert buffer[4:].tolist() == pytest.approx([5, 0.51, 6])


@pytest.mark.parametrize("lost", [np.nan, np.inf, -1e6])
def test_vitals_stay_finite_where_the_physics_fails(lost: float) -> None:
    world = world_of(AGENT)
    state = np.frombuffer(world.state(), np.float32).copy()
    state[4:10] = lost
    world._motion.state, world.error = state.tobytes(), "lost"
    vitals = Vitals().feel(world)
    assert np.all(vitals >= LOW)
    assert np.all(vitals <= HIGH)
