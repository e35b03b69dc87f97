"""The Gymnasium environment: what learners, wrappers and checkers expect of it."""

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import puzzlebox
from puzzlebox.arena.envs.arena import ArenaEnv
from puzzlebox.arena.envs.schedule import Schedule, share
from puzzlebox.arena.envs.sources import tasks_of
from puzzlebox.arena.senses.camera import Camera
from puzzlebox.arena.world import Rules, World
from worlds import parsed, task_of

SENSES: list[dict[str, Any]] = [
    {},
    {"grayscale": True, "vitals": False},
    {"camera": 36, "rays": 5},
    {"camera": 84, "rays": 3, "vitals": False, "actions": "branches"},
    {"camera": None},
    {"camera": None, "rays": 5},
    {"camera": None, "rays": 5, "vitals": False},
    {"camera": None, "rays": 9, "ray_degrees": 120, "rules": "4.3", "actions": "branches"},
    {"camera": None, "rays": 1, "rules": "2019", "decision_period": 1},
]
LIGHT = {"camera": None, "rays": 5}
FORAGING = "foraging"
THREE = """
arenas:
  - id: 0
    time_limit: 5
    items: [{name: Agent, at: [20, 0, 20], rotation: 0}, {name: GoodGoal, at: [20, 0, 22], size: 1}]
  - {id: 4, time_limit: 5, items: [{name: GoodGoal, size: 1}, {name: Wall}]}
  - {id: 7, time_limit: 5, items: [{name: BadGoal, size: 1}]}
"""
TWO_AGENTS = "arenas: [{id: 3, items: [{name: Agent}, {name: Agent}]}]"


def same(a: Any, b: Any) -> bool:
    """Return whether two observations are equal byte for byte."""
    return a.keys() == b.keys() and all(a[key].tobytes() == b[key].tobytes() for key in a)


def play(env: Any, steps: int, seed: int = 0) -> list[Any]:
    """Return the results of random actions over several episodes."""
    rng = np.random.default_rng(seed)
    results = []
    for _ in range(steps):
        action = int(rng.integers(9))
        observation, reward, terminated, truncated, info = env.step(action)
        results.append((observation, reward, terminated, truncated, info["events"], info["arena"]))
        if terminated or truncated:
            observation, info = env.reset()
            results.append((observation, 0.0, False, False, info["events"], info["arena"]))
    return results


def alike(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(same(x[0], y[0]) and x[1:] == y[1:] for x, y in zip(a, b, strict=True))


# --- the checkers


@pytest.mark.parametrize("senses", SENSES, ids=str)
def test_gymnasiums_checker_has_no_complaint(senses: dict[str, Any]) -> None:
    env = gym.make("puzzlebox/Arena-v1", task=FORAGING, **senses)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("senses", SENSES, ids=str)
def test_the_checker_of_stable_baselines_has_no_complaint(senses: dict[str, Any]) -> None:
    from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env_for_sb3(puzzlebox.make(FORAGING, **senses))


@pytest.mark.parametrize("senses", SENSES, ids=str)
def test_observations_are_in_their_space(senses: dict[str, Any]) -> None:
    env = puzzlebox.make(THREE, **senses)
    observation, _ = env.reset(seed=1)
    assert observation in env.observation_space
    for _ in range(60):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observation in env.observation_space
        assert type(reward) is float
        if terminated or truncated:
            env.reset()


def test_render_returns_a_large_picture_on_request() -> None:
    env = gym.make("puzzlebox/Arena-v1", task=FORAGING, render_mode="rgb_array", **LIGHT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.reset(seed=0)
    picture: Any = env.render()
    assert (picture.shape, picture.dtype) == ((512, 512, 3), np.uint8)
    assert puzzlebox.make(FORAGING, **LIGHT).render() is None


def test_the_picture_is_that_of_the_camera_and_black_in_the_dark() -> None:
    dark = "arenas: [{blackouts: [1, 3], items: [{name: Agent, rotation: 0}, {name: Wall}]}]"
    env = puzzlebox.make(dark, camera=32)
    observation, _ = env.reset(seed=0)
    assert np.array_equal(observation["camera"], Camera(32).look(env.world))
    assert len(np.unique(observation["camera"])) > 10
    for _ in range(2):
        observation, _, _, _, info = env.step(0)
    assert not info["lights"]
    assert not observation["camera"].any()


def test_every_observation_is_the_callers_own() -> None:
    env = puzzlebox.make(FORAGING, **LIGHT)
    first, _ = env.reset(seed=0)
    kept = copy.deepcopy(first)
    env.step(3)
    assert same(first, kept)


# --- observations, rewards and info


def test_the_observation_is_flat_and_follows_the_settings() -> None:
    env = puzzlebox.make(FORAGING, camera=None, rays=7, ray_degrees=90)
    observation, info = env.reset(seed=0)
    assert {name: (part.shape, part.dtype) for name, part in observation.items()} == {
        "rays": ((7 * 20,), np.float32),
        "vitals": ((7,), np.float32),
    }
    assert info["ray_tags"] == env.unwrapped._perception.ray_tags
    assert len(info["ray_tags"]) == 18
    assert "ray_tags" not in puzzlebox.make(FORAGING, camera=None).reset()[1]


def test_info_describes_the_episode() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    _, info = env.reset(seed=0)
    assert info["arena"] == 0
    assert info["health"] == 100
    assert info["episode_return"] == 0
    assert info["lights"] is True
    assert info["error"] is None
    assert [event.kind for event in info["events"]] == ["started"]
    total, kinds = 0.0, []
    while True:
        _, reward, terminated, truncated, info = env.step(3)
        total += reward
        kinds += [event.kind for event in info["events"]]
        if terminated or truncated:
            break
    assert (terminated, truncated) == (True, False)
    assert kinds == ["collected", "finished", "ended"]
    assert info["episode_return"] == pytest.approx(total)
    assert info["passed"] is True


def test_running_out_of_time_is_truncation() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    env.reset(seed=0)
    for _ in range(8):
        assert env.step(0)[2:4] == (False, False)
    assert env.step(0)[2:4] == (False, True)


def test_a_lost_body_truncates_with_a_reason() -> None:
    env = puzzlebox.make(FORAGING, **LIGHT)
    env.reset(seed=0)
    env.step(0)
    env.world.body(env.world.animals[0]).set_linear_velocity((np.nan, 0, 0))
    observation, _, terminated, truncated, info = env.step(0)
    assert (terminated, truncated) == (False, True)
    assert "Agent" in info["error"]
    assert observation in env.observation_space


@pytest.mark.parametrize("actions", ["discrete", "branches"])
def test_discrete_actions_and_branches_lead_to_the_same_state(actions: str) -> None:
    env, plain = puzzlebox.make(FORAGING, actions=actions, **LIGHT), World(puzzlebox.load_task(FORAGING), seed=3)
    env.reset(seed=3)
    for action in [3, 4, 8, 0, 1, 2, 5, 6, 7] * 3:
        env.step(np.int64(action) if actions == "discrete" else np.array([action // 3, action % 3]))
        plain.step([action])
    assert env.world.state() == plain.state()


def test_an_action_may_come_as_any_whole_number() -> None:
    env = puzzlebox.make(FORAGING, **LIGHT)
    env.reset(seed=0)
    for action in (3, np.int64(3), np.array(3), np.array([3]), np.uint8(3), 3.0):
        env.step(action)
    assert env.world.actions == [(3,)] * 6


@pytest.mark.parametrize("action", [9, -1, 2.5, "left", None, [1, 2], np.array([1, 2])])
def test_invalid_actions_are_refused(action: Any) -> None:
    env = puzzlebox.make(FORAGING, **LIGHT)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="is not an action"):
        env.step(action)


@pytest.mark.parametrize("action", [(3, 0), (0, -1), (1.5, 0), 1, (1, 1, 1), "ab", None])
def test_invalid_branches_are_refused(action: Any) -> None:
    env = puzzlebox.make(FORAGING, actions="branches", **LIGHT)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="is not an action; it must be two numbers from 0 to 2"):
        env.step(action)


# --- the schedule


def test_arenas_follow_each_other_and_a_seed_starts_over() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    assert [env.reset()[1]["arena"] for _ in range(4)] == [0, 4, 7, 0]
    assert env.reset(seed=5)[1]["arena"] == 0
    assert [env.reset()[1]["arena"] for _ in range(2)] == [4, 7]


def test_one_arena_can_be_picked_without_losing_the_place() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    env.reset(seed=0)
    assert env.reset(options={"arena": 7})[1]["arena"] == 7
    assert env.reset()[1]["arena"] == 4


def test_the_task_can_be_changed() -> None:
    env = puzzlebox.make(FORAGING, **LIGHT)
    env.reset(seed=0)
    assert env.reset(options={"task": THREE, "arena": 4})[1]["arena"] == 4
    assert [env.reset()[1]["arena"] for _ in range(2)] == [0, 4]
    env.reset(options={"task": task_of("name: Agent, at: [1, 0, 2], rotation: 0")})
    assert env.world.position_of(env.world.animals[0])[::2] == pytest.approx((1, 2))


def test_a_task_can_be_a_path_text_or_task(tmp_path: Path) -> None:
    path = tmp_path / "three.yml"
    path.write_text(THREE)
    env = puzzlebox.make(FORAGING, **LIGHT)
    for task in (path, str(path), THREE, parsed(THREE), [THREE], "examples/food"):
        env.reset(seed=0)
        observation, info = env.reset(seed=3, options={"task": task, "arena": 0})
        assert info["arena"] == 0
        assert same(observation, puzzlebox.make(task, **LIGHT).reset(seed=3)[0])


def test_any_whole_number_is_a_seed() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    assert same(env.reset(seed=np.int64(3))[0], env.reset(seed=3)[0])  # type: ignore[arg-type]


def test_a_random_order_follows_the_seed() -> None:
    env = puzzlebox.make("randomize_arenas: true" + THREE, **LIGHT)

    def order(seed: int) -> list[int]:
        return [env.reset(seed=seed)[1]["arena"], *(env.reset()[1]["arena"] for _ in range(8))]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(8)}) > 1
    assert sorted(order(2)) == [0, 0, 0, 4, 4, 4, 7, 7, 7]


def test_the_first_episode_of_a_seed_is_that_of_the_world() -> None:
    env = puzzlebox.make("examples/button", **LIGHT)
    env.reset(seed=42)
    assert env.world.state() == World(puzzlebox.load_task("examples/button"), seed=42).state()


def test_several_tasks_take_turns() -> None:
    env = puzzlebox.make([THREE, "arenas: [{id: 9, items: [{name: Wall}]}]"], **LIGHT)
    assert [env.reset()[1]["arena"] for _ in range(6)] == [0, 9, 4, 9, 7, 9]


def test_tasks_are_found_by_pattern(tmp_path: Path) -> None:
    assert len(tasks_of("operant-curriculum/*")) == 5
    for name in "ab":
        (tmp_path / f"{name}.yml").write_text("arenas: [{items: [{name: Wall}]}]")
    assert len(tasks_of(f"{tmp_path}/*.yml")) == 2
    assert len(tasks_of([f"{tmp_path}/?.yml", FORAGING])) == 3
    with pytest.raises(FileNotFoundError, match="no bundled task and no file fits nothing"):
        tasks_of("nothing/*")
    with pytest.raises(ValueError, match="there is no task"):
        tasks_of([])


def test_a_list_of_tasks_is_shared_out_evenly() -> None:
    tasks: Any = list("abcdef")
    assert [share(tasks, index, 4) for index in range(4)] == [list("aec"), list("bfd"), list("cae"), list("dbf")]
    assert [share(tasks, index, 6) for index in range(6)] == [[each] for each in tasks]
    assert share(tasks, 7, 12) == ["b"]


# --- repetition


def test_same_seed_same_bytes() -> None:
    a, b = (puzzlebox.make(THREE, **LIGHT) for _ in range(2))
    a.reset(seed=11), b.reset(seed=11)
    assert alike(play(a, 80), play(b, 80))


def test_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib, puzzlebox\n"
        "env = puzzlebox.make('examples/button', camera=32, depth=True, segments=True, rays=5)\n"
        "digest = hashlib.sha256(b''.join(part.tobytes() for part in env.reset(seed=4)[0].values()))\n"
        "for step in range(60):\n"
        "    observation, reward, *_ = env.step(step * 7 % 9)\n"
        "    digest.update(b''.join(part.tobytes() for part in observation.values()) + repr(reward).encode())\n"
        "print(digest.hexdigest())\n"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    ]
    assert len(outputs[0]) == 65
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("steps", [0, 7, 40])
def test_restoring_a_snapshot_continues_as_before(steps: int) -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    env.reset(seed=3)
    play(env, steps)
    state = env.snapshot()
    expected = play(env, 60, seed=1)
    env.reset()
    observation, info = env.restore(state)
    assert info["arena"] == env.world.arena.id
    assert observation in env.observation_space
    assert alike(play(env, 60, seed=1), expected)
    other = puzzlebox.make(FORAGING, **LIGHT)
    other.restore(pickle.loads(pickle.dumps(state)))
    assert alike(play(other, 60, seed=1), expected)


def test_a_snapshot_of_other_rules_is_refused() -> None:
    env, other = puzzlebox.make(THREE, **LIGHT), puzzlebox.make(THREE, rules="4.3", **LIGHT)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="other rules"):
        other.restore(env.snapshot())


@pytest.mark.parametrize("steps", [None, 0, 25])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_continues_independently(copied: Any, steps: int | None) -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    if steps is not None:
        env.reset(seed=3)
        play(env, steps)
    twin = copied(env)
    assert isinstance(twin, ArenaEnv)
    assert twin.observation_space == env.observation_space
    if steps is None:
        twin.reset(seed=3)
        env.reset(seed=3)
    assert alike(play(twin, 60, seed=1), play(env, 60, seed=1))


# --- Gymnasium


def test_gymnasium_makes_the_environment_by_its_name() -> None:
    env = gym.make("puzzlebox/Arena-v1", task=FORAGING, **LIGHT)
    assert isinstance(env.unwrapped, ArenaEnv)
    observation, _ = env.reset(seed=1)
    assert same(observation, puzzlebox.make(FORAGING, **LIGHT).reset(seed=1)[0])


def test_the_specification_of_an_environment_makes_it_again() -> None:
    env = puzzlebox.make(FORAGING, camera=None, rays=3)
    assert env.spec is not None
    again = gym.make(env.spec)
    assert again.observation_space == env.observation_space
    assert gym.spec("puzzlebox/Arena-v1").kwargs == {}


@pytest.mark.parametrize("first", ["import gymnasium as gym, puzzlebox", "import puzzlebox, gymnasium as gym"])
def test_the_environment_is_registered_whichever_module_is_imported_first(first: str) -> None:
    code = f"{first}\nprint(gym.spec('puzzlebox/Arena-v1').id)"
    process = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "puzzlebox/Arena-v1"


def test_importing_puzzlebox_imports_no_gymnasium() -> None:
    code = "import sys, puzzlebox; print('gymnasium' in sys.modules, 'numpy' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "False False"


def test_the_usual_wrappers_of_gymnasium_work() -> None:
    env: Any = gym.make("puzzlebox/Arena-v1", task=THREE, **LIGHT)
    env = gym.wrappers.FilterObservation(env, ["rays"])
    env = gym.wrappers.FlattenObservation(env)
    env = gym.wrappers.TimeLimit(env, 5)
    env = gym.wrappers.RecordEpisodeStatistics(env)
    env.reset(seed=0)
    for _ in range(5):
        observation, _, terminated, truncated, info = env.step(0)
    assert observation.shape == (100,)
    assert truncated
    assert not terminated
    assert info["episode"]["l"] == 5
    assert env.unwrapped.snapshot().record.seed == 0


# --- mistakes


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"camra": 64}, "there is no setting `camra`; did you mean `camera`?"),
        ({"camera": 3}, "camera is 3; it must be from 4 to 512 pixels"),
        ({"camera": 513}, "camera is 513; it must be from 4 to 512 pixels"),
        ({"camera": "big"}, "camera is 'big'; it must be a whole number of pixels, or None for no camera"),
        ({"camera": True}, "camera is True; it must be a whole number of pixels"),
        ({"rays": 4}, "rays is 4; it must be an odd number from 1 to 1001"),
        ({"ray_degrees": 400}, "ray_degrees is 400; it must be from 0 to 360"),
        ({"actions": "discreet"}, "actions is 'discreet'; allowed: discrete, branches; did you mean `discrete`?"),
        ({"decision_period": 0}, "decision_period is 0; it must be a whole number from 1 to 100"),
        ({"decision_period": "3"}, "decision_period is '3'; it must be a whole number from 1 to 100"),
        ({"rules": "5.0"}, "there are no rules named '5.0'; allowed: puzzlebox, 4.3, 3.1, 2019"),
        ({"rules": "puzzlebx"}, "'puzzlebx'; allowed: puzzlebox, 4.3, 3.1, 2019; did you mean `puzzlebox`?"),
        ({"rendermode": "rgb_array"}, "there is no setting `rendermode`; did you mean `render_mode`?"),
        ({"vitals": False}, "there is no sense left; ask for a camera, rays, vitals or heading"),
        ({"depth": True}, "depth needs a camera; give its size, as in camera=64"),
        ({"segments": True}, "segments needs a camera"),
        ({"camera": 8, "depth": "yes"}, "depth is 'yes'; it must be True or False"),
        ({"grayscale": 2}, "grayscale is 2; it must be True or False"),
        ({"rules": 4.3}, "rules is 4.3; it must be a Rules or the name of some: puzzlebox, 4.3, 3.1, 2019"),
        ({"rays": -1}, "rays is -1; it must be an odd number"),
        ({"frame_stack": 0}, "frame_stack is 0; it must be a whole number, from 1 to 64"),
        ({"frame_stack": 2.0}, "frame_stack is 2.0; it must be a whole number, from 1 to 64"),
        ({"channels_first": True}, "channels_first needs a camera; give its size, as in camera=64"),
        ({"heading": "yes"}, "heading is 'yes'; it must be True or False"),
        ({"camera": 8, "vitals": False, "scaled_vitals": True}, "scaled_vitals needs vitals; leave vitals=False out"),
        ({"timeouts": "terminated"}, "timeouts is 'terminated'; allowed: truncated, terminal; did you mean `t"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0; it must be a whole number, 1 or more, or None"),
        ({"infos": "none"}, "infos is 'none'; allowed: all, plain, numbers"),
        ({"frame_skip": 4}, "got an unexpected keyword argument 'frame_skip': there is no setting `frame_skip`"),
        ({"render_mode": "rgb"}, "render_mode is 'rgb'; allowed: rgb_array, human"),
    ],
    ids=str,
)
def test_bad_settings_get_one_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as problem:
        puzzlebox.make(FORAGING, **{"camera": None, **settings})
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_an_unknown_task_is_refused_with_the_nearest() -> None:
    with pytest.raises(FileNotFoundError, match="did you mean `foraging`"):
        puzzlebox.make("foragin", camera=None)
    with pytest.raises(TypeError, match="task is 5; it must be a path, YAML text, a Task or the name of a bundled one"):
        puzzlebox.make(5, camera=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"task is {'arenas': .*; it must be a path"):
        puzzlebox.make({"arenas": []}, camera=None)


@pytest.mark.parametrize(
    "make",
    [
        puzzlebox.make,
        puzzlebox.make_vec,
        puzzlebox.make_parallel,
        lambda: gym.make("puzzlebox/Arena-v1"),
        lambda: gym.make_vec("puzzlebox/Arena-v1"),
        lambda: puzzlebox.make([]),
    ],
)
def test_make_without_a_task_is_refused(make: Any) -> None:
    message = 'there is no task; give a path, YAML text, a Task or the name of a bundled one, such as "foraging"'
    with pytest.raises(ValueError, match=message):
        make()


def test_a_misspelt_name_of_the_task_setting_is_refused_with_the_right_one() -> None:
    with pytest.raises(TypeError, match="there is no setting `tasks`; did you mean `task`"):
        puzzlebox.make(tasks=FORAGING)
    with pytest.raises(TypeError, match="there is no setting `task`; did you mean `tasks`"):
        puzzlebox.make_vec(task=FORAGING)


def test_a_task_with_several_agents_is_refused_with_the_function_for_it() -> None:
    for change in (lambda: puzzlebox.make(TWO_AGENTS, camera=None), None):
        with pytest.raises(ValueError, match=r"arena 3 has 2 agents; use puzzlebox.make_parallel"):
            if change:
                change()
            else:
                puzzlebox.make(FORAGING, camera=None).reset(options={"task": TWO_AGENTS})


def test_invalid_options_of_reset_are_refused() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    env.reset(seed=0)
    with pytest.raises(TypeError, match="there is no option `areena`; allowed: task, arena; did you mean `arena`"):
        env.reset(options={"areena": 1})
    with pytest.raises(TypeError, match=r"there is no option `reset_mask`; allowed: task, arena$"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(ValueError, match="there is no arena 1; the task has arenas 0, 4, 7"):
        env.reset(options={"arena": 1})
    with pytest.raises(TypeError, match=r"options is \['arena'\]; it must be a dictionary with task or arena"):
        env.reset(options=["arena"])  # type: ignore[arg-type]
    for seed in (-1, 1.5, "a", True):
        with pytest.raises(ValueError, match="it must be a whole number, 0 or more"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="only what `snapshot` returned can be restored, not int"):
        env.restore(5)  # type: ignore[arg-type]
    # A failed call has changed nothing.
    assert env.reset()[1]["arena"] == 4


def test_a_closed_environment_stays_closed() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(puzzlebox.make(THREE, render_mode="rgb_array", **LIGHT))
    env.reset(seed=0)
    snapshot = env.unwrapped.snapshot()  # type: ignore[attr-defined]
    env.close()
    env.close()
    for closed in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env.unwrapped))):
        for call in (closed.reset, lambda it=closed: it.step(0), closed.render, closed.unwrapped.snapshot):
            with pytest.raises(RuntimeError, match="the environment is closed; make a new one"):
                call()
        with pytest.raises(RuntimeError, match="the environment is closed"):
            closed.unwrapped.restore(snapshot)
    puzzlebox.make(THREE, **LIGHT).close()  # before any episode


def test_stepping_needs_an_episode() -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    for _ in range(9):
        env.step(0)
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)


def test_decision_period_overrides_that_of_the_rules() -> None:
    assert puzzlebox.make(FORAGING, **LIGHT).rules.decision_period == 3
    assert puzzlebox.make(FORAGING, rules=Rules(decision_period=1), **LIGHT).rules.decision_period == 1
    assert puzzlebox.make(FORAGING, rules="3.1", decision_period=5, **LIGHT).rules == Rules.named(
        "3.1", decision_period=5
    )


def test_a_schedule_remembers_its_place() -> None:
    rng = np.random.default_rng(0)
    schedule = Schedule(tasks_of(parsed("randomize_arenas: true" + THREE)))
    schedule.next(rng)
    twin = schedule.copy()
    assert [twin.next(rng)[1] for _ in range(2)] == [schedule.next(rng)[1] for _ in range(2)]
