import numpy as np
import pytest

torch = pytest.importorskip("torch")

from puzzlebox.intuitions.catalogue import GROUPS  # noqa: E402
from puzzlebox.intuitions.episodes import make_pair  # noqa: E402
from puzzlebox.intuitions.models.leg_table import KEY, LOCK, LegTable  # noqa: E402
from puzzlebox.intuitions.models.parts import Context, Parts, PartsSettings  # noqa: E402
from puzzlebox.intuitions.models.training import Plan, load, train  # noqa: E402
from puzzlebox.intuitions.scoring import judge  # noqa: E402


def test_legs_say_what_the_agent_went_to():
    table = LegTable.of([make_pair("background/instrumental_action", 0).expected])
    assert table.target.tolist() == [KEY, LOCK, 0] * 9
    assert table.carrying.tolist() == [False, True, False] * 9
    first = table.present[0].tolist()
    assert first == [True, False, True, True]
    # After the barrier has vanished there is neither key nor lock.
    assert table.present[2].tolist() == [True, False, False, False]
    assert not table.barrier[2].any()
    assert table.barrier[0].any()


def test_a_wanted_thing_that_cannot_be_reached_sends_the_agent_to_the_means():
    model = Parts(PartsSettings(slip=0.01))
    with torch.no_grad():
        # Access: sure within 100 pixels of detour, impossible with 1,000.
        model.access[0].weight.fill_(1.0)
        model.access[0].bias.zero_()
        model.access[2].weight.fill_(-0.5)
        model.access[2].bias.fill_(20.0)
        model.means[0] = torch.tensor([3.0, 0.0])
        nothing = torch.zeros(1, 0, dtype=torch.bool)
        pairs = torch.zeros(1, 0, 2, dtype=torch.bool)
        context = Context(nothing, pairs, pairs, torch.zeros(1, 0), nothing)
        present = torch.tensor([[True, False, True, True]])
        carrying = torch.tensor([False])
        blocked, free = (torch.tensor([[added, 0.0, 0.0, 0.0]]) for added in (10.0, 0.0))
        to_key = model.target_shares(present, blocked, carrying, context)[0]
        to_goal = model.target_shares(present, free, carrying, context)[0]
        # Without means, what cannot be reached does not count.
        both = torch.tensor([[True, True, False, False]])
        other = model.target_shares(both, torch.tensor([[10.0, 0.0, 0.0, 0.0]]), carrying, context)[0]
    assert to_key[KEY] > 0.95
    assert to_goal[0] > 0.95
    assert other[1] > 0.95


@pytest.mark.slow
def test_a_small_model_is_above_90_per_cent_in_all_tasks(tmp_path):
    settings = {"batch": 128, "epochs": 170, "learning_rate": 2e-3, "affordance_steps": 150}
    train(Plan("parts", scale=0.03, settings=settings), tmp_path / "run", device="cpu")
    model = load(tmp_path / "run")
    for task in GROUPS["evaluation"]:
        judgements = [judge(model, make_pair(task, number, seed=1)) for number in range(40)]
        for read_out in ("maximum", "mean"):
            assert np.mean([each.score(read_out) for each in judgements]) >= 0.9, (task, read_out)


def test_training_of_the_affordance_alone_is_refused() -> None:
    settings = PartsSettings(affordance_steps=400)
    with pytest.raises(ValueError, match="training has 120 steps, and the first 400 train the affordance only"):
        Parts(settings).check_steps(120)
    Parts(settings).check_steps(401)
