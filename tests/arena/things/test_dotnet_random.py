"""DotNetRandom gives the numbers of .NET's `System.Random`."""

import pytest

from puzzlebox.arena.things.dotnet_random import DotNetRandom


@pytest.mark.parametrize(
    ("seed", "first"),
    [
        (0, (1559595546, 1755192844, 1649316166)),
        (1, (534011718, 237820880, 1002897798)),
        (42, (1434747710, 302596119, 269548474)),
    ],
)
def test_known_seeds_give_the_numbers_of_dotnet(seed: int, first: tuple[int, ...]) -> None:
    rng = DotNetRandom(seed)
    assert [round(rng.next_double() * (2**31 - 1)) for _ in first] == list(first)


def test_random_numbers_fill_the_unit_interval_evenly() -> None:
    rng = DotNetRandom(7)
    numbers = [rng.next_double() for _ in range(10_000)]
    assert all(0 <= number < 1 for number in numbers)
    assert sum(numbers) / len(numbers) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("seed", [-1, 161803399])
def test_seeds_that_dotnet_treats_in_its_own_way_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="it must be from 0 to 161803398"):
        DotNetRandom(seed)
