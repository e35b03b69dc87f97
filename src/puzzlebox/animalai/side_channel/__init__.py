"""Channels to Unity: they can be made, used and passed on; only the one for arenas is listened to."""

from puzzlebox.animalai.side_channel.incoming_message import IncomingMessage
from puzzlebox.animalai.side_channel.outgoing_message import OutgoingMessage
from puzzlebox.animalai.side_channel.side_channel import SideChannel

__all__ = ["IncomingMessage", "OutgoingMessage", "SideChannel"]
