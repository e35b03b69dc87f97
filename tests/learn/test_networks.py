"""Networks of the recurrent learner: memory that starts afresh in a sequence, pictures, actions, stored policies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

torch = pytest.importorskip("torch")

from puzzlebox.learn.distributions import actions_of  # noqa: E402
from puzzlebox.learn.networks import Memory, Network, Picture, Policy, Shape  # noqa: E402

SEEN = spaces.Dict(
    {
        "camera": spaces.Box(0, 255, (36, 36, 3), np.uint8),
        "vitals": spaces.Box(np.array([0, -np.inf], np.float32), np.array([100, np.inf], np.float32)),
        "room": spaces.Discrete(3),
    }
)


def observations(steps: int, count: int) -> dict[str, Any]:
    draw = torch.Generator().manual_seed(0)
    return {
        "camera": torch.randint(0, 256, (steps, count, 36, 36, 3), dtype=torch.uint8, generator=draw),
        "vitals": torch.randn(steps, count, 2, generator=draw),
        "room": torch.randint(0, 3, (steps, count), generator=draw),
    }


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_a_start_within_a_sequence_equals_two_sequences(kind: str) -> None:
    torch.manual_seed(0)
    memory = Memory(kind, 4, 8)
    features, state = torch.randn(7, 3, 4), torch.randn(3, memory.width)
    starts = torch.zeros(7, 3, dtype=torch.bool)
    starts[4, 1] = True
    whole, last = memory(features, state, starts)
    none = torch.zeros(7, 1, dtype=torch.bool)
    before, _ = memory(features[:4, 1:2], state[1:2], none[:4])
    after, end = memory(features[4:, 1:2], torch.zeros(1, memory.width), none[4:])
    assert torch.allclose(whole[:, 1:2], torch.cat([before, after]), atol=1e-6)
    assert torch.allclose(last[1:2], end, atol=1e-6)
    others, _ = memory(features[:, [0, 2]], state[[0, 2]], starts[:, [0, 2]])
    assert torch.allclose(whole[:, [0, 2]], others, atol=1e-6)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_memory_computes_what_torch_does(kind: str) -> None:
    torch.manual_seed(0)
    memory = Memory(kind, 4, 8)
    theirs = torch.nn.LSTM(4, 8) if kind == "lstm" else torch.nn.GRU(4, 8)
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(memory.inputs.weight)
        theirs.bias_ih_l0.copy_(memory.inputs.bias)
        theirs.weight_hh_l0.copy_(memory.hidden.weight)
        theirs.bias_hh_l0.zero_() if memory.hidden.bias is None else theirs.bias_hh_l0.copy_(memory.hidden.bias)
    features = torch.randn(5, 2, 4)
    ours, _ = memory(features, torch.zeros(2, memory.width), torch.zeros(5, 2, dtype=torch.bool))
    assert torch.allclose(ours, theirs(features)[0], atol=1e-6)


@pytest.mark.parametrize("network", ["nature", "impala"])
@pytest.mark.parametrize("memory", ["lstm", "gru", "none"])
def test_gradients_reach_every_weight(network: str, memory: str) -> None:
    torch.manual_seed(0)
    net = Network(SEEN, spaces.MultiDiscrete([3, 3]), Shape(network, memory, 16, 32))
    starts = torch.zeros(3, 2, dtype=torch.bool)
    outputs, values, state = net(observations(3, 2), torch.zeros(2, net.width), starts)
    assert outputs.shape == (3, 2, 6) and values.shape == (3, 2) and state.shape == (2, net.width)
    (outputs.square().sum() + values.square().sum()).backward()
    for name, weight in net.named_parameters():
        assert weight.grad is not None and weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("size", [(64, 64), (36, 50), (84, 71)])
def test_several_pixels_as_one_are_the_same_convolutions(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    picture = Picture("camera", (*size, 3), "nature", 16)
    seen = torch.randint(0, 256, (2, *size, 3), dtype=torch.uint8)
    wide = picture(seen)
    plain = picture.first(seen.permute(0, 3, 1, 2).float() / 255)
    plain = torch.relu(picture.last(picture.rest(plain).permute(0, 2, 3, 1).flatten(1)))
    assert torch.allclose(wide, plain, atol=1e-5)
    assert wide.std() > 0.01
    with torch.no_grad():
        assert torch.allclose(picture(seen), plain, atol=1e-5)
    goal = torch.randn(2, 16)
    weights = list(picture.parameters())
    ours, theirs = (torch.autograd.grad((each * goal).sum(), weights) for each in (wide, plain))
    for own, other in zip(ours, theirs, strict=True):
        assert other.abs().max() > 0
        assert torch.allclose(own, other, atol=1e-4 * float(other.abs().max()))
    monkeypatch.setattr(Picture, "wide", False)
    assert torch.allclose(picture(seen), plain, atol=1e-5)


def test_pictures_may_have_their_channels_first() -> None:
    torch.manual_seed(0)
    first, last = Picture("camera", (3, 36, 36), "impala", 16), Picture("camera", (36, 36, 3), "impala", 16)
    first.load_state_dict(last.state_dict())
    seen = torch.randint(0, 256, (2, 36, 36, 3), dtype=torch.uint8)
    assert torch.allclose(last(seen), first(seen.permute(0, 3, 1, 2).contiguous()), atol=1e-5)


def test_pictures_too_small_and_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="camera has 32 x 32 pixels; the network 'nature' needs 36 or more"):
        Picture("camera", (32, 32, 3), "nature", 16)
    with pytest.raises(ValueError, match=r"memory is 'lstn'.*did you mean"):
        Shape(memory="lstn")
    with pytest.raises(ValueError, match="the action space is Text; it must be Discrete, MultiDiscrete or Box"):
        actions_of(spaces.Text(3))


def test_choices_are_drawn_with_their_probabilities() -> None:
    actions = actions_of(spaces.MultiDiscrete([2, 3]))
    outputs = torch.tensor([[0.5, -0.5, 1.0, 0.0, -1.0]]).repeat(20000, 1)
    chosen = actions.sample(outputs, actions.noise((20000,), torch.Generator().manual_seed(0)))
    parts = [torch.distributions.Categorical(logits=part) for part in outputs.split([2, 3], -1)]
    for column, part in enumerate(parts):
        shares = torch.bincount(chosen[:, column], minlength=part.probs.shape[1]) / 20000
        assert torch.allclose(shares, part.probs[0], atol=0.015)
    expected = sum(part.log_prob(chosen[:, column]) for column, part in enumerate(parts))
    assert torch.allclose(actions.log_prob(outputs, chosen), expected, atol=1e-6)
    assert torch.allclose(actions.entropy(outputs), sum(part.entropy() for part in parts), atol=1e-6)
    assert actions.best(outputs)[0].tolist() == [0, 0]


def test_numbers_are_normal_and_scaled_to_the_bounds_of_the_space() -> None:
    space = spaces.Box(np.array([0, -np.inf], np.float32), np.array([10, np.inf], np.float32))
    actions = actions_of(space)
    with torch.no_grad():
        actions.log_std.copy_(torch.tensor([0.3, -0.2]))
    outputs = torch.randn(5, 2, generator=torch.Generator().manual_seed(1))
    chosen = actions.sample(outputs, actions.noise((5,), torch.Generator().manual_seed(0)))
    normal = torch.distributions.Normal(outputs, actions.log_std.exp())
    assert torch.allclose(actions.log_prob(outputs, chosen), normal.log_prob(chosen).sum(-1), atol=1e-5)
    assert torch.allclose(actions.entropy(outputs), normal.entropy().sum(-1), atol=1e-5)
    given = actions.for_env(np.array([[-1, -7], [0, 0], [1, 7], [3, 9]], np.float32))
    assert given.tolist() == [[0, -7], [5, 0], [10, 7], [10, 9]]
    assert all(space.contains(row) for row in given)


def test_discrete_actions_begin_where_the_space_does() -> None:
    actions = actions_of(spaces.Discrete(3, start=5))
    assert actions.for_env(np.array([[0], [2]])).tolist() == [5, 7]


@pytest.mark.parametrize("action", [spaces.Discrete(4), spaces.MultiDiscrete([3, 3]), spaces.Box(-1, 1, (2,))])
def test_a_stored_policy_acts_alike(action: spaces.Space[Any], tmp_path: Path) -> None:
    torch.manual_seed(0)
    policy = Policy(SEEN, action, Shape("impala", "gru", 16, 32))
    policy.save(tmp_path / "policy.pt")
    read = Policy.load(tmp_path / "policy.pt")
    seen = {name: part[0].numpy() for name, part in observations(1, 2).items()}
    draw = [torch.Generator().manual_seed(3) for _ in range(2)]
    for generators in ([None, None], draw):
        ours, state = policy.act(seen, policy.initial(2), generators[0])
        theirs, other = read.act(seen, read.initial(2), generators[1])
        assert ours.tobytes() == theirs.tobytes() and torch.equal(state, other)
        assert all(action.contains(each) for each in ours)
    assert not torch.equal(state, policy.initial(2))
