"""The channel for named numbers, which no task uses."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from puzzlebox.animalai.side_channel.side_channel import IncomingMessage, SideChannel


class EnvironmentParametersChannel(SideChannel):
    """Stores named numbers; as in the original, no task uses any.

    Attributes:
        parameters: a number for each name, or the name of a distribution with its numbers and seed.
    """

    def __init__(self) -> None:
        super().__init__(UUID("534c891e-810f-11ea-a9d0-822485860400"))
        self.parameters: dict[str, Any] = {}

    def set_float_parameter(self, key: str, value: float) -> None:
        """Store a number."""
        self.parameters[key] = float(value)

    def set_uniform_sampler_parameters(self, key: str, min_value: float, max_value: float, seed: int) -> None:
        """Store a uniform distribution."""
        self.parameters[key] = ("uniform", min_value, max_value, seed)

    def set_gaussian_sampler_parameters(self, key: str, mean: float, st_dev: float, seed: int) -> None:
        """Store a Gaussian distribution."""
        self.parameters[key] = ("gaussian", mean, st_dev, seed)

    def set_multirangeuniform_sampler_parameters(
        self, key: str, intervals: Sequence[tuple[float, float]], seed: int
    ) -> None:
        """Store a uniform distribution over several intervals."""
        self.parameters[key] = ("multirangeuniform", list(intervals), seed)

    def on_message_received(self, msg: IncomingMessage) -> None:
        """Ignore a message; none is ever received."""
