"""Parts of a batch in threads of their own, for networks on the processor.

Torch divides every single operation among its threads, which wait for each other after each one: small operations gain
nothing, and on a busy machine a thread that is not scheduled stops the others hundreds of times in a batch. Here each
thread takes a part of the batch through the whole network, and they wait once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise
from typing import Any, TypeVar

import torch
from torch import Tensor

from puzzlebox.learn.networks import Network

Result = TypeVar("Result")
# A part of a batch has at least so many rows: smaller ones gain nothing.
_LEAST_ROWS = 8


class Threads:
    """A network, and copies of it with the same weights and their own gradients, one for each thread.

    Attributes:
        networks: the network, and its copies.
    """

    def __init__(self, network: Network, count: int) -> None:
        self.networks = [network]
        for _ in range(count - 1):
            twin = deepcopy(network)
            for own, shared in zip(twin.parameters(), network.parameters(), strict=True):
                own.data = shared.data
            self.networks.append(twin)
        self._pool = ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,)) if count > 1 else None

    def map(self, function: Callable[[Network, int], Result], parts: int) -> list[Result]:
        """Return the results of a function for each network and the number of its part, in threads of their own."""
        if self._pool is None or parts == 1:
            return [function(self.networks[0], 0)]
        return list(self._pool.map(function, self.networks[:parts], range(parts)))

    def forward(
        self, observations: Mapping[str, Tensor], state: Tensor, starts: Tensor, around: Callable[[], Any]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the network returns, without gradients; `around` is the context of its precision."""
        parts = max(1, min(len(self.networks), len(state) // _LEAST_ROWS))
        rows = bounds(len(state), parts)

        def part(network: Network, number: int) -> tuple[Tensor, Tensor, Tensor]:
            own = rows[number]
            with torch.no_grad(), around():
                seen = {name: values[:, own] for name, values in observations.items()}
                return network(seen, state[own], starts[:, own])

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
