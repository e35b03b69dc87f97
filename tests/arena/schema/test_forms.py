"""The two formats: every way of writing a task, and the task that it stands for."""

import pytest

from puzzlebox.arena.schema import Item, Task, read
from puzzlebox.arena.schema.models import EndEpisode, FreezeAgent, GrantContinuousReward, Limited, NoOperation, OneOf


def task_of(text: str) -> Task:
    reading = read(text)
    assert reading.task is not None, reading.findings
    return reading.task


def items_of(text: str) -> tuple[Item, ...]:
    return task_of(text).arenas[0].items


def animalai(item: str) -> tuple[Item, ...]:
    """Return the instances of one item in Animal-AI's format, written in flow style."""
    return items_of(f"!ArenaConfig\narenas: {{0: !Arena {{items: [!Item {{{item}}}]}}}}\n")


def ours(item: str) -> tuple[Item, ...]:
    """Return the instances of one item in the Puzzlebox format."""
    return items_of(f"arenas: [{{items: [{{{item}}}]}}]\n")


SAME = {
    "wall": (
        "name: Wall, positions: [!Vector3 {x: 10, y: 0, z: 12}], rotations: [90], sizes: [!Vector3 {x: 1, y: 5, z: 9}],"
        "colors: [!RGB {r: 153, g: 153, b: 153}]",
        "name: Wall, at: [10, 0, 12], rotation: 90, size: [1, 5, 9], color: [153, 153, 153]",
    ),
    "named colour": ("name: Wall, colors: [!RGB {r: 222, g: 0, b: 0}]", "name: Wall, color: red"),
    "nothing given": ("name: Wall", "name: Wall"),
    "random position": ("name: Wall, positions: [!Vector3 {x: -1, y: 2, z: 7}]", "name: Wall, at: [random, 2, 7]"),
    "wholly random": ("name: Wall, positions: [!Vector3 {x: -1, y: -1, z: -1}], rotations: [-1]", "name: Wall"),
    "random size": (
        "name: Wall, sizes: [!Vector3 {x: 2, y: -1, z: -1}]",
        "name: Wall, size: [2, random, random]",
    ),
    "random colour": ("name: Wall, colors: [!RGB {r: -1, g: 3, b: 4}]", "name: Wall"),
    "missing components are 0": ("name: Wall, positions: [!Vector3 {x: 3}]", "name: Wall, at: [3, 0, 0]"),
    "old name": ("name: Cardbox2, rotations: [0]", "name: HeavyBlock, rotation: 0"),
    "several instances": (
        "name: GoodGoal, positions: [!Vector3 {x: 1, z: 1}, !Vector3 {x: 2, z: 2}], rotations: [0, 90]",
        "name: GoodGoal, at: [[1, 0, 1], [2, 0, 2]], rotation: [0, 90]",
    ),
    "sizes alone count instances": (
        "name: GoodGoal, sizes: [!Vector3 {x: 1, y: 1, z: 1}, !Vector3 {x: 2, y: 2, z: 2}]",
        "name: GoodGoal, size: [[1, 1, 1], [2, 2, 2]]",
    ),
    "short list": (
        "name: Wall, positions: [!Vector3 {x: 1, z: 1}, !Vector3 {x: 9, z: 9}], rotations: [30]",
        "name: Wall, at: [[1, 0, 1], [9, 0, 9]], rotation: [30]",
    ),
    "agent": (
        "name: Agent, positions: [!Vector3 {x: 1, z: 1}], skins: [pig], frozenAgentDelays: [2.5], teams: [3]",
        "name: Agent, at: [1, 0, 1], skin: pig, frozen_delay: 2.5, team: 3",
    ),
    "agent in one of several places": (
        "name: Agent, positions: [!Vector3 {x: 1, z: 1}, !Vector3 {x: 2, z: -1}]",
        "name: Agent, at_one_of: [[1, 0, 1], [2, 0, random]]",
    ),
    "skins at random": ("name: Agent, skins: [random]", "name: Agent"),
    "sign": ("name: SignPosterboard, symbolNames: [01/10]", "name: SignBoard, symbol: 01/10"),
    "blank sign of the documentation": (
        "name: SignBoard, symbolNames: [transparent]",
        "name: SignBoard, symbol: default",
    ),
    "changing goal": (
        "name: AntiDecayGoal, delays: [10], initialValues: [1], finalValues: [2], changeRates: [0.1]",
        "name: RipenGoal, delay: 10, initial_value: 1, final_value: 2, change_rate: 0.1",
    ),
    "tree": (
        "name: SpawnerTree, spawnCounts: [10], finalValues: [2], timesBetweenSpawns: [4], ripenTimes: [6], "
        "spawnColors: [!RGB {r: 1, g: 2, b: 3}]",
        "name: SpawnerTree, spawn_count: 10, final_value: 2, time_between_spawns: 4, ripen_time: 6, "
        "spawn_color: [1, 2, 3]",
    ),
    "dispenser": (
        "name: SpawnerDispenserShort, doorDelays: [5], timesBetweenDoorOpens: [-1]",
        "name: SpawnerContainerShort, door_delay: 5, time_between_door_opens: -1",
    ),
    "button of old": (
        "name: Pillar-Button, moveDurations: [0.1], resetDurations: [1.0], rewardNames: [GoodGoal, Cardbox1, Nonsense],"
        " rewardWeights: [100, 0, 1], rewardSpawnPos: !Vector3 {x: 39, y: 3, z: 22}, spawnProbability: 0.5, "
        "maxRewardCounts: [-1, 2, 3], spawnedRewardSize: !Vector3 {x: 2, y: 2, z: 2}",
        "name: SpawnerButton, move_duration: 0.1, reset_duration: 1, reward_names: [GoodGoal, LightBlock, nothing], "
        "reward_weights: [100, 0, 1], reward_at: [39, 3, 22], spawn_probability: 0.5, "
        "max_reward_counts: [-1, 2, 3], reward_size: 2, rotation: 180",
    ),
    "reward at the corner is anywhere": (
        "name: SpawnerButton, rewardNames: [GoodGoal], rewardSpawnPos: !Vector3 {x: 0, y: 0, z: 0}",
        "name: SpawnerButton, reward_names: [GoodGoal]",
    ),
    "data zone": (
        "name: DataZone, triggerZoneID: [D1], zoneVisibility: false",
        "name: DataZone, zone_id: D1, visible: false",
    ),
    "toggle": (
        "name: DataZone, operations: [!toggleObject {spawnable: !Item {name: Wall, rotations: [0, 90]}, "
        "objectInitiallyPresent: true}]",
        "name: DataZone, operations: [{do: toggle_object, items: [{name: Wall, rotation: [0, 90]}], "
        "initially_present: true}]",
    ),
    "other operations": (
        "name: SpawnerButton, operations: [!grantReward {reward: 2}, !grantContinuousReward {rewardPerStep: 0.1}, "
        "!endEpisode {}, !freezeAgent {freezeSteps: 150}, !limitedInvocationsOperation {maxInvocations: 3, "
        "operation: !operationFromList {operations: [!noneOperation {}, !endEpisode {reward: 1}], "
        "operationWeights: [1, 2]}}]",
        "name: SpawnerButton, operations: [{do: grant_reward, reward: 2}, {do: grant_continuous_reward, "
        "reward_per_step: 0.1}, {do: end_episode}, {do: freeze_agent, steps: 150}, {do: limited, times: 3, "
        "operation: {do: one_of, operations: [{do: nothing}, {do: end_episode, reward: 1}], weights: [1, 2]}}]",
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_both_forms_give_the_same_items(case: str) -> None:
    theirs, our_own = SAME[case]
    assert animalai(theirs) == ours(our_own)


def test_operations_are_read_into_their_models() -> None:
    (item,) = ours(SAME["other operations"][1])
    assert item.operations is not None
    _, continuous, end, freeze, limited = item.operations
    assert isinstance(continuous, GrantContinuousReward) and continuous.reward_per_step == 0.1
    assert isinstance(end, EndEpisode) and end.reward == 0
    assert isinstance(freeze, FreezeAgent) and freeze.steps == 150
    assert isinstance(limited, Limited) and isinstance(limited.operation, OneOf)
    assert isinstance(limited.operation.operations[0], NoOperation)


def test_every_key_of_file_and_arena_in_both_forms() -> None:
    theirs = task_of("""\
!ArenaConfig
randomizeArenas: true
showNotification: true
canResetEpisode: false
canChangePerspective: false
defaultPerspective: third
metadata: {title: Two rooms, tags: [a, b], colleague: {name: Ada, year: 2026}}
arenas:
  0: !Arena
    timeLimit: 250
    passMark: 1.5
    blackouts: [5, 10]
    randomSeed: 7
    mergeNextArena: true
    episodeEnd: all
    size: [20, 30]
    theme: meadow
    metadata: {title: First}
    items: []
  1: !Arena
    t: 100
    pass_mark: -1
    random_seed: 3
    blackouts: [-20]
    theme: {base: night, floor: {color: red, pattern: plain}, light: 0.2}
""")
    our_own = task_of("""\
randomize_arenas: true
show_notification: true
can_reset_episode: false
can_change_perspective: false
default_perspective: third
metadata: {title: Two rooms, tags: [a, b], colleague: {name: Ada, year: 2026}}
arenas:
  - time_limit: 250
    pass_mark: 1.5
    blackouts: [5, 10]
    random_seed: 7
    merge_next_arena: true
    episode_end: all
    size: [20, 30]
    theme: meadow
    metadata: {title: First}
  - time_limit: 100
    pass_mark: -1
    random_seed: 3
    blackouts: [-20]
    theme: {base: night, floor: {color: red, pattern: plain}, light: 0.2}
""")
    assert theirs == our_own
    assert our_own.metadata.model_extra == {"colleague": {"name": "Ada", "year": 2026}}


def test_arenas_are_played_in_the_order_of_their_numbers() -> None:
    task = task_of("!ArenaConfig\narenas:\n  2: !Arena {t: 2}\n  -1: !Arena {t: 9}\n  1: !Arena {t: 1}\n")
    assert [(arena.id, arena.time_limit) for arena in task.arenas] == [(1, 1), (2, 2), (3, 9)]


def test_of_two_arenas_with_one_number_the_last_counts() -> None:
    task = task_of("!ArenaConfig\narenas:\n  -1: !Arena {t: 1}\n  -1: !Arena {t: 2}\n  -1: !Arena {t: 3}\n")
    assert [(arena.id, arena.time_limit) for arena in task.arenas] == [(0, 3)]


def test_tags_are_optional_in_animalai_form() -> None:
    task = task_of("arenas:\n  0:\n    t: 5\n    items:\n    - name: Wall\n      positions: [{x: 1, y: 0, z: 2}]\n")
    assert task.arenas[0].items == ours("name: Wall, at: [1, 0, 2]")


def test_anchors_and_merge_keys_are_read() -> None:
    (first, second) = items_of("""\
!ArenaConfig
arenas:
  0: !Arena
    items:
    - &wall !Item {name: Wall, rotations: [0], sizes: &s [!Vector3 {x: 1, y: 1, z: 1}]}
    - !Item {<<: *wall, rotations: [90]}
""")
    assert first.rotation == 0 and second.rotation == 90
    assert first.size == second.size == (1, 1, 1)


def test_one_value_serves_all_instances_in_our_form() -> None:
    first, second = ours("name: GoodGoalMulti, at: [[1, 0, 1], [2, 0, 2]], size: 1, color: [red, blue]")
    assert first.size == second.size == (1, 1, 1)
    assert first.color == (222, 0, 0) and second.color == (0, 0, 255)


def test_unsorted_blackouts_end_where_time_would_run_backwards() -> None:
    task = task_of("!ArenaConfig\narenas: {0: !Arena {blackouts: [10, 43, 50, 20, 60]}}\n")
    assert task.arenas[0].blackouts == (10, 43, 50)


def test_keys_without_effect_still_count_instances() -> None:
    """`delays` does nothing to a wall, but its length did count (docs/original/task-files.md#instances)."""
    assert len(animalai("name: Wall, delays: [1, 2, 3]")) == 3


def test_skipped_things_leave_the_others() -> None:
    items = items_of("!ArenaConfig\narenas: {0: !Arena {items: [!Item {name: Cube}, !Item {name: Wall}]}}\n")
    assert [item.name for item in items] == ["Wall"]


def test_a_repeated_items_key_is_one_mistake() -> None:
    """The place of a finding must be in the list that causes it."""
    reading = read("arenas:\n- items: [{name: Wall}]\n  items: [{name: Wall}, {name: Ramp}]\n")
    assert [finding.code for finding in reading.findings] == ["duplicate-key"]


def test_a_dash_for_a_key_is_a_mistake() -> None:
    assert [finding.code for finding in read("arenas:\n- -: \n").findings] == ["no-space"]


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    text = "\ufeffarenas:\r\n- items:\r\n  - {name: Wall}\r\n"
    assert items_of(text) == ours("name: Wall")
    assert read(text.encode()).task == read(text).task


def test_a_task_cannot_be_changed() -> None:
    task = task_of("arenas: [{}]\n")
    with pytest.raises(ValueError, match="frozen"):
        task.arenas = ()  # type: ignore[misc]


def test_items_show_only_what_was_given() -> None:
    assert repr(ours("name: Wall, rotation: 90")[0]) == "Item(name='Wall', rotation=90.0)"


def test_an_old_button_faced_the_other_way() -> None:
    items = read(
        """!ArenaConfig
arenas:
  0: !Arena
    items:
    - !Item {name: Pillar-Button, rotations: [0, 270]}
    - !Item {name: Pillar-Button}
    - !Item {name: SpawnerButton, rotations: [90]}
"""
    ).task
    assert items is not None
    assert [(item.name, item.rotation) for item in items.arenas[0].items] == [
        ("SpawnerButton", 180.0),
        ("SpawnerButton", 90.0),
        ("SpawnerButton", 180.0),
        ("SpawnerButton", 90.0),
    ]
