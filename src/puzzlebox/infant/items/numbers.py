"""The numbers of all items. It does not import MuJoCo."""

NUMBERS = (1, 3, 4, 19, 25)


def id_of(number: int) -> str:
    """Return the id of an item for `gymnasium.make`."""
    return f"puzzlebox/Infant-Item{number:02d}-v1"
