"""The child with its senses: state, repetition, snapshots."""

import pickle

import numpy as np

from puzzlebox.infant.infant import Infant


def play(infant: Infant, count: int, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    states = [infant.step(rng.uniform(-1, 1, infant.body.action_size)) for _ in range(count)]
    return [b"".join(state[name].tobytes() for name in sorted(state)) for state in states]


def test_the_state_has_all_senses() -> None:
    infant = Infant()
    state = infant.reset(seed=1)
    assert {name: array.shape for name, array in state.items()} == {
        "skin": (9888,),
        "joints": (434,),
        "balance": (6,),
    }
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in state.values())
    assert "skin" not in Infant(skin=False).reset()


def test_the_same_seed_and_actions_give_the_same_bytes_and_a_snapshot_continues_them() -> None:
    one, two = Infant(6), Infant(6)
    for infant in (one, two):
        infant.reset(seed=3, pose="lie")
    assert play(one, 12, 5) == play(two, 12, 5)
    snapshot = pickle.loads(pickle.dumps(one.snapshot()))
    expected = play(one, 12, 6)
    fresh = Infant(6)
    for infant in (one, fresh):
        state = infant.restore(snapshot)
        assert all(np.array_equal(state[name], two.state[name]) for name in state)
        assert play(infant, 12, 6) == expected


def test_a_new_touch_is_felt_more_than_an_old_one() -> None:
    infant = Infant()
    infant.reset(pose="lie")
    felt = [float(infant.step()["skin"].sum()) for _ in range(60)]
    assert max(felt[:10]) > 50
    assert felt[-1] < 0.2 * max(felt)
