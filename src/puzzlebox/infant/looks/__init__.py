"""What the child looks like: one skin over all bones, its paint, and the Scene that painters draw."""
