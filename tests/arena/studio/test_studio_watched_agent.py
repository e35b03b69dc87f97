"""An agent plays and a page watches: it decides as in training, and what it perceives is shown."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from puzzlebox import agents, make
from puzzlebox.agents import agent_named, register
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.senses.rays import TAGS
from puzzlebox.arena.studio.watched_agent import ShownSenses
from puzzlebox.arena.world import World
from puzzlebox.seeds import agent_seed
from studio_page import FOOD, Studio, running


class Looker:
    """Remembers all observations, and walks ahead."""

    senses: ClassVar[Mapping[str, Any]] = {"camera": 16, "grayscale": True, "rays": 3, "vitals": True}
    inputs: ClassVar[list[tuple[dict[str, Any], dict[str, Any]]]] = []
    seeds: ClassVar[list[int]] = []

    def begin(self, seed: int) -> None:
        """Remember it."""
        self.seeds.append(seed)

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Remember it."""
        self.inputs.append((observation, info))
        return 3


class Broken(Looker):
    """Chooses an action that does not exist."""

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Wrong."""
        return 12


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with pytest.MonkeyPatch.context() as patch:
        # Other tests of this process list all agents.
        patch.setattr(agents, "_AGENTS", dict(agents._AGENTS))
        register("looker-of-the-tests", Looker)
        register("broken-of-the-tests", Broken)
        with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
            yield studio


def test_the_agents_are_listed(studio: Studio) -> None:
    listed = {agent["name"]: agent["description"] for agent in studio.json("/api/agents")["agents"]}
    assert listed["looker-of-the-tests"] == "Remembers all observations, and walks ahead."
    assert "random" in listed


def test_the_random_agent_plays_and_is_recorded(studio: Studio) -> None:
    with studio.page(task="foraging", agent="random", seed=9) as page:
        page.until_step(60)
        senses = page.last("senses")
        assert senses == {
            **{"type": "senses", "camera": [64, 64, 3], "rays": 15},
            "used": {"camera": False, "rays": False},
        }
        assert page.episodes[0]["agent"] == "random"
        assert len(page.mirror.camera) == 64 * 64 * 3
        assert [degrees for degrees, _, _ in page.mirror.rays[:3]] == pytest.approx([0, 60 / 7, -60 / 7])
        assert {tag for _, _, tag in page.mirror.rays} <= {*TAGS, "none", ""}
        page.until(lambda page: page.acknowledged.get(page.episode, 0) >= 60)
    stored = studio.store.episode(page.episode)
    assert (stored.player, stored.agent, stored.decision_period) == ("agent", "random", 1)
    actions = [actions[0] for actions in studio.store.record(page.episode).actions]
    # It decides every three physics steps, as it would in training.
    agent = agent_named("random")
    agent.begin(agent_seed(9))
    decisions = [agent.act({}, {}) for _ in range(20)]
    assert actions[:60] == [action for action in decisions for _ in range(3)]
    assert len(set(actions)) > 1


def test_the_agent_gets_the_observations_of_the_environment(studio: Studio) -> None:
    Looker.inputs.clear()
    Looker.seeds.clear()
    with studio.page(task=studio.upload(FOOD), agent="looker-of-the-tests", seed=4) as page:
        page.until(lambda page: page.received("ended"))
    assert Looker.seeds[0] == agent_seed(4)
    env = make(load_task(FOOD), **Looker.senses)
    observation, info = env.reset(seed=4)
    for shown, shown_info in Looker.inputs:
        assert sorted(shown) == sorted(observation)
        for name in observation:
            assert np.array_equal(shown[name], observation[name]), name
        assert {key: shown_info[key] for key in shown_info if key != "events"} == {
            key: info[key] for key in info if key != "events"
        }
        observation, _, terminated, truncated, info = env.step(3)
        if terminated or truncated:
            break
    assert env.world.animals[0].total == page.last("ended")["return"]
    senses = page.last("senses")
    assert (senses["camera"], senses["rays"]) == ([16, 16, 1], 3)
    assert senses["used"] == {"camera": True, "rays": True}


def test_a_watched_agent_may_play_faster(studio: Studio) -> None:
    """Eight times: several steps go into one frame, and the page still gets every action."""
    with studio.page(task="foraging", agent="random") as page:
        page.until_step(1)
        page.send({"type": "speed", "times": 8})
        page.until_step(400)
        assert sorted(page.mirror.actions) == list(range(1, page.step + 1))
        assert page.frames < 300
        page.send({"type": "pause", "on": True})
        page.until(lambda page: page.mirror.head["flags"] & 64)


def test_the_next_episode_follows(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD), agent="looker-of-the-tests") as page:
        page.send({"type": "speed", "times": 8})
        page.until(lambda page: len(page.episodes) == 2).until_step(3)
        assert page.episodes[1]["previous_return"] == page.last("ended")["return"]


def test_a_page_that_reconnects_continues_watching(studio: Studio) -> None:
    with studio.page(task="foraging", agent="random", seed=2) as page:
        page.until_step(10)
    with studio.page(page.resume()) as back:
        back.until_step(page.step + 10)
        assert (back.episode, back.episodes[0]["note"]) == (page.episode, None)
        assert back.received("senses")
        assert back.mirror.camera


def test_an_agent_that_fails_is_reported(studio: Studio) -> None:
    with studio.page(task=studio.upload(FOOD), agent="broken-of-the-tests") as page:
        assert page.error() == (
            "the agent failed: the agent broken-of-the-tests chose 12; an action is a number from 0 to 8"
        )


def test_an_unknown_agent_is_refused_with_the_nearest(studio: Studio) -> None:
    with studio.page(task="foraging", agent="randum") as page:
        error = page.error()
        assert error.startswith("there is no agent 'randum'; allowed: ") and error.endswith("; did you mean `random`?")


def test_in_the_dark_nothing_is_shown() -> None:
    task = load_task("arenas: [{blackouts: [0], items: [{name: Agent, at: [20, 0, 20]}]}]")
    senses = ShownSenses({"camera": 8, "rays": 3, "vitals": False}, Rules())
    shown, own = senses.perceive(World(task))
    assert sorted(own) == ["camera", "rays"]
    camera, rays = senses.messages(shown)
    assert set(camera[4:]) == {0}
    assert rays.endswith(b"\x00")


def test_the_page_gets_rays_in_metres_with_their_tags(tmp_path: Path) -> None:
    from studio_page import Mirror

    world = World(load_task(FOOD))
    senses, mirror = ShownSenses({"rays": 3, "ray_degrees": 180, "camera": None}, Rules()), Mirror()
    mirror.take(senses.messages(senses.perceive(world)[0])[1])
    (ahead, near, what), (right, _, fence), (left, *_) = mirror.rays
    assert (ahead, right, left) == (0, 90, -90)
    assert (what, fence) == ("goodGoal", "arena")
    assert near == pytest.approx(2.0, abs=0.02)
