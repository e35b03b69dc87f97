"""Scenes for a child: things, rooms, people, and the stage that holds them."""
