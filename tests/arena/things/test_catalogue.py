"""The catalogue agrees with the fact sheet of the original, and with itself."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from puzzlebox.arena.schema.models import Item
from puzzlebox.arena.things import (
    ANIMALAI_PARAMETERS,
    CATALOGUE,
    PARAMETERS,
    Category,
    ColourRule,
    Kind,
    names,
    page,
)

# Differences from the fact sheet (docs/concepts/differences.md): tunnels take a colour again.
OWN_COLOUR_RULE = {"CylinderTunnel": ColourRule.GIVEN_OR_RANDOM}


@pytest.fixture(scope="module")
def sheet(reference: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((reference / "spec" / "animal-ai-objects.yaml").read_text())
    for thing in data["objects"].values():
        while "inherit" in thing:
            thing.update({**data["objects"][thing.pop("inherit")], **thing})
    return data


def as_vector(value: Any) -> tuple[float, ...]:
    return tuple(map(float, value)) if isinstance(value, list) else (float(value),) * 3


def test_the_same_things_as_the_original(sheet: dict[str, Any]) -> None:
    assert set(CATALOGUE) == set(sheet["objects"]) | {"Agent"}


def test_all_aliases_of_the_original(sheet: dict[str, Any]) -> None:
    things_by_name = names()
    assert {old: things_by_name[old] for old in sheet["aliases"]} == sheet["aliases"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GoodGoalMove", "GoodGoalBounce"),
        ("BadGoalMove", "BadGoalBounce"),
        ("GoodGoalMultiMove", "GoodGoalMultiBounce"),
        ("SpawnerDispenserShort", "SpawnerContainerShort"),
        ("CardBox1", "LightBlock"),
        ("CardBox2", "HeavyBlock"),
        ("JObject", "JBlock"),
        ("BadGoalMulti.experimental", "BadGoalMulti"),
    ],
)
def test_names_of_2019_and_spellings_of_the_documentation(old: str, new: str) -> None:
    assert names()[old] == new


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "Agent"])
def test_sizes_rotation_and_colour_as_in_the_fact_sheet(name: str, sheet: dict[str, Any]) -> None:
    thing, facts = CATALOGUE[name], sheet["objects"][name]
    assert thing.turns == (facts["rot_random"][1] > 0)
    if thing.size is not None:
        assert thing.size.smallest == as_vector(facts["size_min"])
        assert thing.size.largest == as_vector(facts["size_max"])
    elif "fixed_size" in facts:
        assert thing.fixed_size == as_vector(facts["fixed_size"])
    user, random = facts["colour"].get("user"), facts["colour"].get("random")
    rules = {
        (True, True): ColourRule.GIVEN_OR_RANDOM,
        (True, False): ColourRule.GIVEN_OR_OWN,
        (False, False): ColourRule.FIXED,
        ("symbol_tint", False): ColourRule.SYMBOL,
    }
    assert thing.colour == OWN_COLOUR_RULE.get(name, rules[user, random])


@pytest.mark.parametrize("name", [name for name in CATALOGUE if CATALOGUE[name].category is Category.GOAL])
def test_values_of_changing_goals_as_in_the_fact_sheet(name: str, sheet: dict[str, Any]) -> None:
    values = sheet["objects"][name].get("values")
    takes = CATALOGUE[name].takes()
    assert ("initial_value" in takes) == (values is not None)
    if values:
        assert takes["initial_value"].default == values["initial"]
        assert takes["final_value"].default == values["final"]
        assert takes["change_rate"].default == values["rate_per_physics_step"]


def test_documented_defaults_of_dispensers(sheet: dict[str, Any]) -> None:
    words = {
        "delay_s": "delay",
        "interval_s": "time_between_spawns",
        "ripen_s": "ripen_time",
        "count": "spawn_count",
        "initial": "initial_value",
        "final": "final_value",
        "door_delay_s": "door_delay",
        "time_between_door_opens_s": "time_between_door_opens",
    }
    for name in ("SpawnerTree", "SpawnerDispenserTall", "SpawnerContainerShort"):
        documented = sheet["objects"][name]["documented_defaults"]
        takes = CATALOGUE[name].takes()
        for word, key in words.items():
            if word in documented:
                assert takes[key].default == documented[word], (name, key)


def test_symbols_and_skins_as_in_the_fact_sheet(sheet: dict[str, Any]) -> None:
    from puzzlebox.arena.things import SKINS, SYMBOLS

    assert list(SYMBOLS) == sheet["objects"]["SignBoard"]["symbols"]
    assert set(SKINS) == set(sheet["agent"]["skins"])


def test_every_item_key_of_the_fact_sheet_is_known(reference: Path) -> None:
    """Section 1.4 lists the keys of an item, one row each."""
    text = (reference / "spec" / "animal-ai.md").read_text()
    table = text.split("### 1.4")[1].split("### 1.5")[0]
    keys = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    assert len(keys) == 30
    assert keys - {"name"} == set(ANIMALAI_PARAMETERS)


def test_the_model_has_exactly_the_parameters_of_the_table() -> None:
    assert list(Item.model_fields) == ["name", *PARAMETERS]


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_thing_has_a_page(name: str) -> None:
    thing = CATALOGUE[name]
    assert thing.description().endswith(".")
    assert dict(page.facts(thing))["kind"] == thing.category.value
    rows = list(page.parameters(thing))
    assert [row[0] for row in rows] == list(thing.takes())
    assert all(meaning for _, meaning, _, _ in rows)
    assert set(thing.parameters) <= set(PARAMETERS)


@pytest.mark.parametrize("name", CATALOGUE)
def test_defaults_of_a_thing_are_values_it_accepts(name: str) -> None:
    """Every default is a valid value."""
    for key, spec in CATALOGUE[name].takes().items():
        if spec.default is not None and PARAMETERS[key].kind is not Kind.OPERATIONS:
            Item.model_validate({"name": name, key: spec.default})


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_thing_pays_the_reward_on_its_page(name: str) -> None:
    thing = CATALOGUE[name]
    assert thing.pays == thing.reward.startswith("+")
    assert thing.ends == thing.reward.endswith(", ends the episode")


def test_rewards_as_in_the_fact_sheet(sheet: dict[str, Any]) -> None:
    """Goals that change are left out: they follow the documentation of the original, not its behaviour."""
    for name in ("GoodGoal", "GoodGoalMulti", "BadGoal", "BadGoalMulti", "DecoyGoalMulti"):
        facts = sheet["objects"][name]
        assert CATALOGUE[name].pays == (facts["reward"] == "+d")
        assert CATALOGUE[name].ends == (facts["ends_episode"] is True)


def test_aliases_point_to_one_thing_each() -> None:
    aliases = [alias for thing in CATALOGUE.values() for alias in thing.aliases]
    assert len(aliases) == len(set(aliases))
    assert set(aliases).isdisjoint(CATALOGUE)
