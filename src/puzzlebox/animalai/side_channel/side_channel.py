"""The base class of all channels."""

from abc import ABC, abstractmethod
from uuid import UUID

from puzzlebox.animalai.side_channel.incoming_message import IncomingMessage
from puzzlebox.animalai.side_channel.outgoing_message import OutgoingMessage

__all__ = ["IncomingMessage", "OutgoingMessage", "SideChannel"]


class SideChannel(ABC):
    """Queues messages until the environment reads them, at its next `reset`.

    Attributes:
        channel_id: the id of the channel.
        message_queue: the messages not read yet.
    """

    def __init__(self, channel_id: UUID) -> None:
        self.channel_id = channel_id
        self.message_queue: list[bytearray] = []

    def queue_message_to_send(self, msg: OutgoingMessage) -> None:
        """Queue a message for the environment."""
        self.message_queue.append(msg.buffer)

    @abstractmethod
    def on_message_received(self, msg: IncomingMessage) -> None:
        """Handle a message from the environment."""
