"""Learners: agents that are trained by playing."""
