"""What is wrong with an item, or with an argument of its environment, is said in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.items.env import ItemEnv
from puzzlebox.infant.items.item import Event, Item, Outcome, Trial, Verb
from puzzlebox.infant.items.session import Session
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.log import Log
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.places import TABLE_HEIGHT, seat_scene
from puzzlebox.infant.scenes.predicates import touch_by_any
from puzzlebox.infant.scenes.stage import Stage


class Block(Item):
    """A block lies on the table."""

    number, name, senses, emerging, mastery, guess = 99, "Block", ("joints",), (1, 1), (1, 1), 0.0
    watch = ("block",)
    trials: Any = (Trial("test", 0.2),)
    score: Any = 0
    result: Any = {"touched": False}
    asked = "block"

    def stage(self, child: Person) -> Stage:
        return seat_scene([catalogue.block().on(0.4, 0.0, TABLE_HEIGHT)], child=child, caregiver=False, speakers=False)

    def block(self, rng: np.random.Generator, number: int) -> list[Trial]:
        return list(self.trials)

    def outcome(self, facts: Mapping[str, Any], window: Log) -> dict[str, Any]:
        touch_by_any(window, self.asked)
        window.entries[0].things[self.asked]
        return self.result  # type: ignore[no-any-return]

    def judge(self, outcomes: Sequence[Outcome]) -> int:
        return self.score  # type: ignore[no-any-return]

    def oracle(self, session: Session) -> Any:
        return np.zeros(session.action_size)


def item(**values: Any) -> Item:
    return type("Changed", (Block,), values)()


def play(item: Item) -> float:
    env = ItemEnv(item, "primitives")
    env.reset(seed=1)
    while True:
        _, reward, over, *_ = env.step(np.zeros(6))
        if over:
            return float(reward)


def test_an_item_of_ones_own_is_played() -> None:
    assert play(item(score=2)) == 2.0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"senses": ("smell",)}, r"has the sense 'smell'; allowed: eyes"),
        ({"watch": ("blok",)}, r"item 99 watches 'blok'; there are .*did you mean `block`"),
        ({"trials": ()}, r"a block of item 99 is \[\]; it must be a list of at least one Trial"),
        ({"trials": (Trial("test", -2),)}, r"lasts -2 seconds; it must be a number above 0"),
        ({"trials": (Trial("test", float("nan")),)}, r"lasts nan seconds"),
        ({"trials": (Trial("test", 1.0, (Event(1.5, Verb.CUE),)),)}, r"at 1.5 s; it must be 0 to less than its 1 s"),
        ({"trials": (Trial("test", 1.0, (Event(0.0, "shw"),)),)}, r"the verb 'shw'; it must be one of Verb.SHOW"),  # type: ignore[arg-type]
        ({"trials": (Trial("test", 1.0, (Event(0.0, Verb.HIDE, "cup"),)),)}, r"event 'hide' of 'cup'; there are"),
        ({"trials": (Trial("test", 1.0, (Event(0.0, Verb.SAY, "", ("ma", "call")),)),)}, r"there is no caregiver"),
        ({"score": 7}, r"item 99 was judged 7; a score is 0, 1 or 2"),
        ({"result": None}, r"the outcome of item 99 is None; it must be a dictionary"),
        ({"asked": "table"}, r"item 99 asks its log for 'table'; `watch` has block"),
    ],
)
def test_mistakes_of_an_item_are_named(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        play(item(**values))


@pytest.mark.parametrize("blocks", [0, -1, 1.5, True, "2"])
def test_blocks_are_whole_numbers(blocks: Any) -> None:
    with pytest.raises(ValueError, match=r"blocks is .*; it must be a whole number, 1 or more"):
        ItemEnv(1, "primitives", blocks=blocks)


def test_modes_steps_and_actions_are_checked() -> None:
    with pytest.raises(ValueError, match=r"the mode is 'joint'; it must be one of joints, primitives; did you mean"):
        ItemEnv(1, "joint")
    env = ItemEnv(item(), "primitives", blocks=1)
    with pytest.raises(RuntimeError, match=r"there is no episode; call reset\(\) first"):
        env.step(np.zeros(6))
    env.reset(seed=1)
    for wrong in (None, "left", np.zeros(5), {}):
        with pytest.raises(ValueError, match=r"an action (is|has the shape) .*; it must be"):
            env.step(wrong)
    with pytest.raises(ValueError, match="not finite"):
        env.step([np.nan] * 6)
