"""Convolutions of few maps have the gradients of ordinary ones."""

import pytest

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("before", "after", "height", "width"), [(3, 16, 8, 8), (16, 16, 5, 9), (1, 2, 3, 4)])
def test_gradients_are_those_of_an_ordinary_convolution(before: int, after: int, height: int, width: int) -> None:
    from puzzlebox.intuitions.models.narrow import Convolution

    rng = torch.Generator().manual_seed(0)
    shapes = (4, before, height, width), (after, before, 3, 3), (after,)
    ordinary, narrow = (
        [torch.randn(shape, dtype=torch.double, generator=rng.manual_seed(1)).requires_grad_() for shape in shapes]
        for _ in range(2)
    )
    weights = torch.randn(4, after, height, width, dtype=torch.double, generator=rng)
    (torch.nn.functional.conv2d(*ordinary, padding=1) * weights).sum().backward()
    (Convolution.apply(*narrow) * weights).sum().backward()
    for one, two in zip(ordinary, narrow, strict=True):
        torch.testing.assert_close(one.grad, two.grad)


def test_weights_of_an_ordinary_convolution_fit() -> None:
    from puzzlebox.intuitions.models.narrow import NarrowConv

    ordinary, narrow = torch.nn.Conv2d(3, 5, 3, padding=1), NarrowConv(3, 5)
    narrow.load_state_dict(ordinary.state_dict())
    pictures = torch.randn(2, 3, 6, 6)
    torch.testing.assert_close(ordinary(pictures), narrow(pictures))
