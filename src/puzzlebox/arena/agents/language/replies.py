"""What a reply means: the name of one action, or a script of commands."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from puzzlebox.agents.language import Unparsable
from puzzlebox.arena.world import actions

# The names of the published frame-by-frame scaffold, and the two that it lacks.
NAMED: Mapping[str, int] = {
    "NOOP": actions.NOOP,
    "FORWARD": actions.FORWARDS,
    "BACKWARD": actions.BACKWARDS,
    "TURN_RIGHT": actions.RIGHT,
    "TURN_LEFT": actions.LEFT,
    "FORWARD_RIGHT": actions.FORWARDS_RIGHT,
    "FORWARD_LEFT": actions.FORWARDS_LEFT,
    "BACKWARD_RIGHT": actions.BACKWARDS_RIGHT,
    "BACKWARD_LEFT": actions.BACKWARDS_LEFT,
}
# The commands of a script, each with the largest amount and its unit.
COMMANDS: Mapping[str, tuple[float, str]] = {"go": (40.0, "m"), "turn": (360.0, "degrees"), "wait": (200.0, "steps")}
MOST_COMMANDS = 20
_WORD = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)*")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_COMMAND = re.compile(rf"({'|'.join(COMMANDS)})\s*(?:\(\s*({_NUMBER})\s*\)|\s({_NUMBER}))", re.IGNORECASE)
# Published scripts may hold remarks to oneself, which do nothing.
_REMARK = re.compile(r"think\s*\((?:'[^'\n]*'|\"[^\"\n]*\")\)", re.IGNORECASE)
_BLOCK = re.compile(r"<script>(.*?)</script>|```[a-z]*\n?(.*?)```", re.DOTALL | re.IGNORECASE)
_BETWEEN = re.compile(r"[\s;,.]*")


class Command(NamedTuple):
    """A command of a script: `go` metres, `turn` degrees to the right, or `wait` steps."""

    name: str
    amount: float

    def __str__(self) -> str:
        return f"{self.name}({self.amount:g})"


class Script(tuple[Command, ...]):
    """The commands of a script, in order."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(map(str, self))


class Action(int):
    """An action, which shows itself by its name."""

    def __str__(self) -> str:
        return next(name for name, number in NAMED.items() if number == int(self))


def parse_action(reply: str) -> Action:
    """Return the action of a reply: its last word in capitals that names one, or else its last word that does.

    Raises:
        Unparsable: no word names an action.
    """
    words = [word.replace("-", "_") for word in _WORD.findall(reply)]
    for candidates in (words, [word.upper() for word in words]):
        named = [word for word in candidates if word in NAMED]
        if named:
            return Action(NAMED[named[-1]])
    raise Unparsable(f"Your reply names no action. Reply with one of these words: {', '.join(NAMED)}.")


def parse_script(reply: str) -> Script:
    """Return the script of a reply: its last block, or else all its lines that consist of commands alone.

    Raises:
        Unparsable: there is no script, or one with another word or an amount out of range.
    """
    blocks = [first or second for first, second in _BLOCK.findall(reply)]
    if blocks:
        script = _commands(blocks[-1])
        if script is None:
            raise _unclear("Your script holds something that is not a command")
    else:
        lines = [_commands(line) for line in reply.split("\n") if line.strip()]
        script = [command for line in lines if line for command in line]
    if not script:
        raise _unclear("Your reply has no script")
    if len(script) > MOST_COMMANDS:
        raise _unclear(f"Your script has {len(script)} commands")
    for command in script:
        most, unit = COMMANDS[command.name]
        least = 0 if command.name == "wait" else -most
        if not least <= command.amount <= most:
            raise _unclear(f"{command} is out of range: it can be from {least:g} to {most:g} {unit}")
    return Script(script)


def _commands(text: str) -> list[Command] | None:
    """Return the commands of a text; None if it holds anything else."""
    found, place = [], 0
    while place < len(text):
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing, too
        if place == len(text):
            break
        match = _COMMAND.match(text, place)
        if match is not None:
            found.append(Command(match[1].lower(), float(match[2] or match[3])))
        else:
            match = _REMARK.match(text, place)
            if match is None:
                return None
        place = match.end()
    return found


def _unclear(what: str) -> Unparsable:
    return Unparsable(
        f"{what}. Reply with 1 to {MOST_COMMANDS} commands between <script> and </script>, separated by semicolons: "
        "go(METRES), turn(DEGREES), wait(STEPS)."
    )
