"""Language models in the arena: what they are shown, what their replies mean, and how scripts are carried out."""

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import puzzlebox
from chat_server import Answer, chat_server, texts
from puzzlebox.agents import agent_named, required_options
from puzzlebox.agents.language import Unparsable
from puzzlebox.arena.agents.language import LanguageAgent
from puzzlebox.arena.agents.language.replies import NAMED, Command, parse_action, parse_script
from puzzlebox.arena.agents.language.words import KINDS, describe_state, sightings
from puzzlebox.arena.senses.rays import TAGS
from puzzlebox.arena.studio.watched_agent import list_agents
from puzzlebox.arena.world import ACTIONS
from puzzlebox.run.play import play
from worlds import task_of

AGENT = "name: Agent, at: [20, 0, 5], rotation: 0"
GREEN_LEFT = "name: GoodGoal, at: [17, 0, 15], size: 2"
RED_RIGHT = "name: BadGoal, at: [23, 0, 15], size: 2"


def agent_at(url: str, **options: Any) -> LanguageAgent:
    return LanguageAgent(**{"model": "m", "endpoint": url, "camera": 64, "retries": 0} | options)


# --- replies


def test_every_action_has_a_name() -> None:
    assert sorted(NAMED.values()) == list(range(len(ACTIONS)))
    assert all(str(parse_action(name)) == name and parse_action(name) == number for name, number in NAMED.items())


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("FORWARD", "FORWARD"),
        ("I think the ball is left of me. TURN_LEFT.", "TURN_LEFT"),
        ("Not FORWARD, but rather\n**BACKWARD_LEFT**", "BACKWARD_LEFT"),
        ("TURN_RIGHT, and later I go forward", "TURN_RIGHT"),  # capitals first
        ("turn-left", "TURN_LEFT"),
        ("noop", "NOOP"),
    ],
)
def test_the_last_action_of_a_reply_counts(reply: str, action: str) -> None:
    assert str(parse_action(reply)) == action


@pytest.mark.parametrize("reply", ["", "I do not know.", "FORWARDS_ONLY", "JUMP", "\ud83d"])
def test_a_reply_without_an_action_is_answered_with_all_of_them(reply: str) -> None:
    with pytest.raises(Unparsable) as caught:
        parse_action(reply)
    assert all(name in str(caught.value) for name in NAMED)


@pytest.mark.parametrize(
    ("reply", "script"),
    [
        ("<script>go(3); turn(-90); wait(5)</script>", "go(3); turn(-90); wait(5)"),
        ("First <script>go(1)</script>, no, <script>Turn(45);\nGo(.5)</script>", "turn(45); go(0.5)"),
        ("```\ngo 3\nturn 10\n```", "go(3); turn(10)"),
        ("The ball is ahead.\ngo(2); turn(4)\nI would not go 5 there", "go(2); turn(4)"),
        ("<script>Think('the ball is left'); Go(-2);</script>", "go(-2)"),
    ],
)
def test_scripts_are_read(reply: str, script: str) -> None:
    assert str(parse_script(reply)) == script


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "Your reply has no script"),
        ("I would go 5 metres.", "Your reply has no script"),
        ("<script></script>", "Your reply has no script"),
        ("<script>jump(3)</script>", "holds something that is not a command"),
        ("<script>go(3) please</script>", "holds something that is not a command"),
        ("<script>go(400)</script>", r"go\(400\) is out of range: it can be from -40 to 40 m"),
        ("<script>wait(-1)</script>", r"wait\(-1\) is out of range: it can be from 0 to 200 steps"),
        (f"<script>{'go(1);' * 21}</script>", "Your script has 21 commands"),
    ],
)
def test_what_is_no_script_is_answered_with_what_is(reply: str, why: str) -> None:
    with pytest.raises(Unparsable, match=why) as caught:
        parse_script(reply)
    assert "between <script> and </script>" in str(caught.value)


# --- words and pictures


def test_every_tag_has_a_word() -> None:
    assert set(KINDS) == set(TAGS)


def test_rays_become_words_from_left_to_right() -> None:
    env = puzzlebox.make(task_of(AGENT, GREEN_LEFT, RED_RIGHT), camera=None, rays=61)
    observation, info = env.reset(seed=0)
    seen = sightings(observation["rays"], info["ray_tags"], 60.0)
    assert [each.kind for each in seen] == ["fence", "green ball", "fence", "red ball", "fence"]
    green, red = seen[1], seen[3]
    # The centres are 10 m ahead and 3 m to a side; two balls of 1 m and 0.5 m radius meet there.
    assert (green.first + green.last) / 2 == pytest.approx(-np.degrees(np.arctan2(3, 10)), abs=1.5)
    assert green.metres == pytest.approx(np.hypot(3, 10) - 1.5, abs=0.2)
    assert (red.first, red.last, red.metres) == pytest.approx((-green.last, -green.first, green.metres), abs=0.2)
    assert str(green).startswith("green ball: 9.0 m away, 16 degrees to the left, ")


def test_a_ray_that_meets_nothing_or_an_unknown_thing() -> None:
    tags = ("arena", "goodGoal")
    rows = np.array([[0, 0, 1, 1], [0, 0, 0, 0.05], [0, 1, 0, 0.1]], np.float32)
    assert [each.kind for each in sightings(rows.ravel(), tags, 60.0)] == ["green ball", "something"]
    assert sightings(np.zeros(12, np.float32), tags, 60.0) == []  # the dark, under rules without rays there


def test_health_velocity_and_reward_are_words() -> None:
    vitals = np.array([87.4, -0.32, 0.0, 2.14, 0, 0, 0], np.float32)
    assert describe_state(vitals, -0.0123, True) == (
        "Health: 87 of 100. You move 2.1 m/s forwards, 0.3 m/s to the left. Reward since your last reply: -0.012."
    )
    still = describe_state(np.array([5, 0, 0, 0, 0, 0, 0], np.float32), 1.5, False)
    assert "You stand still." in still and "+1.500. The light is off: you see nothing." in still


def test_pictures_are_right_side_up_in_true_colours() -> None:
    with chat_server("NOOP") as server:
        play(task_of(AGENT, GREEN_LEFT, RED_RIGHT, time_limit=2), agent_at(server.url, camera=128), seed=1)
    text, picture = server.requests[0]["messages"][1]["content"]
    assert text["text"].startswith("Observation 1. Health: 100 of 100. You stand still.")
    start = "data:image/png;base64,"
    assert picture["image_url"]["url"].startswith(start)
    seen = np.asarray(Image.open(BytesIO(b64decode(picture["image_url"]["url"][len(start) :])))).astype(int)
    env = puzzlebox.make(task_of(AGENT, GREEN_LEFT, RED_RIGHT), camera=128)
    assert (seen == env.reset(seed=1)[0]["camera"]).all()
    red, green, blue = (seen[..., channel] for channel in range(3))
    greens, reds = np.argwhere(green > 15 + np.maximum(red, blue)), np.argwhere(red > 60 + np.maximum(green, blue))
    assert len(greens) > 30 and len(reds) > 30
    assert greens[:, 1].max() < 64 < reds[:, 1].min()  # the green ball is on the left
    assert blue[:32].mean() > blue[-32:].mean() + 40  # the sky is above, the floor below


def test_a_model_without_vision_gets_words_alone_and_nothing_in_the_dark() -> None:
    dark = task_of(AGENT, GREEN_LEFT, time_limit=10, blackouts="[3, 9]")
    with chat_server("NOOP") as server:
        agent = agent_at(server.url, sees="words", rays=15)
        assert "camera" not in {name for name, size in agent.senses.items() if size} and agent.senses["rays"] == 15
        play(dark, agent, seed=1)
    shown = [texts(request["messages"])[-1] for request in server.requests]
    assert "- green ball: " in shown[0] and all(isinstance(each, str) for each in shown)
    unlit = [each for each in shown if "The light is off" in each]
    assert unlit and not any("ball" in each for each in unlit)


# --- the agent


def test_an_action_is_held_and_the_last_turns_are_sent_again() -> None:
    with chat_server(*["FORWARD", "TURN_LEFT"] * 10) as server:
        record = play(task_of(AGENT, time_limit=20), agent_at(server.url, frame_skip=4, memory=2), seed=1)
    actions = [action for (action,) in record.actions]
    assert actions[:12] == [3] * 4 + [2] * 4 + [3] * 4
    assert len(server.requests) == -(-len(actions) // 4)
    roles = [[message["role"] for message in request["messages"]] for request in server.requests]
    assert roles[0] == ["system", "user"] and roles[1] == ["system", "user", "assistant", "user"]
    assert roles[-1] == ["system", *["user", "assistant"] * 2, "user"]
    first, second = server.requests[1]["messages"], server.requests[2]["messages"]
    assert second[1:4] == [*first[1:2], {"role": "assistant", "content": "FORWARD"}, first[3]]


def test_the_same_replies_give_the_same_episode() -> None:
    replies = ["FORWARD", "<think>maybe NOOP?</think>TURN_LEFT", "what?", "FORWARD_LEFT", "BACKWARD"]
    records, scripts = [], []
    for _ in range(2):
        with chat_server(*replies) as server:
            agent = agent_at(server.url)
            records.append(play(task_of(AGENT, GREEN_LEFT, time_limit=20), agent, seed=4))
            scripts.append(agent.transcript.messages)
    assert records[0] == records[1] and scripts[0] == scripts[1]


def test_an_unclear_reply_is_asked_again_once_and_then_nothing_is_done() -> None:
    with chat_server("Hm.", "Left!", "What?", "FORWARD", "BACKWARD") as server:
        agent = agent_at(server.url, frame_skip=3)
        record = play(task_of(AGENT, time_limit=10), agent, seed=1)
    assert [action for (action,) in record.actions][:9] == [0] * 3 + [3] * 3 + [6] * 3
    again = server.requests[1]["messages"]
    assert [each["role"] for each in again] == ["system", "user", "assistant", "user"]
    assert again[2]["content"] == "Hm." and again[3]["content"].startswith("Your reply names no action.")
    outcomes = [call["outcome"] for call in agent.transcript.calls]
    assert outcomes[:4] == ["asked again", "given up", "asked again", "understood"]
    counts = agent.transcript.counts()
    assert (counts["asked_again"], counts["given_up"]) == (2, 1)
    assert [call["decision"] for call in agent.transcript.calls[:5]] == [0, 0, 3, 3, 6]


def test_the_transcript_has_every_request_as_it_was_sent() -> None:
    with chat_server("FORWARD", "hm", "TURN_LEFT") as server:
        agent = agent_at(server.url, memory=1)
        play(task_of(AGENT, time_limit=10), agent, seed=1)
    sent = [messages for messages, _ in agent.transcript.requests()]
    assert sent == [request["messages"] for request in server.requests]
    assert [reply for _, reply in agent.transcript.requests()][:3] == ["FORWARD", "hm", "TURN_LEFT"]


def test_a_script_goes_turns_and_waits_by_its_amounts() -> None:
    task = task_of("name: Agent, at: [20, 0, 10], rotation: 0", time_limit=100)
    with chat_server(
        "<script>go(8); turn(90); go(-3); turn(-45); wait(7)</script>", "<script>wait(200)</script>"
    ) as server:
        agent = agent_at(server.url, actions="script", sees="words", rays=3)
        env = puzzlebox.make(task, **agent.senses)
        observation, info = env.reset(seed=0)
        agent.begin(0)
        while len(server.requests) < 2:
            before = observation
            observation, *_, info = env.step(agent.act(observation, info))
    position = before["vitals"][[4, 6]]
    assert position == pytest.approx([17, 18], abs=0.3)  # 8 m ahead along z, then 3 m back from +x
    heading = np.degrees(np.arctan2(*before["heading"]))
    assert heading == pytest.approx(48, abs=3.1)  # 90 - 45 degrees, to the nearest 6
    report = texts(server.requests[1]["messages"])[-1]
    for part in ("turn(90): turned 90 degrees.", "go(-3): moved -", "wait(7): done."):
        assert part in report


def test_a_script_ends_where_something_is_in_the_way() -> None:
    wall = "name: Wall, at: [20, 0, 12], rotation: 0, size: [10, 2, 1]"
    with chat_server("<script>go(20); turn(6)</script>", "<script>wait(200)</script>") as server:
        agent = agent_at(server.url, actions="script", sees="words", rays=3)
        play(task_of(AGENT, wall, time_limit=60), agent, seed=0)
    report = texts(server.requests[1]["messages"])[-1]
    assert "go(20): moved 6.0 m, then something stopped you." in report and "turn(6): turned 6 degrees." in report


def test_a_frozen_animal_does_not_hang_a_script() -> None:
    frozen = task_of(f"{AGENT}, frozen_delay: 2", time_limit=30)
    with chat_server("<script>turn(90); go(5)</script>") as server:
        play(frozen, agent_at(server.url, actions="script", sees="words", rays=3), seed=0)
    assert "turn(90): turned 0 degrees, then something stopped you." in texts(server.requests[1]["messages"])[-1]


def test_a_script_too_small_to_do_anything_takes_a_step() -> None:
    with chat_server("<script>turn(1)</script>") as server:
        record = play(task_of(AGENT, time_limit=2), agent_at(server.url, actions="script"), seed=0)
    assert len(record.actions) == len(server.requests)
    assert set(record.actions) == {(0,)}


def test_the_system_prompt_is_an_option(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("You are a crow. {replies} {as it is}")
    with chat_server("NOOP") as server:
        play(task_of(AGENT, time_limit=1), agent_at(server.url, prompt=str(path)), seed=0)
    system = server.requests[0]["messages"][0]["content"]
    assert system.startswith("You are a crow. End each reply with one of these words") and system.endswith("{as it is}")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model": ""}, "model is ''; it must be the name of a model"),
        ({"sees": "pictures"}, "sees is 'pictures'; allowed: picture, words, both; did you mean `picture`"),
        ({"actions": "scripts"}, "actions is 'scripts'; allowed: frames, script; did you mean `script`"),
        ({"frame_skip": 0}, "frame_skip is 0; it must be a whole number from 1"),
        ({"memory": 1.5}, "memory is 1.5; it must be a whole number from 0"),
        ({"camera": 5000}, "camera is 5000; it must be a whole number from 4 to 512"),
        ({"sees": "words", "rays": 4}, "rays is 4; it must be odd"),
        ({"timeout": -1}, "timeout is -1; it must be a number from 0.01"),
        ({"prices": (1,)}, "prices is .*; it must be two numbers"),
        ({"parameters": {"stream": True}}, "parameters has 'stream', which the agent itself sets"),
        ({"prompt": "/nowhere/prompt.txt"}, "the prompt '/nowhere/prompt.txt' cannot be read: No such file"),
        ({"endpoint": "localhost"}, "endpoint is 'localhost'; it must be an address such as"),
        ({"key": "sk-1"}, "the agent language has no option 'key'; allowed: .*key_variable"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        agent_named("language", **{"model": "m", "endpoint": "http://localhost:1"} | options)


def test_it_needs_a_model_and_is_not_offered_where_none_can_be_given() -> None:
    assert required_options("language") == ["model"] and required_options("random") == []
    with pytest.raises(ValueError, match=r"the agent language needs the option model, as in language\(model=...\)"):
        agent_named("language")
    names = [each["name"] for each in list_agents()]
    assert "heuristic" in names and "language" not in names


def test_a_command_shows_itself_as_it_is_written() -> None:
    assert str(Command("go", 2.5)) == "go(2.5)"


def test_an_answer_that_never_comes_ends_the_episode_with_its_reason() -> None:
    with chat_server(Answer("no", 403)) as server:
        agent = agent_at(server.url)
        with pytest.raises(RuntimeError, match="403 Forbidden: no"):
            play(task_of(AGENT, time_limit=2), agent, seed=0)
    assert "403 Forbidden: no" in agent.transcript.error and len(agent.transcript.messages) == 2
