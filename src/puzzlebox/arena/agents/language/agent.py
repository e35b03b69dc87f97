"""The agent that asks a language model what to do."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from puzzlebox.agents.language import Conversation, Endpoint, Ledger, Transcript
from puzzlebox.agents.language.endpoint import find_key, find_url
from puzzlebox.arena.agents.language import words
from puzzlebox.arena.agents.language.prompts import system_prompt
from puzzlebox.arena.agents.language.replies import Script, parse_action, parse_script
from puzzlebox.arena.agents.language.scripts import Pose, Walk
from puzzlebox.arena.agents.sight import checked_rays
from puzzlebox.arena.senses.rays import MOST_DEGREES
from puzzlebox.arena.world import actions as arena_actions
from puzzlebox.render.eye import LARGEST, SMALLEST
from puzzlebox.text import nearest
from puzzlebox.wings import ARENA

SEES = ("picture", "words", "both")
ACTIONS = ("frames", "script")
_RESERVED = ("model", "messages", "stream", "n")


class LanguageAgent:
    """Asks a language model, through an OpenAI-compatible endpoint, for named actions or scripts of commands.

    Time stands still in the arena while the model thinks.

    Args:
        model: the name of the model at the endpoint.
        endpoint: the address up to `/chat/completions`, such as "http://localhost:8000/v1". Default: that of the
            environment variable OPENAI_BASE_URL.
        key_variable: the environment variable that holds the key. Default: OPENAI_API_KEY for https, no key for http.
        sees: "picture" (what the animal sees, as PNG), "words" (what its rays hit) or "both".
        actions: "frames" (one named action for each reply) or "script" (commands: go, turn, wait with amounts).
        frame_skip: how many decisions a named action is held for.
        memory: how many earlier turns are sent again with each call.
        camera: height and width of the picture in pixels.
        rays: the number of rays for words, odd.
        ray_degrees: the angle of the whole fan of rays.
        prompt: a file with another system prompt, in which `{replies}` stands for how to reply.
        parameters: further fields of each request, such as {"temperature": 0}.
        timeout: how long one attempt of a call may take, in seconds.
        retries: how often a call is repeated after a time-out, 429, 5xx or a broken answer.
        prices: the price of a million tokens of prompts, and of replies, for budgets of money.
    """

    wing = ARENA

    def __init__(
        self,
        model: str,
        endpoint: str | None = None,
        key_variable: str | None = None,
        sees: str = "picture",
        actions: str = "frames",
        frame_skip: int = 5,
        memory: int = 4,
        camera: int = 256,
        rays: int = 45,
        ray_degrees: float = 60.0,
        prompt: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        prices: Sequence[float] | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ValueError(f"model is {model!r}; it must be the name of a model at the endpoint")
        for name, value, choices in (("sees", sees, SEES), ("actions", actions, ACTIONS)):
            if value not in choices:
                raise ValueError(f"{name} is {value!r}{nearest(str(value), choices)}")
        self._sees, self._actions = sees, actions
        self._frame_skip = _whole("frame_skip", frame_skip, 1, 1000)
        self._fan = _number("ray_degrees", ray_degrees, 0, MOST_DEGREES)
        self.senses: Mapping[str, Any] = {
            "camera": None if sees == "words" else _whole("camera", camera, SMALLEST, LARGEST),
            "rays": None if sees == "picture" else checked_rays(rays),
            **{"ray_degrees": self._fan, "vitals": True, "heading": actions == "script"},
        }
        url = find_url(endpoint)
        server = Endpoint(
            model,
            url,
            find_key(url, key_variable),
            _fields(parameters),
            _number("timeout", timeout, 0.01, 86_400),
            _whole("retries", retries, 0, 100),
            _prices(prices),
        )
        system = system_prompt(sees, actions, self._frame_skip, prompt)
        memory = _whole("memory", memory, 0, 1000)
        about = {
            **{"model": model, "endpoint": url, "sees": sees, "actions": actions, "frame_skip": self._frame_skip},
            **{"memory": memory, "senses": dict(self.senses), "parameters": dict(server.parameters)},
            **{"prices": server.prices},
        }
        self._server = server
        self._conversation = Conversation(server, system, memory, about)
        self._reset()

    def use_ledger(self, ledger: Ledger) -> None:
        """Count calls in a ledger, which the agents of a run share.

        Raises:
            ValueError: the ledger limits money, and the agent has no prices.
        """
        if ledger.budget.money is not None and self._server.prices is None:
            raise ValueError(
                "a budget of money needs prices: for a million tokens of prompts and of replies, as in prices=(2.5, 10)"
            )
        self._server.ledger = ledger

    @property
    def transcript(self) -> Transcript:
        """The transcript of the episode that was begun last."""
        return self._conversation.transcript

    def begin(self, seed: int) -> None:
        """Start an episode: forget the last one.

        Raises:
            BudgetSpent: the budget does not allow a call.
        """
        self._conversation.begin(seed)
        self._reset()
        self._conversation.ledger.require()

    def _reset(self) -> None:
        self._decisions = self._observations = self._hold = 0
        self._held = arena_actions.NOOP
        self._return = 0.0
        self._script: list[Any] = []
        self._walk: Walk | None = None
        self._reports: list[str] = []

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Return the action that the last reply asks for, or that of a new reply."""
        action = self._continue(observation)
        if action is None:
            self._ask(observation, info)
            action = self._continue(observation)
            # A script whose amounts are all too small for a single decision.
            action = arena_actions.NOOP if action is None else action
        self._decisions += 1
        return action

    def _continue(self, observation: dict[str, Any]) -> int | None:
        """Return the next action of what the model has asked for; None if all of it is done."""
        if self._hold:
            self._hold -= 1
            return self._held
        while self._walk is not None or self._script:
            pose = Pose.of(observation)
            if self._walk is None:
                self._walk = Walk(self._script.pop(0), pose)
            action = self._walk.act(pose)
            if action is not None:
                return action
            self._reports.append(self._walk.report())
            self._walk = None
        return None

    def _ask(self, observation: dict[str, Any], info: dict[str, Any]) -> None:
        """Show the model the observation, and keep what it replies."""
        content = self._content(observation, info)
        if self._actions == "script":
            script: Script | None = self._conversation.ask(content, parse_script, self._decisions)
            if script is not None:
                self._script = list(script)
                return
            named: int | None = None
        else:
            named = self._conversation.ask(content, parse_action, self._decisions)
        self._held = arena_actions.NOOP if named is None else int(named)
        self._hold = self._frame_skip

    def _content(self, observation: dict[str, Any], info: dict[str, Any]) -> Any:
        """Return an observation as the content of a message."""
        self._observations += 1
        total, lights = float(info["episode_return"]), bool(info["lights"])
        state = words.describe_state(observation["vitals"], total - self._return, lights)
        self._return = total
        lines = [f"Observation {self._observations}. {state}", *self._reports]
        self._reports = []
        if self._sees != "picture" and lights:
            seen = words.sightings(observation["rays"], info["ray_tags"], self._fan)
            lines.append(words.describe_sight(seen, self._fan))
        text = "\n".join(lines)
        if self._sees == "words":
            return text
        picture = {"type": "image_url", "image_url": {"url": words.data_url(observation["camera"])}}
        return [{"type": "text", "text": text}, picture]


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} to {most:,}")
    return value


def _number(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a number from {least:g} to {most:,g}")
    return float(value)


def _fields(parameters: Any) -> dict[str, Any]:
    """Return the further fields of a request, or raise a ValueError."""
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping) or not all(isinstance(name, str) for name in parameters):
        raise ValueError(f"parameters is {parameters!r}; it must be a dictionary, such as {{'temperature': 0}}")
    for name in _RESERVED:
        if name in parameters:
            raise ValueError(f"parameters has {name!r}, which the agent itself sets; leave it out")
    return dict(parameters)


def _prices(prices: Any) -> tuple[float, float] | None:
    if prices is None:
        return None
    valid = isinstance(prices, Sequence) and len(prices) == 2
    if not valid or not all(isinstance(each, int | float) and isfinite(each) and each >= 0 for each in prices):
        raise ValueError(
            f"prices is {prices!r}; it must be two numbers, for a million tokens of prompts and of replies"
        )
    return float(prices[0]), float(prices[1])
