"""The arena wing: Animal-AI rebuilt; things, task files, variations, physics, senses, environments and agents."""
