"""The training loop of all models: resumable at any time, with a log of validation errors.

A run is a folder: `run.json` has the settings, `checkpoint.pt` everything that is needed to resume, `log.jsonl` a
line for each validation. The same call resumes a run; a run stopped after some minutes and resumed gives the same
weights as one that was not stopped. On a GPU sums may be added up in another order, and last digits differ.
"""

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from puzzlebox.intuitions.models.background import TASKS, background
from puzzlebox.intuitions.models.learner import Learner, Settings
from puzzlebox.intuitions.models.registry import check_device, model_class
from puzzlebox.text import nearest

RUN, CHECKPOINT, LOG = "run.json", "checkpoint.pt", "log.jsonl"
# The weight of the past in averaged weights, a step.
_AVERAGE = 0.999
# Steps from one validation to the next, at least; epochs of a small set are short.
_FEWEST_STEPS = 200
# Films a step while validating, and films of each task at most, so that validation takes a small part of the time.
_VALIDATION_BATCH, _VALIDATED = 64, 500

# Whole numbers that may be 0, and settings that are shares of a whole.
_MAY_BE_NONE = frozenset({"affordance_steps", "shift"})
_SHARES = frozenset({"other_agents", "wasteful_agents", "usual", "slip", "dropout", "momentum", "discount"})


class Plan(NamedTuple):
    """What is trained, and on what.

    Attributes:
        model: the name of the model.
        seed: the seed of weights and batches.
        scale: the share of the published number of background episodes.
        data_seed: the seed of the background set.
        settings: settings that differ from the model's defaults.
        encoder: the run of the state encoder, for a model that needs one.
    """

    model: str
    seed: int = 0
    scale: float = 1.0
    data_seed: int = 0
    settings: dict[str, Any] = {}  # noqa: RUF012
    encoder: str = ""


class Outcome(NamedTuple):
    """Where a run stands: steps, passes, whether it has finished, and the last line of its log."""

    steps: int
    epochs: float
    finished: bool
    log: dict[str, Any]


def settings_from(kind: type[Settings], given: dict[str, Any]) -> Settings:
    """Return settings of a model.

    Raises:
        ValueError: there is no such setting, or its value is of another kind or outside what is allowed.
    """
    known = {each.name: each for each in fields(kind)}
    values = {}
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is no setting {name!r}{nearest(name, known)}")
        default: Any = known[name].default
        try:
            values[name] = type(default)(value)
        except (TypeError, ValueError):
            raise ValueError(f"the setting {name} is {value!r}; it must be like {default!r}") from None
        _check_range(name, values[name])
    return kind(**values)


def _check_range(name: str, value: Any) -> None:
    """Raise a ValueError if the number of a setting is outside what is allowed."""
    if isinstance(value, int):
        least = 0 if name in _MAY_BE_NONE else 1
        allowed, fits = f"a whole number, {least} or more", value >= least
    elif isinstance(value, float):
        if name == "learning_rate":
            allowed, fits = "above 0 and at most 1", 0 < value <= 1
        elif name in _SHARES:
            allowed, fits = "a share from 0 to 1", 0 <= value <= 1
        else:
            allowed, fits = "a number, 0 or more", 0 <= value < math.inf
    else:
        return
    if not fits:
        raise ValueError(f"the setting {name} is {value!r}; it must be {allowed}")


def train(
    plan: Plan,
    run: Path,
    minutes: float | None = None,
    device: str | None = None,
    workers: int = 1,
    data: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Train a model, or resume its training, until it has finished or the time is over.

    Args:
        plan: what is trained; the same as before where a run is resumed.
        run: the folder of the run.
        minutes: stop after this many minutes, with everything saved. Preparing films counts, but at least half of the
            time is for training. Default: train to the end.
        device: `cpu` or `cuda`. Default: a GPU if there is one.
        workers: processes that generate background films.
        data: the folder that keeps them. Default: `background` in the run.
        progress: is called with the steps done and those there are.
        note: is called with a sentence at each validation.

    Raises:
        ValueError: the folder holds another run, a setting, the device or the encoder is wrong, or the loss is no
            longer a number.
    """
    start = time.monotonic()
    kind = model_class(plan.model)
    settings = settings_from(kind.settings_class, plan.settings)
    if device is not None:
        check_device(device)
    encoder = _encoder(kind, plan)
    if _claim(run, plan, settings, encoder) and (finished := _finished(run, settings)) is not None:
        return finished
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if place.type == "cuda":
        torch.set_float32_matmul_precision("high")
    torch.manual_seed(plan.seed)
    learner = _new_learner(kind, settings, encoder).to(place)
    training, validation = background(plan.scale, plan.data_seed, data or run / "background", workers)
    films = kind.prepare(training, settings, workers).to(place)
    held_out = kind.prepare(validation, settings, workers).to(place)
    loop = _Loop(learner, films, held_out, plan.seed, run)
    if minutes is not None:
        minutes = max(minutes - (time.monotonic() - start) / 60, minutes / 2)
    return loop.go(minutes, progress, note)


def _encoder(kind: type[Learner], plan: Plan) -> Learner | None:
    """Return the trained state encoder of a model that needs one."""
    if not kind.needs_encoder:
        if plan.encoder:
            raise ValueError(f"{plan.model} needs no state encoder; leave --encoder out")
        return None
    if not plan.encoder:
        raise ValueError(
            f"{plan.model} needs a trained state encoder; train one (--model atc) and name it: --encoder RUN"
        )
    encoder = load(Path(plan.encoder))
    if encoder.name != "atc":
        raise ValueError(f"{plan.encoder} is a run of {encoder.name}, not of a state encoder (atc)")
    return encoder


def _new_learner(kind: type[Learner], settings: Settings, encoder: Learner | None) -> Learner:
    return kind(settings) if encoder is None else kind(settings, encoder)  # type: ignore[call-arg]


def _finished(run: Path, settings: Settings) -> Outcome | None:
    """Return where a finished run stands; None if it has not finished."""
    if not (run / CHECKPOINT).exists():
        return None
    state = _read_checkpoint(run / CHECKPOINT, torch.device("cpu"))
    return Outcome(state["step"], settings.epochs, True, _last_line(run / LOG)) if state["finished"] else None


def _claim(run: Path, plan: Plan, settings: Settings, encoder: Learner | None) -> bool:
    """Write what the run is, or check that it is the same run; return whether its epochs are the same too."""
    what = {**plan._asdict(), "settings": asdict(settings), "torch": torch.__version__}
    what["encoder_settings"] = None if encoder is None else asdict(encoder.settings)
    what = json.loads(json.dumps(what))
    path = run / RUN
    if path.exists():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = None
        if not isinstance(before, dict):
            raise ValueError(f"{path} is damaged; name another folder")
        for name, value in what.items():
            if name != "torch" and _without_epochs(before.get(name)) != _without_epochs(value):
                raise ValueError(
                    f"{run} is a run with {_difference(name, before.get(name), value)}; name another folder"
                )
        # More or fewer epochs are the same run.
        if before != what:
            _write_text_aside(path, json.dumps(what, indent=1) + "\n")
        return bool(before.get("settings") == what["settings"])
    if run.exists() and any(run.iterdir()):
        raise ValueError(f"{run} is not empty and no run of this program; name another folder")
    run.mkdir(parents=True, exist_ok=True)
    _write_text_aside(path, json.dumps(what, indent=1) + "\n")
    return False


def _difference(name: str, before: Any, now: Any) -> str:
    """Return in words how a run differs from one before; of settings, only the first that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        one, two = _without_epochs(before), _without_epochs(now)
        name = next(each for each in (*two, *one) if one.get(each) != two.get(each))
        before, now = before.get(name), now.get(name)
    return f"{name} {before!r}, not {now!r}"


def _without_epochs(value: Any) -> Any:
    return {**value, "epochs": None} if isinstance(value, dict) else value


def _write_text_aside(path: Path, text: str) -> None:
    draft = path.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


class _Loop:
    def __init__(self, learner: Learner, films: Any, held_out: Any, seed: int, run: Path) -> None:
        self.learner, self.films, self.held_out, self.run = learner, films, held_out, run
        settings = learner.settings
        self.optimizer = torch.optim.Adam(
            [each for each in learner.parameters() if each.requires_grad], lr=settings.learning_rate
        )
        self.batch = min(settings.batch, len(films))
        self.steps_an_epoch = max(1, len(films) // self.batch)
        self.last = self.steps_an_epoch * settings.epochs
        learner.check_steps(self.last)
        self.validate_every = max(self.steps_an_epoch, min(_FEWEST_STEPS, self.last))
        self.seed, self.step, self.seconds = seed, 0, 0.0
        self.average = _copy(learner) if learner.averages else None
        learner.begin(films)
        (self.average or learner).begin(held_out)
        self.rng = torch.Generator(films.task.device).manual_seed(seed)
        self._resume()

    def go(
        self, minutes: float | None, progress: Callable[[int, int], None] | None, note: Callable[[str], None]
    ) -> Outcome:
        start, losses, order, epoch = time.monotonic(), [], None, -1
        line = _last_line(self.run / LOG)
        saved = start
        self.learner.train()
        while self.step < self.last:
            if minutes is not None and time.monotonic() - start > 60 * minutes:
                break
            if self.step // self.steps_an_epoch != epoch:
                epoch = self.step // self.steps_an_epoch
                order = torch.randperm(
                    len(self.films), generator=torch.Generator().manual_seed(self.seed + 7919 * epoch)
                )
                order = order.to(self.films.task.device)
            assert order is not None
            place = self.step % self.steps_an_epoch * self.batch
            losses.append(self._step(order[place : place + self.batch]))
            self.step += 1
            if progress is not None:
                progress(self.step, self.last)
            ends = self.step % self.validate_every == 0 or self.step == self.last
            if ends or time.monotonic() - saved > 120:
                self._check(losses)
                if ends:
                    line = self._log(losses, start)
                    losses = []
                    note(_sentence(line))
                self._save(start)
                saved = time.monotonic()
        self._check(losses)
        self._save(start)
        return Outcome(self.step, self.step / self.steps_an_epoch, self.step >= self.last, line)

    def _check(self, losses: list[Tensor]) -> None:
        """Stop before anything is saved if a loss is no number: no later step would mend the weights."""
        if losses and not bool(torch.isfinite(torch.stack(losses)).all()):
            raise ValueError(
                f"the loss is no longer a number by step {self.step}, so training stopped; "
                "try a smaller learning_rate in another folder"
            )

    def _step(self, chosen: Tensor) -> Tensor:
        loss = self.learner.loss(self.films, chosen, self.rng)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.learner.settings.gradient_clip:
            torch.nn.utils.clip_grad_norm_(self.learner.parameters(), self.learner.settings.gradient_clip)
        self.optimizer.step()
        self.learner.after_step()
        if self.average is not None:
            _blend(self.average, self.learner, min(_AVERAGE, (1 + self.step) / (10 + self.step)))
        return loss.detach()

    def _log(self, losses: list[Tensor], start: float) -> dict[str, Any]:
        """Write a line of the log: the mean loss since the last one, and the validation error of each task."""
        line = {
            "step": self.step,
            "epoch": self.step / self.steps_an_epoch,
            "seconds": round(self.seconds + time.monotonic() - start, 1),
            "loss": float(torch.stack(losses).mean()) if losses else None,
            "validation": validate(self.average or self.learner, self.held_out, self.seed),
        }
        with (self.run / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.learner.train()
        return line

    def _save(self, start: float) -> None:
        state = {
            "learner": self.learner.state_dict(),
            "average": self.average.state_dict() if self.average is not None else None,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds + time.monotonic() - start,
            "rng": self.rng.get_state(),
            "torch_rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state() if self.films.task.is_cuda else None,
            "finished": self.step >= self.last,
        }
        write_aside(self.run / CHECKPOINT, state)

    def _resume(self) -> None:
        path = self.run / CHECKPOINT
        if not path.exists():
            (self.run / LOG).unlink(missing_ok=True)
            return
        state = _read_checkpoint(path, self.films.task.device)
        self.learner.load_state_dict(state["learner"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds = state["step"], state["seconds"]
        try:
            self.rng.set_state(state["rng"].cpu())
            torch.set_rng_state(state["torch_rng"].cpu())
            if state["cuda_rng"] is not None and self.films.task.is_cuda:
                torch.cuda.set_rng_state(state["cuda_rng"].cpu())
        except RuntimeError:
            # The run began on another kind of device, whose random streams are others.
            self.rng.manual_seed(self.seed + self.step)
        _cut_log(self.run / LOG, self.step)


@torch.no_grad()
def validate(learner: Learner, films: Any, seed: int = 0) -> dict[str, float | None]:
    """Return the mean validation error of each background task; None where there is none yet."""
    learner.eval()
    device = films.task.device
    rng = torch.Generator(device).manual_seed(seed)
    means: dict[str, float | None] = {}
    for number, task in enumerate(TASKS):
        chosen = (films.task == number).nonzero()[:_VALIDATED, 0]
        if len(chosen):
            errors = [learner.errors(films, part, rng) for part in chosen.split(_VALIDATION_BATCH)]
            mean = float(torch.cat([each.float() for each in errors]).nanmean())
            means[task.rpartition("/")[2]] = mean if mean == mean else None
    return means


def load(run: Path, device: str = "cpu") -> Learner:
    """Return the trained model of a run, ready to judge.

    Raises:
        ValueError: the folder holds no run, or its files are damaged.
    """
    path = run / RUN
    if not path.exists():
        raise ValueError(f"{run} is not a run of training: it has no {RUN}")
    try:
        what = json.loads(path.read_text(encoding="utf-8"))
        kind = model_class(what["model"])
        settings = settings_from(kind.settings_class, what["settings"])
        encoder = None
        if kind.needs_encoder:
            encoder_kind = model_class("atc")
            encoder = encoder_kind(settings_from(encoder_kind.settings_class, what["encoder_settings"]))
    except (KeyError, TypeError) as problem:
        raise ValueError(f"{path} is damaged: {problem!r}") from None
    if not (run / CHECKPOINT).exists():
        raise ValueError(f"{run} has no {CHECKPOINT} yet; train it first")
    state = _read_checkpoint(run / CHECKPOINT, torch.device(device))
    learner = _new_learner(kind, settings, encoder).to(device)
    learner.load_state_dict(state["average"] if learner.averages else state["learner"])
    learner.eval()
    return learner


def _read_checkpoint(path: Path, device: torch.device) -> dict[str, Any]:
    try:
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
        return state
    except Exception as problem:
        raise ValueError(f"{path} cannot be read: {problem}") from None


def write_aside(path: Path, state: Any) -> None:
    """Write a checkpoint beside the old one and replace that when everything is on the disk."""
    draft = path.with_suffix(".part")
    with draft.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def validation_errors(run: Path) -> dict[str, float | None]:
    """Return the last validation error of a run on each background task; none if it was never validated."""
    return dict(_last_line(run / LOG).get("validation", {}))


def _last_line(path: Path) -> dict[str, Any]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return json.loads(lines[-1]) if lines else {}


def _cut_log(path: Path, step: int) -> None:
    """Remove lines that were written after the checkpoint that is resumed."""
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(each for each in lines if json.loads(each)["step"] <= step), encoding="utf-8")


def _copy(learner: Learner) -> Learner:
    from copy import deepcopy

    return deepcopy(learner).requires_grad_(False)


@torch.no_grad()
def _blend(average: Learner, learner: Learner, past_weight: float) -> None:
    pairs = list(zip(average.state_dict().values(), learner.state_dict().values(), strict=True))
    blended = [each for each in pairs if each[0].is_floating_point()]
    torch._foreach_lerp_([past for past, _ in blended], [now for _, now in blended], 1 - past_weight)
    for past, now in pairs:
        if not past.is_floating_point():
            past.copy_(now)


def _sentence(line: dict[str, Any]) -> str:
    errors = ", ".join(f"{task} {error:.3g}" for task, error in line["validation"].items() if error is not None)
    loss = "" if line["loss"] is None else f", loss {line['loss']:.4g}"
    return f"epoch {line['epoch']:.0f}, {line['seconds']:.0f} s{loss}; validation: {errors or 'none yet'}"
