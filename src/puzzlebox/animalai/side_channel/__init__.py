"""ML-Agents' channels to Unity: they can be created and used, but only the one for arenas has an effect."""

from puzzlebox.animalai.side_channel.incoming_message import IncomingMessage
from puzzlebox.animalai.side_channel.outgoing_message import OutgoingMessage
from puzzlebox.animalai.side_channel.side_channel import SideChannel

__all__ = ["IncomingMessage", "OutgoingMessage", "SideChannel"]
