import numpy as np
import pytest

from puzzlebox.intuitions.scoring import Judgement, summarise
from puzzlebox.intuitions.scoring.judgements import read_judgements, write_judgements
from puzzlebox.intuitions.scoring.order import three_way_order
from puzzlebox.intuitions.scoring.tables import Errors, data, markdown


def judgements(task="preference", count=10, wrong=1):
    rng = np.random.default_rng(0)
    rows = []
    for number in range(count):
        low, high = sorted(rng.random(2).tolist())
        one, two = (high, low) if number < wrong else (low, high)
        rows.append(Judgement(task, "", number, *({"maximum": x, "mean": x / 3} for x in (one, two))))
    return rows


def test_the_table_has_our_scores_beside_the_published_ones():
    text = markdown({"mine": summarise([judgements()])})
    lines = [line for line in text.splitlines() if line.startswith("| Preference")]
    assert lines[0].startswith("| Preference | 90.0 (59.6 to 98.2) | 26.3 | 48.3 |")
    assert "films of our own generator" in text and "Pairs of each task: 10." in text
    assert "three-way" not in markdown(
        {"mine": summarise([judgements()])}, orders={"mine": three_way_order(judgements())}
    )
    assert "mean of its three tasks" in text
    # Only those with a score by this read-out have a column.
    assert "BC-MLP" not in text.split("mean surprise")[1].split("##")[0]


def test_new_shapes_stand_beside_published_scores_of_new_shapes():
    text = markdown({"mine": summarise([judgements()])}, "new")
    assert "| Preference | 90.0 (59.6 to 98.2) | 47.4 |" in text
    assert "HBToM" not in text.split("##")[1]


def test_runs_are_shown_apart():
    scores = summarise([judgements(), judgements(wrong=3)])
    text = markdown({"mine": scores})
    assert "mine, Preference, maximum: 70.0 to 90.0 in 2 runs of training" in text
    assert data({"mine": scores})[0]["runs"] == [0.9, 0.7]
    five = markdown({"mine": summarise([judgements(wrong=wrong) for wrong in range(1, 6)])})
    assert "for runs like these" in five


def test_the_three_way_order_is_shown():
    rows = [Judgement("multi_agent", kind, number, {"maximum": 0.0, "mean": 0.0}, {"maximum": 1.0, "mean": 1.0})
            for number, kind in enumerate(("i", "ii"))]  # fmt: skip
    text = markdown({"mine": summarise([rows])}, orders={"mine": three_way_order(rows)})
    assert "mine, mean: expected below unexpected: 100.0 %" in text


def test_judgements_are_written_and_read(tmp_path):
    path = tmp_path / "judgements.csv"
    first, second = judgements(), judgements(wrong=2)
    write_judgements(path, [("mine", 0, first), ("mine", 1, second), ("=other", 0, first)])
    found = read_judgements(path)
    assert found["mine"] == [first, second]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("observer", "who"), "its first line must be"),
        (lambda text: text.replace("preference", "preferences"), "line 2: there is no task 'preferences'"),
        (
            lambda text: text.replace("\nmine,0,preference,,0,0", "\nmine,0,preference,,0,x"),
            "line 2: could not convert",
        ),
    ],
)
def test_a_damaged_table_of_judgements_is_refused(tmp_path, change, sentence):
    path = tmp_path / "judgements.csv"
    write_judgements(path, [("mine", 0, judgements())])
    path.write_text(change(path.read_text()))
    with pytest.raises(ValueError, match=sentence):
        read_judgements(path)


def test_validation_errors_stand_beside_the_published_ones():
    text = markdown({}, errors={"video": Errors("pixel MSE", {"single_object": 0.00125, "preference": None})})
    assert "| video | pixel MSE | 0.0013 |  |  |  |" in text
    assert "| Video-RNN (published) | pixel MSE | 0.00033 | 0.00054 | 0.00024 | 0.0009 |" in text
    assert "published) | nats" not in markdown({}, errors={"atc": Errors("nats", {"preference": 1.0})})
