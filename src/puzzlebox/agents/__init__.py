"""Who plays when no person does: one readable file each, found by name, import path or entry point."""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from puzzlebox.agents.agent import Agent
from puzzlebox.agents.origin import fingerprint, said
from puzzlebox.text import closest, nearest

__all__ = ["Agent", "agent_named", "agent_names", "code_of", "defaults_of", "describe", "register"]

# Other packages name theirs in this group of entry points.
GROUP = "puzzlebox.agents"

Factory = Callable[..., Agent]

_AGENTS: dict[str, str | Factory] = {
    "random": "puzzlebox.arena.agents.random:RandomAgent",
    "heuristic": "puzzlebox.arena.agents.heuristic:HeuristicAgent",
    "heuristic-paper": "puzzlebox.arena.agents.heuristic:PaperHeuristicAgent",
    "navigator": "puzzlebox.arena.agents.navigator:NavigatorAgent",
}


def register(name: str, factory: str | Factory) -> None:
    """Have an agent found by name: a class, a function that makes one, or where to import it from (`module:Class`)."""
    if ":" in name or not name:
        raise ValueError(f"{name!r} is no name for an agent; it must have a letter and no colon")
    _AGENTS[name] = factory


def agent_names() -> list[str]:
    """The agents that can be asked for by name."""
    return sorted({*_AGENTS, *_entries()})


def describe(name: str) -> str:
    """What an agent does, in one line: the first of its documentation."""
    text = inspect.getdoc(_factory(name)) or ""
    return text.strip().split("\n", 1)[0]


def agent_named(name: str, **options: Any) -> Agent:
    """An agent by its name or import path (`package.module:Class`), with options of its own."""
    factory = _factory(name)
    known = _options(factory)
    for option in options if known is not None else ():
        if option not in (known or ()):
            hint = nearest(option, known) if known else "; it has none"
            raise ValueError(f"the agent {name} has no option {option!r}{hint}")
    try:
        agent = factory(**options)
    except (Exception, SystemExit) as problem:
        # What our own agents refuse they refuse in a sentence.
        ours = isinstance(problem, ValueError) and str(getattr(factory, "__module__", "")).startswith(f"{__name__}.")
        why = str(problem) if ours else said(problem)
        raise ValueError(f"the agent {name} cannot be made: {why}") from problem
    missing = [part for part in ("senses", "begin", "act") if not hasattr(agent, part)]
    if missing:
        raise ValueError(f"{name} is no agent: it has no {' and no '.join(missing)} (see puzzlebox.agents.Agent)")
    if not isinstance(agent.senses, Mapping):
        raise ValueError(f"{name} is no agent: its senses are {agent.senses!r}; they must be a dictionary of settings")
    return agent


def code_of(name: str, agent: Agent) -> str | None:
    """A fingerprint of the code of an agent of that name: of what makes it, of its class and of those it inherits."""
    return fingerprint(_factory(name), *type(agent).__mro__)


def defaults_of(name: str) -> dict[str, Any]:
    """The options of an agent, and what they are where nobody says otherwise."""
    parameters = _parameters(_factory(name)) or ()
    return {each.name: each.default for each in parameters if each.default is not each.empty}


def _options(factory: Factory) -> list[str] | None:
    """What may be said to it by name; None: anything."""
    parameters = _parameters(factory)
    if parameters is None or any(each.kind is each.VAR_KEYWORD for each in parameters):
        return None
    return [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]


def _parameters(factory: Factory) -> list[inspect.Parameter] | None:
    """What may be said to it; None where it does not tell, as some of what is written in C."""
    try:
        return list(inspect.signature(factory).parameters.values())
    except (ValueError, TypeError):
        return None


def _entries() -> dict[str, str]:
    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


def _factory(name: str) -> Factory:
    where: str | Factory | None = _AGENTS.get(name) or _entries().get(name)
    if where is None and ":" in name:
        where = name
    if where is None:
        names = agent_names()
        known = f"; there are {', '.join(names)}, and any other by its import path, module:Class"
        raise ValueError(f"there is no agent {name!r}{known}{closest(name, names)}")
    return _imported(where) if isinstance(where, str) else where


def _imported(path: str) -> Factory:
    module, _, attribute = path.partition(":")
    if not module or module.startswith("."):
        raise ValueError(f"the agent {path!r} cannot be imported: it is written module:Class")
    try:
        found: Any = import_module(module)
    except (Exception, SystemExit) as problem:  # it runs whatever the module says
        raise ValueError(f"the agent {path!r} cannot be imported: {said(problem)}") from problem
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [each for each in dir(found) if not each.startswith("_")]
            raise ValueError(f"the agent {path!r} cannot be imported: {module} has no {part!r}{closest(part, names)}")
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"{path!r} is no agent: nothing can be made of a {type(found).__name__}")
    return found  # type: ignore[no-any-return]
