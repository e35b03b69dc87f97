"""Runs of agents on tasks: schedule, workers, journal and results."""
