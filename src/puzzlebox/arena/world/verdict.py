"""Whether an episode was passed: the one rule that events, notifications, merging, `info` and tables follow.

It is unknown (None) until the episode is decided, while arenas that merge go on, and after a failure of the physics
(`World.passed`).
"""

from typing import Literal

from puzzlebox.arena.things import Agent

COMPLETED = "completed"


def judge(
    animal: Agent, pass_mark: float, success: Literal["passed", "completed"], *, by_penalty: bool = False
) -> None:
    """Set whether an animal that is done has passed, and whether that is shown as a success.

    An animal passes with a return of at least the pass mark. A mark of 0 in an arena without time cost would be reached
    by doing nothing; so for a mark of 0 the return must also be above 0, or the arena completed without a penalty, and
    an episode that ends with a penalty is never passed.

    Args:
        animal: the animal; `passed` and `succeeded` are set.
        pass_mark: the mark of its arena.
        success: what counts as a success; see `Rules.success`.
        by_penalty: whether a penalty ended the episode.
    """
    completed = animal.ending == COMPLETED
    reached = animal.total >= pass_mark
    if pass_mark == 0.0:
        earned = animal.total > 0.0 or (completed and not animal.penalised)
        animal.passed = reached and earned and not by_penalty
    else:
        animal.passed = reached
    if success == "passed":
        animal.succeeded = animal.passed
    else:
        animal.succeeded = completed and (reached or pass_mark == 0.0)
