"""How fast and how large Unity runs: there is no Unity."""

from typing import Any


class EngineConfigurationChannel:
    """Takes everything and changes nothing."""

    def set_configuration_parameters(self, **parameters: Any) -> None:
        """No effect."""

    def set_configuration(self, config: Any) -> None:
        """No effect."""
