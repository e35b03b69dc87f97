"""One administration of an item: its stage, trials, events and log."""

from typing import Any, cast

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.poses import pose_named
from puzzlebox.infant.body.skeleton import Skeleton
from puzzlebox.infant.items.checks import Checked, check_block, check_item, check_mode, check_watch
from puzzlebox.infant.items.item import Event, Item, Mode, Outcome, Trial, Verb
from puzzlebox.infant.items.scoring import END, Score, cue_of, facts_of, outcomes_of, possible, score
from puzzlebox.infant.items.seated import SeatedDriver
from puzzlebox.infant.scenes.caregiver import Caregiver
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT
from puzzlebox.infant.scenes.predicates import steps_of
from puzzlebox.infant.scenes.recorder import Recorder
from puzzlebox.infant.senses.senses import SensesSettings, State
from puzzlebox.seeds import check_seed, rng_from

CHILD, CAREGIVER = "child", "caregiver"


class Session:
    """An item that is played.

    Attributes:
        item: the item.
        mode: how the agent moves the child.
        stage: the scene.
        recorder: writes the log.
        trials: all trials of the administration.
        number: the trial that is played, from 0; -1 before the first.
        clock: steps since the start of the trial, or of the pause before it.
        over: whether all trials are played.
        memory: what the script of the item keeps from step to step.
        skeleton: bones of the size of the child, for scripts.
        start_angles: the posture in which each trial begins.
        ahead: a place straight ahead of the eyes.
    """

    def __init__(
        self,
        item: Item,
        mode: Mode | str = Mode.JOINTS,
        *,
        age_months: float = 18.0,
        senses: SensesSettings | None = None,
        blocks: int | None = None,
    ) -> None:
        """Build the scene.

        Args:
            item: the item.
            mode: how the agent moves the child.
            age_months: the age of the child.
            senses: what the child senses. Default: nothing, for scripts.
            blocks: how many blocks of trials. Default: as many as the chance guard asks for.

        Raises:
            ValueError: an argument is not allowed, or the item is not written as it must be.
        """
        check_item(item)
        self.item, self.mode = item, check_mode(mode, item)
        if blocks is not None and (isinstance(blocks, bool) or not isinstance(blocks, int | np.integer) or blocks < 1):
            raise ValueError(f"blocks is {blocks!r}; it must be a whole number, 1 or more")
        self.blocks = item.blocks if blocks is None else int(blocks)
        person = Person(CHILD, age_months, jointed=self.mode is Mode.JOINTS, senses=senses)
        self.stage = item.stage(person)
        check_watch(item, self.stage)
        self.caregiver = Caregiver(self.stage) if CAREGIVER in self.stage.people else None
        self.recorder = Recorder(self.stage, CHILD, sees=item.sees, watch=item.watch)
        self.driver: SeatedDriver | None = None
        if self.mode is Mode.PRIMITIVES:
            self.driver = SeatedDriver(self.stage, CHILD, table=TABLE_HEIGHT, grabs=item.watch, visible=self._visible)
            self.stage.person(CHILD).driver = self.driver
        self._checked = cast(Item, Checked(item))
        self.trials: list[Trial] = []
        self.memory: dict[str, Any] = {}
        growth = self.stage.person(CHILD).body.built.growth
        self.skeleton = Skeleton(growth)
        self.start_angles = self._start_angles()
        entry_eyes = self.recorder.record().eyes
        self.ahead = (entry_eyes[0] + 1.0, entry_eyes[1], entry_eyes[2] - 0.1)
        self.rng = rng_from(0)
        self.reset(0)

    def _visible(self, name: str) -> bool:
        thing = self.stage[name]
        return not thing.hidden and (self.stage.lamp > 0.0 or thing.glows)

    @property
    def child(self) -> Child | None:
        """The jointed body, if the agent moves joints."""
        return self.stage.child

    @property
    def trial(self) -> Trial | None:
        """The trial that is played; None in a pause."""
        return self.trials[self.number] if self._in_trial else None

    @property
    def seconds(self) -> float:
        """Seconds since the start of the trial or of the pause."""
        return self.clock * CONTROL_STEP

    @property
    def log(self) -> Log:
        """What happened so far."""
        return self.recorder.log

    @property
    def action_size(self) -> int:
        """How many numbers an action has."""
        return self.child.action_size if self.child is not None else 6

    def reset(self, seed: int) -> dict[str, State]:
        """Begin an administration; the seed determines order, sides and places of all trials."""
        self.rng = rng_from(check_seed(seed))
        self.trials = [
            trial
            for number in range(self.blocks)
            for trial in check_block(self.item, self.item.block(self.rng, number), self.stage)
        ]
        states = self.stage.reset(seed)
        self.recorder.reset()
        self.recorder.log.facts.update(item=self.item.number, mode=self.mode.value, seed=seed, blocks=self.blocks)
        self.memory.clear()
        self.number, self.clock, self.over = -1, 0, False
        self._in_trial, self._done = False, 0
        self._start = 0
        self.recorder.record(["start"])
        return states

    def _start_angles(self) -> NDArray[np.float64]:
        pose = self.stage.person(CHILD).person.pose
        return (pose_named(pose) if isinstance(pose, str) else pose).targets()

    def step(self, action: Any = None) -> dict[str, State]:
        """Take one control step with an action of the agent; None keeps the last one."""
        if self.over:
            raise RuntimeError("the administration is over; call reset() first")
        self._run_events()
        states = self.stage.step({CHILD: action} if action is not None else None)
        self.clock += 1
        cues = self._advance()
        self.recorder.record(cues)
        if END in cues and not self.over:
            self._recentre()
        return states

    def _run_events(self) -> None:
        trial = self.trial
        while trial is not None and self._done < len(trial.events):
            event = trial.events[self._done]
            if event.at > self.seconds + 1e-9:
                return
            self._do(event)
            self._done += 1

    def _advance(self) -> list[str]:
        """Begin or end a trial if it is time, and return what the log says of it."""
        if not self._in_trial:
            if self.clock < steps_of(self.item.pause):
                return []
            self.number += 1
            self._in_trial, self.clock, self._done = True, 0, 0
            self._start = len(self.log.entries)
            return [cue_of(self.trials[self.number])]
        trial = self.trials[self.number]
        if self.clock < steps_of(trial.seconds) and not self._decided(trial):
            return []
        self._in_trial, self.clock = False, 0
        self.over = self.number == len(self.trials) - 1
        return [END]

    def _decided(self, trial: Trial) -> bool:
        opens = self._start + steps_of(trial.opens)
        if len(self.log.entries) <= opens:
            return False
        facts = facts_of(self.log.entries[self._start].cues)
        assert facts is not None
        return self.item.decided(facts, self.log.window(opens))

    def _recentre(self) -> None:
        """Put the child back into its first posture, and everything else as it was at the start, between two trials."""
        for thing in self.stage.things.values():
            thing.reset()
            thing.place(thing.prop.at, thing.prop.turn)
        self.stage.lamp = self.stage.initial_lamp
        for placed in self.stage.sounds.placed.values():
            placed.source.reset()
        if self.caregiver is not None:
            self.caregiver.relax()
        if self.driver is not None:
            self.driver.recentre()
        child = self.child
        if child is not None:
            child.set_angles(np.clip(self.start_angles, child.built.low, child.built.high))
            child.data.qvel[child.built.speeds] = 0.0
            child.data.ctrl[: child.action_size] = self.start_angles
            mujoco.mj_step1(child.model, child.data)

    def score(self) -> Score:
        """Return the score, from the log; raise a ValueError if trials are still to be played."""
        return score(self._checked, self.log)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of the trials that are complete, from the log."""
        return outcomes_of(self._checked, self.log)

    def possible_scores(self) -> tuple[int, int]:
        """Return the least and the greatest score that the rest of the trials can lead to."""
        outcomes = self.outcomes
        return possible(self._checked, outcomes, self.trials[len(outcomes) :])

    # --- events

    def _do(self, event: Event) -> None:
        stage, name, value = self.stage, event.thing, event.value
        if event.verb is Verb.SHOW:
            stage[name].show()
        elif event.verb is Verb.HIDE:
            stage[name].hide()
        elif event.verb is Verb.PLACE:
            stage[name].place(value)
        elif event.verb is Verb.GLOW:
            stage[name].glow(bool(value))
        elif event.verb is Verb.LAMP:
            stage.lamp = float(value)
        elif event.verb is Verb.SOUND:
            stage.sounds.placed[name].source.level = float(value)
        elif event.verb is Verb.LET_GO:
            self._let_go(name)
        elif event.verb is not Verb.CUE:
            self._care(event)

    def _let_go(self, name: str) -> None:
        """Let go a thing that the caregiver holds; what the child has grasped meanwhile stays in its hand."""
        thing, caregiver = self.stage[name], self.caregiver
        if caregiver is not None and thing.grip is not None and thing.grip.body in caregiver.puppet.built.bodies:
            thing.release()

    def _care(self, event: Event) -> None:
        caregiver, name, value = self.caregiver, event.thing, event.value
        if caregiver is None:
            raise ValueError(f"item {self.item.code} has no caregiver, but an event {event.verb.value!r}")
        if event.verb is Verb.SAY:
            caregiver.say(*value)
        elif event.verb is Verb.LOOK:
            caregiver.look_at(name or None)
        elif event.verb is Verb.POINT:
            caregiver.point_at(name, float(value))
        elif event.verb is Verb.PUT:
            caregiver.put(name, value)
        elif event.verb is Verb.GIVE:
            caregiver.give(name, CHILD, hold=float(value))
        else:
            caregiver.lay(name, CHILD, str(value))
