"""The animal that acts: one per agent."""

from puzzlebox.things.thing import Category, Solid, Takes, Thing


class Agent(Thing):
    """The animal a player or a learner steers: a ball of one metre that slides, turns and pushes."""

    category = Category.AGENT
    fixed_size = (1.0, 1.0, 1.0)
    solid = Solid.BALL
    parameters = {
        "rotation": Takes(None, "degrees, clockwise seen from above; 0 looks along z, 90 along x"),
        "at_one_of": Takes(),
        "skin": Takes(),
        "frozen_delay": Takes(0.0),
        "team": Takes(0),
    }
