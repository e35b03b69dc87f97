"""The clock of all players, with a clock of the test's own: nothing here waits."""

import asyncio

import pytest

from puzzlebox.arena.studio.pacer import MAX_CATCH_UP_STEPS, Pacer
from studio_page import run_async


class Time:
    """A clock that advances only when a player sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Player:
    """Takes the given seconds for each of its steps, and stops the test after the last."""

    def __init__(self, time: Time, works: list[float], *, steps: bool = True) -> None:
        self.time, self.works, self.steps = time, works, steps
        self.ticks: list[float] = []
        self.problem: Exception | None = None
        self.done = asyncio.Event()

    def tick(self) -> bool:
        self.ticks.append(round(self.time.now, 6))
        if len(self.ticks) > len(self.works):
            self.done.set()
            return False
        self.time.now += self.works[len(self.ticks) - 1]
        return self.steps

    def handle_failure(self, problem: Exception) -> None:
        self.problem = problem
        self.done.set()


def run_pacer(works: list[float], *others: Player) -> tuple[Pacer, Player]:
    """Run a pacer until one player has taken its steps; return both."""

    async def run() -> tuple[Pacer, Player]:
        time = Time()
        pacer, player = Pacer(time, time.sleep), Player(time, works)
        pacer.add(player)
        for other in others:
            other.time, other.done = time, player.done
            pacer.add(other)
        clock = asyncio.create_task(pacer.run())
        await player.done.wait()
        clock.cancel()
        return pacer, player

    return run_async(run)


def test_steps_are_at_fixed_moments_whatever_they_cost() -> None:
    pacer, player = run_pacer([0.003, 0.015, 0.0, 0.019])
    assert player.ticks == [100.02, 100.04, 100.06, 100.08, 100.1]
    assert list(pacer.lateness) == pytest.approx([0.003, 0.015, 0.0, 0.019])
    assert pacer.stalls == 0


def test_a_short_delay_is_made_up_for() -> None:
    pacer, player = run_pacer([0.05, 0.0, 0.0, 0.0])
    assert player.ticks == [100.02, 100.07, 100.07, 100.08, 100.1]
    assert pacer.stalls == 0
    assert list(pacer.lateness) == pytest.approx([0.05, 0.03, 0.01, 0.0])


def test_a_long_stall_is_not_made_up_for() -> None:
    pacer, player = run_pacer([5.0, 0.0, 0.0])
    assert player.ticks == [100.02, 105.02, 105.04, 105.06]
    assert pacer.stalls == 1


def test_the_number_of_steps_made_up_for_is_limited() -> None:
    _, player = run_pacer([0.02 * (MAX_CATCH_UP_STEPS + 1) - 0.001, *[0.0] * 6])
    assert player.ticks.count(100.099) == MAX_CATCH_UP_STEPS
    assert player.ticks[-1] == pytest.approx(100.16)


def test_the_failure_of_one_player_does_not_stop_others() -> None:
    class Broken(Player):
        def tick(self) -> bool:
            raise RuntimeError("lost")

        def handle_failure(self, problem: Exception) -> None:
            self.problem = problem

    broken = Broken.__new__(Broken)
    broken.problem = None
    pacer, player = run_pacer([0.0, 0.0], broken)
    assert len(player.ticks) == 3
    assert str(broken.problem) == "lost"
    assert len(pacer) == 1


def test_a_player_that_does_not_step_is_not_late() -> None:
    async def run() -> Pacer:
        time = Time()
        pacer, player = Pacer(time, time.sleep), Player(time, [0.01] * 3, steps=False)
        pacer.add(player)
        clock = asyncio.create_task(pacer.run())
        await player.done.wait()
        clock.cancel()
        return pacer

    assert list(run_async(run).lateness) == []


def test_time_does_not_pass_without_players() -> None:
    async def run() -> None:
        time = Time()
        pacer = Pacer(time, time.sleep)
        clock = asyncio.create_task(pacer.run())
        await asyncio.sleep(0)
        assert time.sleeps == []
        time.now = 500.0
        player = Player(time, [0.0])
        pacer.add(player)
        await player.done.wait()
        assert player.ticks[0] == 500.02
        pacer.remove(player)
        clock.cancel()

    run_async(run)


def test_the_statistics_hold_percentiles_of_lateness() -> None:
    pacer = Pacer()
    assert pacer.statistics() == {
        **{"players": 0, "steps": 0, "stalls": 0},
        "late_ms": {"p50": 0.0, "p95": 0.0, "p99": 0.0, "most": 0.0},
    }
    pacer.lateness.extend(number / 1000 for number in range(100))
    assert pacer.statistics()["late_ms"] == {"p50": 50.0, "p95": 95.0, "p99": 99.0, "most": 99.0}
