"""Bytes to and from Unity: there is no Unity."""

from typing import Any


class RawBytesChannel:
    """Takes everything and never has an answer."""

    def __init__(self, channel_id: Any = None) -> None:
        self.channel_id = channel_id

    def send_raw_data(self, data: bytes) -> None:
        """No effect."""

    def get_and_clear_received_messages(self) -> list[bytes]:
        """Nothing was received."""
        return []
