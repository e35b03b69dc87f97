"""The figures of a report: one kind a file, all in one look."""
