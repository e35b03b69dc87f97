"""Pictures of bytes in, features out: the networks "nature" and "impala"."""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

_NATURE_PIXELS = 36


def orthogonal(layer: nn.Module, gain: float = 2**0.5) -> Any:
    """Initialise a layer with an orthogonal matrix and no bias."""
    nn.init.orthogonal_(layer.weight, gain)  # type: ignore[arg-type]
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return layer


class Picture(nn.Module):
    """Features of a picture of bytes; a 255th is part of the weights of the first convolution.

    Attributes:
        wide: whether convolutions of "nature" take neighbours in a row as one pixel with more channels: four in the
            first, of 8 x 8 pixels at every fourth, since three channels are few for a processor; and two in the second,
            of 4 x 4 at every second, on a processor that learns: its gradients are faster. The sums are the same.
        used: the rows and columns that "nature" depends on.
    """

    wide: ClassVar[bool] = True

    def __init__(self, name: str, shape: tuple[int, ...], kind: str, features: int) -> None:
        super().__init__()
        self._channels_last = shape[2] <= shape[0]
        height, width, channels = shape if self._channels_last else (*shape[1:], shape[0])
        if kind == "nature" and min(height, width) < _NATURE_PIXELS:
            raise ValueError(
                f"{name} has {height} x {width} pixels; the network 'nature' needs {_NATURE_PIXELS} or more in both "
                "directions, 'impala' does not"
            )
        if kind == "nature":
            self.first = orthogonal(nn.Conv2d(channels, 32, 8, 4))
            layers = [_relu(), orthogonal(nn.Conv2d(32, 64, 4, 2)), _relu(), orthogonal(nn.Conv2d(64, 64, 3))]
        else:
            self.first = orthogonal(nn.Conv2d(channels, 16, 3, 1, 1))
            layers = [_Halve(), _Residual(16), _Residual(16)]
            for before, after in ((16, 32), (32, 32)):
                layers += [orthogonal(nn.Conv2d(before, after, 3, 1, 1)), _Halve(), _Residual(after), _Residual(after)]
        self.rest = nn.Sequential(*layers, _relu())
        self.used = _used_pixels(height), _used_pixels(width)
        with torch.no_grad():
            count = self._convolve(torch.zeros(1, *shape, dtype=torch.uint8)).shape[1]
        self.last = orthogonal(nn.Linear(count, features))
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    @property
    def can_act(self) -> bool:
        """Whether an `ActingPicture` can be made of this network: "nature", with the channels last."""
        return self._channels_last and self.first.stride == (4, 4)

    def _convolve(self, picture: Tensor) -> Tensor:
        device = picture.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
        first, rest = self.first, list[Any](self.rest)
        weight, stride = first.weight / 255, first.stride
        wide = self.wide and self._channels_last and stride == (4, 4)
        if wide and device == "cpu":
            picture = picture[:, : self.used[0], : self.used[1]]
        if wide and picture.shape[2] % 4 == 0:
            picture, weight = _wide_pixels(picture, 4), _wide_weight(weight, 4)
            stride = (4, 1)
        picture = picture.permute(0, 3, 1, 2) if self._channels_last else picture
        picture = picture.to(dtype or weight.dtype, memory_format=torch.channels_last)
        seen = functional.conv2d(picture, weight, first.bias, stride, first.padding)
        if wide and device == "cpu" and torch.is_grad_enabled():
            relu, second, *rest = rest
            seen = _wide_pixels(relu(seen).permute(0, 2, 3, 1), 2).permute(0, 3, 1, 2)
            seen = functional.conv2d(seen, _wide_weight(second.weight, 2), second.bias, (2, 1))
        for layer in rest:
            seen = layer(seen)
        return seen.permute(0, 2, 3, 1).flatten(1)  # in the order of the memory, which needs no copy

    def forward(self, picture: Tensor) -> Tensor:
        """Return the features of each picture."""
        return functional.relu(self.last(self._convolve(picture)))


class ActingPicture(nn.Module):
    """The features of a "nature" picture without gradients, with weights as its convolutions want them.

    Scaling, ordering and converting the weights takes longer than a small batch, so it is done once for many batches.

    Args:
        picture: a network with `can_act`.
        dtype: the type of the numbers.
    """

    def __init__(self, picture: Picture, dtype: torch.dtype) -> None:
        super().__init__()
        self._source, self._dtype = (picture,), dtype  # in a tuple: its weights are not weights of this one
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Read the weights again."""
        picture = self._source[0]
        _, second, _, third, _ = list[Any](picture.rest)
        first = _wide_weight(picture.first.weight / 255, 4)
        self._weights: list[tuple[Tensor, Tensor]] = [
            (weight.to(self._dtype).contiguous(memory_format=torch.channels_last), layer.bias.to(self._dtype))
            for weight, layer in ((first, picture.first), (second.weight, second), (third.weight, third))
        ]
        self._last = picture.last.weight.to(self._dtype), picture.last.bias.to(self._dtype)

    def forward(self, picture: Tensor) -> Tensor:
        """Return the features of each picture."""
        height, width = self._source[0].used
        seen = _wide_pixels(picture[:, :height, :width].to(self._dtype), 4).permute(0, 3, 1, 2)
        for (weight, bias), stride in zip(self._weights, ((4, 1), (2, 2), (1, 1)), strict=True):
            seen = functional.conv2d(seen, weight, bias, stride).relu_()
        return functional.linear(seen.permute(0, 2, 3, 1).flatten(1), *self._last).relu_()


def _used_pixels(pixels: int) -> int:
    """Return how many pixels of a row the second convolution of "nature" sees; those behind them change nothing."""
    first = (pixels - 8) // 4 + 1
    second = (first - 4) // 2 + 1
    return 4 * (2 * second + 1) + 8


def _wide_pixels(pictures: Tensor, count: int) -> Tensor:
    """Return pictures (rows x columns x channels) with `count` neighbours in a row as one pixel."""
    return pictures.unflatten(2, (-1, count)).flatten(3)


def _wide_weight(weight: Tensor, count: int) -> Tensor:
    """Return the weight of a convolution for `_wide_pixels`."""
    return weight.unflatten(3, (-1, count)).permute(0, 4, 1, 2, 3).flatten(1, 2)


def _relu() -> nn.Module:
    return nn.ReLU(inplace=True)


class _Halve(nn.Module):
    def forward(self, picture: Tensor) -> Tensor:
        return functional.max_pool2d(picture, 3, 2, 1)


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.one = orthogonal(nn.Conv2d(channels, channels, 3, 1, 1))
        self.two = orthogonal(nn.Conv2d(channels, channels, 3, 1, 1))

    def forward(self, picture: Tensor) -> Tensor:
        return picture + self.two(functional.relu(self.one(functional.relu(picture))))
