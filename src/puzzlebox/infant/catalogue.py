"""The tasks of the toolkit by name: what each is about, and where its class is. It does not import MuJoCo."""

from typing import NamedTuple

from puzzlebox.text import closest


class Entry(NamedTuple):
    """A task of the toolkit.

    Attributes:
        name: its name on the command line, after `infant/`.
        code: its name in the ids of Gymnasium, as VECA writes it.
        place: where its class is, as `module:Class`.
        title: what it is about, for lists.
        group: the kind of task: joint control, objects, several senses, or several agents.
        tags: words that describe it.
    """

    name: str
    code: str
    place: str
    title: str
    group: str
    tags: tuple[str, ...]

    @property
    def id(self) -> str:
        """The id for `gymnasium.make`."""
        return f"puzzlebox/Infant-{self.code}-v1"


JOINTS, OBJECTS, SENSES, AGENTS = "joint control", "objects", "several senses", "several agents"
_TASKS = "puzzlebox.infant.tasks"
# fmt: off
_ENTRIES = (
    Entry("baby-run", "BabyRun", f"{_TASKS}.baby_run:BabyRun",
          "Move forwards with all joints", JOINTS, ("locomotion", "touch")),
    Entry("cognia-nav", "COGNIANav", f"{_TASKS}.cognia_nav:COGNIANav",
          "Go to the good thing and avoid the bad one", SENSES, ("navigation", "hearing", "touch")),
    Entry("cog-sci-nav", "CogSciNav", f"{_TASKS}.cog_sci_nav:CogSciNav",
          "Go to the thing with a given shape and colour", OBJECTS, ("navigation", "objects")),
    Entry("disk-tower", "DiskTower", f"{_TASKS}.disk_tower:DiskTower",
          "Stack six discs by size", OBJECTS, ("grabbing", "planning")),
    Entry("grab-object", "GrabObject", f"{_TASKS}.grab_object:GrabObject",
          "Bring both hands to a thing and lift it", JOINTS, ("reaching", "touch")),
    Entry("grabs-block", "GrabsBlock", f"{_TASKS}.grabs_block:GrabsBlock",
          "Grip a large block with both hands and lift it", JOINTS, ("reaching", "touch")),
    Entry("kick-the-ball", "KickTheBall", f"{_TASKS}.kick_the_ball:KickTheBall",
          "Intercept a ball that sounds", SENSES, ("navigation", "hearing")),
    Entry("kicks-squeaky-ball", "KicksSqueakyBall", f"{_TASKS}.kicks_squeaky_ball:KicksSqueakyBall",
          "Find and kick a ball by a short sound", SENSES, ("navigation", "hearing", "memory")),
    Entry("maze-nav", "MazeNav", f"{_TASKS}.maze_nav:MazeNav",
          "Find named things in a maze", OBJECTS, ("navigation", "memory")),
    Entry("multi-agent-nav", "MultiAgentNav", f"{_TASKS}.multi_agent_nav:MultiAgentNav",
          "Several children look for the same thing", AGENTS, ("navigation", "several agents")),
    Entry("object-nav", "ObjectNav", f"{_TASKS}.object_nav:ObjectNav",
          "Go to the named thing among others", OBJECTS, ("navigation", "objects")),
    Entry("transport", "Transport", f"{_TASKS}.transport:Transport",
          "Carry a thing to a target with both hands", JOINTS, ("reaching", "touch")),
)
# fmt: on
CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def entry_named(name: str) -> Entry:
    """Return a task by its name (`grab-object`), its code (`GrabObject`) or its id.

    Raises:
        ValueError: there is no such task.
    """
    for entry in _ENTRIES:
        if name in (entry.name, entry.code, entry.id, f"infant/{entry.name}"):
            return entry
    names = list(CATALOGUE)
    raise ValueError(f"there is no infant task {name!r}; there are {', '.join(names)}{closest(str(name), names)}")
