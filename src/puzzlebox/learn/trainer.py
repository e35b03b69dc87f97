"""The training loop of all learners: updates, logs, checkpoints, evaluations, and how a run is resumed."""

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from puzzlebox.learn.checkpoints import Checkpoint, forget_after, load, resumable, write_checkpoint
from puzzlebox.learn.curricula import Coverage
from puzzlebox.learn.curriculum_names import Course
from puzzlebox.learn.evaluation import evaluate
from puzzlebox.learn.learners.learner import Job, Learner, make_learner
from puzzlebox.learn.logs import EPISODES, EVALUATION, LOG, Logs, append_line, read_lines
from puzzlebox.learn.origin import Origin
from puzzlebox.learn.recurrent import Update
from puzzlebox.learn.run_folder import RUN, RunFolder, read_run
from puzzlebox.learn.sampler import Episode
from puzzlebox.learn.settings import Resolved, decide
from puzzlebox.learn.spaces import describe_space
from puzzlebox.run.tasks import RunTask
from puzzlebox.seeds import training_seed
from puzzlebox.wings import find_training

# Checkpoints of a run, if nothing else is asked for.
_CHECKPOINTS = 20
# Episodes of which progress shows the mean.
_SHOWN = 100


@dataclass(frozen=True)
class Plan:
    """What is trained, and how.

    Attributes:
        course: the tasks, and the curriculum.
        resolved: all settings.
        steps: the number of decisions in all.
        seed: the seed of everything random.
        evaluated: the tasks of evaluations; none if there are none.
        evaluation_sources: what names them.
        evaluate_every: the number of decisions from one evaluation to the next; 0: at the end only.
        origin: the weights it starts from (`find_origin`). None: new ones; a run that is resumed keeps its own.
    """

    course: Course
    resolved: Resolved
    steps: int
    seed: int = 0
    evaluated: tuple[RunTask, ...] = ()
    evaluation_sources: tuple[str, ...] = ()
    evaluate_every: int = 0
    origin: Origin | None = None

    @property
    def known_tasks(self) -> list[dict[str, str]]:
        """Name and hash of each task that the agent has learned from: those of the run, and of what it starts from."""
        own = self.course.tasks.plain()
        return own + [dict(each) for each in (self.origin.tasks if self.origin else ()) if each not in own]

    def plain(self) -> dict[str, Any]:
        """Return everything that determines the run, as `run.json` stores it."""
        return {
            **self.resolved.plain(),
            "wing": self.course.tasks.wing.name,
            "sources": list(self.course.sources),
            "tasks": self.course.tasks.plain(),
            "curriculum": self.course.name,
            "stages": None if self.course.stages is None else [dict(each) for each in self.course.stages],
            "seed": self.seed,
            "steps": self.steps,
            "evaluation": [{"name": each.name, "hash": each.hash} for each in self.evaluated],
            "evaluation_sources": list(self.evaluation_sources),
            "evaluate_every": self.evaluate_every,
            "origin": self.origin.plain() if self.origin else None,
        }


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes:
        step: the number of decisions so far.
        steps: the number of decisions in all.
        episodes: the number of episodes that ended.
        passed: the share of the latest hundred that was passed; None if unknown.
        mean_return: their mean return; None before the first one ended.
        speed: decisions per second since the start of this command.
        stage: the stage of the curriculum; 0 without stages.
    """

    step: int
    steps: int
    episodes: int
    passed: float | None
    mean_return: float | None
    speed: float
    stage: int = 0


@dataclass(frozen=True)
class Outcome:
    """How a call of `train` ended.

    Attributes:
        progress: where the run stands.
        finished: whether it has all its decisions.
        checkpoint: the latest checkpoint; None if there is none.
        shares: the shares of time of environments, policy, learning and the rest, if the learner reports them.
        coverage: the number of episodes of each task.
    """

    progress: Progress
    finished: bool
    checkpoint: Checkpoint | None
    shares: dict[str, float]
    coverage: dict[str, int]


def train(
    plan: Plan,
    folder: Path,
    *,
    resume: bool = False,
    minutes: float | None = None,
    device: str = "cpu",
    command: str = "",
    progress: Callable[[Progress], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> Outcome:
    """Train an agent, or resume its training, until it has all its decisions or the time is over.

    Args:
        plan: what is trained; the same as before where a run is resumed, except for a larger number of decisions.
        folder: the folder of the run.
        resume: whether a run in the folder is resumed; otherwise the folder must be empty or absent.
        minutes: stop after this many minutes, with everything saved. Default: train to the end.
        device: "cpu", "cuda" or "cuda:N".
        command: the command line, for `run.json`.
        progress: called after each update.
        note: called with a sentence at each evaluation.

    Raises:
        ValueError: the folder holds another run, or a setting is not allowed.
        BlockingIOError: another process trains in this folder.
        ModuleNotFoundError: a library is missing; the message says what brings it.
    """
    before = read_run(folder) if resume and (folder / RUN).exists() else None
    origin = plan.origin or Origin.of((before or {}).get("origin"))
    plan = replace(plan, resolved=decide(plan.resolved, device, before), origin=origin)
    with RunFolder(folder, plan.plain(), resume=resume, command=command, device=device) as home:
        try:
            loop = _Loop(plan, home, device, progress, note)
        except BaseException:
            home.abandon()
            raise
        try:
            return loop.go(minutes)
        finally:
            loop.close()


class _Loop:
    def __init__(
        self,
        plan: Plan,
        home: RunFolder,
        device: str,
        progress: Callable[[Progress], None] | None,
        note: Callable[[str], None] | None,
    ) -> None:
        self._plan, self._home, self._device = plan, home, device
        self._progress, self._note = progress, note or (lambda text: None)
        self._curriculum = plan.course.curriculum(plan.steps)
        self._coverage = Coverage(plan.course.tasks.names)
        self._start, self._first_step = time.monotonic(), 0
        self.step, self._episodes, self._seconds = 0, 0, 0.0
        self._parts = {"environment": 0.0, "policy": 0.0, "learning": 0.0, "other": 0.0}
        self._latest: list[Episode] = []
        self._weights: list[float] | None = None
        self._learner: Learner | None = None
        self._logs: Logs | None = None
        self._checkpoint = resumable(home.folder)
        about = self._checkpoint.progress if self._checkpoint else None
        if about is not None:
            self._curriculum.restore(about["curriculum_state"])
            self.step = about["step"]
        self._weights = self._curriculum.weights(self.step)
        try:
            if about is None or self.step < plan.steps:
                self._begin(about)
            self._take_counts(about)
        except BaseException:
            self.close()
            raise

    def _begin(self, about: dict[str, Any] | None) -> None:
        """Make the learner, and bring it and the logs to the latest checkpoint."""
        plan, home = self._plan, self._home
        settings = dict(plan.resolved.settings)
        job = Job(self._make_vector, settings, plan.seed, self._device, plan.steps)
        self._learner = make_learner(plan.resolved.learner, job)
        if about is not None:
            assert self._checkpoint is not None
            load(self._checkpoint, self._learner.load)
            if self._weights is not None:  # the environments were restored with those of the update before
                self._learner.set_task_weights(self._weights)
        elif plan.origin is not None:
            plan.origin.give(self._learner, plan.resolved, self._spaces)
        self._logs = Logs(home.folder, None if about is None else about["logs"], self.step)
        forget_after(home.folder, self.step)

    def _take_counts(self, about: dict[str, Any] | None) -> None:
        """Continue counting from a checkpoint."""
        if about is None:
            return
        self._coverage = Coverage(self._plan.course.tasks.names, about["episodes_by_task"])
        self._episodes, self._seconds = about["episodes"], about["seconds"]
        self._parts = dict(about["shares"])
        self._first_step = self.step
        lines = read_lines(self._home.folder / EPISODES)[-_SHOWN:]
        self._latest = [Episode(0, x["task"], x["return"], x["length"], x["passed"], False, False) for x in lines]

    def _make_vector(self, count: int, **options: Any) -> Any:
        plan = self._plan
        vector = plan.course.tasks.vector(count, dict(plan.resolved.environment), **options)
        try:
            if self._weights is not None:
                vector.set_task_weights(self._weights)
            if plan.resolved.curiosity["strength"]:
                from puzzlebox.learn.curiosity import CuriousVector

                seed = training_seed(plan.seed, "curiosity")
                vector = CuriousVector(vector, plan.resolved.curiosity, seed, self._device)
        except BaseException:
            vector.close()
            raise
        self._spaces = (vector.single_observation_space, vector.single_action_space)
        return vector

    def go(self, minutes: float | None) -> Outcome:
        """Train until the end, or until the time is over or the user interrupts."""
        plan, run = self._plan, self._plan.resolved.run
        every = run["checkpoint_every"] or max(1, plan.steps // _CHECKPOINTS)
        end = None if minutes is None else self._start + 60 * minutes
        written = time.monotonic()
        self._evaluate_if_due()
        with _delayed_interrupt(self._note) as interrupted:
            while self.step < plan.steps and not interrupted() and (end is None or time.monotonic() < end):
                before = self.step
                self._update()
                due = self.step // every > before // every or self.step >= plan.steps
                late = time.monotonic() - written > 60 * run["checkpoint_minutes"]
                if due or late or self._crosses_evaluation(before) or interrupted():
                    self._write()
                    written = time.monotonic()
                    self._evaluate_if_due()
            if self._learner is not None and (self._checkpoint is None or self._checkpoint.step < self.step):
                self._write()
                self._evaluate_if_due()
        self._home.close_part(self.step)
        whole = sum(self._parts.values())
        shares = {name: part / whole for name, part in self._parts.items()} if whole else {}
        if interrupted() and self.step < plan.steps:
            raise KeyboardInterrupt
        return Outcome(self._where(), self.step >= plan.steps, self._checkpoint, shares, dict(self._coverage.counts))

    def _update(self) -> None:
        learner, logs = self._learner, self._logs
        assert learner is not None and logs is not None
        weights = self._curriculum.weights(self.step)
        if weights != self._weights:
            learner.set_task_weights(weights)
            self._weights = weights
        start = time.monotonic()
        update = learner.update()
        update.episodes = _without_intrinsic(learner.vector, update.episodes)
        self.step += update.steps
        self._refuse_divergence(update.metrics)
        self._seconds += time.monotonic() - start
        self._episodes += len(update.episodes)
        self._curriculum.observe(update.episodes)
        self._coverage.observe(update.episodes)
        self._latest = [*self._latest, *update.episodes][-_SHOWN:]
        self._log(update, getattr(learner.vector, "metrics", {}), time.monotonic() - start)
        if self._progress is not None:
            self._progress(self._where())

    def _refuse_divergence(self, metrics: Mapping[str, float]) -> None:
        """Stop a run whose losses are no longer finite: its weights are not either, and never will be again."""
        broken = [name for name, value in metrics.items() if "loss" in name.lower() and not math.isfinite(value)]
        if broken:
            kept = self._checkpoint
            where = (
                "there is no checkpoint" if kept is None else f"the latest checkpoint is that of decision {kept.step:,}"
            )
            raise ValueError(
                f"training has diverged: after {self.step:,} decisions {broken[0]} is {metrics[broken[0]]}; {where}; "
                "start another run with a smaller learning_rate"
            )

    def _log(self, update: Update, more: dict[str, float], seconds: float) -> None:
        logs = self._logs
        assert logs is not None
        for name in self._parts:
            self._parts[name] += getattr(update, f"{name}_seconds")
        logs.write(EPISODES, [_line(self.step, each) for each in update.episodes])
        where = self._where()
        metrics = {name: value for name, value in {**update.metrics, **more}.items() if value == value}
        metrics = {name: value for name, value in metrics.items() if abs(value) < float("inf")}
        line: dict[str, Any] = {
            "step": self.step,
            "episodes": self._episodes,
            "passed": where.passed,
            "mean_return": where.mean_return,
            "speed": round(update.steps / seconds, 1) if seconds else None,
            **self._curriculum.status(),
            **self._coverage.status(),
            "metrics": metrics,
        }
        logs.write(LOG, [line])
        logs.flush()
        shown = {"train/passed": where.passed, "train/mean_return": where.mean_return, "train/speed": line["speed"]}
        known = {name: value for name, value in shown.items() if value is not None}
        own = {f"curriculum/{name}": value for name, value in self._curriculum.status().items()}
        logs.scalars({**known, **own, **metrics}, self.step)

    def _where(self) -> Progress:
        verdicts = [each.passed for each in self._latest if each.passed is not None]
        returns = [each.total for each in self._latest]
        taken = time.monotonic() - self._start
        return Progress(
            self.step,
            self._plan.steps,
            self._episodes,
            sum(verdicts) / len(verdicts) if verdicts else None,
            sum(returns) / len(returns) if returns else None,
            (self.step - self._first_step) / taken if taken else 0.0,
            int(self._curriculum.status().get("stage", 0)),
        )

    def _write(self) -> None:
        """Write a checkpoint of this moment."""
        plan, learner, logs = self._plan, self._learner, self._logs
        assert learner is not None and logs is not None
        observations, actions = self._spaces
        wing = find_training(plan.course.tasks.wing)
        about = {
            "learner": plan.resolved.learner,
            "settings": dict(plan.resolved.settings),
            "wing": plan.course.tasks.wing.name,
            "senses": wing.training_senses(plan.resolved.environment),
            "observations": describe_space(observations),
            "actions": describe_space(actions),
            "seed": plan.seed,
            "tasks": plan.known_tasks,
            "episodes": self._episodes,
            "episodes_by_task": self._coverage.counts,
            "curriculum_state": self._curriculum.state(),
            "seconds": self._seconds,
            "shares": self._parts,
            "logs": logs.sizes(),
        }
        self._checkpoint = write_checkpoint(self._home.folder, self.step, about, learner.save)

    def _crosses_evaluation(self, before: int) -> bool:
        every = self._plan.evaluate_every
        return bool(self._plan.evaluated) and every > 0 and self.step // every > before // every

    def _evaluate_if_due(self) -> None:
        """Evaluate the latest checkpoint, unless that was done or another one is due first."""
        plan, checkpoint = self._plan, self._checkpoint
        if not plan.evaluated or checkpoint is None:
            return
        path = self._home.folder / EVALUATION
        done = [each["step"] for each in read_lines(path)]
        last, every = max(done, default=0), plan.evaluate_every
        due = checkpoint.step >= plan.steps if not every else checkpoint.step // every > last // every
        if checkpoint.step in done or not (due or checkpoint.step >= plan.steps):
            return
        rules = plan.resolved.environment.get("rules")
        episodes = plan.resolved.run["evaluation_episodes"]
        seed = training_seed(plan.seed, "evaluation")
        line = {"step": checkpoint.step, **evaluate(checkpoint.folder, plan.evaluated, episodes, seed, rules)}
        append_line(path, line)
        passed = "no verdict" if line["passed"] is None else f"{100 * line['passed']:.1f} % passed"
        self._note(f"evaluation after {checkpoint.step:,} decisions: {passed}, mean return {line['mean_return']:.3f}")
        if self._logs is not None:
            shown = {"evaluation/mean_return": line["mean_return"], "evaluation/passed": line["passed"]}
            self._logs.scalars({name: value for name, value in shown.items() if value is not None}, checkpoint.step)

    def close(self) -> None:
        if self._logs is not None:
            self._logs.close()
        if self._learner is not None:
            self._learner.close()


def _line(step: int, episode: Episode) -> dict[str, Any]:
    """Return the line of an episode that ended in the update which brought the run to a step."""
    return {
        "step": step,
        "task": episode.task,
        "return": episode.total,
        "length": episode.length,
        "passed": episode.passed,
        "truncated": episode.truncated,
        "env": episode.env,
    }


def _without_intrinsic(vector: Any, episodes: Sequence[Episode] | list[Episode]) -> list[Episode]:
    """Return episodes with their extrinsic return, where a curious vector has counted that."""
    totals: list[float] | None = getattr(vector, "totals", None)
    if totals is None:
        return list(episodes)
    own = [each._replace(total=total) for each, total in zip(episodes, totals, strict=True)]
    totals.clear()
    return own


@contextmanager
def _delayed_interrupt(note: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end training after the current update; a second one interrupts at once."""
    asked = False

    def ask(number: int, frame: Any) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        with suppress(RuntimeError):  # the interrupt came in the middle of another line
            note("finishing this update and saving; Ctrl-C again stops at once")

    try:
        before = signal.signal(signal.SIGINT, ask)
    except ValueError:  # not the main thread, which gets no signals
        yield lambda: False
        return
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
