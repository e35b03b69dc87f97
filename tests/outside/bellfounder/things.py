"""A thing with a parameter and a tag of its own."""

from puzzlebox.arena.things import Category, Kind, Notices, SizeRange, Solid, Takes, Thing
from puzzlebox.scene.parts import box
from puzzlebox.scene.shapes import Box

BRONZE = (0.45, 0.25, 0.08)


class Bell(Thing):
    """A bronze bell that rings when it is touched."""

    category = Category.IMMOVABLE
    size = SizeRange.cube(0.5, 3.0)
    solid = Solid.BOX
    notices = Notices.TOUCH
    parameters = {"pitch": Takes(440.0, "the pitch of its sound in hertz", (20.0, 20_000.0), Kind.NUMBER)}
    tag = "bell"

    def shapes(self):
        """One box."""
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)

    def looks(self, look):
        """Bronze."""
        return (box(self.shapes()[0], BRONZE),)

    def touched(self, stage, animal):
        """Pay a reward that grows with the pitch."""
        stage.pay(animal, self.asked["pitch"] / 1000)
