"""The shapes, colours and patterns that painters draw, and the Scene that holds them as tables."""
