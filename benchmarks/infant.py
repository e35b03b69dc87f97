"""The infant: simulated seconds per second of its body and senses, pictures a second, and the time of a start.

All seconds are those of the CPU in this process, which uses one thread, so that other programs disturb little.
"""

import subprocess
import sys
import time
from functools import partial

import numpy as np

from benchmarks import measure
from benchmarks.measure import Result
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.infant import Infant
from puzzlebox.infant.looks.gaze import SIDES, eye_view
from puzzlebox.infant.looks.photo import photograph
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.senses.ears import Ears, EarsSettings
from puzzlebox.infant.senses.eyes import Eyes, EyeSettings
from puzzlebox.infant.sound.propagation import Room
from puzzlebox.infant.sound.sources import Noise
from puzzlebox.render import Painter

_STEPS = 150
_RATE = "simulated s/s"
best_seconds = partial(measure.best_seconds, clock=time.process_time)
best_microseconds = partial(measure.best_microseconds, clock=time.process_time)
# The infant model MIMo with fingers (91 hinges), measured on two cores with random actions: without touch, and with its
# mesh skin of 5,598 points.
_MIMO, _MIMO_TOUCH = 2.2, 1.1
# Pairs of pictures a second that MIMo paints with software, and how many a child here sees in a second of its time.
_MIMO_PAIRS, _EYE_RATE = 9.0, 15.0
_EYE = 84
_PAIRS = 50
_SOURCES = 4


def _random_actions(size: int) -> list[np.ndarray]:
    """Return targets that change three times a second."""
    rng = np.random.default_rng(0)
    targets = rng.uniform(-1, 1, (_STEPS // 5, size))
    return [targets[number // 5] for number in range(_STEPS)]


def _rate(body: Child | Infant, pose: str, actions: list[np.ndarray] | list[None]) -> float:
    def play() -> None:
        body.reset(0, pose)
        for action in actions:
            body.step(action)

    return len(actions) * CONTROL_STEP / best_seconds(play, 3)


def _complete() -> Infant:
    """Return a child with every sense, which hears four sources and the blows of the floor."""
    infant = Infant(eyes=True, ears=EarsSettings(materials={"world": "floor"}))
    assert infant.ears is not None
    for number in range(_SOURCES):
        infant.ears.attach(f"noise {number}", Noise(seed=number), at=(1.0, number - 1.5, 0.5))
    return infant


def _physics() -> list[Result]:
    complete, bodily, child = _complete(), Infant(), Child()
    moving: list[np.ndarray] = _random_actions(child.action_size)
    still: list[None] = [None] * _STEPS
    every = "every sense: both eyes, both ears, 9,888 taxels, joints, balance"
    # MIMo with both eyes and its skin, from its time for 10 ms of motion and touch and for a pair of pictures.
    both = 1 / (1 / _MIMO_TOUCH + _EYE_RATE / _MIMO_PAIRS)
    cases: list[tuple[str, Child | Infant, str, float | None]] = [
        (every, complete, ">= 10", both),
        ("9,888 taxels, joints, balance", bodily, ">= 15", _MIMO_TOUCH),
        ("body alone", child, "", _MIMO),
    ]
    results = []
    for name, body, goal, peer in cases:
        rates = {"random actions, lying": _rate(body, "lie", moving), "sitting still": _rate(body, "sit", still)}
        for what, rate in rates.items():
            other = peer if what.startswith("random") else None
            label = "MIMo, measured earlier" if other else ""
            results.append(Result(f"infant, {name}; {what}", rate, _RATE, goal, other, label))
    return results


def _pictures() -> list[Result]:
    child = Child()
    child.reset(pose="sit")
    for _ in range(15):
        child.step()
    portrait = Portrait(child)
    painter = Painter(portrait.scene)
    image = np.empty((_EYE, _EYE, 3), np.uint8)

    def see_pair() -> None:
        portrait.update()
        for side in SIDES:
            view = eye_view(child, side)
            direction = (view.eye, view.heading, view.pitch, view.fov_degrees)
            painter.paint(image, *direction, skip_thing=view.skip_thing, roll=view.roll)

    pairs = 1e6 / best_microseconds(see_pair, _PAIRS)
    return [
        Result(
            f"infant, pairs of {_EYE} x {_EYE}, its own body and a bare room",
            pairs,
            "pairs/s",
            ">= 1000",
            _MIMO_PAIRS,
            "MIMo, measured earlier",
        ),
        Result(
            "infant, large picture 800 x 800", best_seconds(lambda: photograph(portrait, "front", 800, 800), 2), "s"
        ),
    ]


def _sight() -> list[Result]:
    """Return pairs a second as children of several ages see them, and with everything that scoring needs."""
    results = []
    for age, name, settings in (
        (1.0, "1 month", EyeSettings()),
        (18.0, "18 months", EyeSettings()),
        (18.0, "18 months, with foveal patches, depth and segments", EyeSettings(fovea=84, depth=True, segments=True)),
    ):
        child = Child(age)
        child.reset(pose="sit")
        pairs = 1e6 / best_microseconds(Eyes(child, settings=settings).read, _PAIRS // 5, 50)
        goal = ">= 1000" if not settings.fovea else ""
        results.append(Result(f"infant, pairs of {_EYE} x {_EYE} as seen at {name}", pairs, "pairs/s", goal))
    return results


def _ears() -> list[Result]:
    """Return the time of a frame of four sources that all move, also with six reflections of each."""
    results = []
    for name, room, goal in (("", None, "<= 1000"), (" and 24 reflections", Room(), "")):
        ears = Ears(Child(), EarsSettings(room=room))
        for number in range(_SOURCES):
            ears.attach(f"noise {number}", Noise(seed=number), at=(1.0, number - 1.5, 0.5))
        head = ears.child.model.body("head").id
        turns = [_turned(angle) for angle in (0.0, 0.1)]

        def hear(ears: Ears = ears, head: int = head, turns: list[np.ndarray] = turns) -> None:
            # The head turns by 6 degrees in each frame, so that no filter can be kept.
            ears.child.data.xmat[head] = turns[0]
            turns.reverse()
            ears.read()

        what = f"infant, ears, {_SOURCES} moving sources{name}"
        results.append(Result(what, best_microseconds(hear, 50), "us", goal))
    return results


def _turned(angle: float) -> np.ndarray:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array((cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0))


def _stage() -> list[Result]:
    """Return control steps a second of a stage with two puppets that move and ten things, without senses."""
    toys = [catalogue.block(f"block {number}").on(0.12 * number - 0.6, 1.0) for number in range(10)]
    stage = Stage(toys, [Person(pose="stand")], [Person.adult(at=(1.0, 0.0), heading=180.0)])
    puppets = [stage.puppet(name) for name in stage.people]

    def play() -> None:
        for number in range(_STEPS):
            for puppet in puppets:
                puppet.turn_joints({"left_upper_arm.flex": 10.0 + number % 30})
            stage.step()

    rate = _STEPS / best_seconds(play, 3)
    return [Result("infant, stage with two puppets and ten things", rate, "control steps/s", ">= 2000")]


def _first_start() -> float:
    """Return the seconds of the CPU from the start of Python until a child with every sense is there."""
    code = (
        "import time; from puzzlebox.infant import EarsSettings, Infant; "
        "Infant(eyes=True, ears=EarsSettings(materials={'world': 'floor'})); print(time.process_time())"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    return min(float(each.stdout) for each in runs)


def run() -> list[Result]:
    """Return a result for physics, senses, pictures, stages and the start."""
    first = Result(
        "infant, first start with every sense in a new process, imports included", _first_start(), "s", "<= 1"
    )
    start = Result("infant, each further start", best_seconds(_complete, 3), "s", "<= 1")
    return [*_physics(), *_pictures(), *_sight(), *_ears(), *_stage(), first, start]
