"""An agent plays and a page watches: it decides as in training, and what it perceives is shown."""
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
from collections.abc import Iterator, Mapping
from puzzlebox.seeds import agent_seed
from pathlib import Path
from puzzlebox.seeds import agent_seed
from typing import Any, ClassVar
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
import numpy as np
from puzzlebox.seeds import agent_seed
import pytest
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
from puzzlebox import make
from puzzlebox.seeds import agent_seed
from puzzlebox.agents import agent_named, register
from puzzlebox.seeds import agent_seed
from puzzlebox.arena.rules import Rules
from puzzlebox.seeds import agent_seed
from puzzlebox.arena.schema import load_task
from puzzlebox.seeds import agent_seed
from puzzlebox.arena.senses.rays import TAGS
from puzzlebox.seeds import agent_seed
from puzzlebox.arena.studio.watched_agent import ShownSenses
from puzzlebox.seeds import agent_seed
from puzzlebox.arena.world import World
from puzzlebox.seeds import agent_seed
from studio_page import FOOD, Studio, running
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
class Looker:
from puzzlebox.seeds import agent_seed
    """Remembers all observations, and walks ahead."""
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
    senses: ClassVar[Mapping[str, Any]] = {"camera": 16, "grayscale": True, "rays": 3, "vitals": True}
from puzzlebox.seeds import agent_seed
    inputs: ClassVar[list[tuple[dict[str, Any], dict[str, Any]]]] = []
from puzzlebox.seeds import agent_seed
    seeds: ClassVar[list[int]] = []
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
    def begin(self, seed: int) -> None:
from puzzlebox.seeds import agent_seed
        """Remember it."""
from puzzlebox.seeds import agent_seed
        self.seeds.append(seed)
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
from puzzlebox.seeds import agent_seed
        """Remember it."""
from puzzlebox.seeds import agent_seed
        self.inputs.append((observation, info))
from puzzlebox.seeds import agent_seed
        return 3
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
class Broken(Looker):
from puzzlebox.seeds import agent_seed
    """Chooses an action that does not exist."""
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
from puzzlebox.seeds import agent_seed
        """Wrong."""
from puzzlebox.seeds import agent_seed
        return 12
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
@pytest.fixture(scope="module")
from puzzlebox.seeds import agent_seed
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
from puzzlebox.seeds import agent_seed
    register("looker-of-the-tests", Looker)
from puzzlebox.seeds import agent_seed
    register("broken-of-the-tests", Broken)
from puzzlebox.seeds import agent_seed
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
from puzzlebox.seeds import agent_seed
        yield studio
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_the_agents_are_listed(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    agents = {agent["name"]: agent["description"] for agent in studio.json("/api/agents")["agents"]}
from puzzlebox.seeds import agent_seed
    assert agents["looker-of-the-tests"] == "Remembers all observations, and walks ahead."
from puzzlebox.seeds import agent_seed
    assert "random" in agents
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_the_random_agent_plays_and_is_recorded(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    with studio.page(task="foraging", agent="random", seed=9) as page:
from puzzlebox.seeds import agent_seed
        page.until_step(60)
from puzzlebox.seeds import agent_seed
        senses = page.last("senses")
from puzzlebox.seeds import agent_seed
        assert senses == {
from puzzlebox.seeds import agent_seed
            **{"type": "senses", "camera": [64, 64, 3], "rays": 15},
from puzzlebox.seeds import agent_seed
            "used": {"camera": False, "rays": False},
from puzzlebox.seeds import agent_seed
        }
from puzzlebox.seeds import agent_seed
        assert page.episodes[0]["agent"] == "random"
from puzzlebox.seeds import agent_seed
        assert len(page.mirror.camera) == 64 * 64 * 3
from puzzlebox.seeds import agent_seed
        assert [degrees for degrees, _, _ in page.mirror.rays[:3]] == pytest.approx([0, 60 / 7, -60 / 7])
from puzzlebox.seeds import agent_seed
        assert {tag for _, _, tag in page.mirror.rays} <= {*TAGS, "none", ""}
from puzzlebox.seeds import agent_seed
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= 60)
from puzzlebox.seeds import agent_seed
    stored = studio.store.episode(page.episode)
from puzzlebox.seeds import agent_seed
    assert (stored.player, stored.agent, stored.decision_period) == ("agent", "random", 1)
from puzzlebox.seeds import agent_seed
    actions = [actions[0] for actions in studio.store.record(page.episode).actions]
from puzzlebox.seeds import agent_seed
    # It decides every three physics steps, as it would in training.
from puzzlebox.seeds import agent_seed
    agent = agent_named("random")
from puzzlebox.seeds import agent_seed
    agent.begin(agent_seed(9))
from puzzlebox.seeds import agent_seed
    decisions = [agent.act({}, {}) for _ in range(20)]
from puzzlebox.seeds import agent_seed
    assert actions[:60] == [action for action in decisions for _ in range(3)]
from puzzlebox.seeds import agent_seed
    assert len(set(actions)) > 1
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_the_agent_gets_the_observations_of_the_environment(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    Looker.inputs.clear()
from puzzlebox.seeds import agent_seed
    Looker.seeds.clear()
from puzzlebox.seeds import agent_seed
    with studio.page(task=studio.upload(FOOD), agent="looker-of-the-tests", seed=4) as page:
from puzzlebox.seeds import agent_seed
        page.until(lambda page: page.received("ended"))
from puzzlebox.seeds import agent_seed
    assert Looker.seeds[0] == agent_seed(4)
from puzzlebox.seeds import agent_seed
    env = make(load_task(FOOD), **Looker.senses)
from puzzlebox.seeds import agent_seed
    observation, info = env.reset(seed=4)
from puzzlebox.seeds import agent_seed
    for shown, shown_info in Looker.inputs:
from puzzlebox.seeds import agent_seed
        assert sorted(shown) == sorted(observation)
from puzzlebox.seeds import agent_seed
        for name in observation:
from puzzlebox.seeds import agent_seed
            assert np.array_equal(shown[name], observation[name]), name
from puzzlebox.seeds import agent_seed
        assert {key: shown_info[key] for key in shown_info if key != "events"} == {
from puzzlebox.seeds import agent_seed
            key: info[key] for key in info if key != "events"
from puzzlebox.seeds import agent_seed
        }
from puzzlebox.seeds import agent_seed
        observation, _, terminated, truncated, info = env.step(3)
from puzzlebox.seeds import agent_seed
        if terminated or truncated:
from puzzlebox.seeds import agent_seed
            break
from puzzlebox.seeds import agent_seed
    assert env.world.animals[0].total == page.last("ended")["return"]
from puzzlebox.seeds import agent_seed
    senses = page.last("senses")
from puzzlebox.seeds import agent_seed
    assert (senses["camera"], senses["rays"]) == ([16, 16, 1], 3)
from puzzlebox.seeds import agent_seed
    assert senses["used"] == {"camera": True, "rays": True}
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_it_may_play_faster(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    """Eight times: several steps go into one frame, and the page still gets every action."""
from puzzlebox.seeds import agent_seed
    with studio.page(task="foraging", agent="random") as page:
from puzzlebox.seeds import agent_seed
        page.until_step(1)
from puzzlebox.seeds import agent_seed
        page.send({"type": "speed", "times": 8})
from puzzlebox.seeds import agent_seed
        page.until_step(400)
from puzzlebox.seeds import agent_seed
        assert sorted(page.mirror.actions) == list(range(1, page.step + 1))
from puzzlebox.seeds import agent_seed
        assert page.frames < 300
from puzzlebox.seeds import agent_seed
        page.send({"type": "pause", "on": True})
from puzzlebox.seeds import agent_seed
        page.until(lambda page: page.mirror.head["flags"] & 64)
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_the_next_episode_follows(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    with studio.page(task=studio.upload(FOOD), agent="looker-of-the-tests") as page:
from puzzlebox.seeds import agent_seed
        page.send({"type": "speed", "times": 8})
from puzzlebox.seeds import agent_seed
        page.until(lambda page: len(page.episodes) == 2).until_step(3)
from puzzlebox.seeds import agent_seed
        assert page.episodes[1]["previous_return"] == page.last("ended")["return"]
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_a_page_that_reconnects_continues_watching(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    with studio.page(task="foraging", agent="random", seed=2) as page:
from puzzlebox.seeds import agent_seed
        page.until_step(10)
from puzzlebox.seeds import agent_seed
    with studio.page(page.resume()) as back:
from puzzlebox.seeds import agent_seed
        back.until_step(page.step + 10)
from puzzlebox.seeds import agent_seed
        assert (back.episode, back.episodes[0]["note"]) == (page.episode, None)
from puzzlebox.seeds import agent_seed
        assert back.received("senses")
from puzzlebox.seeds import agent_seed
        assert back.mirror.camera
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_an_agent_that_fails_is_reported(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    with studio.page(task=studio.upload(FOOD), agent="broken-of-the-tests") as page:
from puzzlebox.seeds import agent_seed
        assert page.error() == (
from puzzlebox.seeds import agent_seed
            "the agent failed: the agent broken-of-the-tests chose 12; an action is a number from 0 to 8"
from puzzlebox.seeds import agent_seed
        )
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_an_unknown_agent(studio: Studio) -> None:
from puzzlebox.seeds import agent_seed
    with studio.page(task="foraging", agent="randum") as page:
from puzzlebox.seeds import agent_seed
        error = page.error()
from puzzlebox.seeds import agent_seed
        assert error.startswith("there is no agent 'randum'; allowed: ") and error.endswith("; did you mean `random`?")
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_in_the_dark_nothing_is_shown() -> None:
from puzzlebox.seeds import agent_seed
    task = load_task("arenas: [{blackouts: [0], items: [{name: Agent, at: [20, 0, 20]}]}]")
from puzzlebox.seeds import agent_seed
    senses = ShownSenses({"camera": 8, "rays": 3, "vitals": False}, Rules())
from puzzlebox.seeds import agent_seed
    shown, own = senses.perceive(World(task))
from puzzlebox.seeds import agent_seed
    assert sorted(own) == ["camera", "rays"]
from puzzlebox.seeds import agent_seed
    camera, rays = senses.messages(shown)
from puzzlebox.seeds import agent_seed
    assert set(camera[4:]) == {0}
from puzzlebox.seeds import agent_seed
    assert rays.endswith(b"\x00")
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
def test_metres_and_tags_of_rays(tmp_path: Path) -> None:
from puzzlebox.seeds import agent_seed
    from studio_page import Mirror
from puzzlebox.seeds import agent_seed

from puzzlebox.seeds import agent_seed
    world = World(load_task(FOOD))
from puzzlebox.seeds import agent_seed
    senses, mirror = ShownSenses({"rays": 3, "ray_degrees": 180, "camera": None}, Rules()), Mirror()
from puzzlebox.seeds import agent_seed
    mirror.take(senses.messages(senses.perceive(world)[0])[1])
from puzzlebox.seeds import agent_seed
    (ahead, near, what), (right, _, fence), (left, *_) = mirror.rays
from puzzlebox.seeds import agent_seed
    assert (ahead, right, left) == (0, 90, -90)
from puzzlebox.seeds import agent_seed
    assert (what, fence) == ("goodGoal", "arena")
from puzzlebox.seeds import agent_seed
    assert near == pytest.approx(2.0, abs=0.02)
from puzzlebox.seeds import agent_seed
