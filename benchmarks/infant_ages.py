"""The ages at which infant tasks can be played: how many episodes their scripts pass, and doing nothing.

`python -m benchmarks.infant_ages --seeds 10` prints a row for each task and age, with the seeds 0 to 9: episodes passed
by the script, and by a child that does nothing. `Task.youngest` rests on it: from that age on the script passes most
episodes, and doing nothing none. Ages below it are refused; `--below` measures them all the same.
"""

import argparse
from typing import Any

import numpy as np

from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.control.joints import JointControl
from puzzlebox.infant.envs.core import Core, task_class


def passed(core: Core, seed: int, *, scripted: bool) -> bool:
    """Play an episode; return whether it is passed."""
    core.reset(seed)
    while not (core.outcome.over or core.truncated):
        core.step(core.script() if scripted else [idle(core, agent) for agent in range(core.agents)])
    return bool(core.outcome.passed)


def idle(core: Core, agent: int) -> Any:
    """Return the action that does nothing."""
    control = core.play.control
    if isinstance(control, JointControl):
        return control.current(core.play.child)
    return np.zeros(core.action_space.shape or (), np.float32)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Play infant tasks at several ages.")
    parser.add_argument("--seeds", type=int, default=10, help="episodes of each task, age and agent")
    parser.add_argument("--tasks", nargs="*", default=list(CATALOGUE), help="their names")
    parser.add_argument(
        "--ages", nargs="*", type=float, help="months. Default: the youngest age of the task, 18 and 24"
    )
    parser.add_argument("--below", action="store_true", help="allow ages below the youngest one")
    options = parser.parse_args()
    print("| task | months | passed by the script | by doing nothing |\n|---|---|---|---|", flush=True)
    for name in options.tasks:
        kind = task_class(CATALOGUE[name])
        ages = options.ages or [kind.youngest, 18.0, 24.0]
        if options.below:
            kind.youngest = 0.0
        for age in ages:
            core = Core(name, age_months=age, senses=("balance",))
            counts = [
                sum(passed(core, seed, scripted=scripted) for seed in range(options.seeds))
                for scripted in (True, False)
            ]
            print(f"| {name} | {age:g} | {counts[0]} | {counts[1]} |", flush=True)


if __name__ == "__main__":
    main()
