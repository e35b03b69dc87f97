"""Channels to Unity: they can be made and passed on, and nobody listens."""
