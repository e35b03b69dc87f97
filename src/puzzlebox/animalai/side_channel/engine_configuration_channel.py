"""The channel for the speed and window size of Unity, which has no effect here."""

from typing import NamedTuple
from uuid import UUID

from puzzlebox.animalai.notes import warn_ignored
from puzzlebox.animalai.side_channel.side_channel import IncomingMessage, SideChannel


class EngineConfig(NamedTuple):
    """All settings of the engine."""

    width: int | None = None
    height: int | None = None
    quality_level: int | None = None
    time_scale: float | None = None
    target_frame_rate: int | None = None
    capture_frame_rate: int | None = None

    @staticmethod
    def default_config() -> "EngineConfig":
        """Return the defaults of ML-Agents."""
        return EngineConfig(80, 80, 1, 20.0, -1, 60)


class EngineConfigurationChannel(SideChannel):
    """Accepts all settings, with a warning: the world always runs as fast as it can."""

    def __init__(self) -> None:
        super().__init__(UUID("e951342c-4f7e-11ea-b238-784f4387d1f7"))

    def set_configuration_parameters(
        self,
        width: int | None = None,
        height: int | None = None,
        quality_level: int | None = None,
        time_scale: float | None = None,
        target_frame_rate: int | None = None,
        capture_frame_rate: int | None = None,
    ) -> None:
        """Log which settings have no effect."""
        self.set_configuration(
            EngineConfig(width, height, quality_level, time_scale, target_frame_rate, capture_frame_rate)
        )

    def set_configuration(self, config: EngineConfig) -> None:
        """Log which settings of a configuration have no effect."""
        warn_ignored([name for name, value in config._asdict().items() if value is not None])

    def on_message_received(self, msg: IncomingMessage) -> None:
        """Ignore a message; none is ever received."""
