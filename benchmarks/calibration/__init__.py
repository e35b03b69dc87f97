"""Calibration of the statistics of reports: how often a page's intervals hold the truth and its tests err.

    python -m benchmarks calibration [DESIGN...] --repetitions 500 --workers 16

Each design draws the episodes of an experiment whose truth is known and passes them through the functions that write
the page. The modules of this folder register their designs when they are imported.
"""

import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import sqrt
from typing import Literal

import numpy as np

Quantity = Literal["type I", "coverage", "power"]
# What each quantity may be. A test whose errors are rarer than .03 is conservative, which the page has to say.
ALLOWED: dict[str, tuple[float, float]] = {"type I": (0.0, 0.07), "coverage": (0.93, 0.98), "power": (0.0, 1.0)}
# Standard errors of the simulation by which a value may lie outside what is allowed.
ALLOWANCE = 2.5
Outcome = bool | None


@dataclass(frozen=True)
class Design:
    """A simulated experiment with a known truth.

    Attributes:
        name: its name on the command line.
        about: the experiment in words, for the table.
        quantity: "type I": `simulate` says whether the page found a difference that does not exist; "coverage":
            whether an interval of the page contains the true value; "power": whether a true difference was found.
        simulate: draws one experiment and returns that; None if the page refused to answer.
        allowed: the lowest and the highest value that is right. Default: those of the quantity.
    """

    name: str
    about: str
    quantity: Quantity
    simulate: Callable[[np.random.Generator], Outcome]
    allowed: tuple[float, float] | None = None

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest value that is right."""
        return self.allowed or ALLOWED[self.quantity]

    def repetition(self, number: int) -> Outcome:
        """Simulate one repetition; its random stream depends on the design and the number only."""
        return self.simulate(np.random.default_rng([zlib.crc32(self.name.encode()), number]))


@dataclass(frozen=True)
class Calibration:
    """The result of many repetitions of a design.

    Attributes:
        design: the design.
        value: the proportion of the answers that were True; NaN without any answer.
        answers: the number of repetitions in which the page gave an answer.
        repetitions: the number of all repetitions.
    """

    design: Design
    value: float
    answers: int
    repetitions: int

    @classmethod
    def of(cls, design: Design, outcomes: list[Outcome]) -> "Calibration":
        """Summarise the outcomes of all repetitions."""
        answers = [each for each in outcomes if each is not None]
        return cls(design, float(np.mean(answers)) if answers else float("nan"), len(answers), len(outcomes))

    @property
    def error(self) -> float:
        """The standard error that the number of repetitions leaves in the value."""
        return sqrt(max(0.0, self.value * (1 - self.value)) / self.answers) if self.answers else float("nan")

    @property
    def right(self) -> bool:
        """Whether the value is in the range that is right, up to `ALLOWANCE` standard errors of the limit."""
        low, high = self.design.range

        def allowance(limit: float) -> float:
            return ALLOWANCE * sqrt(limit * (1 - limit) / self.answers)

        return bool(self.answers) and low - allowance(low) <= self.value <= high + allowance(high)


DESIGNS: dict[str, Design] = {}


def register(*designs: Design) -> None:
    """Add designs, so that the command and the slow tests find them."""
    for design in designs:
        if design.name in DESIGNS:
            raise ValueError(f"there are two designs with the name {design.name}")
        DESIGNS[design.name] = design


def all_designs() -> dict[str, Design]:
    """Import all modules of this folder and return the designs that they register, by name."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return DESIGNS
