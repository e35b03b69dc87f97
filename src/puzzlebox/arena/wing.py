"""The arena as a wing: its tasks by name, its episodes, its rules, and their replay."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlebox.arena.demands.table import DIMENSIONS
from puzzlebox.arena.envs.settings import NOT_SENSES, Settings, defaults
from puzzlebox.arena.envs.sources import NamedTask, places_of, tasks_of
from puzzlebox.arena.rules import PHYSICS_STEP, PRESETS, Rules
from puzzlebox.arena.schema import Task, TaskWarning, load_task, read
from puzzlebox.arena.testbed.demands import demands_of_text, stored_demands
from puzzlebox.arena.testbed.training import is_template, open_template
from puzzlebox.arena.things import CATALOGUE
from puzzlebox.arena.variations.folder import values_in_manifest
from puzzlebox.arena.world import ACTIONS, Outcome, Record, World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.arena.world.moments import moments
from puzzlebox.arena.world.record import actions_of, check_start
from puzzlebox.batteries import battery_names, bundled_names, template_names
from puzzlebox.batteries.testbed import TITLES, archive_of, broken
from puzzlebox.columns import Column, Kind
from puzzlebox.text import closest
from puzzlebox.wings import ARENA, Apparatus, Flag, Found, TrainingTask, flags
from puzzlebox.wings.offers import Battery, Scale
from puzzlebox.wings.protocols import OWN_RULES, Bundled, Camera, Image, Leg, Ruling

if TYPE_CHECKING:
    import gymnasium as gym

# Level, task and variant: LL-TT-V in our testbed, LL-TT-VV in that of Animal-AI. LL-K-N in the held-out set has a level
# and no variant, since tasks of one kind have nothing else in common.
_TESTBED = re.compile(r"(?:^|/)(\d{2})-\d{2}-(\d{1,2})$|^testbed-held-out/(\d{2})-\d-\d$")


class ArenaWing:
    """The arena of Animal-AI."""

    name = ARENA
    step_seconds = PHYSICS_STEP
    action_kind: Kind = "whole"
    views = ("third", "first", "top")
    paths = True
    pages = "puzzlebox.arena.studio.pages:ArenaPages"
    measures = (
        Column("x", "number", "the position of the first animal along x", "m"),
        Column("y", "number", "its height", "m"),
        Column("z", "number", "its position along z", "m"),
        Column("vx", "number", "its velocity along x", "m/s"),
        Column("vy", "number", "its velocity upwards", "m/s"),
        Column("vz", "number", "its velocity along z", "m/s"),
        Column("heading", "number", "the direction it faces: clockwise seen from above, 0 along z", "degrees"),
        Column("health", "number", "its health, 0 to 100"),
    )
    final_measures = False
    flags = (
        Flag(Column("light_on", "truth", "whether the light is on"), flags.LIGHT_ON),
        Flag(Column("can_move", "truth", "whether the animal can move"), flags.CANNOT_MOVE, inverse=True),
        Flag(Column("notification", "truth", "whether success or failure is being shown"), flags.NOTIFICATION),
    )

    # Episodes as Animal-AI logs them (docs/original/playing.md#log).
    logs: Mapping[str, str] = {"animalai": "puzzlebox.animalai.recorded_log"}

    dimensions = DIMENSIONS

    def bundled(self) -> Iterator[Bundled]:
        """Yield each bundled task with its metadata."""
        yield from map(_bundled, bundled_names())

    def batteries(self) -> Sequence[Battery]:
        """Return the testbed and its held-out set, as far as they are built."""
        counts = {name: len(battery_names(name)) for name in TITLES}
        return [Battery(name, count, TITLES[name], ()) for name, count in counts.items() if count]

    def battery(self, name: str, level: str = "") -> Iterator[Bundled]:
        """Yield the tasks of the testbed or its held-out set, or those of one level."""
        for each in battery_names(name):
            place = self.level_of(each)
            if not level or (place is not None and place[0] == level):
                yield _bundled(each)

    def inventory(self) -> str:
        """Return how many things and bundled tasks there are, once every bundled task was read without a warning."""
        broken = []
        for name in bundled_names():
            try:
                load_task(name, strict=True)
            except ValueError:
                broken.append(name)
        if broken:
            raise ValueError(f"bundled tasks with mistakes: {', '.join(broken)}")
        return f"{len(CATALOGUE)} things, {len(bundled_names())} bundled tasks"

    def places(self, source: str) -> Iterator[tuple[str, str]]:
        """Yield name and place of the tasks of a file, folder, pattern, bundled name or battery."""
        yield from places_of(source)

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """Yield the task of a file or a bundled name, or variations of a template."""
        if not is_template(place):
            found = self.classify(name, _load_quietly(place))
            demands = stored_demands(name, found.task.text)
            yield found._replace(factors={**values_in_manifest(Path(place)), **demands})
            return
        template = open_template(place, seed=seed)
        amount = variations if template.endless else min(variations, template.count)
        for each in template.sample(amount, seed=seed):
            task = self.classify(f"{name}@{each.number}", each.task)
            level = task.level if each.task.metadata.level is not None else name
            yield task._replace(level=level, variant=str(each.number), factors=each.factors)

    # Agents are trained by playing.
    trained_by = ""

    def training_tasks(self, source: str) -> Iterator[TrainingTask]:
        """Yield the tasks and templates of a file, folder, pattern, bundled name or battery."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TaskWarning)
            for each in tasks_of(source):
                yield TrainingTask(each.name, each.task, each.task.text)

    def training_settings(self) -> Mapping[str, Any]:
        """Return every setting of `puzzlebox.make`, with its default; the rules are the name of a preset."""
        return {**defaults(), "rules": "puzzlebox"}

    def training_vector(
        self, tasks: Sequence[TrainingTask], num_envs: int, settings: Mapping[str, Any], **options: Any
    ) -> Any:
        """Make a vector of arenas."""
        from puzzlebox.arena.envs.vector import make_vec

        sources = [NamedTask(each.name, each.task) for each in tasks]
        return make_vec(sources, num_envs, **{"autoreset": "same_step", **options}, **settings)

    def training_senses(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that are senses."""
        return {name: value for name, value in settings.items() if name not in NOT_SENSES}

    def level_of(self, name: str) -> tuple[str, str] | None:
        """Return level and variant in a name of the testbed, such as 03-12-01 (level, task, variant); "" for none."""
        match = _TESTBED.search(name)
        return (str(int(match[1] or match[3])), match[2] or "") if match else None

    def solution(self, name: str) -> Record | None:
        """Return the recorded solution of a task of the testbed or its held-out set; None if it has none.

        Raises:
            OSError: files of the testbed are missing or damaged, or the solution does not pass.
        """
        from puzzlebox.arena.testbed.manifest import SOLUTIONS, read_solutions
        from puzzlebox.arena.testbed.solutions import record_of, replay

        archive = archive_of(name)
        if archive is None:
            return None
        found = read_solutions(archive.parent).get(name, [])
        if not found:
            raise broken(f"{archive.parent / SOLUTIONS} has no solution of {name}")
        task = load_task(name)
        if not replay(task, found[0].actions, found[0].seed).passed():
            raise broken(f"the solution of {name} in {archive.parent / SOLUTIONS} does not pass")
        return record_of(task, found[0])

    def read(self, text: str) -> Task | None:
        """Return the task of a text in either format; None if it has errors."""
        return read(text).task

    def classify(self, name: str, task: Task) -> Found:
        """Return a task with the level and the variant of its name or its metadata."""
        place = self.level_of(name)
        if place is not None:
            return Found(name, task, *place)
        if task.metadata.level is not None:
            return Found(name, task, str(task.metadata.level))
        return Found(name, task, name.rsplit("/", 1)[0] if "/" in name else "")

    def rules(self, rules: Any) -> Ruling:
        """Return rules from a preset, a Rules or its fields; fields of an older version are kept as they are."""
        if isinstance(rules, Mapping):
            fields = dict(rules)
            return Ruling(rules_name(fields), fields, int(fields.get("decision_period", Rules().decision_period)))
        chosen = Rules.named("puzzlebox" if rules is None else rules)
        return Ruling(rules_name(chosen.as_dict()), chosen.as_dict(), chosen.decision_period)

    def named_rules(self, name: str, **changes: Any) -> Ruling:
        """Return a preset with single fields changed."""
        return self.rules(Rules.named(name, **changes))

    def demands(self, task: Task, start: int, rules: Ruling) -> Mapping[str, float]:
        """Return what an episode demands: from the table of the testbed, or else read off its arenas."""
        # The table is of the default rules, and its tasks have one arena.
        stored = demands_of_text(task.text) if rules.fields == self.rules(None).fields else None
        if stored is not None:
            return stored
        from puzzlebox.arena.demands import demands

        return demands(task, start, Rules.named(rules.fields))

    def apparatus(self, rules: Ruling, senses: Mapping[str, Any], bodies: int) -> Apparatus:
        """Return the environment for one animal, or for several."""
        from puzzlebox.arena.apparatus import Alone, Together

        return (Alone if bodies == 1 else Together)(Rules.named(rules.fields), senses)

    def environment(self, tasks: Sequence[Task], rules: Rules, senses: Mapping[str, Any]) -> "gym.Env[Any, Any]":
        """Return the environment of `puzzlebox.make`; its specification holds the tasks as text."""
        from puzzlebox.arena.envs.arena import make

        return make(list(tasks), **{**senses, "rules": rules})

    def reset_options(self, task: Task, start: int) -> dict[str, Any]:
        """Return the task, as text, and the id of the arena."""
        return {"task": task.text, "arena": task.arenas[start].id}

    def environment_action(self, env: Any, action: int) -> Any:
        """Return an action as one number, or as two where the environment takes move and turn."""
        if env.unwrapped.settings.actions == "branches":
            return np.array(divmod(action, 3), np.int64)
        return np.int64(action)

    def senses(self, senses: Mapping[str, Any]) -> dict[str, Any]:
        """Return every setting of `puzzlebox.make` that is a sense, with its value."""
        return {each.name: each.default for each in fields(Settings) if each.name not in NOT_SENSES} | dict(senses)

    def record(self, text: str, start: int, seed: int, rules: Mapping[str, Any], actions: Sequence[Any]) -> Record:
        """Return the record of an episode."""
        task = read(text).task
        if task is None:
            raise ValueError("its task cannot be read by this version of Puzzlebox")
        check_start(task, start, seed)
        return Record(task, start, seed, Rules.named(rules), actions_of(actions))

    def read_record(self, text: str) -> Record:
        """Return the record of a text that `Record.to_json` wrote."""
        return Record.from_json(text)

    def replay(self, record: Record) -> Iterator[tuple[World, Outcome | None]]:
        """Yield every physics step of an episode, whatever its decision period."""
        for moment in moments(record):
            yield moment.world, moment.outcome

    def length(self, record: Record) -> int:
        """Return the number of physics steps of an episode's decisions."""
        return len(record.actions) * record.rules.decision_period

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """Return a camera that follows the first animal."""
        from puzzlebox.arena.pictures.camera import FollowingCamera

        return FollowingCamera(view, size, fine=fine)

    def messages(self, episode: Any, record: Record) -> Iterator[bytes | str]:
        """The messages a page would have received while an episode was played."""
        from puzzlebox.arena.studio.replay import messages

        return messages(episode, record)

    def path_picture(self, record: Record, size: tuple[int, int]) -> Image:
        """Return the arena from above, with the path of each animal."""
        from puzzlebox.arena.pictures.paths import path_picture

        return path_picture(record, size)

    def legs(self, record: Record, pixels: int, wanted: Callable[[int], bool]) -> list[Leg]:
        """Return the path of the first animal until its episode was decided, arena by arena."""
        from puzzlebox.arena.pictures.legs import legs

        return legs(record, pixels, wanted)

    def is_action(self, action: Any) -> bool:
        """Return whether a value is one of the nine actions."""
        return type(action) is int and 0 <= action < len(ACTIONS)

    def is_idle(self, action: Any, bits: int) -> bool:
        """Return whether the action is noop although the animal could move."""
        return action == NOOP and not bits & flags.CANNOT_MOVE

    def action_name(self, action: Any) -> str:
        """Return the name of an action."""
        return ACTIONS[action]

    def scale(self, task: Task | None, task_hash: str, start: int) -> Scale | None:
        """Return the fixed scale of the returns of a task, from chance to the best return that it allows."""
        from puzzlebox.arena.scale import scale

        return scale(task, task_hash, start)

    def goals(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Return how many goals the first animal collected."""
        return sum(event["kind"] == "collected" and event.get("animal") == 0 for event in events)

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Return the seconds from when the first animal could move to the event that decided its episode, or None."""
        latency = None
        for event in events:
            if event["kind"] == "merged":
                latency = None
            elif event["kind"] == "finished" and event.get("animal") == 0:
                latency = event.get("details", {}).get("latency")
        return latency


def _bundled(name: str) -> Bundled:
    """Return a bundled task with its metadata."""
    task = load_task(name)
    about, count = task.metadata, len(task.arenas)
    return Bundled(
        name,
        f"{count} arena{'' if count == 1 else 's'}",
        "" if about.level is None else str(about.level),
        about.title or "",
        about.tags,
        {"name": name, "arenas": count, **about.explicit_values()},
    )


def rules_name(fields: Mapping[str, Any]) -> str:
    """Return the preset with these fields, whatever their decision period; newer fields may be missing."""
    for name, preset in PRESETS.items():
        values = preset.as_dict()
        if all(value == values.get(field) for field, value in fields.items() if field != "decision_period"):
            return name
    return OWN_RULES


def _load_quietly(place: str) -> Task:
    with warnings.catch_warnings():
        # The warnings of 900 files would hide the progress; `puzzlebox check` shows them.
        warnings.simplefilter("ignore", TaskWarning)
        try:
            return load_task(Path(place))
        except FileNotFoundError as problem:
            batteries = {name.split("/", 1)[0] for name in bundled_names() if "/" in name}
            hint = "" if "did you mean" in str(problem) else closest(place, [*sorted(batteries), *template_names()])
            raise FileNotFoundError(f"{problem}{hint}") from None


WING = ArenaWing()
