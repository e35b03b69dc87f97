"""Designs of proportions passed and of their differences, for these tasks and people and for others like them."""

import numpy as np

from benchmarks.calibration import Design, Outcome, register
from benchmarks.calibration.draws import episodes, probability
from puzzlebox.report.tables import by_agent, differences
from puzzlebox.stats.crossed import mean_probability


def share_for_tasks_like_these() -> Design:
    """One agent on a few tasks: the interval of the proportion of tasks like these."""

    def simulate(rng: np.random.Generator) -> Outcome:
        rows = episodes(rng, "a", probability(rng.normal(0.5, 1.5, 10)), 30)
        line = by_agent(rows).rows[0]
        low, high = line["pass_rate_tasks_like_these_low"], line["pass_rate_tasks_like_these_high"]
        return None if low is None else bool(low <= mean_probability(0.5, 1.5) <= high)

    about = "share passed of one agent for tasks like these, task SD 1.5, 10 tasks x 30 episodes"
    return Design("share-tasks-like-these", about, "coverage", simulate)


def share_on_these_tasks(many: int) -> Design:
    """One agent on a few tasks: the interval of the proportion on these tasks."""

    def simulate(rng: np.random.Generator) -> Outcome:
        chances = probability(rng.normal(0.5, 1.5, 10))
        line = by_agent(episodes(rng, "a", chances, many)).rows[0]
        return bool(line["pass_rate_low"] <= chances.mean() <= line["pass_rate_high"])

    about = f"share passed of one agent on these tasks, task SD 1.5, 10 tasks x {many} episodes"
    return Design(f"share-these-tasks-{many}", about, "coverage", simulate)


def share_for_people_like_these(new_tasks: bool) -> Design:
    """People on tasks: the interval of the proportion that people like these pass."""

    def simulate(rng: np.random.Generator) -> Outcome:
        ease = rng.normal(0.5, 1, 40)
        rows = []
        for person in range(20):
            rows += episodes(rng, "people", probability(ease + rng.normal(0, 1.5)), 1, participant=f"{person}")
        line = by_agent(rows).rows[0]
        if new_tasks:
            truth = mean_probability(0.5, float(np.hypot(1, 1.5)))
            low, high = line["pass_rate_tasks_like_these_low"], line["pass_rate_tasks_like_these_high"]
        else:
            truth = float(np.mean([mean_probability(each, 1.5) for each in ease.tolist()]))
            low, high = line["pass_rate_low"], line["pass_rate_high"]
        return None if low is None else bool(low <= truth <= high)

    which = "people and tasks like these" if new_tasks else "people like these"
    return Design(
        f"share-{which.replace(' ', '-')}",
        f"share passed for {which}, person SD 1.5, 20 people x 40 tasks",
        "coverage",
        simulate,
    )


def difference_for_tasks_like_these() -> Design:
    """Two agents on a few tasks: the interval of the difference of their proportions."""

    def simulate(rng: np.random.Generator) -> Outcome:
        ease = rng.normal(0, 1, 10)
        rows = []
        for agent, effect in (("a", 1.0), ("b", 0.0)):
            rows += episodes(rng, agent, probability(ease + effect + rng.normal(0, 1, 10)), 30)
        line = differences(rows).rows[0]
        spread = float(np.hypot(1, 1))
        truth = mean_probability(1.0, spread) - mean_probability(0.0, spread)
        low, high = line["difference_tasks_like_these_low"], line["difference_tasks_like_these_high"]
        return None if low is None else bool(low <= truth <= high)

    about = "difference of two agents for tasks like these, agent x task SD 1, 10 tasks x 30 episodes"
    return Design("difference-tasks-like-these", about, "coverage", simulate)


register(
    share_for_tasks_like_these(),
    share_on_these_tasks(30),
    share_on_these_tasks(5),
    share_for_people_like_these(new_tasks=False),
    share_for_people_like_these(new_tasks=True),
    difference_for_tasks_like_these(),
)
