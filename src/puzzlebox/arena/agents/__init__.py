"""Agents that play in the arena: the published random and heuristic agents, and the navigator."""
