"""Minari datasets: written from runs and recordings, loaded again, byte-equal to live episodes, and learned from."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import puzzlebox
from command import puzzlebox as command
from puzzlebox.agents import agent_named
from puzzlebox.record import Store
from puzzlebox.run.datasets import DatasetError, find_episodes, parse_senses, write_dataset
from puzzlebox.run.journal import trajectories
from puzzlebox.run.play import play
from puzzlebox.run.runs import run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings.records import read_record
from worlds import task_of

minari = pytest.importorskip("minari")

TWO = """
arenas:
  - {time_limit: 20, pass_mark: 0.5, items: [{name: Agent}, {name: GoodGoal}, {name: Wall}]}
  - {time_limit: 10, items: [{name: Agent}, {name: GoodGoalMulti, count: 2}]}
"""
NEAR = """
arenas: [{time_limit: 40, items: [{name: Agent, at: [20, 0, 5], rotation: 0}, {name: GoodGoal, at: [20, 0, 9]}]}]
"""
ONE = "arenas: [{time_limit: 16, items: [{name: Agent}, {name: GoodGoal}]}]\n"


@pytest.fixture(autouse=True)
def datasets_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


@pytest.fixture(scope="module")
def arena_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    (folder / "two.yml").write_text(TWO)
    (folder / "one.yml").write_text(ONE)
    (folder / "near.yml").write_text(NEAR)
    tasks = find_tasks([str(folder / f"{name}.yml") for name in ("two", "one", "near")])
    run(tasks, ["random", "heuristic(rays=5)"], folder / "out", episodes=2, workers=1)
    return folder / "out"


def live(env: gym.Env[Any, Any], record: Any, options: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield what an environment gives in an episode: the observation of its start, then those of its steps."""
    yield env.reset(seed=record.seed, options=options)
    for (action,) in record.actions:
        yield env.step(action)


@pytest.mark.parametrize("data_format", ["hdf5", "arrow", "parquet"])
def test_a_dataset_of_a_run_equals_live_episodes_byte_for_byte(arena_run: Path, data_format: str) -> None:
    senses = {"camera": 48, "rays": 7, "heading": True}
    episodes = find_episodes(arena_run, agents=["random"])
    written = write_dataset(episodes, "puzzlebox/two/random-v0", senses=senses, data_format=data_format)
    dataset = minari.load_dataset("puzzlebox/two/random-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (written.episodes, written.steps) == (8, written.steps)
    records = {name: read_record(text) for name, text in trajectories(arena_run)}
    for each, recorded in zip(dataset.iterate_episodes(), episodes, strict=True):
        record = records[recorded.episode.id]
        env = puzzlebox.make(record.task, rules=record.rules, **senses)
        steps = list(live(env, record, {"arena": record.task.arenas[record.arena].id}))
        assert sorted(each.observations) == ["camera", "heading", "rays", "vitals"]
        for name, values in each.observations.items():
            expected = np.stack([step[0][name] for step in steps])
            assert values.dtype == expected.dtype and values.tobytes() == expected.tobytes(), name
        assert list(each.actions) == [action for (action,) in record.actions]
        assert list(each.rewards) == [step[1] for step in steps[1:]]
        assert list(each.terminations) == [step[2] for step in steps[1:]]
        assert list(each.truncations) == [step[3] for step in steps[1:]]
        assert each.terminations[-1] or each.truncations[-1]
    about = next(iter(dataset.storage.get_episode_metadata([0])))
    assert about["episode"] == episodes[0].episode.id and about["return"] == episodes[0].episode.total


def test_the_environment_of_a_dataset_is_made_again(arena_run: Path) -> None:
    write_dataset(find_episodes(arena_run), "two-v1", senses={"camera": None, "rays": 5})
    dataset = minari.load_dataset("two-v1")
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space and env.action_space == dataset.action_space
    each = dataset[3]
    (about,) = dataset.storage.get_episode_metadata([3])
    options = about["options"]
    observation, _ = env.reset(
        seed=int(about["seed"]), options=json.loads(options) if isinstance(options, str) else options
    )
    assert observation["rays"].tobytes() == each.observations["rays"][0].tobytes()
    for number, action in enumerate(each.actions):
        observation, reward, *_ = env.step(action)
        assert observation["vitals"].tobytes() == each.observations["vitals"][number + 1].tobytes()
        assert reward == each.rewards[number]


def test_by_default_observations_are_those_of_the_agent(arena_run: Path) -> None:
    written = write_dataset(find_episodes(arena_run, agents=["heuristic(rays=5)"]), "heuristic-v0")
    dataset = minari.load_dataset("heuristic-v0")
    assert written.senses["rays"] == 5 and sorted(dataset.observation_space.keys()) == ["rays", "vitals"]
    agent = agent_named("heuristic", rays=5)
    each = dataset[0]
    agent.begin(0)
    tags = puzzlebox.make(ONE, rays=5).reset(seed=0)[1]["ray_tags"]
    for number, action in enumerate(each.actions):  # the teacher decides the same on what is in the dataset
        observation = {name: values[number] for name, values in each.observations.items()}
        assert agent.act(observation, {"ray_tags": tags}) == action


def test_move_and_turn_can_be_two_numbers(arena_run: Path) -> None:
    senses = {"camera": None, "rays": None, "actions": "branches"}
    episodes = find_episodes(arena_run, agents=["random"], tasks=["one"])
    write_dataset(episodes, "branches-v0", senses=senses)
    each = minari.load_dataset("branches-v0")[0]
    assert [3 * move + turn for move, turn in each.actions] == [action for (action,) in episodes[0].record.actions]


def test_recordings_of_participants_and_agents_become_datasets(tmp_path: Path) -> None:
    path = tmp_path / "my.sqlite"
    with Store(path) as store:
        for seed in (1, 2):
            play(task_of("name: Agent", "name: GoodGoal", time_limit=8), agent_named("random"), seed=seed, store=store)
    episodes = find_episodes(path)
    assert len(episodes) == 2 and episodes[0].senses is None
    written = write_dataset(episodes, "recorded-v0")
    assert written.steps == sum(len(each.record.actions) for each in episodes)
    assert minari.load_dataset("recorded-v0").observation_space["camera"].shape == (64, 64, 3)


def test_infant_episodes_become_a_dataset(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    out = tmp_path / "out"
    run(find_tasks(["infant/kick-the-ball"]), ["infant-script"], out, longest=6, workers=1)
    senses = {"senses": ("balance",)}
    written = write_dataset(find_episodes(out), "puzzlebox/kick/script-v0", senses=senses)
    dataset = minari.load_dataset("puzzlebox/kick/script-v0")
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space
    each, (about,) = dataset[0], dataset.storage.get_episode_metadata([0])
    assert len(each.rewards) == written.steps == 6 and each.truncations[-1]
    observation, _ = env.reset(seed=int(about["seed"]))
    for number in range(6):
        for name, values in each.observations.items():
            assert observation[name].tobytes() == values[number].tobytes()
        observation, reward, *_ = env.step(each.actions[number])
        assert reward == each.rewards[number]
    env.close()


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere"], "there is no nowhere; name the folder of a run or a file of recordings"),
        (["."], "is not the folder of a run: it has no journal.jsonl"),
        (
            ["RUN", "--agent", "randm"],
            "has no episode of the agent 'randm'; allowed: heuristic(rays=5), random; did you mean",
        ),
        (["RUN", "--task", "three"], "has no episode of the task 'three'"),
        (["RUN"], "heuristic(rays=5) and random have different senses; choose one agent, or name the senses"),
        (["RUN", "--senses", "camera"], "'camera' is not a list of senses; write them as in camera=64, rays=15"),
        (["RUN", "--senses", "cameras=3"], "there is no environment with these senses: got an unexpected keyword"),
        (
            ["RUN", "--senses", "rays=4"],
            "there is no environment with these senses: rays is 4; it must be an odd number",
        ),
        (["RUN", "--name", "badname"], "is not the id of a dataset; write it as in puzzlebox/foraging/heuristic-v0"),
        (["RUN", "--name", "a b/c?"], "is not the id of a dataset; write it as in puzzlebox/foraging/heuristic-v0"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], why: str, arena_run: Path, tmp_path: Path) -> None:
    arguments = [str(arena_run) if each == "RUN" else each for each in arguments]
    name = [] if "--name" in arguments else ["--name", "x-v0"]
    done = command("dataset", *arguments, *name, cwd=tmp_path)
    assert done.returncode == 1 and why in done.stderr
    assert not list((tmp_path / "datasets").glob("**/x-v0"))


def test_the_command_writes_a_dataset_once(arena_run: Path, datasets_folder: Path) -> None:
    arguments = ["dataset", str(arena_run), "--name", "puzzlebox/one-v0", "--agent", "random", "--task", "one"]
    done = command(*arguments, "--senses", "camera=None, rays=3")
    assert done.returncode == 0 and "2 episodes" in done.stderr
    assert Path(done.stdout.strip()) == datasets_folder / "puzzlebox" / "one-v0"
    again = command(*arguments)
    assert again.returncode == 1 and "the dataset puzzlebox/one-v0 is already there" in again.stderr
    assert minari.load_dataset("puzzlebox/one-v0").total_episodes == 2


def test_an_episode_that_replays_differently_leaves_no_dataset(arena_run: Path, datasets_folder: Path) -> None:
    episode = find_episodes(arena_run, agents=["random"])[0]
    changed = episode._replace(record=replace(episode.record, actions=episode.record.actions[:3]))
    with pytest.raises(DatasetError, match="replays with a return of"):
        write_dataset([changed], "odd-v0", senses={"camera": None})
    assert not (datasets_folder / "odd-v0").exists()


def test_only_passed_episodes(arena_run: Path) -> None:
    every = find_episodes(arena_run)
    passed = [each.episode.id for each in every if each.episode.passed]
    assert 0 < len(passed) < len(every)
    assert [each.episode.id for each in find_episodes(arena_run, passed=True)] == passed
    with pytest.raises(DatasetError, match="none of these 2 episodes was passed"):
        find_episodes(arena_run, agents=["random"], tasks=["one"], passed=True)


def test_senses_are_literals() -> None:
    assert parse_senses("camera=None, rays=15, senses=('sight', 'touch')") == {
        "camera": None,
        "rays": 15,
        "senses": ("sight", "touch"),
    }


# --- Minari's own collector


def _tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """As `jax.tree_util.tree_map` for dictionaries: other trees may go on below the leaves of the first."""
    if isinstance(tree, dict):
        return {name: _tree_map(function, part, *(other[name] for other in others)) for name, part in tree.items()}
    return function(tree, *others)


@pytest.fixture
def tree_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minari's collector uses this one function of JAX, which has 380 MB; without JAX, a copy stands in for it."""
    try:
        import jax
    except ImportError:
        jax, tree_util = ModuleType("jax"), ModuleType("jax.tree_util")
        tree_util.tree_map = _tree_map  # type: ignore[attr-defined]
        jax.tree_util = tree_util  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "jax", jax)
        monkeypatch.setitem(sys.modules, "jax.tree_util", tree_util)


@pytest.mark.usefixtures("tree_map")
@pytest.mark.filterwarnings("ignore::UserWarning:minari", "ignore:Implicitly cleaning up:ResourceWarning")
def test_minaris_own_collector_works_around_our_environments() -> None:
    env = minari.DataCollector(gym.make("puzzlebox/Arena-v1", task=ONE, camera=32, rays=5), jpeg_encoding=False)
    seen: list[Sequence[np.ndarray[Any, Any]]] = []
    for seed in (3, 4):
        observation, _ = env.reset(seed=seed)
        pictures, done = [observation["camera"]], False
        while not done:
            observation, _, terminated, truncated, _ = env.step(3)
            pictures.append(observation["camera"])
            done = terminated or truncated
        seen.append(pictures)
    dataset = env.create_dataset("collected-v0", algorithm_name="straight")
    env.close()
    assert dataset.total_episodes == 2
    for each, pictures in zip(dataset.iterate_episodes(), seen, strict=True):
        assert each.observations["camera"].tobytes() == np.stack(pictures).tobytes()
    again = minari.load_dataset("collected-v0").recover_environment()
    assert again.reset(seed=3)[0]["camera"].tobytes() == seen[0][0].tobytes()


# --- learning


@pytest.mark.slow
def test_a_model_learns_from_a_dataset_what_its_teacher_does(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    task = task_of("name: Agent", "name: GoodGoal, size: 2", time_limit=150)
    (tmp_path / "food.yml").write_text(task.text)
    tasks = find_tasks([str(tmp_path / "food.yml")])
    out = tmp_path / "out"
    run(tasks, ["navigator(rays=31)", "random"], out, episodes=40, workers=1)
    teacher = [each for each in find_episodes(out, agents=["navigator(rays=31)"]) if each.episode.passed]
    write_dataset(teacher, "food/navigator-v0", senses={"camera": None, "rays": 31, "ray_degrees": 180.0})
    dataset = minari.load_dataset("food/navigator-v0")

    def features(observations: dict[str, Any]) -> Any:
        vitals = observations["vitals"][..., :4] / np.array([100, 20, 20, 20], np.float32)
        return torch.as_tensor(np.concatenate([observations["rays"], vitals], -1), dtype=torch.float32)

    episodes = list(dataset.iterate_episodes())
    inputs = torch.cat([features(each.observations)[:-1] for each in episodes])
    targets = torch.cat([torch.as_tensor(each.actions) for each in episodes])
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs.shape[1], 128), torch.nn.ReLU(), torch.nn.Linear(128, 128), torch.nn.ReLU(),
        torch.nn.Linear(128, 9),
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(15):
        for rows in torch.randperm(len(inputs)).split(128):
            loss = torch.nn.functional.cross_entropy(model(inputs[rows]), targets[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    env = dataset.recover_environment()
    rng = np.random.default_rng(0)
    fresh = range(10_000, 10_040)  # seeds that no episode of the dataset had

    def share_passed(choose: Callable[[Any], int]) -> float:
        passed = 0
        for seed in fresh:
            observation, info = env.reset(seed=seed)
            done = False
            while not done:
                observation, _, terminated, truncated, info = env.step(choose(observation))
                done = terminated or truncated
            passed += bool(info["passed"])
        return passed / len(fresh)

    def cloned(observation: Any) -> int:
        with torch.no_grad():
            chances = torch.softmax(model(features(observation)), -1).numpy().astype(float)
        return int(rng.choice(9, p=chances / chances.sum()))

    clone, chance = share_passed(cloned), share_passed(lambda _: int(rng.integers(9)))
    print(f"passed: teacher {len(teacher) / 40:.0%}, clone {clone:.0%}, chance {chance:.0%}")
    assert clone >= chance + 0.3
