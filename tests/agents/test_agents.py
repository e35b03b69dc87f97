"""Agents: found by name or path, refused with a sentence, and the random one with all its settings."""

import sys
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import puzzlebox
import puzzlebox.agents as agents
from puzzlebox import entry_points
from puzzlebox.agents import Agent, agent_named, agent_names, describe, required_options
from puzzlebox.arena.agents.random import DISTRIBUTIONS, RandomAgent
from puzzlebox.arena.world import ACTIONS, World
from puzzlebox.record import Store
from puzzlebox.run.play import play
from puzzlebox.run.runs import RunError, run
from puzzlebox.run.tasks import find_tasks
from puzzlebox.seeds import agent_seed
from worlds import AGENT, GOAL, task_of


class Straight:
    """Goes straight ahead.

    Whatever there is.
    """

    senses: Mapping[str, Any] = {"camera": None, "rays": 3}

    def __init__(self, action: int = 3) -> None:
        self.action, self.seeds, self.seen = action, [], []

    def begin(self, seed: int) -> None:
        self.seeds.append(seed)

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        self.seen.append((sorted(observation), info["ray_tags"][:2]))
        return self.action


def test_agents_of_a_wing_refuse_the_tasks_of_others(tmp_path: Path) -> None:
    assert "infant-script" in agent_names("infant") and "infant-script" not in agent_names("arena")
    assert {"random"} <= set(agent_names("infant")) and "heuristic" not in agent_names("infant")
    with pytest.raises(RunError, match="infant-script plays tasks of infant only; foraging is a task of arena"):
        run(find_tasks(["foraging"]), ["infant-script"], tmp_path / "out")
    with pytest.raises(RunError, match="heuristic plays tasks of arena only; infant/kick-the-ball is a task of infant"):
        run(find_tasks(["infant/kick-the-ball"]), ["heuristic"], tmp_path / "out")


@pytest.mark.parametrize("name", [name for name in agent_names("arena") if not required_options(name)])
def test_every_agent_plays_and_repeats_itself(name: str) -> None:
    agent = agent_named(name)
    assert isinstance(agent, Agent)
    assert describe(name).endswith(".") and len(describe(name)) < 120
    task = task_of(AGENT, GOAL, time_limit=40)
    first, _, second = (play(task, agent, seed=seed) for seed in (4, 5, 4))
    assert first == second
    env = puzzlebox.make(task, **agent.senses)
    observation, info = env.reset(seed=4)
    agent.begin(agent_seed(4))
    for (expected,) in first.actions:
        action = agent.act(observation, info)
        assert env.action_space.contains(action) and action == expected
        observation, _, terminated, truncated, info = env.step(action)
    assert terminated or truncated


def test_an_agent_given_by_import_path_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    agent: Any = agent_named("test_agents:Straight", action=6)
    assert describe("test_agents:Straight") == "Goes straight ahead."
    record = play(task_of(AGENT, time_limit=4), agent, seed=9)
    assert set(record.actions) == {(6,)} and agent.seeds == [agent_seed(9)]
    assert agent.seen[0] == (["rays", "vitals"], ("arena", "Immovable"))


def test_an_episode_of_an_agent_is_recorded_with_its_name_and_rules(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        task = task_of(AGENT, GOAL, time_limit=40)
        record = play(task, Straight(), store=store, seed=3, name="ahead", agent_name="straight", rules="4.3")
        store.flush()
        episode = store.find("last")
        assert (episode.player, episode.agent, episode.task, episode.rules) == (
            "agent",
            "straight",
            "ahead",
            "4.3",
        )
        assert store.record(episode.id) == record and episode.finished
        assert [event["kind"] for event in store.events(episode.id)].count("started") == 1
        assert store.steps(episode.id)["step"][-1] == World.replay(record).clock == episode.steps


def test_agents_are_found_by_registration_and_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "_AGENTS", {"random": RandomAgent})
    agents.register("straight", Straight)
    point = EntryPoint("elsewhere", f"{__name__}:Straight", agents.GROUP)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr(entry_points, "entries_in", lambda group: {"elsewhere": point} if group == agents.GROUP else {})
    assert agent_names() == ["elsewhere", "random", "straight"]
    assert isinstance(agent_named("straight"), Straight) and isinstance(agent_named("elsewhere"), Straight)
    with pytest.raises(ValueError, match="not a name for an agent"):
        agents.register("a:b", Straight)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("randon", {}, "and any other by its import path, module:Class; did you mean `random`?"),
        ("random", {"prev_bias": 1}, "prev_step_bias, remove_prev_step; did you mean `prev_step_bias`?"),
        ("no.such.module:Thing", {}, "cannot be imported: ModuleNotFoundError: No module named 'no'"),
        ("puzzlebox.arena.agents.random:RandomAgemt", {}, "has no 'RandomAgemt'; did you mean `RandomAgent`?"),
        ("puzzlebox.arena.agents.random:DISTRIBUTIONS", {}, "is not an agent: a dict cannot be called"),
        ("collections:Counter", {}, "collections:Counter is not an agent: it has no senses and no begin and no act"),
        ("builtins:dict", {}, "builtins:dict is not an agent: it has no senses and no begin and no act"),
        (":Thing", {}, "cannot be imported: it is written module:Class"),
        ("heuristic", {"rays": 4}, "the agent heuristic cannot be made: rays is 4; it must be odd: one ray ahead"),
    ],
)
def test_a_wrong_agent_name_or_option_is_refused_with_one_sentence(
    name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError) as problem:
        agent_named(name, **options)
    assert sentence in str(problem.value)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("def x(:", "the agent 'mine:X' cannot be imported: SyntaxError: invalid syntax (HERE:1)"),
        ("1 / 0", "the agent 'mine:X' cannot be imported: ZeroDivisionError: division by zero (HERE:1)"),
        ("\nint('a b')", "cannot be imported: ValueError: invalid literal for int() with base 10: 'a b' (HERE:2)"),
        ("import torchhh", "cannot be imported: ModuleNotFoundError: No module named 'torchhh' (HERE:1)"),
        ("exit(3)", "the agent 'mine:X' cannot be imported: SystemExit: 3"),
        ("def X():\n  {}['weights']", "the agent mine:X cannot be made: KeyError: 'weights' (HERE:2)"),
        ("def X():\n  None.x", "cannot be made: AttributeError: 'NoneType' object has no attribute 'x' (HERE:2)"),
        ("def X():\n  raise ValueError('no\\nluck')", "the agent mine:X cannot be made: ValueError: no luck (HERE:2)"),
        ("def X():\n  assert False", "the agent mine:X cannot be made: AssertionError (HERE:2)"),
        ("def X():\n  open('/nope/x')", "FileNotFoundError: [Errno 2] No such file or directory: '/nope/x' (HERE:2)"),
        ("def X(path): ...", "the agent mine:X needs the option path, as in mine:X(path=...)"),
        ("class X:\n  senses, begin, act = 5, 5, 5", "mine:X is not an agent: its senses are 5;"),
    ],
)
def test_agent_code_that_fails_is_reported_with_one_sentence(
    code: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(ValueError) as problem:
        agent_named("mine:X")
    assert sentence.replace("HERE", str(path)) in str(problem.value)
    assert "\n" not in str(problem.value)


def actions_of(agent: RandomAgent, count: int, seed: int = 0) -> list[int]:
    agent.begin(seed)
    return [agent.act({}, {}) for _ in range(count)]


def lengths(actions: list[int]) -> list[int]:
    """Return how long each action lasted, without the last one, which may have been cut off."""
    return [len(list(group)) for _, group in groupby(actions)][:-1]


def test_a_random_agent_repeats_its_actions_for_the_same_seed_only() -> None:
    agent = RandomAgent()
    assert actions_of(agent, 50, 4) == actions_of(agent, 50, 4) != actions_of(agent, 50, 5)


def test_the_published_setting_gives_the_published_action_lengths() -> None:
    """Normal(5, 1), truncated: 4.5 on average, and nearly always from 2 to 7 (docs/original/experiments.md#agents)."""
    actions = actions_of(RandomAgent(remove_prev_step=True), 20000)
    runs = lengths(actions)
    assert np.mean(runs) == pytest.approx(4.5, abs=0.05) and np.std(runs) == pytest.approx(1.04, abs=0.05)
    counts = Counter(actions)
    assert set(counts) == set(range(9)) and min(counts.values()) > 0.8 * max(counts.values())


def test_without_a_distribution_every_action_has_the_same_length() -> None:
    assert set(lengths(actions_of(RandomAgent(None, 7, remove_prev_step=True), 2000))) == {7}
    assert set(lengths(actions_of(RandomAgent("constant(1)", remove_prev_step=True), 500))) == {1}


def test_biases_are_in_the_documented_order_and_soft_maxed() -> None:
    order = ("noop", "left", "right", "forwards", "backwards")
    order += ("forwards-left", "forwards-right", "backwards-left", "backwards-right")
    for place, name in enumerate(order):
        biases = [0.0] * 9
        biases[place] = 50.0
        assert {ACTIONS[action] for action in actions_of(RandomAgent(action_biases=biases), 50)} == {name}
    actions = actions_of(RandomAgent("constant(1)", action_biases=[np.log(2), 0, 0, 0, 0, 0, 0, 0, 0]), 20000)
    assert actions.count(0) / len(actions) == pytest.approx(0.2, abs=0.01)


def test_correlation_with_and_exclusion_of_the_last_action() -> None:
    free, sticky, fleeing = (
        actions_of(RandomAgent("constant(1)", prev_step_bias=bias, remove_prev_step=never), 20000)
        for bias, never in ((0.0, False), (0.6, False), (0.0, True))
    )
    repeats = [np.mean(np.diff(actions) == 0) for actions in (free, sticky, fleeing)]
    assert repeats == pytest.approx([1 / 9, 0.6 + 0.4 / 9, 0.0], abs=0.015)


def test_lengths_below_one_step_are_drawn_again_up_to_a_limit() -> None:
    # Half of these are truncated to 0: then the action is not taken at all.
    drawn = iter([1.0, 0.9, -0.5, 2.0] * 100)
    agent = RandomAgent(lambda rng: next(drawn))
    assert len(actions_of(agent, 250)) == 250 and next(drawn) == 0.9
    with pytest.raises(ValueError, match="only lengths of less than one step"):
        actions_of(RandomAgent("constant(0.9)"), 1)


def test_negative_draws_count_by_their_size_and_functions_are_seeded() -> None:
    assert set(lengths(actions_of(RandomAgent("constant(-3.9)", remove_prev_step=True), 100))) == {3}
    drawn = RandomAgent(lambda rng: rng.integers(1, 5))
    assert actions_of(drawn, 200, 1) == actions_of(drawn, 200, 1) != actions_of(drawn, 200, 2)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_every_distribution_is_seeded(name: str) -> None:
    text = f"{name}({', '.join(['0.9', '2'][: DISTRIBUTIONS[name]])})".replace("constant(0.9", "constant(2")
    agent = RandomAgent(text)
    assert actions_of(agent, 300, 1) == actions_of(agent, 300, 1) != actions_of(agent, 300, 2)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"step_length_distribution": "norml(5, 1)"}, "lognormal, gamma; did you mean `normal`?"),
        ({"step_length_distribution": "normal(5)"}, "'normal(5)' is not a distribution; normal takes two numbers"),
        (
            {"step_length_distribution": "normal(5, x)"},
            "normal takes two numbers up to 1,000,000, as in 'normal(5, 1)'",
        ),
        ({"step_length_distribution": "normal(5, -1)"}, "'normal(5, -1)' is not a distribution: scale < 0"),
        ({"step_length_distribution": "normal"}, "normal takes two numbers"),
        ({"step_length_distribution": "constant(nan)"}, "constant takes one number"),
        ({"max_step_length": 0}, "max_step_length is 0; it must be a whole number, 1 or more"),
        ({"prev_step_bias": 1.5}, "prev_step_bias is 1.5; it must be from 0 to 1"),
        ({"prev_step_bias": "a"}, "prev_step_bias is 'a'; it must be from 0 to 1"),
        ({"step_length_distribution": 5}, "step_length_distribution is 5; it must be a text such as 'normal(5, 1)'"),
        ({"action_biases": 5}, "action_biases are 5; they must be nine finite numbers"),
        ({"action_biases": ["a"] * 9}, "they must be nine finite numbers"),
        ({"action_biases": [1, 2]}, "action_biases has 2 numbers; there are 9 actions"),
        ({"action_biases": [float("inf")] * 9}, "they must be nine finite numbers"),
        ({"prev_step_bias": 0.5, "remove_prev_step": True}, "contradict each other"),
    ],
)
def test_invalid_settings_of_the_random_agent_are_refused_with_one_sentence(
    settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError) as problem:
        RandomAgent(**settings)
    assert sentence in str(problem.value)
