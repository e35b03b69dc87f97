import numpy as np
import pytest

from puzzlebox.intuitions.episodes import make_pair
from puzzlebox.intuitions.scoring import Judgement, Surprise, judge, levels_of, summarise, with_other_familiarisation
from puzzlebox.intuitions.scoring.order import three_way_order
from puzzlebox.intuitions.scoring.summary import share_interval, two_way_interval


class LongerIsWorse:
    """Surprised by long test trials."""

    name = "longer is worse"

    def surprise(self, stimulus):
        return Surprise(np.full(stimulus.test.frames, float(stimulus.test.motion_frames)))


def judged(number, expected, unexpected, task="preference", kind=""):
    return Judgement(task, kind, number, *({"maximum": x, "mean": x} for x in (expected, unexpected)))


def test_a_pair_is_right_if_the_unexpected_film_surprises_more_and_a_tie_counts_half():
    assert judged(0, 1.0, 2.0).score("maximum") == 1
    assert judged(0, 2.0, 1.0).score("mean") == 0
    assert judged(0, 1.0, 1.0).score("mean") == 0.5
    assert judged(0, 1.0, 1.0 + 1e-13).score("mean") == 0.5


def test_read_outs_leave_out_frames_that_were_not_judged():
    class Partly(LongerIsWorse):
        def surprise(self, stimulus):
            frames = np.full(stimulus.test.frames, np.nan)
            frames[40:42] = 1, 3
            return Surprise(frames)

    judgement = judge(Partly(), make_pair("efficiency_path", 0))
    assert judgement.expected == {"maximum": 3.0, "mean": 2.0}


def test_a_detour_is_longer_in_path_control_and_as_long_in_time_control():
    observer = LongerIsWorse()
    assert all(judge(observer, make_pair("efficiency_path", number)).score("mean") == 1 for number in range(3))
    for number in range(3):
        judgement = judge(observer, make_pair("efficiency_time", number))
        assert abs(judgement.expected["mean"] - judgement.unexpected["mean"]) <= 1


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [(lambda n: np.zeros(n - 1), "the test trial has"), (lambda n: np.full(n, np.nan), "not a number in any frame")],
)
def test_a_surprise_that_does_not_fit_is_refused(frames, sentence):
    class Wrong(LongerIsWorse):
        def surprise(self, stimulus):
            return Surprise(frames(stimulus.test.frames))

    with pytest.raises(ValueError, match=sentence):
        judge(Wrong(), make_pair("multi_agent", 0))


def test_a_background_episode_is_no_pair():
    with pytest.raises(ValueError, match="has no unexpected film"):
        judge(LongerIsWorse(), make_pair("background/multi_agent", 0))


def test_scores_by_task_and_pair_type():
    rows = [judged(n, 0, 1, "multi_agent", "i" if n < 4 else "ii") for n in range(6)]
    rows[5] = judged(5, 1, 0, "multi_agent", "ii")
    scores = {(s.task, s.kind, s.read_out): s for s in summarise([[*rows, judged(0, 1, 1)]])}
    assert scores["multi_agent", "", "maximum"].over_episodes.value == pytest.approx(5 / 6)
    assert scores["multi_agent", "i", "mean"].over_episodes.value == 1
    assert scores["multi_agent", "ii", "mean"].over_episodes.value == 0.5
    assert scores["preference", "", "mean"].ties == 1
    assert next(iter(scores))[0] == "preference"


def test_runs_must_share_their_pairs():
    with pytest.raises(ValueError, match="run 2 judged other pairs"):
        summarise([[judged(0, 0, 1)], [judged(1, 0, 1)]])
    with pytest.raises(ValueError, match="judged twice"):
        summarise([[judged(0, 0, 1), judged(0, 0, 1)]])
    with pytest.raises(ValueError, match="no judgements"):
        summarise([[]])


def test_three_runs_have_no_interval_over_runs_and_five_have():
    run = [judged(n, 0, 1 if n else 0) for n in range(30)]
    assert summarise([run] * 3)[0].over_runs is None
    interval = summarise([run] * 5)[0].over_runs
    assert interval is not None
    assert interval.low < interval.value < interval.high


def test_intervals_cover_the_true_share():
    rng = np.random.default_rng(5)
    hits = {"episodes": 0, "both": 0}
    draws = 300
    for _ in range(draws):
        right = rng.random(80) < 0.8
        interval = share_interval(right.astype(float))
        hits["episodes"] += interval.low <= 0.8 <= interval.high
        # Runs and pairs have effects of their own; the mean over both is a half.
        chance = 1 / (1 + np.exp(-(rng.normal(0, 0.6, (6, 1)) + rng.normal(0, 1, (1, 80)))))
        both = two_way_interval((rng.random((6, 80)) < chance).astype(float))
        hits["both"] += both.low <= 0.5 <= both.high
    assert 0.91 <= hits["episodes"] / draws <= 0.99
    assert 0.91 <= hits["both"] / draws <= 0.995


def test_the_three_way_order_of_all_films():
    rows = [judged(0, 0, 1, "multi_agent", "i"), judged(1, 1, 2, "multi_agent", "ii")]
    orders = {(o.lower, o.higher): o for o in three_way_order(rows) if o.read_out == "mean"}
    assert orders["expected", "no expectation"].share == 1
    assert orders["no expectation", "unexpected"].films == (2, 1)
    assert orders["expected", "unexpected"].share == 1
    assert levels_of("inaccessible_goal") == ("no expectation", "unexpected")


def test_familiarisations_are_exchanged_by_member():
    pairs = [make_pair("efficiency_irrational", number) for number in range(2)]
    first, second = with_other_familiarisation(pairs)
    assert first.expected.test is pairs[0].expected.test
    assert first.expected.familiarisation == pairs[1].expected.familiarisation
    assert second.unexpected.familiarisation == pairs[0].unexpected.familiarisation
    with pytest.raises(ValueError, match="two pairs or more"):
        with_other_familiarisation(pairs[:1])
