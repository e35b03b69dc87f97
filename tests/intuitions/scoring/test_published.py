import pytest

from puzzlebox.intuitions.catalogue import GROUPS, TASKS
from puzzlebox.intuitions.scoring import published


def test_every_model_has_every_task_once():
    tasks = [(s.model, s.set, s.read_out, s.task) for s in published.scores()]
    assert len(tasks) == len(set(tasks))
    assert {s.task for s in published.scores()} <= set(TASKS)
    for model in published.MODELS:
        assert all(published.score(model, task) is not None for task in GROUPS["evaluation"])


@pytest.mark.parametrize(
    ("model", "task", "set", "read_out", "score"),
    [
        ("BC-MLP", "preference", "familiar", "maximum", 26.3),
        ("IRENE", "instrumental_blocking_barrier", "familiar", "mean", 99.4),
        ("HBToM", "multi_agent", "familiar", "mean", 99.2),
        ("Video-RNN", "inaccessible_goal", "3d", "maximum", 40.0),
        ("Video-RNN", "instrumental_no_barrier", "3d", "maximum", None),
    ],
)
def test_single_numbers(model, task, set, read_out, score):
    assert published.score(model, task, set, read_out) == score


def test_averages_that_are_not_the_mean_of_their_tasks_are_named():
    where = {each.where: each.sentence for each in published.disagreements()}
    assert "59.5 %" in where["Offline RL, Efficient action (familiar)"]
    assert "81.1 %" in where["Video-RNN, Efficient action (new)"]
    assert not any(place.startswith("IRENE") for place in where)
