"""The tasks of the wing: nine evaluation tasks of pairs, four background tasks, their folders, and what each tests."""

from typing import NamedTuple

from puzzlebox.text import nearest

EVALUATION, BACKGROUND = "evaluation", "background"
# The two sets of shapes and agents: those of the background tasks, and others that only evaluation tasks have.
FAMILIAR, NEW = "familiar", "new"
SHAPE_SETS = (FAMILIAR, NEW)
# The members of a pair, by the last letter of their files.
MEMBERS = {"e": "expected", "u": "unexpected"}


class TaskInfo(NamedTuple):
    """A task: one folder of stimuli.

    Attributes:
        name: the name on the command line; a background task begins with `background/`.
        code: the two letters in the names of its files.
        title: its name for people.
        question: what the task tests, in one sentence.
        familiarisation: what the eight trials before the test show.
        expected: the test of the expected member.
        unexpected: the test of the unexpected member; "" for a background task, which has none.
    """

    name: str
    code: str
    title: str
    question: str
    familiarisation: str
    expected: str
    unexpected: str = ""

    @property
    def kind(self) -> str:
        """Return `evaluation` or `background`."""
        return BACKGROUND if self.name.startswith(f"{BACKGROUND}/") else EVALUATION

    @property
    def folder(self) -> str:
        """Return the published name of its folder; an evaluation and a background task may share it."""
        return self.name.rpartition("/")[2]

    @property
    def members(self) -> str:
        """Return the last letters of its files: `eu` for pairs, `e` for a background task."""
        return "eu" if self.kind == EVALUATION else "e"


_CHOOSES = "two objects at varied places; one agent always goes to the same one, A"
_DETOUR = "one object; a wall stands between it and the agent, which takes the shortest way around"
_FETCHES = (
    "a green barrier encloses the object; the agent carries the key to the lock, the barrier vanishes, it goes in"
)

TASKS: dict[str, TaskInfo] = {
    task.name: task
    for task in (
        TaskInfo(
            "preference",
            "lo",
            "Preference",
            "Does the agent want an object, or does it go to a place?",
            "two objects, each within one region; from the same start the agent always goes to object A",
            "the objects have changed places: the agent takes a new path, to A",
            "the same scene: the agent takes its old path to the old place, where B is now",
        ),
        TaskInfo(
            "multi_agent",
            "ma",
            "Multi-agent",
            "Is a preference bound to the agent that showed it?",
            _CHOOSES,
            "pair type i: the same agent goes to A; pair type ii: a new agent goes to B (no expectation)",
            "pair type i: a new agent goes to A (no expectation); pair type ii: the same agent goes to B",
        ),
        TaskInfo(
            "inaccessible_goal",
            "ig",
            "Inaccessible goal",
            "Is it all right to go to the other object if the preferred one cannot be reached?",
            _CHOOSES,
            "walls enclose A on all sides: the agent goes to B (no expectation)",
            "the same places, A can be reached: the agent goes to B",
        ),
        TaskInfo(
            "efficiency_path",
            "ep",
            "Efficiency: path control",
            "Does an agent take the shortest way once the obstacle is gone?",
            _DETOUR,
            "the wall is gone or elsewhere: the agent goes straight to the object",
            "the wall is gone or elsewhere: the agent repeats a familiar path exactly, now a detour",
        ),
        TaskInfo(
            "efficiency_time",
            "et",
            "Efficiency: time control",
            "Is it the detour that surprises, or only how long it takes?",
            _DETOUR,
            "the wall is gone or elsewhere: the agent goes straight to the object",
            "the object is nearer, and the agent makes a detour that takes just as long",
        ),
        TaskInfo(
            "efficiency_irrational",
            "ei",
            "Efficiency: irrational agent",
            "Is a detour expected of an agent that always made detours?",
            "expected member: the agent makes detours around nothing; unexpected member: the same paths around a wall",
            "the agent makes a detour around nothing (no expectation)",
            "the same test, after an agent that was efficient so far",
        ),
        TaskInfo(
            "instrumental_no_barrier",
            "nb",
            "Instrumental: no barrier",
            "Is the key a means, or is fetching it part of what the agent does?",
            _FETCHES,
            "there is no barrier: the agent goes straight to the object",
            "there is no barrier: the agent goes to the key",
        ),
        TaskInfo(
            "instrumental_inconsequential_barrier",
            "ib",
            "Instrumental: inconsequential barrier",
            "Does a barrier matter that blocks no way?",
            _FETCHES,
            "the barrier encloses an empty place: the agent goes straight to the object",
            "the same scene: the agent goes to the key",
        ),
        TaskInfo(
            "instrumental_blocking_barrier",
            "bb",
            "Instrumental: blocking barrier",
            "Is the same action expected only where it is needed?",
            _FETCHES,
            "the barrier encloses the object: the agent goes to the key",
            "the barrier encloses an empty place: the agent goes to the key all the same",
        ),
        TaskInfo(
            "background/single_object",
            "so",
            "Single object",
            "An agent goes to an object by the shortest way.",
            "one object at varied places among walls; the agent goes to it",
            "the same",
        ),
        TaskInfo(
            "background/preference",
            "np",
            "No-navigation preference",
            "An agent prefers one of two objects.",
            "two objects right beside the agent; it always chooses the same one",
            "the same",
        ),
        TaskInfo(
            "background/multi_agent",
            "sm",
            "Single-object multiple-agent",
            "There are different agents.",
            "one object right beside the agent; from some trial on, another agent has taken the place of the first",
            "the same",
        ),
        TaskInfo(
            "background/instrumental_action",
            "ai",
            "Agent-blocked instrumental",
            "Keys open locks, and locks make barriers vanish.",
            "a green barrier encloses the agent; it carries the key to the lock, the barrier vanishes, it goes to the "
            "object",
            "the same",
        ),
    )
}
# Names for several tasks at once.
GROUPS: dict[str, tuple[str, ...]] = {
    EVALUATION: tuple(name for name, task in TASKS.items() if task.kind == EVALUATION),
    BACKGROUND: tuple(name for name, task in TASKS.items() if task.kind == BACKGROUND),
    "all": tuple(TASKS),
}


def task_named(name: str) -> TaskInfo:
    """Return the task with a name; raise a ValueError with the nearest name if there is none."""
    task = TASKS.get(name)
    if task is None:
        raise ValueError(f"there is no task {name!r}{nearest(name, TASKS)}")
    return task


def tasks_named(names: list[str]) -> list[TaskInfo]:
    """Return the tasks with these names or in these groups, each once, in the order of the catalogue."""
    wanted: set[str] = set()
    for name in names:
        if name not in GROUPS and name not in TASKS:
            raise ValueError(f"there is no task {name!r}{nearest(name, [*TASKS, *GROUPS])}")
        wanted.update(GROUPS.get(name, (name,)))
    return [task for name, task in TASKS.items() if name in wanted]
