"""The wing's pages of the studio: a person plays an infant task, or watches an agent, with all senses side by side."""
