"""Running agents on tasks: schedule, workers, journal and results."""
