"""Copying and pickling of environments in the middle of an episode: by the record of it, which is played again."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, Self

from puzzlebox.arena.envs.programme import Programme
from puzzlebox.arena.envs.settings import Settings
from puzzlebox.arena.world import Record, World


class Copied:
    """An environment with a `_world` that is copied and pickled as its record, and a `_programme` of what comes next.

    Attributes:
        _made: what `_fit_out` makes from the settings; no copy takes it along.
        _owned: what a copy has of its own. The rest never changes and is shared, above all the tasks.
    """

    _made: ClassVar[Iterable[str]] = ()
    _owned: ClassVar[Iterable[str]] = ()
    settings: Settings
    _world: World | None
    _programme: Programme
    _closed = False

    def _fit_out(self) -> None:
        """Make what `_made` names; each kind of environment knows how."""
        raise NotImplementedError

    def _check_open(self) -> None:
        """Refuse to go on after `close`, which took the world away: whoever needs one and has none asks here."""
        if self._closed:
            raise RuntimeError("the environment is closed; make a new one")

    def __getstate__(self) -> dict[str, Any]:
        """As it is, with the episode as a record."""
        state = {name: value for name, value in self.__dict__.items() if name not in self._made}
        state["_world"] = None if self._world is None else self._world.snapshot()
        state["_programme"] = self._programme.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Play the episode again."""
        self.__dict__.update(state)
        record = state["_world"]
        self._fit_out()
        self._world = None if record is None else self._replayed(record)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A second environment at the same point, with chances of its own."""
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        state = self.__getstate__()
        state.update({name: deepcopy(state[name], memo) for name in self._owned if name in state})
        twin.__setstate__(state)
        return twin

    def _look(self, world: World) -> None:
        """Perceive a moment of an episode that is played again, so that later observations can show it."""
        raise NotImplementedError

    def _replayed(self, record: Record) -> World:
        """The world at the end of a record, with no events left; stacked frames are looked at, the newest included."""
        first = max(0, len(record.actions) - self.settings.frame_stack + 1)
        world = World.replay(replace(record, actions=record.actions[:first]))
        for actions in record.actions[first:]:
            self._look(world)
            world.step(actions)
        world.take_events()
        if self.settings.frame_stack > 1:
            self._look(world)
        return world
