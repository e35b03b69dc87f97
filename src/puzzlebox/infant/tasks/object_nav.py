"""ObjectNav: go to the named toy among others."""

from puzzlebox.infant.sound.sources import Source, Tone
from puzzlebox.infant.tasks.navigation import NavigationTask, judged
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.task import Outcome
from puzzlebox.infant.tasks.toys import THREE

MENTOR = "mentor"


class ObjectNav(NavigationTask):
    """A child is shown, by a one-hot code, which of three toys it should walk to."""

    reward = "+1 at the target, -1 at another toy (the amounts are ours); optional shaping as VECA's learners had"
    end = "at any toy; passed if it is the target"
    targets = THREE

    def sounds(self) -> dict[str, tuple[Source, str]]:
        """Return the mentor's sound, if there is one; it moves to the target."""
        return {MENTOR: (Tone(660.0, level=0.1), "")} if self.settings.mentor else {}

    def begin(self, play: Play) -> None:
        """Draw a target and wrong toys."""
        goal, names = self.draw_toys(play)
        self.memory["goal"] = goal
        self.arrange(play, names)
        if self.settings.mentor:
            play.move_sound(MENTOR, play.place(goal))

    def step(self, play: Play) -> Outcome:
        """Judge where the child is."""
        return judged(self, play)
