"""A channel for raw bytes."""

from uuid import UUID

from puzzlebox.animalai.side_channel.side_channel import IncomingMessage, OutgoingMessage, SideChannel


class RawBytesChannel(SideChannel):
    """Sends and stores bytes; with the id of the arenas' channel, tasks can be sent."""

    def __init__(self, channel_id: UUID) -> None:
        super().__init__(channel_id)
        self._received: list[bytes] = []

    def on_message_received(self, msg: IncomingMessage) -> None:
        """Store the bytes of a message."""
        self._received.append(msg.get_raw_bytes())

    def send_raw_data(self, data: bytes | bytearray) -> None:
        """Send bytes."""
        message = OutgoingMessage()
        message.set_raw_bytes(data)
        self.queue_message_to_send(message)

    def get_and_clear_received_messages(self) -> list[bytes]:
        """Return the messages received since the last call."""
        received, self._received = self._received, []
        return received
