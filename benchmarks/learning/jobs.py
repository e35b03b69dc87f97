"""All runs by name: what is trained, for how long, and on what it is evaluated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlebox.text import nearest

TASKS = Path(__file__).with_name("tasks")
# In the place of the folder of the original's tasks, which is not part of this repository: option --originals.
ORIGINALS = "ORIGINALS"
SEEDS = 3
SMOKE = "smoke"
_PAPER = ("E1", "ppo-2024-fast", ""), ("E1-sb3", "ppo-2024", "-sb3")
_MAZES = ("two-by-two", "three-by-three", "scrambled", "circular")
# The values of the preset maze-2019 under the names of our learner.
_MAZE_FAST = (
    *("camera=84", "vitals=true", "rules=2019", "strength=0.01", "memory=none", "envs=8", "workers=1", "groups=1"),
    *("rollout=256", "minibatches=16", "epochs=3", "entropy=0.01", "threads=1"),
)
_MEMORY = (
    *("network=mlp", "features=64", "memory_size=64", "camera=16", "vitals=false", "precision=fp32"),
    *("envs=32", "rollout=64", "epochs=4", "learning_rate=1e-3", "entropy=0.002", "gamma=0.97"),
    *("workers=1", "threads=1"),
)
# On sixteen cores and a GPU. The learning rate falls over both pieces.
_GENERALIST = (
    *("envs=2048", "groups=4", "rollout=64", "minibatches=16", "epochs=2", "workers=15", "keep_episodes=false"),
    *("gamma=0.995", "entropy=0.01"),
)
_GENERALIST_RATES = (
    (106_299_392, ("anneal_steps=200000000",)),
    (100_000_000, ("learning_rate=1.4e-4", "anneal_steps=100000000")),
)
# The default number of environments on two cores, and one for sixteen cores and a GPU.
_OURS = ("camera=64", "vitals=false", "rules=3.1", "workers=2", "threads=2")
_MAZE_OURS = ("camera=84", "vitals=true", "rules=2019", "envs=1024", "workers=15")


@dataclass(frozen=True)
class Test:
    """Tasks on which a run is evaluated; actions are drawn.

    Attributes:
        name: the name of the test.
        sources: what names its tasks.
        episodes: the number of episodes of each task.
        variations: the number of variations of each template.
        rules: the rules; "" for those of the arena.
    """

    __test__ = False  # no test of pytest

    name: str
    sources: tuple[str, ...]
    episodes: int = 1
    variations: int = 10
    rules: str = ""


@dataclass(frozen=True)
class Job:
    """A run: training, and evaluation afterwards.

    Attributes:
        name: the name of the run.
        group: the group in which it is started.
        label: what it is in tables; equal for runs that differ only by their seed.
        tests: what it is evaluated on.
        sources: the tasks it is trained on; empty with a curriculum that has its own.
        curriculum: the name of the curriculum.
        preset: the preset of the settings.
        changes: settings as `puzzlebox train` takes them.
        steps: the number of decisions.
        seed: the seed of everything random.
        cores: the number of processor cores that training keeps busy.
        parts: the number of processes among which the evaluation is divided; 0 if there is none.
        agent: an agent that is evaluated without training.
        origin: the name of another run, with whose weights and settings it starts.
    """

    name: str
    group: str
    label: str
    tests: tuple[Test, ...]
    sources: tuple[str, ...] = ()
    curriculum: str = ""
    preset: str = ""
    changes: tuple[str, ...] = ()
    steps: int = 0
    seed: int = 0
    cores: int = 1
    parts: int = 1
    agent: str = ""
    origin: str = ""


def _foraging() -> Test:
    return Test("foraging", ("foraging",), 100, rules="3.1")


def _operant() -> Test:
    return Test("operant", ("operant",), 100, rules="3.1")


def _paper() -> Iterator[Job]:
    """Yield the runs of Voudouris et al. (2024)."""
    for group, preset, end in _PAPER:
        for seed in range(SEEDS):
            for name, source, curriculum, steps, test in (
                ("foraging", "foraging", "", 1_000_000, _foraging()),
                ("operant", "operant", "", 2_000_000, _operant()),
                ("operant-curriculum", "", "operant", 2_000_000, _operant()),
            ):
                yield Job(
                    f"{name}{end}-{seed}",
                    group,
                    f"{name}{end}",
                    (test,),
                    (source,) if source else (),
                    curriculum,
                    preset,
                    steps=steps,
                    seed=seed,
                )


def _maze_tests() -> tuple[Test, ...]:
    return tuple(Test(name, (f"mazes/{name}",), 1, 100, "2019") for name in _MAZES)


def _mazes() -> Iterator[Job]:
    """Yield the runs of Beyret et al. (2019)."""
    tests = _maze_tests()
    for group, preset, changes, end in (("E2", "maze-2019", ("workers=1",), ""), ("E2-fast", "", _MAZE_FAST, "-fast")):
        for seed in range(SEEDS):
            more = {"preset": preset, "changes": changes, "steps": 2_000_000, "seed": seed}
            label = f"maze-curriculum{end}"
            yield Job(f"{label}-{seed}", group, label, tests, curriculum="maze-2019", **more)  # type: ignore[arg-type]
            label = f"maze-two-by-two{end}"
            yield Job(f"{label}-{seed}", group, label, tests, ("mazes/two-by-two",), **more)  # type: ignore[arg-type]


def _memory() -> Iterator[Job]:
    """Yield the runs with and without memory."""
    for task in ("lights-out", "occlusion"):
        path = str((TASKS / f"{task}.yml").relative_to(TASKS.parents[2]))
        for memory in ("lstm", "none"):
            for seed in range(SEEDS):
                yield Job(
                    f"memory-{task}-{memory}-{seed}",
                    "E3",
                    f"memory-{task}-{memory}",
                    (Test(task, (path,), 50, 2),),
                    (path,),
                    changes=(*_MEMORY, f"memory={memory}"),
                    steps=1_000_000,
                    seed=seed,
                )


def _generalist() -> Iterator[Job]:
    """Yield the training of `generalist`, the agent of the package, in pieces of half an hour each."""
    for number, (steps, rates) in enumerate(_GENERALIST_RATES, 1):
        name = f"generalist-{number}"
        yield Job(
            *(name, "E4-training", name, (), ("testbed-train/*/*",)),
            curriculum="learnability",
            changes=(*_GENERALIST, *rates),
            steps=steps,
            seed=number - 1,  # the same seed would draw the same tasks again
            cores=16,
            parts=0,
            origin=f"generalist-{number - 1}" if number > 1 else "",
        )


def _testbed() -> Iterator[Job]:
    """Yield the agents that play the whole testbed."""
    tests = (
        Test("testbed", ("testbed/*",)),
        Test("held-out", ("testbed-held-out/*",)),
        Test("original", (ORIGINALS,), rules="3.1"),
    )
    for agent in ("random", "heuristic", "navigator", "generalist"):
        yield Job(f"testbed-{agent}", "E4", agent, tests, parts=4, agent=agent)


def _ours() -> Iterator[Job]:
    """Yield runs of our learner with its defaults: on two cores, and for the mazes as a GPU wants it."""
    for name, steps, test in (("foraging", 3_000_000, _foraging()), ("operant", 6_000_000, _operant())):
        for seed in range(SEEDS):
            run = f"{name}-ours-{seed}", "E5", f"{name}-ours", (test,), (name,)
            yield Job(*run, changes=_OURS, steps=steps, seed=seed, cores=2)
    label = "maze-two-by-two-ours"
    yield Job(
        *(f"{label}-0", "E5-wide", label, _maze_tests(), ("mazes/two-by-two",)),
        changes=_MAZE_OURS,
        steps=20_000_000,
        cores=16,
    )


def _smoke() -> Iterator[Job]:
    """Yield a run of seconds, to see whether everything works on a machine."""
    changes = (
        *("camera=null", "rays=3", "network=mlp", "features=16", "memory_size=16", "envs=4", "rollout=32"),
        *("max_episode_steps=30", "workers=1", "threads=1"),
    )
    tests = (Test("food", ("examples/food",), 3),)
    yield Job("smoke", SMOKE, "smoke", tests, ("examples/food",), changes=changes, steps=256, parts=2)


JOBS: Mapping[str, Job] = {
    job.name: job
    for jobs in (_paper(), _mazes(), _memory(), _generalist(), _testbed(), _ours(), _smoke())
    for job in jobs
}
GROUPS = tuple(dict.fromkeys(job.group for job in JOBS.values()))


def chosen(words: Sequence[str]) -> list[Job]:
    """Return the runs that some names of groups or runs mean, in that order; all but `smoke` without any.

    Raises:
        ValueError: there is no such group or run.
    """
    found: dict[str, Job] = {}
    for word in words or [group for group in GROUPS if group != SMOKE]:
        own = [job for job in JOBS.values() if word in (job.group, job.name, job.label)]
        if not own:
            raise ValueError(f"there is no group or run {word!r}{nearest(word, [*GROUPS, *JOBS])}")
        found |= {job.name: job for job in own}
    return list(found.values())
