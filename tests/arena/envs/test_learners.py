"""Settings for learners: arranged observations, limits, names, snapshots, specifications."""

import copy
import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FrameStackObservation, TimeLimit

import puzzlebox
from puzzlebox.arena.envs.schedule import share
from puzzlebox.arena.envs.sources import tasks_of
from test_envs import FORAGING, THREE, alike, play, same
from test_parallel import text
from test_vector import LIGHT, OTHER, actions, check_equal_episodes, equal
from test_vector import same as same_infos

ALL: dict[str, Any] = {"camera": 8, "depth": True, "segments": True, "rays": 3}
ARRANGED: list[dict[str, Any]] = [
    {"camera": 8, "rays": 3, "frame_stack": 4},
    {"camera": 8, "rays": 3, "frame_stack": 3, "channels_first": True, "grayscale": True, "heading": True},
    {"camera": 8, "rays": 3, "channels_first": True, "scaled_vitals": True},
    {"camera": None, "rays": 3, "vitals": False, "heading": True},
    {**ALL, "frame_stack": 2, "scaled_vitals": True},
]
ENDLESS = "arenas: [{items: [{name: Agent}, {name: Wall}]}]"


# --- arranged observations


@pytest.mark.parametrize("first", [False, True])
def test_frames_are_those_of_gymnasiums_wrapper(first: bool) -> None:
    settings = {**ALL, "heading": True, "channels_first": first}
    ours = puzzlebox.make(THREE, frame_stack=3, **settings)
    theirs = FrameStackObservation(puzzlebox.make(THREE, **settings), 3, padding_type="reset")

    def joined(observation: dict[str, Any]) -> dict[str, Any]:
        """Gymnasium stacks frames along a new axis, we stack them along the channels."""
        axis = {"camera": 0 if first else -1, "depth": -3, "segments": -3}
        parts = {name: list(part) for name, part in observation.items()}
        joined = {
            name: np.concatenate(frames, axis.get(name, 0)) for name, frames in parts.items() if name not in _FLAT
        }
        stacked = {name: np.stack(parts[name], 0 if first else -1) for name in _FLAT}
        return {**joined, **stacked}

    a, b = ours.reset(seed=3)[0], joined(theirs.reset(seed=3)[0])
    assert a["camera"].shape == ((9, 8, 8) if first else (8, 8, 9))
    assert a["depth"].shape == ((3, 8, 8) if first else (8, 8, 3))
    assert a["rays"].shape == (180,)
    episodes = 0
    for action in np.random.default_rng(0).integers(0, 9, 40):
        assert a.keys() == b.keys()
        for name in a:
            assert np.array_equal(a[name], b[name]), name
        a, _, terminated, truncated, _ = ours.step(action)
        b = joined(theirs.step(action)[0])
        if terminated or truncated:
            episodes += 1
            a, b = ours.reset()[0], joined(theirs.reset()[0])
    assert episodes > 1


_FLAT = ("depth", "segments")


@pytest.mark.parametrize("settings", ARRANGED, ids=str)
def test_arranged_observations_are_in_their_space(settings: dict[str, Any]) -> None:
    env = puzzlebox.make(THREE, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    observation, _ = env.reset(seed=1)
    for _ in range(30):
        assert observation in env.observation_space
        assert {name: part.dtype for name, part in observation.items()} == {
            name: part.dtype
            for name, part in env.observation_space.items()  # type: ignore[attr-defined]
        }
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, _ = env.reset()


@pytest.mark.parametrize("settings", ARRANGED[:4], ids=str)
@pytest.mark.parametrize("workers", [1, 2])
def test_arranged_observations_of_a_vector_are_those_of_single_ones(workers: int, settings: dict[str, Any]) -> None:
    tasks = tasks_of([THREE, OTHER])
    singles = [puzzlebox.make(share(tasks, index, 3), **settings) for index in range(3)]
    envs = puzzlebox.make_vec([THREE, OTHER], num_envs=3, workers=workers, **settings)
    check_equal_episodes(envs, singles, actions(3, 40), seed=7)
    envs.close()


@pytest.mark.parametrize("steps", [0, 2, 5])
def test_frames_before_a_snapshot_are_there_after_it(steps: int) -> None:
    settings = {"camera": 8, "rays": 3, "frame_stack": 4, "channels_first": True}
    env = puzzlebox.make(FORAGING, **settings)
    observation, _ = env.reset(seed=3)
    for action in range(steps):
        observation, *_ = env.step(3 + action % 3)
    state = env.snapshot()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), puzzlebox.make(FORAGING, **settings)):
        assert same(twin.restore(state)[0], observation)
        assert same(twin.perceive(), observation)  # a second call returns the same
    copied = copy.deepcopy(env)
    assert same(copied.perceive(), observation)
    assert alike(play(copied, 12), play(env, 12))


@pytest.mark.parametrize("steps", [0, 1, 10])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_steps_on_with_the_newest_frame(steps: int, copied: Any) -> None:
    env = puzzlebox.make(FORAGING, camera=8, frame_stack=3)
    env.reset(seed=4)
    for _ in range(steps):
        env.step(3)
    twin = copied(env)
    for _ in range(4):
        assert same(env.step(3)[0], twin.step(3)[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_several_agents_step_on_with_their_newest_frames(copied: Any) -> None:
    env = puzzlebox.make_parallel(text(), camera=8, frame_stack=3)
    env.reset(seed=4)
    for _ in range(4):
        env.step({"agent_0": 1, "agent_1": 5})
    twin = copied(env)
    for _ in range(3):
        ours, theirs = (each.step({"agent_0": 1, "agent_1": 5})[0] for each in (env, twin))
        assert all(same(ours[agent], theirs[agent]) for agent in ("agent_0", "agent_1"))


def test_vitals_are_scaled_and_the_heading_is_added_on_request() -> None:
    task = "arenas: [{items: [{name: Agent, at: [10, 0, 30], rotation: 90}]}]"
    plain, env = (puzzlebox.make(task, camera=None, **each) for each in ({}, {"scaled_vitals": True, "heading": True}))
    plain.reset(seed=0), env.reset(seed=0)
    for action in (3, 3, 4):
        raw, scaled = plain.step(action)[0], env.step(action)[0]
    assert scaled["vitals"] == pytest.approx(raw["vitals"] / [100, 20, 20, 20, 40, 40, 40])
    angle = math.radians(env.world.animals[0].heading)
    assert angle == pytest.approx(math.radians(96))
    assert scaled["heading"] == pytest.approx([math.sin(angle), math.cos(angle)])
    assert "heading" not in raw


def test_several_agents_have_frames_of_their_own() -> None:
    settings = {"camera": 8, "frame_stack": 2, "heading": True}
    env = puzzlebox.make_parallel(text(), **settings)
    first, _ = env.reset(seed=0)
    second, *_ = env.step({"agent_0": 1, "agent_1": 5})
    for agent in ("agent_0", "agent_1"):
        assert np.array_equal(first[agent]["camera"][..., :3], first[agent]["camera"][..., 3:])
        assert np.array_equal(second[agent]["camera"][..., :3], first[agent]["camera"][..., 3:])
        assert second[agent] in env.observation_space(agent)
    twin = puzzlebox.make_parallel(text(), **settings)
    again, _ = twin.restore(env.snapshot())
    assert all(same(again[agent], second[agent]) for agent in again)


# --- the ends of episodes


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("workers", [1, 2])
def test_limited_episodes_of_a_vector_are_those_of_gymnasiums_wrapper(workers: int, mode: AutoresetMode) -> None:
    ours = puzzlebox.make_vec(THREE, 3, workers=workers, autoreset=mode, max_episode_steps=7, **LIGHT)
    theirs = SyncVectorEnv([lambda: TimeLimit(puzzlebox.make(THREE, **LIGHT), 7)] * 3, autoreset_mode=mode)
    a, b = ours.reset(seed=3), theirs.reset(seed=3)
    assert equal(a[0], b[0])
    ends = 0
    for row in actions(3, 30):
        a, b = ours.step(row), theirs.step(row)
        assert equal(a[0], b[0])
        assert all(np.array_equal(x, y) for x, y in zip(a[1:4], b[1:4], strict=True))
        assert same_infos(a[4], b[4])
        over = a[2] | a[3]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            first, second = ours.reset(options={"reset_mask": over}), theirs.reset(options={"reset_mask": over.copy()})
            assert equal(first[0], second[0])
    assert ends > 3
    ours.close()


@pytest.mark.parametrize(
    "make_env",
    [
        lambda: puzzlebox.make(ENDLESS, camera=None, max_episode_steps=4),
        lambda: gym.make("puzzlebox/Arena-v1", task=ENDLESS, camera=None, max_episode_steps=4),
        lambda: gym.make(puzzlebox.make(ENDLESS, camera=None, max_episode_steps=4).spec),  # type: ignore[arg-type]
    ],
)
def test_a_limit_of_steps_truncates(make_env: Any) -> None:
    env = make_env()
    env.reset(seed=0)
    assert [env.step(0)[2:4] for _ in range(4)] == [(False, False)] * 3 + [(False, True)]
    assert env.unwrapped.info()["passed"] is None
    assert env.spec.max_episode_steps == 4


def test_our_limit_counts_the_steps_before_a_restore() -> None:
    first = puzzlebox.make(ENDLESS, camera=None, max_episode_steps=4)
    first.reset(seed=0)
    first.step(0), first.step(0)
    second = puzzlebox.make(ENDLESS, camera=None, max_episode_steps=4)
    second.restore(first.snapshot())
    assert [second.step(0)[3] for _ in range(2)] == [False, True]


def test_gymnasiums_limit_counts_from_its_own_reset() -> None:
    first = puzzlebox.make(ENDLESS, camera=None)
    first.reset(seed=0)
    first.step(0), first.step(0)
    wrapped = gym.make("puzzlebox/Arena-v1", task=ENDLESS, camera=None, max_episode_steps=4)
    wrapped.reset(seed=0)
    wrapped.unwrapped.restore(first.snapshot())  # type: ignore[attr-defined]
    assert [wrapped.step(0)[3] for _ in range(4)] == [False, False, False, True]


def test_a_limited_episode_is_over() -> None:
    env = puzzlebox.make(ENDLESS, camera=None, max_episode_steps=2)
    env.reset(seed=0)
    env.step(0), env.step(0)
    with pytest.raises(gym.error.ResetNeeded, match="the episode is over; call reset"):
        env.step(0)
    limited = puzzlebox.make_parallel(text(), camera=None, max_episode_steps=2)
    limited.reset(seed=0)
    for truncated in (False, True):
        assert set(limited.step(dict.fromkeys(limited.agents, 0))[3].values()) == {truncated}


def test_a_limit_of_steps_works_in_gymnasiums_vector() -> None:
    envs = gym.make_vec("puzzlebox/Arena-v1", 2, task=ENDLESS, camera=None, workers=1, max_episode_steps=3)
    envs.reset(seed=0)
    assert [envs.step(np.zeros(2, np.int64))[3].tolist() for _ in range(3)] == [[False] * 2] * 2 + [[True] * 2]


def test_out_of_time_can_be_an_end_like_any_other() -> None:
    settings: dict[str, Any] = {"timeouts": "terminal", **LIGHT}
    for env in (puzzlebox.make(THREE, **settings), gym.make("puzzlebox/Arena-v1", task=THREE, **settings)):
        env.reset(seed=0)
        ends = [env.step(0)[2:4] for _ in range(9)]
        assert ends == [(False, False)] * 8 + [(True, False)]
    envs = puzzlebox.make_vec(THREE, 2, workers=1, **settings)
    envs.reset(seed=0)
    for _ in range(9):
        _, _, terminated, truncated, infos = envs.step(np.zeros(2, np.int64))
    assert (terminated.tolist(), truncated.tolist()) == ([True, True], [False, False])
    assert infos["passed"].tolist() == [False, False]
    together = puzzlebox.make_parallel("arenas: [{time_limit: 5, items: [{name: Agent}, {name: Agent}]}]", **settings)
    together.reset(seed=0)
    while together.agents:
        _, _, gone, cut, _ = together.step(dict.fromkeys(together.agents, 0))
    assert set(gone.values()) == {True} and set(cut.values()) == {False}


def test_other_truncations_stay_truncations() -> None:
    env = puzzlebox.make(FORAGING, timeouts="terminal", **LIGHT)
    env.reset(seed=0)
    env.step(0)
    env.world.body(env.world.animals[0]).set_linear_velocity((np.nan, 0, 0))
    assert env.step(0)[2:4] == (False, True)
    limited = puzzlebox.make(ENDLESS, timeouts="terminal", max_episode_steps=1, **LIGHT)
    limited.reset(seed=0)
    assert limited.step(0)[2:4] == (False, True)


# --- infos


def test_info_names_the_task(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for path in ("b.yml", "a.yaml", "deep/c.yml"):
        (tmp_path / path).write_text(OTHER)
    (tmp_path / "notes.txt").write_text("no task")
    titled = "metadata: {title: Two walls}\n" + OTHER

    def names(task: Any, count: int) -> list[str]:
        env = puzzlebox.make(task, **LIGHT)
        return [env.reset(seed=0 if not number else None)[1]["task"] for number in range(count)]

    assert names(FORAGING, 2) == ["foraging", "foraging"]
    battery = names("operant-curriculum/*", 5)
    assert names("operant-curriculum", 6) == [*battery, battery[0]]
    assert all(name.startswith("operant-curriculum/") for name in battery)
    assert names(tmp_path, 4) == ["a", "b", "deep/c", "a"]
    assert names(str(tmp_path / "deep" / "c.yml"), 1) == ["c"]
    assert names(f"{tmp_path}/**/*.y*ml", 3) == ["a", "b", "deep/c"]
    assert names([titled, OTHER], 2)[0] == "Two walls"
    unnamed = names(OTHER, 1)[0]
    assert unnamed.startswith("task-") and unnamed == names(puzzlebox.load_task(OTHER), 1)[0] != names(THREE, 1)[0]
    assert names("object-permanence", 1) == ["object-permanence"]
    env = puzzlebox.make(tmp_path, **LIGHT)
    assert env.reset(options={"task": FORAGING})[1]["task"] == "foraging"
    with pytest.raises(FileNotFoundError, match=r"there are no task files \(.yml or .yaml\) in "):
        (tmp_path / "empty").mkdir()
        puzzlebox.make(tmp_path / "empty", **LIGHT)
    together = puzzlebox.make_parallel([text(), titled], **LIGHT)
    together.reset(seed=0)
    assert together.reset()[1]["agent_0"]["task"] == "Two walls"


@pytest.mark.parametrize("workers", [1, 2])
def test_vectors_name_the_tasks_of_their_episodes(workers: int) -> None:
    titled = [f"metadata: {{title: {name}}}\n{OTHER}" for name in "abc"]
    envs = puzzlebox.make_vec(titled, 2, workers=workers, autoreset="same_step", max_episode_steps=2, **LIGHT)
    assert envs.reset(seed=0)[1]["task"].tolist() == ["a", "b"]
    names = []
    for _ in range(4):
        infos = envs.step(np.zeros(2, np.int64))[4]
        assert infos["_task"].all()
        ended = infos["final_info"]["task"].tolist() if "final_info" in infos else None
        names.append((infos["task"].tolist(), ended))
    assert names == [(["a", "b"], None), (["c", "a"], ["a", "b"]), (["c", "a"], None), (["b", "c"], ["c", "a"])]
    mask = np.array([False, True])
    infos = envs.reset(options={"reset_mask": mask, "task": FORAGING})[1]
    assert (infos["task"].tolist(), infos["_task"].tolist()) == ([None, "foraging"], [False, True])
    envs.close()


def test_info_holds_the_latency() -> None:
    env = puzzlebox.make("examples/food", **LIGHT)
    _, info = env.reset(seed=7)
    assert info["latency"] is None
    while not env.world.over:
        *_, info = env.step(3)
    assert (info["passed"], info["latency"]) == (True, 1.08)


def test_infos_can_do_without_our_classes() -> None:
    env = puzzlebox.make("examples/food", infos="plain", **LIGHT)
    _, info = env.reset(seed=7)
    assert info["events"][0]["kind"] == "started"
    assert b"puzzlebox" not in pickle.dumps(info)
    envs = puzzlebox.make_vec("examples/food", 2, workers=1, infos="plain", autoreset="same_step", **LIGHT)
    assert b"puzzlebox" not in pickle.dumps(envs.reset(seed=7)[1])
    for _ in range(18):
        infos = envs.step(np.full(2, 3))[4]
    assert infos["final_info"]["events"][0][0]["kind"] == "collected"


def test_infos_can_be_numbers_alone() -> None:
    env = puzzlebox.make("examples/food", infos="numbers", **LIGHT)
    _, info = env.reset(seed=7)
    assert info.keys() == {"arena", "passed", "latency", "episode_return", "health", "lights"}
    assert (info["passed"], info["latency"]) == (-1.0, -1.0)
    while not env.world.over:
        *_, info = env.step(3)
    assert (info["passed"], info["latency"]) == (1.0, 1.08)
    envs = puzzlebox.make_vec("examples/food", 2, workers=1, infos="numbers", autoreset="same_step", **LIGHT)
    infos = envs.reset(seed=7)[1]
    assert {name for name in infos if name[0] != "_"} == info.keys()
    assert (infos["passed"] == -1.0).all() and (infos["latency"] == -1.0).all()
    while "final_info" not in infos:
        infos = envs.step(np.full(2, 3))[4]
    assert infos["final_info"]["passed"][0] == 1.0
    assert all(value.dtype != object for value in infos["final_info"].values())
    agents = puzzlebox.make_parallel(text(), infos="numbers", **LIGHT).reset(seed=0)[1]
    assert all(isinstance(value, int | float) for info in agents.values() for value in info.values())


@pytest.mark.parametrize("infos", ["all", "plain", "numbers"])
def test_every_kind_of_infos_passes_gymnasiums_check(infos: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(puzzlebox.make(FORAGING, camera=None, infos=infos), skip_render_check=True)


def test_undecided_values_are_masked_in_our_vectors_and_none_in_gymnasiums() -> None:
    ours = puzzlebox.make_vec(FORAGING, 2, workers=1, **LIGHT).reset(seed=0)[1]
    theirs = SyncVectorEnv([lambda: puzzlebox.make(FORAGING, **LIGHT)] * 2).reset(seed=0)[1]
    for name in ("passed", "latency"):
        assert ours[name].dtype != object and not ours[f"_{name}"].any()
        assert theirs[name].tolist() == [None, None] and theirs[f"_{name}"].all()


# --- snapshots and specifications


@pytest.mark.parametrize("workers", [1, 2])
def test_each_environment_of_a_vector_has_its_snapshot(workers: int) -> None:
    settings = {"camera": 8, "frame_stack": 2}
    envs = puzzlebox.make_vec([THREE, OTHER], 3, workers=workers, **settings)
    envs.reset(seed=5)
    for row in actions(3, 12):
        before = envs.step(row)
    states = envs.snapshot()
    assert len(states) == 3
    expected = [envs.step(row) for row in actions(3, 25)]
    other = puzzlebox.make_vec(FORAGING, 3, workers=1, **settings)  # before any reset
    for vector in (envs, other):
        observations, infos = vector.restore(pickle.loads(pickle.dumps(states)))
        assert equal(observations, before[0])
        assert infos["task"].tolist() == before[4]["task"].tolist()
        for row, reference in zip(actions(3, 25), expected, strict=True):
            got = vector.step(row)
            assert equal(got[0], reference[0])
            assert all(np.array_equal(x, y) for x, y in zip(got[1:4], reference[1:4], strict=True))
    # One environment returns to its snapshot, the others stay; a single environment can restore one of a vector.
    here = envs.snapshot()
    observations, infos = envs.restore([None, states[1], None])
    assert infos["_arena"].tolist() == [False, True, False]
    assert same({name: part[1] for name, part in observations.items()}, {n: p[1] for n, p in before[0].items()})
    now = envs.snapshot()
    assert [now[index].record == here[index].record for index in range(3)] == [True, False, True]
    single = puzzlebox.make(FORAGING, **settings)
    assert same(single.restore(states[2])[0], {name: part[2] for name, part in before[0].items()})
    envs.close()


def test_an_ended_episode_is_restored_as_ended() -> None:
    envs = puzzlebox.make_vec(OTHER, 2, workers=1, autoreset="disabled", max_episode_steps=3, **LIGHT)
    envs.reset(seed=0)
    for _ in range(3):
        *_, truncated, _ = envs.step(np.zeros(2, np.int64))
    assert truncated.all()
    states = envs.snapshot()
    envs.reset(), envs.restore([states[0], None])
    with pytest.raises(gym.error.ResetNeeded, match="the episode of environment 0 is over"):
        envs.step(np.zeros(2, np.int64))


def test_snapshots_that_do_not_fit_are_refused() -> None:
    envs = puzzlebox.make_vec(OTHER, 2, workers=1, **LIGHT)
    for call in (envs.snapshot, lambda: envs.restore([None, None])):
        with pytest.raises(gym.error.ResetNeeded, match="no episode is under way; call reset"):
            call()
    envs.reset(seed=0)
    states = envs.snapshot()
    with pytest.raises(ValueError, match="there are 2 environments and 1 snapshots; give one for each in a list"):
        envs.restore(states[:1])
    with pytest.raises(TypeError, match="only what `snapshot` returned can be restored, not int"):
        envs.restore([states[0], 5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="other rules"):
        puzzlebox.make_vec(OTHER, 2, workers=1, rules="3.1", **LIGHT).restore(states)


@pytest.mark.parametrize("steps", [0, 6])
def test_restoring_needs_no_reset(steps: int) -> None:
    env = puzzlebox.make(THREE, **LIGHT)
    env.reset(seed=3)
    play(env, steps)
    state = env.snapshot()
    fresh: Any = gym.make("puzzlebox/Arena-v1", task=FORAGING, **LIGHT)
    fresh.unwrapped.restore(state)
    assert alike(play(fresh, 40, seed=1), play(env, 40, seed=1))


@pytest.mark.parametrize(
    "task", [FORAGING, THREE, [FORAGING, OTHER], Path("foraging"), puzzlebox.load_task(OTHER), iter([FORAGING])]
)
def test_a_specification_makes_a_vector_again(task: Any) -> None:
    rules = puzzlebox.Rules.named("3.1", decision_period=2)
    settings: dict[str, Any] = {"autoreset": AutoresetMode.SAME_STEP, "rules": rules, "frame_stack": 2, **LIGHT}
    envs = puzzlebox.make_vec(task, 3, workers=1, max_episode_steps=5, **settings)
    expected = [envs.reset(seed=1)[0], *(envs.step(row)[0] for row in actions(3, 8))]
    assert envs.spec is not None
    for spec in (envs.spec, gym.envs.registration.EnvSpec.from_json(envs.spec.to_json())):
        again: Any = gym.make_vec(spec)
        assert (again.num_envs, again.workers, again.autoreset_mode) == (3, 1, AutoresetMode.SAME_STEP)
        observations = [again.reset(seed=1)[0], *(again.step(row)[0] for row in actions(3, 8))]
        assert all(equal(a, b) for a, b in zip(observations, expected, strict=True))
        again.close()
        assert gym.make_vec(again.spec).num_envs == 3
    assert gym.spec("puzzlebox/Arena-v1").kwargs == {}


def test_a_specification_as_json_makes_an_environment_again() -> None:
    env = puzzlebox.make(
        puzzlebox.load_task(OTHER), rules=puzzlebox.Rules(decision_period=1), heading=True, camera=None
    )
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert same(again.reset(seed=2)[0], env.reset(seed=2)[0])
