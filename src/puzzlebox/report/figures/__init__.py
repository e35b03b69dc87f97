"""The figures of a report: one module for each kind, with a common style."""
