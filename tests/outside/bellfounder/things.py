from puzzlebox.arena.things import Category, Kind, Notices, SizeRange, Solid, Takes, Thing
from puzzlebox.scene.parts import box
from puzzlebox.scene.shapes import Box


class Bell(Thing):
    """A bronze bell that gives a reward while it is touched, a larger one the higher it sounds."""

    category = Category.IMMOVABLE
    size = SizeRange.cube(0.5, 3.0)
    solid = Solid.BOX
    notices = Notices.TOUCH
    parameters = {"pitch": Takes(440.0, "the pitch of its sound in hertz", (20.0, 20_000.0), Kind.NUMBER)}
    tag = "bell"

    def shapes(self):
        x, y, z = self.extent
        return (Box((x / 2, y / 2, z / 2)),)

    def looks(self, look):
        return (box(self.shapes()[0], color=(0.45, 0.25, 0.08)),)

    def touched(self, stage, animal):
        stage.pay(animal, self.settings["pitch"] / 100_000)
