"""A small package of somebody else's: one thing, one sense and one agent for Puzzlebox."""
