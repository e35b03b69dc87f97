"""Agents, the programs that play: found by name, import path, entry point or the folder of a trained one."""

import inspect
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from puzzlebox import entry_points
from puzzlebox.agents.agent import Agent
from puzzlebox.agents.origin import describe_error, fingerprint
from puzzlebox.text import closest, nearest

__all__ = [
    "Agent",
    "agent_named",
    "agent_names",
    "code_of",
    "defaults_of",
    "describe",
    "register",
    "required_options",
]

# The group of entry points in which other packages declare agents.
GROUP = entry_points.AGENTS

Factory = Callable[..., Agent]

_AGENTS: dict[str, str | Factory] = {
    "random": "puzzlebox.arena.agents.random:RandomAgent",
    "heuristic": "puzzlebox.arena.agents.heuristic:HeuristicAgent",
    "heuristic-paper": "puzzlebox.arena.agents.heuristic:PaperHeuristicAgent",
    "language": "puzzlebox.arena.agents.language:LanguageAgent",
    "navigator": "puzzlebox.arena.agents.navigator:NavigatorAgent",
    "infant-script": "puzzlebox.infant.agents:ScriptedAgent",
}
# Its weights are data of the package, which a copy may lack.
if (Path(__file__).parents[1] / "learn" / "generalist" / "done").exists():
    _AGENTS["generalist"] = "puzzlebox.learn.generalist_agent:generalist"


def register(name: str, factory: str | Factory) -> None:
    """Register an agent by name: a class, a function that returns one, or its import path (`module:Class`)."""
    if ":" in name or not name:
        raise ValueError(f"{name!r} is not a name for an agent; it must not be empty or contain a colon")
    _AGENTS[name] = factory


def agent_names(wing: str | None = None) -> list[str]:
    """Return the names of all agents, sorted; with the name of a wing, those that can play its tasks."""
    names = sorted({*_AGENTS, *_entries()})
    return names if wing is None else [name for name in names if _plays(name, wing)]


def _plays(name: str, wing: str) -> bool:
    """Return whether an agent can play the tasks of a wing; one that cannot be imported may."""
    try:
        return getattr(_factory(name), "wing", None) in (None, wing)
    except ValueError:
        return True


def describe(name: str) -> str:
    """Return what an agent does, in one line: the first of its docstring."""
    text = inspect.getdoc(_factory(name)) or ""
    return text.strip().split("\n", 1)[0]


def agent_named(name: str, **options: Any) -> Agent:
    """Create an agent by its name, import path (`package.module:Class`) or folder of training, with its options."""
    factory = _factory(name)
    valid = _option_names(factory)
    for option in options if valid is not None else ():
        if option not in (valid or ()):
            hint = nearest(option, valid) if valid else "; it has none"
            raise ValueError(f"the agent {name} has no option {option!r}{hint}")
    missing = [option for option in _required(factory) if option not in options]
    if missing:
        raise ValueError(f"the agent {name} needs the option {missing[0]}, as in {name}({missing[0]}=...)")
    try:
        agent = factory(**options)
    except (Exception, SystemExit) as problem:
        # The errors of our own agents are whole sentences.
        ours = isinstance(problem, ValueError) and str(getattr(factory, "__module__", "")).startswith("puzzlebox.")
        why = str(problem) if ours else describe_error(problem)
        raise ValueError(f"the agent {name} cannot be made: {why}") from problem
    missing = [part for part in ("senses", "begin", "act") if not hasattr(agent, part)]
    if missing:
        raise ValueError(f"{name} is not an agent: it has no {' and no '.join(missing)} (see puzzlebox.agents.Agent)")
    if not isinstance(agent.senses, Mapping):
        raise ValueError(
            f"{name} is not an agent: its senses are {agent.senses!r}; they must be a dictionary of settings"
        )
    return agent


def code_of(name: str, agent: Agent) -> str | None:
    """Return a fingerprint of an agent's code: of its factory, its class and the classes it inherits from.

    An agent that reads weights has an attribute `identity`, a text such as their hash, which is a part of it.
    """
    code = fingerprint(_factory(name), *type(agent).__mro__)
    identity = getattr(agent, "identity", None)
    return code if identity is None else f"{code}/{identity}"


def defaults_of(name: str) -> dict[str, Any]:
    """Return the options of an agent that have defaults, with those defaults."""
    parameters = _parameters(_factory(name)) or ()
    return {each.name: each.default for each in parameters if each.default is not each.empty}


def required_options(name: str) -> list[str]:
    """Return the options of an agent that have no default."""
    return _required(_factory(name))


def _required(factory: Factory) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each.name for each in _parameters(factory) or () if each.default is each.empty and each.kind in kinds]


def _option_names(factory: Factory) -> list[str] | None:
    """Return the names of a factory's options; None: any name."""
    parameters = _parameters(factory)
    if parameters is None or any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    return [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]


def _parameters(factory: Factory) -> list[inspect.Parameter] | None:
    """Return the parameters of a factory; None if they are unknown, as for some classes written in C."""
    try:
        return list(inspect.signature(factory).parameters.values())
    except (ValueError, TypeError):
        return None


def _entries() -> dict[str, str]:
    return {name: entry.value for name, entry in entry_points.entries_in(GROUP).items()}


def _factory(name: str) -> Factory:
    source: str | Factory | None = _AGENTS.get(name) or _entries().get(name)
    if source is None and ":" in name:
        source = name
    if source is None and (os.sep in name or os.path.exists(name)):
        return _trained(name)
    if source is None:
        names = agent_names()
        others = "trained ones by their folder, and any other by its import path, module:Class"
        raise ValueError(f"there is no agent {name!r}; there are {', '.join(names)}, {others}{closest(name, names)}")
    return _import(source) if isinstance(source, str) else source


def _trained(path: str) -> Factory:
    """Return a function that makes the agent of a folder that `puzzlebox train` wrote."""

    def trained(greedy: bool = False) -> Agent:
        # By name, because learners lie above agents.
        kind = _import("puzzlebox.learn.trained:TrainedAgent")
        try:
            return kind(path, greedy=greedy)
        except FileNotFoundError as problem:
            raise ValueError(str(problem)) from None

    return trained


def _import(path: str) -> Factory:
    module, _, attribute = path.partition(":")
    if not module or module.startswith("."):
        raise ValueError(f"the agent {path!r} cannot be imported: it is written module:Class")
    try:
        value: Any = import_module(module)
    except (Exception, SystemExit) as problem:  # importing runs the module's code, which may raise anything
        raise ValueError(f"the agent {path!r} cannot be imported: {describe_error(problem)}") from problem
    for part in attribute.split("."):
        if not hasattr(value, part):
            names = [each for each in dir(value) if not each.startswith("_")]
            raise ValueError(f"the agent {path!r} cannot be imported: {module} has no {part!r}{closest(part, names)}")
        value = getattr(value, part)
    if not callable(value):
        raise ValueError(f"{path!r} is not an agent: a {type(value).__name__} cannot be called")
    return value  # type: ignore[no-any-return]
