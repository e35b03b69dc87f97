"""Convolutions of few maps that learn fast on a GPU.

A 3 x 3 convolution of 16 maps spends most of a training step on the gradient of its weights, because cuDNN has no fast
kernel for so few maps. That gradient is a product of two matrices for each picture: what came in, nine neighbours side
by side, and the gradient of what went out. Computed so, a step of the video model takes about two thirds of the time
(43 against 68 ms on an H200 that other trainings shared).
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.grad import conv2d_input


class NarrowConv(nn.Conv2d):
    """A 3 x 3 convolution with a border of zeros; weights, names and results are those of `nn.Conv2d`."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__(before, after, 3, padding=1)

    def forward(self, maps: Tensor) -> Tensor:
        """Return maps of the same size."""
        if not maps.is_cuda:
            return super().forward(maps)
        assert self.bias is not None
        kind = torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else maps.dtype
        with torch.autocast("cuda", enabled=False):
            result: Tensor = Convolution.apply(maps.to(kind), self.weight.to(kind), self.bias.to(kind))
        return result


class Convolution(torch.autograd.Function):
    """The convolution, and its gradients."""

    @staticmethod
    def forward(ctx: Any, maps: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Return maps of the same size."""
        ctx.save_for_backward(maps, weight)
        return functional.conv2d(maps, weight, bias, padding=1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, Tensor, Tensor]:
        """Return the gradients of maps, weights and bias."""
        maps, weight = ctx.saved_tensors
        out = gradients[0].contiguous(memory_format=torch.channels_last)
        into = None
        if ctx.needs_input_grad[0]:
            into = conv2d_input(maps.shape, weight, out, padding=1)
        return into, _weight_gradient(maps, out).to(weight.dtype), out.sum((0, 2, 3))


def _weight_gradient(maps: Tensor, out: Tensor) -> Tensor:
    count, channels, height, width = maps.shape
    padded = functional.pad(maps.permute(0, 2, 3, 1), (0, 0, 1, 1, 1, 1)).contiguous()
    # Three neighbours in a row lie side by side in memory.
    row = (width + 2) * channels
    neighbours = padded.as_strided(
        (count, height, width, 3, 3 * channels), ((height + 2) * row, row, channels, row, 1)
    ).reshape(count, height * width, 9 * channels)
    products = out.permute(0, 2, 3, 1).reshape(count, height * width, -1).transpose(1, 2) @ neighbours
    # A sum of many pictures needs more digits than one of them.
    total = products.to(torch.promote_types(products.dtype, torch.float32)).sum(0)
    return total.view(-1, 3, 3, channels).permute(0, 3, 1, 2)
