"""The columns of the exported tables, named, typed and explained once; files, documentation and tests read this."""

from typing import Literal, NamedTuple

Kind = Literal["text", "whole", "number", "truth"]


class Column(NamedTuple):
    """A column of a table: its name, what its values are, and what they mean."""

    name: str
    kind: Kind
    meaning: str


EPISODES = (
    Column("episode", "text", "the id of the episode"),
    Column("task", "text", "the name of the task"),
    Column("title", "text", "its title"),
    Column("task_hash", "text", "SHA-256 of the task as YAML; equal tasks have equal ones"),
    Column("arena", "whole", "which arena of the task it started in, counted from 1"),
    Column("seed", "text", "what its chances were drawn from; a text, for it may have more digits than a table keeps"),
    Column("rules", "text", "the name of the rules, or `own`"),
    Column("rules_fields", "text", "all fields of the rules, as JSON"),
    Column("player", "text", "`human` or `agent`"),
    Column("agent", "text", "the name of the agent; empty for people"),
    Column("participant", "text", "the id of the person who played; empty for agents, and where none was given"),
    Column("started", "text", "when it started, UTC; a person starts it with the first action or with Start"),
    Column("decision_period", "whole", "physics steps (of 0.02 s) each action was held for"),
    Column("steps", "whole", "physics steps it took"),
    Column("seconds", "number", "the same in seconds of the arena"),
    Column("latency", "number", "seconds from when the animal could first move to the event that decided the episode"),
    Column("duration_ms", "number", "milliseconds it took the player"),
    Column(
        "idle_ms",
        "number",
        "milliseconds of the arena in which the person did nothing: stretches of 5 s or more in which no key was held "
        "though the animal could move; empty for agents",
    ),
    Column(
        "hidden_ms",
        "number",
        "milliseconds it stood still because its page was hidden or had lost its connection, or because too much was "
        "not saved yet; part of `duration_ms`; empty where no page played it",
    ),
    Column(
        "paused_ms",
        "number",
        "milliseconds it stood still because the menu was open; part of `duration_ms`; empty where no page played it",
    ),
    Column("return", "number", "the sum of all rewards"),
    Column("passed", "truth", "whether it passed; empty while it is not over, and where nothing decided it"),
    Column("ended_by", "text", "`completed`, `health`, `time`, `error`, or how the player left; empty while not over"),
    Column("goals", "whole", "goals the animal collected"),
)
STEPS = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "physics steps since its start; 0 is the moment before the first action"),
    Column("seconds", "number", "the same in seconds of the arena"),
    Column("time_ms", "number", "milliseconds since its start when the action was taken"),
    Column("action", "whole", "what the (first) agent did to get here, 0 to 8"),
    Column("action_name", "text", "the same in words"),
    Column("other_actions", "text", "what further agents did, joined by `;`"),
    Column("x", "number", "where the (first) animal is, in metres"),
    Column("y", "number", "its height"),
    Column("z", "number", ""),
    Column("vx", "number", "its velocity along x, in metres per second"),
    Column("vy", "number", "upwards"),
    Column("vz", "number", "along z"),
    Column("heading", "number", "where it looks: degrees, clockwise seen from above, 0 along z"),
    Column("reward", "number", "what this step brought"),
    Column("return", "number", "the sum of rewards so far"),
    Column("health", "number", "0 to 100"),
    Column("view", "text", "the camera played with: `first`, `third`, `top`; empty where nobody looked"),
    Column("light_on", "truth", "whether the light is on"),
    Column("can_move", "truth", "whether the animal can move"),
    Column("notification", "truth", "whether success or failure is being shown"),
    Column("events", "text", "the kinds of what happened, joined by `;` (details: the table of events)"),
)
EVENTS = (
    Column("episode", "text", "the id of the episode"),
    Column("step", "whole", "when it happened, in physics steps"),
    Column("kind", "text", "what happened (see `puzzlebox.arena.world.KINDS`)"),
    Column("thing", "whole", "the number of the thing it happened to"),
    Column("name", "text", "the name of that thing"),
    Column("animal", "whole", "the agent it happened to, from 0"),
    Column("details", "text", "what else is to be said, as JSON; `arena` in it is the arena's id as in the file"),
)
TABLES = {"episodes": EPISODES, "steps": STEPS, "events": EVENTS}


def page() -> str:
    """The tables as Markdown, for the documentation."""
    lines = []
    for name, columns in TABLES.items():
        lines += [f"### `{name}`", "", "| column | values | meaning |", "|---|---|---|"]
        lines += [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in columns]
        lines.append("")
    return "\n".join(lines)
