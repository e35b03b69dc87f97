"""The channel for numbers that an environment reports besides its rewards."""

from collections import defaultdict
from enum import Enum
from uuid import UUID

from puzzlebox.animalai.side_channel.side_channel import IncomingMessage, SideChannel


class StatsAggregationMethod(Enum):
    """How several numbers of the same name are combined."""

    AVERAGE = 0
    MOST_RECENT = 1
    SUM = 2
    HISTOGRAM = 3


EnvironmentStats = dict[str, list[tuple[float, StatsAggregationMethod]]]


class StatsSideChannel(SideChannel):
    """Collects reported numbers; Animal-AI's arenas report none.

    Attributes:
        stats: the numbers of each name since the last `get_and_reset_stats`.
    """

    def __init__(self) -> None:
        super().__init__(UUID("a1d8f7b7-cec8-50f9-b78b-d3e165a78520"))
        self.stats: EnvironmentStats = defaultdict(list)

    def on_message_received(self, msg: IncomingMessage) -> None:
        """Add a number under its name, with the way to combine it with others."""
        name, value, method = msg.read_string(), msg.read_float32(), msg.read_int32()
        self.stats[name].append((value, StatsAggregationMethod(method)))

    def get_and_reset_stats(self) -> EnvironmentStats:
        """Return the numbers collected so far, and clear them."""
        stats, self.stats = self.stats, defaultdict(list)
        return stats
