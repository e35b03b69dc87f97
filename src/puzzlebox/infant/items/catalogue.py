"""All items by their numbers."""

from puzzlebox.infant.items.hearing import WhichEar
from puzzlebox.infant.items.holding import HoldWhatArrives
from puzzlebox.infant.items.item import Item
from puzzlebox.infant.items.looking import EdgeOfView
from puzzlebox.infant.items.permanence import LightsOut
from puzzlebox.infant.items.reaching import ReachAndFind
from puzzlebox.text import closest

_CLASSES: tuple[type[Item], ...] = (EdgeOfView, WhichEar, HoldWhatArrives, ReachAndFind, LightsOut)
ITEMS: dict[int, type[Item]] = {each.number: each for each in _CLASSES}


def item_named(name: int | str, age_months: float = 18.0) -> Item:
    """Return an item by its number or its name, with things placed for a child of some age.

    Raises:
        ValueError: there is no such item.
    """
    for number, kind in ITEMS.items():
        if name in (number, str(number), f"{number:02d}", kind.name):
            return kind.for_age(age_months)
    names = [f"{number:02d}" for number in ITEMS]
    raise ValueError(f"there is no item {name!r}; there are {', '.join(names)}{closest(str(name), names)}")
