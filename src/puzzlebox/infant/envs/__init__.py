"""Environments of the infant wing: Gymnasium, vectors, and PettingZoo for several agents."""
