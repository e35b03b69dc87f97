"""The button an animal can press."""

from puzzlebox.things.thing import Category, Takes, Thing


class SpawnerButton(Thing):
    """A pillar with a blue button, facing +x at rotation 0; a press brings rewards or runs operations."""

    category = Category.BUTTON
    aliases = ("Pillar-Button",)
    fixed_size = (0.59, 1.6, 0.59)
    turns = False
    parameters = {
        "rotation": Takes(0.0, "degrees, clockwise seen from above; at 0 the button faces +x"),
        "move_duration": Takes(1.0),
        "reset_duration": Takes(1.0),
        "reward_names": Takes(()),
        "reward_weights": Takes(()),
        "reward_at": Takes(),
        "reward_size": Takes((1.0, 1.0, 1.0)),
        "spawn_probability": Takes(1.0),
        "max_reward_counts": Takes(()),
        "operations": Takes((), "what happens on a press, in order"),
    }
