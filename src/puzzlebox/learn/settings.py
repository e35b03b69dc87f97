"""The settings of a run of training: defaults of a learner, a preset, and changes written `key=value`.

There are four groups. `settings` are those of the learner, `environment` those of `puzzlebox.make` or of an infant
task, `curiosity` and `run` are the same for all learners. A key is written with its group, as in
`environment.camera=36`, or without it, as in `camera=36`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml

from puzzlebox.learn.values import checked_value, parse_value
from puzzlebox.text import closest, nearest

LEARNERS = ("recurrent", "ppo", "dqn", "sac", "dreamer")
GROUPS = ("settings", "environment", "curiosity", "run")
_FILE = Path(__file__).with_name("presets.yml")
# Counts that a run cannot do with none of, and numbers that are at most 1; of any learner.
_AT_LEAST_ONE = (
    *("log_every", "evaluation_episodes", "every", "batch_size", "buffer_size", "train_freq"),
    *("rollout", "epochs", "minibatches", "memory_size", "n_steps", "n_epochs", "sequence_length", "horizon"),
)
# The most environments of a vector: with 1.5 MB each (docs/concepts/performance.md), about 100 GB.
_MOST_ENVS = 65_536
_AT_MOST_ONE = (
    *("gamma", "gae_lambda", "tau", "forward_share"),
    *("exploration_fraction", "exploration_initial_eps", "exploration_final_eps"),
)


@dataclass(frozen=True)
class Resolved:
    """All settings of a run, as `run.json` stores them.

    Attributes:
        learner: the name of the learner.
        preset: the name of the preset; "" if there is none.
        settings: those of the learner.
        environment: those of the environments, without those that have their defaults.
        curiosity: those of the intrinsic reward.
        run: when checkpoints are written, and how long evaluations are.
    """

    learner: str
    preset: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    curiosity: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return all settings as plain values."""
        return asdict(self)


@cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return tables


def preset_names() -> list[str]:
    """Return the names of all presets."""
    return list(_tables()["presets"])


def preset_named(name: str) -> dict[str, Any]:
    """Return what a preset changes.

    Raises:
        ValueError: there is no such preset.
    """
    presets = _tables()["presets"]
    if name not in presets:
        raise ValueError(f"there is no preset {name!r}{nearest(name, presets)}")
    return dict(presets[name])


def learner_defaults(learner: str) -> dict[str, Any]:
    """Return every setting of a learner with its default.

    Raises:
        ValueError: there is no such learner.
    """
    if learner not in LEARNERS:
        raise ValueError(f"there is no learner {learner!r}{nearest(learner, LEARNERS)}")
    if learner == "recurrent":
        from puzzlebox.learn.recurrent import Settings

        return {each.name: each.default for each in fields(Settings)}
    return dict(_tables()["learners"][learner])


def resolve(
    learner: str | None,
    preset: str | None = None,
    changes: Iterable[str] = (),
    known_environment: Mapping[str, Any] | None = None,
) -> Resolved:
    """Return all settings of a run.

    Args:
        learner: the name of the learner. Default: that of the preset, or `recurrent`.
        preset: the name of a preset.
        changes: texts such as `learning_rate=1e-4`.
        known_environment: the settings that environments of the wing have, with their defaults; one that is not
            among them must be written with its group.

    Raises:
        ValueError: there is no such learner, preset or setting, or a value is not allowed.
    """
    patch = preset_named(preset) if preset else {}
    own = patch.get("learner")
    if learner is not None and own is not None and learner != own:
        raise ValueError(f"the preset {preset} is one of the learner {own}, not of {learner}")
    learner = learner or own or "recurrent"
    defaults = _defaults(learner, known_environment)
    values: dict[str, dict[str, Any]] = {name: dict(defaults[name]) for name in GROUPS}
    values["environment"] = {}
    given = [(group, key, value) for group in GROUPS for key, value in patch.get(group, {}).items()]
    given += [_change(text, defaults) for text in changes]
    _apply(values, given, learner, defaults)
    return Resolved(learner, preset or "", **values)


def change(resolved: Resolved, changes: Iterable[str], known_environment: Mapping[str, Any] | None = None) -> Resolved:
    """Return settings with changes, as `resolve` takes them; all others are as they were.

    Raises:
        ValueError: there is no such setting, or a value is not allowed.
    """
    defaults = _defaults(resolved.learner, known_environment)
    values: dict[str, dict[str, Any]] = {name: dict(getattr(resolved, name)) for name in GROUPS}
    _apply(values, [_change(text, defaults) for text in changes], resolved.learner, defaults)
    return Resolved(resolved.learner, resolved.preset, **values)


def decide(resolved: Resolved, device: str, before: Mapping[str, Any] | None = None) -> Resolved:
    """Return settings in which what depends on the machine is decided: a run that is resumed elsewhere keeps it.

    Args:
        resolved: the settings.
        device: where the learner computes.
        before: `run.json` of the run that is resumed. Default: it is a new one.
    """
    if resolved.learner != "recurrent" or resolved.settings["precision"] != "auto":
        return resolved
    from puzzlebox.learn.precision import fastest_precision

    kept = None if before is None else before["settings"].get("precision")
    precision = kept or fastest_precision(device)
    return replace(resolved, settings={**resolved.settings, "precision": precision})


def _defaults(learner: str, known_environment: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    return {
        "settings": learner_defaults(learner),
        "environment": dict(known_environment or {}),
        "curiosity": dict(_tables()["curiosity"]),
        "run": dict(_tables()["run"]),
    }


def _apply(
    values: dict[str, dict[str, Any]],
    given: Iterable[tuple[str, str, Any]],
    learner: str,
    defaults: Mapping[str, Mapping[str, Any]],
) -> None:
    """Write values into their groups, checked; the environment checks its own."""
    for group, key, value in given:
        own = group == "environment"
        values[group][key] = value if own else _checked(learner, group, key, value, defaults[group])


def _change(text: str, defaults: Mapping[str, Mapping[str, Any]]) -> tuple[str, str, Any]:
    """Return group, key and value of a text `key=value` or `group.key=value`."""
    name, sign, value = text.partition("=")
    name = name.strip()
    if not sign or not name:
        raise ValueError(f"{text!r} is not a setting; write it as in learning_rate=1e-4")
    group, dot, key = name.partition(".")
    if dot:
        if group not in GROUPS:
            raise ValueError(f"there is no group of settings {group!r} in {text!r}{nearest(group, GROUPS)}")
        # An infant task has settings that only it knows; it refuses others itself.
        if key not in defaults[group] and (group != "environment" or defaults[group]):
            raise ValueError(f"there is no setting {name!r}{closest(key, list(defaults[group]))}")
        return group, key, _parsed(group, value, defaults[group].get(key))
    for each in GROUPS:
        if name in defaults[each]:
            return each, name, _parsed(each, value, defaults[each][name])
    everything = [key for each in GROUPS for key in defaults[each]]
    hint = closest(name, everything)
    if not hint and not defaults["environment"]:
        hint = f"; a setting of the task is written environment.{name}=..."
    raise ValueError(f"there is no setting {name!r}{hint or nearest(name, everything)}")


def _parsed(group: str, text: str, default: Any) -> Any:
    """Return the value of a text; what is a word by default stays one, as in `memory=none` or `rules=3.1`."""
    word = text.strip()
    if isinstance(default, str) and (group == "environment" or word.lower() == "none"):
        return word
    return parse_value(text)


def _checked(learner: str, group: str, key: str, value: Any, defaults: Mapping[str, Any]) -> Any:
    choices: tuple[Any, ...] = ()
    optional = False
    if group == "settings" and learner == "recurrent":
        from puzzlebox.learn.recurrent import Settings

        kinds = [each.type for each in fields(Settings) if each.name == key]
        options = get_args(kinds[0]) if kinds else ()
        choices = options if kinds and get_origin(kinds[0]) is Literal else ()
        optional = type(None) in options
    if key not in defaults:
        raise ValueError(f"there is no setting {key!r}{nearest(key, defaults)}")
    if key == "ent_coef" and isinstance(value, int | float):  # a number, or `auto`
        return float(value)
    found = checked_value(key, value, defaults[key], choices, optional)
    if key == "envs" and not 1 <= found <= _MOST_ENVS:
        raise ValueError(f"{key} is {found!r}; it must be a whole number from 1 to {_MOST_ENVS}")
    if key in _AT_LEAST_ONE and found is not None and found < 1:
        raise ValueError(f"{key} is {found!r}; it must be a whole number, 1 or more")
    if key in _AT_MOST_ONE and found > 1:
        raise ValueError(f"{key} is {found!r}; it must be from 0 to 1")
    return found
