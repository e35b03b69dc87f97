from dataclasses import replace

import numpy as np
import pytest

from puzzlebox.intuitions.catalogue import GROUPS
from puzzlebox.intuitions.episodes import Stimulus, make_pair
from puzzlebox.intuitions.models.inverse_planner import InversePlanner, character
from puzzlebox.intuitions.models.legs import legs_of, travelled
from puzzlebox.intuitions.scoring import judge, with_other_familiarisation


@pytest.fixture(scope="module")
def observer():
    return InversePlanner()


@pytest.mark.parametrize("task", GROUPS["evaluation"])
def test_the_unexpected_film_surprises_more(observer, task):
    judgement = judge(observer, make_pair(task, 0, seed=11))
    assert judgement.score("maximum") == judgement.score("mean") == 1


def test_parts_add_up_and_begin_at_nothing(observer):
    surprise = observer.surprise(make_pair("preference", 3).unexpected)
    assert np.allclose(surprise.frames, surprise.parts["target"] + surprise.parts["efficiency"])
    assert surprise.frames[:30].max() < 1e-9
    # It goes the shortest way to the wrong object.
    assert surprise.parts["target"][-1] > 1.5 > 10 * surprise.parts["efficiency"][-1]


def test_the_order_of_objects_does_not_matter(observer):
    film = make_pair("preference", 3).unexpected
    reversed_film = Stimulus(tuple(replace(trial, objects=trial.objects[::-1]) for trial in film.trials))
    assert np.allclose(observer.surprise(film).frames, observer.surprise(reversed_film).frames)


def test_without_knowledge_of_the_agent_pairs_are_tied(observer):
    pairs = with_other_familiarisation([make_pair("multi_agent", number) for number in range(5)])
    unknown = [pair for pair in pairs if not any(_familiar(film) for _, film in pair.members())]
    assert len(unknown) >= 2
    assert all(judge(observer, pair).score("mean") == 0.5 for pair in unknown)


def _familiar(film):
    return film.test.agent.identity in [trial.agent.identity for trial in film.familiarisation]


def test_a_trial_with_a_key_has_three_legs():
    trial = make_pair("background/instrumental_action", 0).expected.trials[0]
    key, lock, goal = legs_of(trial)
    assert (key.carrying, lock.carrying, goal.carrying) == (False, True, False)
    assert key.last == lock.first
    assert lock.last < goal.first
    assert key.blocked > goal.blocked == goal.walls


def test_a_character_is_what_one_agent_did():
    film = make_pair("preference", 0).expected
    known = character(film.familiarisation, film.test.agent.identity)
    assert list(known.chosen.values()) == [8]
    assert (known.legs, known.waste < 0.4) == (8, True)
    assert character(film.familiarisation, ("nobody", (0, 0, 0))).legs == 0
    irrational = make_pair("efficiency_irrational", 0).expected
    assert character(irrational.familiarisation, irrational.test.agent.identity).waste > 2


def test_lengths_do_not_depend_on_how_a_slope_is_rounded():
    trial = make_pair("background/single_object", 1).expected.trials[0]
    (leg,) = legs_of(trial)
    length, waits = travelled(leg, trial)
    assert waits[trial.moving[1]] == 0
    assert waits[-1] == 2 * 83
    straight = np.hypot(*(trial.path[-1] - trial.path[0]))
    assert straight <= length[-1] + 1e-9
    assert (np.diff(length) > -1e-9).all()


def test_the_agent_alone_says_nothing(observer):
    """An agent without a history goes to either object: neither is a surprise."""
    pair = make_pair("preference", 5)
    test = pair.expected.test
    newcomer = make_pair("preference", 6).expected.familiarisation
    assert observer.surprise(Stimulus((*newcomer, test))).frames.max() < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("task", GROUPS["evaluation"])
def test_at_least_95_per_cent_and_chance_without_familiarisation(observer, task):
    pairs = [make_pair(task, number, seed=1) for number in range(200)]
    judgements = [judge(observer, pair) for pair in pairs]
    for read_out in ("maximum", "mean"):
        assert np.mean([judgement.score(read_out) for judgement in judgements]) >= 0.95
        if task in ("preference", "multi_agent", "efficiency_irrational"):
            other = [judge(observer, pair).score(read_out) for pair in with_other_familiarisation(pairs)]
            assert abs(np.mean(other) - 0.5) <= 0.05
