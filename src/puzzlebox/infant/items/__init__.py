"""Items of a developmental battery: trials with events over time, scored 0, 1 or 2 from a log."""
