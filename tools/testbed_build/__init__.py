"""The building of the testbed: candidates are tried, and what passes is written as data."""
