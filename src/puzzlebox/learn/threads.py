"""Parts of a batch in threads of their own, for networks on the processor.

Torch divides every single operation among its threads, which wait for each other after each one: small operations gain
nothing, and on a busy machine a thread that is not scheduled stops the others hundreds of times in a batch. Here each
thread takes a part of the batch through the whole network, and they wait once.
"""

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from puzzlebox.learn.networks import Network
from puzzlebox.learn.pictures import ActingPicture, Picture

Result = TypeVar("Result")
# Options of `mallopt`: from how many bytes on freed memory, and single arrays, are given back to the system.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _KEPT_BYTES = -1, -3, 2**30
# The fewest rows of a part of a batch: smaller parts gain nothing.
_LEAST_ROWS = 8


class Threads:
    """A network, and copies of it with the same weights and their own gradients, one for each thread.

    Attributes:
        networks: the network, and its copies.
        acting: the network that chooses actions: with `half`, a copy whose large weights have 16 bits, so that they are
            not converted in every step; `refresh` copies the weights to it.
    """

    def __init__(self, network: Network, count: int, half: bool = False) -> None:
        if next(network.parameters()).device.type == "cpu":
            _keep_memory()
        self.networks = [network]
        for _ in range(count - 1):
            twin = deepcopy(network)
            for own, shared in zip(twin.parameters(), network.parameters(), strict=True):
                own.data = shared.data
            self.networks.append(twin)
        self.acting = deepcopy(network).requires_grad_(False) if half else network
        if half:
            for name, picture in network.pictures.items():
                if isinstance(picture, Picture) and picture.can_act:
                    self.acting.pictures[name] = ActingPicture(picture, torch.bfloat16)
            for layer in [*self.acting.pictures.modules(), *self.acting.memory.modules()]:
                # A first convolution divides its weights before they are converted.
                if isinstance(layer, nn.Linear | nn.Conv2d) and not _is_first(self.acting, layer):
                    layer.to(torch.bfloat16)
        threads = count - 1  # the calling thread takes the first part
        self._pool = ThreadPoolExecutor(threads, initializer=_one_thread) if threads else None

    def refresh(self) -> None:
        """Copy the weights to the network that chooses actions."""
        if self.acting is not self.networks[0]:
            trained = dict(self.networks[0].named_parameters())
            with torch.no_grad():
                for name, own in self.acting.named_parameters():
                    own.copy_(trained[name])
            for picture in self.acting.pictures.values():
                if isinstance(picture, ActingPicture):
                    picture.refresh()

    def map(self, function: Callable[[int], Result], parts: int) -> list[Result]:
        """Return the results of a function for the number of each part, in threads of their own."""
        if self._pool is None:
            return [function(number) for number in range(parts)]
        others = [self._pool.submit(function, number) for number in range(1, parts)]
        return [function(0), *(other.result() for other in others)]

    def forward(
        self, observations: Mapping[str, Tensor], state: Tensor, starts: Tensor, around: Callable[[], Any]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the network returns, without gradients; `around` is the context of its precision."""
        parts = max(1, min(len(self.networks), len(state) // _LEAST_ROWS))
        rows = bounds(len(state), parts)

        def part(number: int) -> tuple[Tensor, Tensor, Tensor]:
            own = rows[number]
            with torch.no_grad(), around():
                seen = {name: values[:, own] for name, values in observations.items()}
                return self.acting(seen, state[own], starts[:, own])

        results = self.map(part, parts)
        if parts == 1:
            return results[0]
        outputs, values, states = zip(*results, strict=True)
        return torch.cat(outputs, 1), torch.cat(values, 1), torch.cat(states)

    def add_gradients(self) -> None:
        """Add the gradients of the copies to those of the network, and remove theirs."""
        own = [parameter.grad for parameter in self.networks[0].parameters() if parameter.grad is not None]
        for twin in self.networks[1:]:
            other = [parameter.grad for parameter in twin.parameters() if parameter.grad is not None]
            if other:
                torch._foreach_add_(own, other)
                twin.zero_grad(set_to_none=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let torch use one thread for each operation meanwhile."""
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def close(self) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def bounds(count: int, parts: int) -> Sequence[slice]:
    """Return the rows of each part of a batch, as equal as possible."""
    edges = [count * number // parts for number in range(parts + 1)]
    return [slice(low, high) for low, high in pairwise(edges)]


def _one_thread() -> None:
    torch.set_num_threads(1)


def _is_first(network: Network, layer: nn.Module) -> bool:
    """Return whether a layer is the first convolution of a picture."""
    return any(layer is getattr(picture, "first", None) for picture in network.pictures.values())


def _keep_memory() -> None:
    """Let the C library keep freed memory: each batch would otherwise get its large arrays anew, page by page."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # not the C library of GNU
        return
    for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
        mallopt(option, _KEPT_BYTES)
