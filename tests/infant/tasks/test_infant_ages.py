"""Every task has a youngest age: younger children are refused with a sentence, and older ones can play it."""

import pytest

from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.envs.core import Core, task_class
from puzzlebox.infant.envs.env import InfantEnv


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "baby-run"])
def test_children_who_are_too_young_are_refused_and_told_from_when(name: str) -> None:
    kind = task_class(CATALOGUE[name])
    with pytest.raises(
        ValueError, match=rf"^age_months is {kind.youngest - 0.5:g}, but .* is {kind.youngest:g} months: "
    ):
        InfantEnv(name, age_months=kind.youngest - 0.5)


@pytest.mark.parametrize("name", CATALOGUE)
def test_scripts_act_at_the_youngest_and_the_oldest_age(name: str) -> None:
    for age in (task_class(CATALOGUE[name]).youngest, 24):
        core = Core(name, age_months=age, senses=("balance",))
        core.reset(1)
        for _ in range(60):
            core.step(core.script())
            if core.outcome.over:
                break


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
def test_from_the_youngest_age_on_scripts_pass_most_episodes_and_doing_nothing_none(name: str) -> None:
    from benchmarks.infant_ages import passed

    for age in (task_class(CATALOGUE[name]).youngest, 24):
        core = Core(name, age_months=age, senses=("balance",))
        assert sum(passed(core, seed, scripted=True) for seed in range(5)) >= 3
        assert not any(passed(core, seed, scripted=False) for seed in range(5))
