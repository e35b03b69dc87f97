"""The testbed: ten levels of tasks written as templates, its three sets, and the solutions of its tasks."""
