"""The system prompts: the text that a model gets before an episode. They explain the task and give no advice."""

from pathlib import Path

from puzzlebox.arena.agents.language.replies import MOST_COMMANDS, NAMED

# In a prompt of the user, this is replaced by how to reply.
REPLIES = "{replies}"
_LARGEST = 1 << 20

_ARENA = """\
You control an animal in an arena with a fence around it; most arenas are 40 m by 40 m.
Touching a green or yellow ball earns reward; larger balls earn more. A green ball ends the episode, and so does the
last yellow one. Touching a red or orange ball costs reward, and a red one ends the episode. A red zone on the floor
costs reward and ends the episode; being in an orange zone costs reward all the time. Grey balls earn nothing. Your
health starts at 100 and falls with time; reward changes it too, and at 0 the episode ends. Gain as much reward as
possible.
There may be walls, ramps, blocks that can be pushed, buttons, and times at which the light is off."""
_SEES = {
    "picture": "Before each reply you are shown what the animal sees, as a picture, and its health and velocity.",
    "words": "Before each reply you are told what the animal sees ahead of it, and its health and velocity. Distances "
    "are metres from the animal; angles are degrees from straight ahead.",
    "both": "Before each reply you are shown what the animal sees, as a picture, and told what is ahead of it, its "
    "health and its velocity. Distances are metres from the animal; angles are degrees from straight ahead.",
}
_FRAMES = f"""\
End each reply with one of these words, in capitals: {", ".join(NAMED)}.
The action is held for {{hold}}, each of which turns the animal by 6 degrees, or speeds it up; then you are
asked again. The animal slides on for a moment after it was driven."""
_SCRIPT = f"""\
Reply with a script of 1 to {MOST_COMMANDS} commands, separated by semicolons, between <script> and </script>:
go(METRES) goes ahead, or back if the number is negative, and stops there or at what is in the way;
turn(DEGREES) turns to the right, or to the left if the number is negative;
wait(STEPS) does nothing for that many steps of 0.06 s.
For example: <script>turn(-30); go(4.5); wait(10)</script>. You are asked again after the last command."""


def system_prompt(sees: str, actions: str, frame_skip: int, path: str | None) -> str:
    """Return the system prompt.

    Args:
        sees: "picture", "words" or "both".
        actions: "frames" or "script".
        frame_skip: how many decisions an action is held for.
        path: a file with another prompt, in which `{replies}` stands for how to reply. Default: the arena's own.

    Raises:
        ValueError: the file cannot be read as text.
    """
    hold = "one step of 0.06 s" if frame_skip == 1 else f"{frame_skip} steps of 0.06 s"
    replies = _SCRIPT if actions == "script" else _FRAMES.replace("{hold}", hold)
    if path is None:
        return "\n\n".join([_ARENA, _SEES[sees], replies])
    try:
        with Path(path).open("rb") as file:
            text = file.read(_LARGEST + 1).decode("utf-8")
    except OSError as problem:
        raise ValueError(f"the prompt {path!r} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the prompt {path!r} is not a text in UTF-8") from None
    if len(text) > _LARGEST:
        raise ValueError(f"the prompt {path!r} is longer than a megabyte")
    if not text.strip():
        raise ValueError(f"the prompt {path!r} is empty")
    return text.replace(REPLIES, replies)
