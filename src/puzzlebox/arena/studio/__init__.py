"""The arena's part of the studio: playing in the browser, watching agents, and the tasks to choose from."""
