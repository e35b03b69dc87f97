"""Things that give goals: the tree and the two dispensers."""

from puzzlebox.things.thing import Category, ColourRule, Takes, Thing


class Dispenser(Thing, family=True):
    """The family of things that give GoodGoalMulti goals by themselves."""

    category = Category.DISPENSER
    turns = False


class SpawnerTree(Dispenser):
    """A tree on which goals ripen and fall."""

    fixed_size = (5.19, 5.95, 5.02)
    parameters = {
        "delay": Takes(2.0, "seconds before the first goal"),
        "initial_value": Takes(0.2, "the size a goal starts with", (0.2, 3.0)),
        "final_value": Takes(1.0, "the size a goal has when it falls", (0.2, 3.0)),
        "spawn_count": Takes(-1),
        "spawn_color": Takes(),
        "time_between_spawns": Takes(4.0),
        "ripen_time": Takes(6.0),
    }


class SpawnerDispenserTall(Dispenser):
    """A tall vending machine with a door through which goals roll out, on the -x side at rotation 0."""

    aliases = ("SpawnerDispenser",)
    fixed_size = (1.67, 4.46, 1.67)
    colour = ColourRule.GIVEN_OR_RANDOM
    parameters = {
        "rotation": Takes(0.0, "degrees, clockwise seen from above; at 0 the door faces -x"),
        "delay": Takes(0.0, "seconds before the first goal"),
        "initial_value": Takes(1.0, "the size of a goal when it appears", (0.2, 1.0)),
        "final_value": Takes(1.0, "the size of a goal in the end", (0.2, 1.0)),
        "spawn_count": Takes(-1),
        "spawn_color": Takes(),
        "time_between_spawns": Takes(1.5),
        "door_delay": Takes(10.0),
        "time_between_door_opens": Takes(-1.0),
    }


class SpawnerContainerShort(Dispenser):
    """A low container with a door through which goals roll out, on the -x side at rotation 0."""

    aliases = ("SpawnerContainer", "SpawnerDispenserShort")
    fixed_size = (1.67, 1.67, 1.67)
    colour = SpawnerDispenserTall.colour
    parameters = SpawnerDispenserTall.parameters
