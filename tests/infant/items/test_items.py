"""Items: trials from a seed, scores from a log, the policies of their gates."""

from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from puzzlebox.infant.items import permanence
from puzzlebox.infant.items.catalogue import ITEMS, item_named
from puzzlebox.infant.items.chance import blocks_needed, needed, tail
from puzzlebox.infant.items.env import ItemEnv
from puzzlebox.infant.items.gates import Gate
from puzzlebox.infant.items.item import Event, Item, Mode, Outcome, Verb
from puzzlebox.infant.items.numbers import NUMBERS, id_of
from puzzlebox.infant.items.policies import administer
from puzzlebox.infant.items.scoring import facts_of, possible, score, windows
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.senses.eyes import EyeSettings
from puzzlebox.infant.senses.senses import SensesSettings


@pytest.mark.parametrize("number", list(ITEMS))
def test_trials_follow_from_the_seed_and_are_balanced(number: int) -> None:
    item = item_named(number)
    first = [item.block(np.random.default_rng(seed), 0) for seed in (1, 1, 2, 3, 4, 5)]
    assert first[0] == first[1]
    assert any(each != first[0] for each in first[2:])
    for trials in first:
        for kind in {trial.kind for trial in trials}:
            values = [next(iter(trial.facts.values())) for trial in trials if trial.kind == kind]
            counts = [values.count(each) for each in set(values)]
            assert max(counts) - min(counts) <= 1
        assert all(list(trial.events) == sorted(trial.events, key=lambda event: event.at) for trial in trials)
    tests = [trial for trial in first[0] if trial.kind == "test"]
    assert len(tests) == item.emerging[1] == item.mastery[1]


def test_the_chance_guard_asks_for_enough_blocks() -> None:
    assert tail(25, 40, 0.5) == pytest.approx(0.0769, abs=1e-3)
    assert needed((5, 8), 40) == 25 and needed((7, 8), 16) == 14
    assert blocks_needed((5, 8), (7, 8)) == 5
    assert blocks_needed((6, 8), (7, 8)) == 2
    assert [item_named(number).blocks for number in ITEMS] == [5, 5, 1, 4, 5]
    with pytest.raises(ValueError, match="too often"):
        blocks_needed((1, 8), (7, 8), 0.9)


FAST = [(1, Mode.PRIMITIVES), (4, Mode.PRIMITIVES), (19, Mode.JOINTS), (19, Mode.PRIMITIVES), (25, Mode.PRIMITIVES)]
SLOW = [(1, Mode.JOINTS), (3, Mode.JOINTS), (4, Mode.JOINTS), (25, Mode.JOINTS)]


@pytest.mark.parametrize(("number", "mode"), [*FAST, *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW)])
def test_the_oracle_masters_an_item(number: int, mode: Mode, tmp_path: Path) -> None:
    session = Session(item_named(number), mode, blocks=1)
    assert administer(session, "oracle", 3) == 2
    # The score follows from the log alone, also from a written one.
    session.log.write(tmp_path / "log.jsonl")
    again = score(item_named(number), Log.read(tmp_path / "log.jsonl"))
    assert again == session.score() and again.points == 2
    assert len(windows(session.log)) == len(session.trials)


@pytest.mark.parametrize("number", list(ITEMS))
def test_an_incomplete_log_has_no_score(number: int) -> None:
    item = item_named(number)
    tests = item.blocks * item.emerging[1]
    with pytest.raises(ValueError, match=rf"item {item.code} has no score: only .*0 of {tests} test trials are comp"):
        score(item, Log({}, []))
    assert item.judge(()) == 0
    session = Session(item, Mode.PRIMITIVES, blocks=1)
    with pytest.raises(ValueError, match=rf"0 of {item.emerging[1]} test trials"):
        session.score()
    with pytest.raises(ValueError, match="blocks is 0; it must be a whole number, 1 or more"):
        Session(item, Mode.PRIMITIVES, blocks=0)


def test_a_log_without_one_kind_of_trials_has_no_score() -> None:
    session = Session(item_named(3), Mode.PRIMITIVES, blocks=1)
    assert administer(session, "oracle", 3) == 2
    begins = [row for row, entry in enumerate(session.log.entries) if facts_of(entry.cues)]
    counted = {"test": "4 of 4 silent trials and 0 of 8 test", "silent": "0 of 4 silent trials and 8 of 8 test"}
    for kind, counts in counted.items():
        log = Log(session.log.facts, [])
        for first, last in zip(begins, [*begins[1:], len(session.log)], strict=True):
            facts = facts_of(session.log.entries[first].cues)
            assert facts is not None
            if facts["kind"] != kind:
                log.entries += session.log.entries[first:last]
        with pytest.raises(ValueError, match=counts):
            score(session.item, log)
    # Nor has one that ends a step early.
    with pytest.raises(ValueError, match="are complete"):
        score(session.item, session.log.window(0, len(session.log) - 1))


@pytest.mark.parametrize("number", list(ITEMS))
def test_doing_nothing_scores_0(number: int) -> None:
    assert administer(Session(item_named(number), Mode.PRIMITIVES, blocks=1), "nothing", 3) == 0


def test_which_ear_with_primitives() -> None:
    session = Session(item_named(3), Mode.PRIMITIVES, blocks=1)
    assert administer(session, "oracle", 3) == 2
    assert administer(session, "uniform", 3) < 2


def test_the_same_seed_and_actions_give_the_same_log() -> None:
    logs = []
    for _ in range(2):
        session = Session(item_named(19), Mode.JOINTS, blocks=1)
        session.reset(5)
        rng = np.random.default_rng(0)
        for _ in range(60):
            session.step(rng.uniform(-1, 1, session.action_size))
        logs.append("\n".join(session.log.lines()))
    assert logs[0] == logs[1]


def outcomes(kinds: dict[str, list[dict[str, bool]]]) -> list[Outcome]:
    return [Outcome(kind, values) for kind, rows in kinds.items() for values in rows]


def test_scores_follow_the_conditions_of_items() -> None:
    looking = item_named(1)

    def looks(soon: int, later: int, blank: int) -> int:
        test = [{"looked": row < soon + later, "soon": row < soon} for row in range(40)]
        return looking.judge(
            outcomes({"test": test, "blank": [{"looked": row < blank, "soon": False} for row in range(20)]})
        )

    assert looks(35, 0, 10) == 2 and looks(34, 6, 10) == 1 and looks(0, 25, 0) == 1
    assert looks(0, 24, 0) == 0 and looks(40, 0, 11) == 0
    ear = item_named(3)

    def turns(turned: int, facing: int, silent: int) -> int:
        test = [{"turned": row < turned, "moved": True, "facing": row < facing} for row in range(40)]
        without = [{"turned": row % 2 == 0, "moved": row < silent, "facing": False} for row in range(20)]
        return ear.judge(outcomes({"test": test, "silent": without}))

    assert turns(35, 25, 5) == 2 and turns(35, 24, 0) == 1 and turns(34, 40, 0) == 1 and turns(24, 40, 0) == 0
    # A head that always turns does not turn to the sound, whichever way it goes.
    assert turns(40, 40, 6) == turns(40, 40, 10) == 1 and turns(40, 40, 11) == 0
    dark = item_named(25)

    def searches(right: int, touched: int, none: int) -> int:
        test = [{"right side": row < right, "touched": row < touched, "reached": True} for row in range(40)]
        without = [{"right side": False, "touched": False, "reached": row < none} for row in range(20)]
        return dark.judge(outcomes({"test": test, "none": without}))

    assert searches(35, 25, 5) == 2 and searches(35, 25, 6) == 1 and searches(35, 24, 0) == 1
    assert searches(24, 40, 0) == 0


def test_an_administration_can_end_once_its_score_is_decided() -> None:
    session = Session(item_named(4), Mode.PRIMITIVES)
    for policy in ("oracle", "nothing"):
        whole = administer(session, policy, 1)
        steps = len(session.log)
        assert administer(session, policy, 1, whole=False) == whole
        assert len(session.log) < steps
    item = item_named(25)
    left = item.block(np.random.default_rng(0), 0)
    assert possible(item, (), left) == (0, 2)
    missed = outcomes({"test": [{"right side": False, "touched": False, "reached": False}] * 4})
    assert possible(item, missed, [each for each in left if each.kind == "test"][:4]) == (0, 0)
    # Reaches without a toy: at most a quarter of these trials may have one for a score of 2.
    wrong = outcomes({"none": [{"right side": False, "touched": False, "reached": True}] * 2})
    assert possible(item, wrong, left) == (0, 1)


def test_fingers_that_push_a_toy_do_not_lose_it() -> None:
    # With these seeds the toy once flew off before the hand had felt it, on every trial of the right side.
    session = Session(item_named(25), Mode.JOINTS)
    for seed in (3, 4):
        session.reset(seed)
        while session.number < 0 or session.trial is not None or not _was_right(session):
            session.step(session.item.oracle(session))
        assert session.outcomes[-1].values == {"right side": True, "touched": True, "reached": True}


def _was_right(session: Session) -> bool:
    trial = session.trials[session.number]
    return trial.kind == "test" and trial.facts["side"] == "right"


def test_gates() -> None:
    assert Gate(1, Mode.JOINTS, "oracle", (2,) * 19 + (1,)).open
    assert not Gate(1, Mode.JOINTS, "oracle", (2,) * 18 + (1,) * 2).open
    assert Gate(1, Mode.JOINTS, "nothing", (0,) * 3).open and not Gate(1, Mode.JOINTS, "nothing", (0, 1)).open
    assert Gate(1, Mode.JOINTS, "slow", (0,) * 18 + (1,) * 2).open
    assert not Gate(1, Mode.JOINTS, "slow", (0,) * 17 + (1,) * 3).open
    assert not Gate(1, Mode.JOINTS, "slow", (0,) * 19 + (2,)).open


def test_an_item_is_a_gymnasium_environment() -> None:
    senses = SensesSettings(eyes=EyeSettings(size=16), ears=True, skin=True)
    env = ItemEnv(25, "primitives", senses=senses, blocks=1)
    check_env(env, skip_render_check=True)
    env = ItemEnv("04", "primitives", blocks=1)
    state, info = env.reset(seed=2)
    assert set(state) == {"skin", "joints"} and info["trials"] == 6
    total, over = 0.0, False
    while not over:
        state, reward, over, truncated, info = env.step(env.session.item.oracle(env.session))
        assert not truncated and env.observation_space.contains(state)
        total += reward
    assert total == 2.0 and info["score"] == 2 and len(info["outcomes"]) == 6


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"no item '18'.*01, 03"):
        item_named("18")
    session = Session(item_named(1), Mode.PRIMITIVES, blocks=1)
    with pytest.raises(ValueError, match="six finite numbers"):
        session.step(np.zeros(5))
    with pytest.raises(ValueError, match="has no caregiver"):
        session._do(Event(0.0, Verb.SAY, value=("mama", "call")))
    with pytest.raises(ValueError, match="no policy 'orakle'.*oracle"):  # noqa: RUF043
        administer(session, "orakle", 0)


def test_every_item_has_an_id() -> None:
    import gymnasium as gym

    import puzzlebox  # noqa: F401

    assert tuple(ITEMS) == NUMBERS
    assert all(id_of(number) in gym.registry for number in NUMBERS)


def test_every_item_says_what_it_is() -> None:
    for number, kind in ITEMS.items():
        item: Item = kind()
        assert item.number == number and item.name and item.paradigm and item.__doc__
        assert item.months[0] < item.months[1] and set(item.modes) == set(Mode)


def test_things_are_placed_for_the_age_of_the_child() -> None:
    young, old = (item_named(25, age).places["left"] for age in (6.0, 18.0))
    assert np.linalg.norm(young) < np.linalg.norm(old)


def test_a_hand_that_waits_at_the_place_does_not_reach_in_the_dark(monkeypatch: pytest.MonkeyPatch) -> None:
    item = item_named(25)
    place = np.asarray(item.places["left"])
    away = place + np.array((0.0, 0.0, 1.0))
    for inside, expected in ((([True] * 4), False), (([False, False, True, True]), True)):
        rows = np.array([place if each else away for each in inside])
        monkeypatch.setattr(permanence, "palms", lambda window, hand, rows=rows: rows if hand == "left" else rows + 9.0)
        monkeypatch.setattr(permanence, "touch_by_any", lambda window, thing, inside=inside: np.array(inside))
        outcome = item.outcome({"side": "left", "kind": "test"}, None)
        assert outcome == {"right side": expected, "touched": expected, "reached": expected}
