"""What all channels have in common."""

from abc import ABC, abstractmethod
from uuid import UUID

from puzzlebox.animalai.side_channel.incoming_message import IncomingMessage
from puzzlebox.animalai.side_channel.outgoing_message import OutgoingMessage

__all__ = ["IncomingMessage", "OutgoingMessage", "SideChannel"]


class SideChannel(ABC):
    """Keeps messages until the environment takes them, at its next `reset`.

    Attributes:
        channel_id: which channel it is.
        message_queue: what waits to be taken.
    """

    def __init__(self, channel_id: UUID) -> None:
        self.channel_id = channel_id
        self.message_queue: list[bytearray] = []

    def queue_message_to_send(self, msg: OutgoingMessage) -> None:
        """Have a message taken."""
        self.message_queue.append(msg.buffer)

    @abstractmethod
    def on_message_received(self, msg: IncomingMessage) -> None:
        """Be told something."""
