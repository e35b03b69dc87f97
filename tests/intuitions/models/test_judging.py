import pytest

from puzzlebox.intuitions.catalogue import TASKS
from puzzlebox.intuitions.files.reading import StimulusError
from puzzlebox.intuitions.files.sets import NO_FILMS, Options, write_set
from puzzlebox.intuitions.models import judging
from puzzlebox.intuitions.models.judging import generated, judge_pairs, stored

PLANNER = "inverse-planner"


def test_the_number_of_processes_changes_nothing():
    pairs = generated([TASKS["multi_agent"], TASKS["preference"]], 2, seed=5)
    alone = judge_pairs(PLANNER, pairs)
    assert judge_pairs(PLANNER, pairs, workers=2) == alone
    assert [each.task for each in alone] == ["multi_agent"] * 2 + ["preference"] * 2


def test_batches_of_pairs_are_judged_in_their_order(monkeypatch):
    monkeypatch.setattr(judging, "_BATCH", 3)
    pairs = generated([TASKS["multi_agent"], TASKS["preference"]], 2, seed=5)
    # The planner knows no devices, so that any other name than cpu shows how a GPU would be used.
    assert judge_pairs(PLANNER, pairs, device="other") == judge_pairs(PLANNER, pairs)


def test_pair_types_stay_with_another_familiarisation():
    pairs = generated([TASKS["multi_agent"]], 4, seed=5)
    kinds = [each.kind for each in judge_pairs(PLANNER, pairs)]
    assert sorted(kinds) == ["i", "i", "ii", "ii"]
    assert [each.kind for each in judge_pairs(PLANNER, pairs, other_familiarisation=True)] == kinds
    with pytest.raises(ValueError, match="needs two pairs or more; there is one of multi_agent"):
        judge_pairs(PLANNER, pairs[:1], other_familiarisation=True)


def test_films_in_files_are_judged_like_generated_ones(tmp_path):
    write_set(tmp_path, [TASKS["efficiency_time"]], 2, Options(seed=5, films=NO_FILMS))
    judged = judge_pairs(PLANNER, stored(tmp_path))
    assert judged == judge_pairs(PLANNER, generated([TASKS["efficiency_time"]], 2, seed=5))
    damaged = tmp_path / "efficiency_time" / "000001ete.json"
    damaged.write_text(damaged.read_text()[:3000])
    with pytest.raises(StimulusError, match="000001ete"):
        judge_pairs(PLANNER, stored(tmp_path))
    problems = []
    assert judge_pairs(PLANNER, stored(tmp_path), problems=problems) == judged[:1]
    assert len(problems) == 1


def test_background_tasks_have_no_pairs():
    with pytest.raises(ValueError, match="is a background task"):
        generated([TASKS["background/preference"]], 2, seed=0)
