"""Intuitions as a wing: an episode is one pair that was judged, by a participant, an agent or a model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from puzzlebox.columns import Kind
from puzzlebox.intuitions.apparatus import ANSWERS, PAIRS, Judging, PairTask, level_of, task_names
from puzzlebox.intuitions.apparatus import WING as NAME
from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.grid import FPS
from puzzlebox.intuitions.scoring import published
from puzzlebox.wings import Bundled, Found, Scale
from puzzlebox.wings.gymnasium_wing import GymnasiumTask, GymnasiumWing, TaskEntry
from puzzlebox.wings.offers import EpisodePage, Published, PublishedRate
from puzzlebox.wings.protocols import Camera

_METHODS = (
    "A judgement of a pair of films counts as an episode: its return is 1 if the film that was called more surprising "
    "is the unexpected one, 0 if it is the other, and a half for a tie.",
    "Right judgements were passed, wrong ones failed, and ties were neither; proportions passed are of the other "
    "judgements, and mean returns count each tie as a half.",
    "The latency of a participant is the real time from the end of the films to the answer.",
)

_PUBLISHED = (
    "Published scores are shares of pairs of the published films with familiar shapes, by the largest surprise of a "
    "frame (HBToM has a read-out of its own); the pairs of this report are films of our own generator, unless its "
    "tasks have the factor `films`, which names a folder.",
    "Infants of eleven months looked longer at violations of preference and of efficiency; these are looking times of "
    "groups, so there is no score of infants in per cent.",
)


class IntuitionsWing(GymnasiumWing):
    """The wing of violation of expectation."""

    name = NAME
    trained_by = "puzzlebox intuitions train"
    step_seconds = 1 / FPS
    action_kind: Kind = "whole"
    pages = "puzzlebox.intuitions.studio.pages:IntuitionsPages"
    final_measures = False

    def tasks(self) -> Mapping[str, TaskEntry]:
        """Return the tasks that can be judged, with those of the multi-agent task by pair type."""
        entries = {}
        for name, (task, kind) in task_names().items():
            made = PairTask.of(name)
            entries[name] = TaskEntry(made.settings, made.title, level_of(task), kind, ("films", "judging"))
        return entries

    def make(self, task: GymnasiumTask, **senses: Any) -> Judging:
        """Make the environment in which an agent judges."""
        assert isinstance(task, PairTask)
        return Judging(task, **senses)

    def bundled(self) -> Iterator[Bundled]:
        """Yield each task with the number of its pairs."""
        for each in super().bundled():
            count = len(PairTask.of(each.name.removeprefix(f"{NAME}/")).starts)
            question = TASKS[task_names()[each.name.removeprefix(f"{NAME}/")][0]].question
            yield each._replace(parts=f"{count} pairs", data={**each.data, "pairs": count, "question": question})

    def inventory(self) -> str:
        """Return how many tasks and pairs there are."""
        return f"{len(TASKS)} tasks of films, {len(task_names())} to judge, {PAIRS} pairs each"

    def load(self, name: str, place: str, *, variations: int, seed: int) -> Iterator[Found]:
        """Yield the task with a name."""
        yield self.classify(name, PairTask.of(place))

    def read(self, text: str) -> PairTask | None:
        """Parse the text of a task; return None if it is not valid."""
        try:
            data = json.loads(text)
            settings = data["settings"]
            task = PairTask.of(data["name"], settings["seed"], settings["shapes"], settings["view"])
        except (ValueError, KeyError, TypeError):
            return None
        return task if dict(task.settings) == settings else None

    def camera(self, view: str, size: tuple[int, int], *, fine: bool = False) -> Camera:
        """Raise ValueError: what was judged are two films, which the page of the studio and `show` show."""
        raise ValueError("a judgement has no pictures of its own; `puzzlebox intuitions show` shows the pair")

    def messages(self, episode: Any, record: Any) -> Iterator[bytes | str]:
        """Raise ValueError: the studio shows a judgement on the page of its pair."""
        raise ValueError("a judgement is not shown step by step; the studio shows its pair, and what was answered")

    def is_action(self, action: Any) -> bool:
        """Return whether a value is the number of an answer."""
        return type(action) is int and 0 <= action < len(ANSWERS)

    def action_name(self, action: Any) -> str:
        """Return the answer."""
        return ANSWERS[action] if self.is_action(action) else ""

    def latency(self, events: Sequence[Mapping[str, Any]]) -> float | None:
        """Return the seconds from the end of the films to the answer; None if that was not measured."""
        values = [event["details"].get("response_ms") for event in events if event["kind"] == "judged"]
        return next((value / 1000 for value in values if isinstance(value, int | float)), None)

    def scale(self, task: Any | None, task_hash: str, start: int) -> Scale | None:
        """Return the scale of judgements: half of them are right by chance."""
        return Scale(0.5, 1.0, "guess")

    def episode_page(self, task: PairTask, start: int, id: str) -> EpisodePage:
        """Return the page that shows the pair of a judgement, with what was answered."""
        values = {"task": task_names()[task.name][0], "number": start, **task.settings, "judgement": id}
        return EpisodePage(f"/intuitions?{urlencode(values)}", f"pair {start}")

    def methods(self) -> Sequence[str]:
        """Return what an episode, its return and its verdict are, for the methods section of a report."""
        return _METHODS

    def published(self) -> Published:
        """Return the published shares of pairs, for familiar shapes, by the largest surprise of a frame."""
        rates = [
            PublishedRate(each.model, f"{NAME}/{each.task}", each.score / 100)
            for each in published.scores()
            if each.set == published.FAMILIAR and each.read_out in ("maximum", "own")
        ]
        disagreements = [f"{each.where}: {each.sentence}" for each in published.disagreements()]
        return Published(rates, (*_PUBLISHED, *disagreements))


WING = IntuitionsWing()
