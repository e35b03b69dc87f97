"""Plan by looking ahead: try actions in copies of the world, take the best, and check the plan from the start."""

import math

from puzzlebox import World, load_task

task = load_task("food/first-steps")
world = World(task, seed=1)
food = next(thing for thing in world.describe()["things"] if thing["name"].startswith("GoodGoal"))["at"]


def score(copy: World) -> float:
    """Return a score of the return so far and the distance to the food."""
    x, _, z = copy.position_of(copy.animals[0])
    return copy.animals[0].total * 100 - math.hypot(x - food[0], z - food[2])


plan = []
while not world.over and len(plan) < 150:
    best, choice = -math.inf, 0
    for action in (3, 4, 5, 1, 2):  # forwards, with right or left; right, left
        copy = world.branch()  # starts where the world is now
        for _ in range(4):
            if not copy.over:
                copy.step([action])
        if score(copy) > best:
            best, choice = score(copy), action
    world.step([choice])
    plan.append(choice)

# Copies are nearly exact; a plan counts once it works from the start.
replay = World(task, seed=1)
for action in plan:
    replay.step([action])
print(f"{len(plan)} decisions; return {replay.animals[0].total:.3f}, passed: {replay.passed()}")
