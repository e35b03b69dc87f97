"""Environments around a World: Gymnasium, vectors, PettingZoo and Stable-Baselines3."""
