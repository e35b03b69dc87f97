"""Pairs judged by an observer: which of two films surprised it more, by task and pair type."""

from collections.abc import Sequence
from math import isclose
from typing import NamedTuple

from puzzlebox.intuitions.episodes.stimulus import Pair, Stimulus
from puzzlebox.intuitions.scoring.observer import READ_OUTS, Observer, Surprise, checked

# What a film shows, from least to most surprising.
EXPECTED, NO_EXPECTATION, UNEXPECTED = "expected", "no expectation", "unexpected"
LEVELS = (EXPECTED, NO_EXPECTATION, UNEXPECTED)
# The levels of the two members of a pair, by task and pair type; the others are expected and unexpected.
_OTHER_LEVELS = {
    ("multi_agent", "i"): (EXPECTED, NO_EXPECTATION),
    ("multi_agent", "ii"): (NO_EXPECTATION, UNEXPECTED),
    ("inaccessible_goal", ""): (NO_EXPECTATION, UNEXPECTED),
    ("efficiency_irrational", ""): (NO_EXPECTATION, UNEXPECTED),
}


def levels_of(task: str, kind: str = "") -> tuple[str, str]:
    """Return what the expected and the unexpected member of a pair show, by task and pair type."""
    return _OTHER_LEVELS.get((task, kind), (EXPECTED, UNEXPECTED))


class Judgement(NamedTuple):
    """The judgement of one pair by one observer.

    Attributes:
        task: the name of the task.
        kind: the pair type, `i` or `ii` in the multi-agent task, else "".
        number: the number of the episode.
        expected: the surprise of the expected film by each read-out.
        unexpected: the surprise of the unexpected film by each read-out.
    """

    task: str
    kind: str
    number: int
    expected: dict[str, float]
    unexpected: dict[str, float]

    def score(self, read_out: str) -> float:
        """Return 1 if the unexpected film surprised more, 0 if it surprised less, a half for a tie."""
        one, two = self.expected[read_out], self.unexpected[read_out]
        # Films that an observer treats alike may differ in the last digits of single precision, by the order of a sum.
        if isclose(one, two, rel_tol=1e-6, abs_tol=1e-12):
            return 0.5
        return float(one < two)


def judge(observer: Observer, pair: Pair) -> Judgement:
    """Let an observer watch both films of a pair, one after the other, without knowing which is which.

    Raises:
        ValueError: the pair has one film only, or the surprise does not fit the frames.
    """
    return judge_together(observer, [pair])[0]


def judge_together(observer: Observer, pairs: Sequence[Pair]) -> list[Judgement]:
    """Let an observer judge some pairs; one with a method `surprises` gets all their films at once, as a GPU wants.

    Raises:
        ValueError: a pair has one film only, or the surprise does not fit the frames.
    """
    films: list[Stimulus] = []
    for pair in pairs:
        if pair.unexpected is None:
            raise ValueError(
                f"episode {pair.number} of {pair.task} has no unexpected film; a background task has no pairs"
            )
        films += [pair.expected, pair.unexpected]
    together = getattr(observer, "surprises", None)
    found = together(films) if together is not None else [observer.surprise(film) for film in films]
    values = [_read_out(observer, film, surprise) for film, surprise in zip(films, found, strict=True)]
    return [
        Judgement(pair.task, pair.kind, pair.number, expected, unexpected)
        for pair, expected, unexpected in zip(pairs, values[::2], values[1::2], strict=True)
    ]


def _read_out(observer: Observer, film: Stimulus, surprise: Surprise) -> dict[str, float]:
    frames = checked(surprise, film.test.frames, observer.name).frames
    return {name: read(frames) for name, read in READ_OUTS.items()}


def with_other_familiarisation(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with the familiarisation of the same member of the next pair, and the last with the first's.

    What an observer knows of the agent is then of no use: the score of a task that needs it falls to 50 %.

    Raises:
        ValueError: there are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise ValueError(f"exchanging familiarisations needs two pairs or more; there are {len(pairs)}")
    return [_exchanged(pair, other) for pair, other in zip(pairs, [*pairs[1:], pairs[0]], strict=True)]


def _exchanged(pair: Pair, other: Pair) -> Pair:
    expected = Stimulus((*other.expected.familiarisation, pair.expected.test))
    if pair.unexpected is None or other.unexpected is None:
        return Pair(pair.task, pair.number, expected)
    unexpected = Stimulus((*other.unexpected.familiarisation, pair.unexpected.test))
    return Pair(pair.task, pair.number, expected, unexpected)
