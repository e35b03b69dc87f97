"""Whether an episode was passed: the one rule that events, notifications, merging, `info` and tables follow."""

from typing import Literal

from puzzlebox.arena.things import Agent

COMPLETED = "completed"


def judge(
    animal: Agent, pass_mark: float, success: Literal["passed", "completed"], *, by_penalty: bool = False
) -> None:
    """Decide whether an animal that plays no more has passed, and whether that is shown as a success.

    It passes with a return of at least the pass mark. Where time costs nothing, everybody reaches a mark of 0 who does
    nothing; so there the return must also be above 0, or the arena completed without a penalty, and what ends with a
    penalty is never passed.

    Args:
        animal: the animal; `passed` and `succeeded` are set.
        pass_mark: the mark of its arena.
        success: what counts as a success; see `Rules.success`.
        by_penalty: whether it was a penalty that ended it.
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
