"""What another run has learned, as the beginning of a new one: `puzzlebox train TASK --from RUN`.

Only weights are taken. `run.json` keeps where they came from, so that a run that is resumed does not need their source.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from puzzlebox.learn import checkpoints, generalist_agent
from puzzlebox.learn.checkpoints import UNREADABLE, WEIGHTS, Checkpoint, find_checkpoint
from puzzlebox.learn.learners.learner import CannotStart
from puzzlebox.learn.run_folder import RUN, read_run
from puzzlebox.learn.settings import Resolved, change, resolve
from puzzlebox.learn.spaces import describe_space
from puzzlebox.wings import Wing, find_training

if TYPE_CHECKING:
    from puzzlebox.learn.learners.learner import Learner

# Settings of any learner that decide which weights its network has.
_SHAPING = ("network", "memory", "memory_size", "features", "policy", "size", "sheeprl")
# What a run that starts from a checkpoint reads of its `about.json`.
_NEEDED = ("learner", "settings", "wing", "senses", "observations", "actions", "tasks")


@dataclass(frozen=True)
class Origin:
    """The weights that a run starts from.

    Attributes:
        path: what names them, as it was written.
        folder: the folder of the checkpoint.
        weights: the SHA-256 of the weights.
        step: the number of decisions after which they were written.
        tasks: name and hash of each task they were trained on.
        history: the runs they were trained in, in order.
    """

    path: str
    folder: str
    weights: str
    step: int
    tasks: Sequence[Mapping[str, str]]
    history: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Self | None:
        """Return the origin that `run.json` holds; None if it holds none.

        Raises:
            ValueError: it is damaged.
        """
        try:
            return None if stored is None else cls(**stored)
        except TypeError:
            raise ValueError(f"{RUN} is damaged: its origin is {str(stored)[:60]}") from None

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, as `run.json` stores it."""
        return asdict(self)

    @property
    def _about(self) -> dict[str, Any]:
        return Checkpoint(Path(self.folder), self.step).about

    def resolve(self, wing: Wing, changes: Iterable[str] = (), learner: str | None = None) -> Resolved:
        """Return the settings of a run that starts from the weights: theirs, with changes.

        The precision is decided anew, because it depends on the machine; curiosity and checkpoints have their defaults.

        Args:
            wing: the wing of the tasks of the run.
            changes: texts such as `learning_rate=1e-4`.
            learner: the name of the learner that the run asks for. Default: theirs.

        Raises:
            ValueError: the wing or the learner is another one, there is no such setting, or a value is not allowed.
        """
        about = self._about
        if wing.name != about["wing"]:
            raise ValueError(
                f"{self.path} was trained on tasks of {about['wing']}, and these are of {wing.name}; "
                f"name tasks of {about['wing']}, or leave --from out"
            )
        if learner not in (None, about["learner"]):
            raise ValueError(
                f"{self.path} was trained by {about['learner']}, whose weights do not fit {learner}; "
                "leave --learner out, or --from"
            )
        known = find_training(wing).training_settings()
        defaults = resolve(about["learner"], known_environment=known)
        settings = {name: about["settings"].get(name, value) for name, value in defaults.settings.items()}
        if "precision" in settings:
            settings["precision"] = "auto"
        return change(replace(defaults, settings=settings, environment=about["senses"]), changes, known)

    def give(self, learner: "Learner", resolved: Resolved, spaces: tuple[Any, Any]) -> None:
        """Let a learner that has not learned yet start from the weights.

        Args:
            learner: the learner.
            resolved: its settings.
            spaces: the spaces of its observations and actions.

        Raises:
            ValueError: the weights do not fit, are damaged, or are no longer there.
        """
        checkpoint = Checkpoint(Path(self.folder), self.step)
        if not (checkpoint.folder / WEIGHTS).exists() or checkpoint.weights_hash != self.weights:
            raise ValueError(
                f"{self.folder} no longer has the weights that the run starts from, and there is no checkpoint yet; "
                "start another run in another folder"
            )
        about = checkpoint.about
        for name, space, remedy in zip(
            ("observations", "actions"),
            spaces,
            ("leave out the settings that change them", "train on tasks with the same actions, or leave --from out"),
            strict=True,
        ):
            difference = _difference(about[name], json.loads(json.dumps(describe_space(space))))
            if difference:
                raise ValueError(f"{self.path} was trained with other {name}: {difference}; {remedy}")
        try:
            learner.start_from(checkpoint.folder)
        except CannotStart:
            raise
        except UNREADABLE as problem:
            own, there = resolved.settings, about["settings"]
            for key in _SHAPING:
                if key in own and own[key] != there.get(key, own[key]):
                    raise ValueError(
                        f"{self.path} has a network with {key}={there[key]}, whose weights do not fit one with "
                        f"{key}={own[key]}; leave {key} out"
                    ) from None
            raise ValueError(
                f"{checkpoint.folder / WEIGHTS} is damaged, or not of this learner: {type(problem).__name__}"
            ) from None


def find_origin(path: str) -> Origin:
    """Return what a run starts from.

    Args:
        path: the folder of a run, its `latest`, one of its checkpoints, or `generalist`, the agent of the package.

    Raises:
        FileNotFoundError: there is no checkpoint; the message says what there is.
        ValueError: it is damaged.
    """
    if not path:
        raise ValueError("--from names nothing; name the folder of a run")
    bundled = path == generalist_agent.NAME
    if bundled and not (generalist_agent.FOLDER / checkpoints.DONE).exists():
        raise FileNotFoundError(f"this copy of Puzzlebox has no weights of {path}; name the folder of a run")
    checkpoint = find_checkpoint(generalist_agent.FOLDER if bundled else Path(path))
    try:
        about = {name: checkpoint.about[name] for name in _NEEDED}
        history = history_of(checkpoint)
    except KeyError as problem:
        raise ValueError(f"{checkpoint.folder / checkpoints.ABOUT} is damaged: it lacks {problem.args[0]}") from None
    try:
        weights = checkpoint.weights_hash
    except FileNotFoundError:
        raise ValueError(f"{checkpoint.folder} has no {WEIGHTS}") from None
    return Origin(path, str(checkpoint.folder.resolve()), weights, checkpoint.step, about["tasks"], history)


def history_of(checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """Return the runs in which the weights of a checkpoint were trained, in order, each until its last decision."""
    about = checkpoint.about
    if "history" in about:
        return list(about["history"])
    home = checkpoint.folder.resolve().parent
    known = home.name == checkpoints.FOLDER and (home.parent / RUN).exists()
    run: dict[str, Any] = read_run(home.parent) if known else {}
    earlier = Origin.of(run.get("origin"))
    devices = dict.fromkeys(each["device"] for each in run.get("commands", ()))
    own: dict[str, Any] = {
        "steps": checkpoint.step,
        "episodes": about["episodes"],
        "learner": about["learner"],
        "settings": about["settings"],
        "precision": about["settings"].get("precision", "fp32"),
        "device": ", ".join(devices),
        "seed": about["seed"],
        **{name: run[name] for name in ("sources", "curriculum") if name in run},
    }
    return [*(dict(each) for each in earlier.history), own] if earlier is not None else [own]


def _difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return in words how one described space differs from another; "" if they are equal."""
    if there["kind"] == here["kind"] == "dict":
        own, other = there["parts"], here["parts"]
        for name in dict.fromkeys((*own, *other)):
            if name not in own or name not in other:
                return f"it had {name}, which is missing here" if name in own else f"it had no {name}"
            if own[name] != other[name]:
                return f"{name} has {_difference(own[name], other[name])}"
        return ""
    return "" if there == here else f"{_words(there)} there, {_words(here, there)} here"


def _words(space: Mapping[str, Any], other: Mapping[str, Any] | None = None) -> str:
    """Return a described space in words that tell it from another."""
    kind = space["kind"]
    if kind == "box":
        text = " x ".join(str(size) for size in space["shape"]) + " numbers"
        same = other is not None and other["kind"] == kind and other["shape"] == space["shape"]
        return f"{text} of another type or with other bounds" if same else text
    if kind == "dict":
        return f"a dictionary of {', '.join(space['parts'])}"
    return f"{space['count']} choices" if kind == "discrete" else f"choices of {space['counts']}"
