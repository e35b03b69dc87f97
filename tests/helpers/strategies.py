"""Random tasks, for property-based tests: everything the models allow, nothing else."""

from typing import Any

from hypothesis import strategies as st

from puzzlebox.arena.schema.models import Arena, Item, Metadata, Surface, Task, Theme
from puzzlebox.arena.things import CATALOGUE, NOTHING, SKINS, SYMBOLS, Kind
from puzzlebox.scene.themes import PATTERNS, THEMES

NAMES = list(CATALOGUE)
numbers = st.one_of(st.integers(0, 60), st.floats(0, 1e6, allow_subnormal=False)).map(float)
signed = st.one_of(st.integers(-60, 60).map(float), st.floats(-1e6, 1e6, allow_subnormal=False))
axis = st.one_of(numbers, st.none())
positions = st.tuples(axis, numbers, axis)
channels = st.one_of(st.integers(0, 255), st.floats(0, 255)).map(float)
counts = st.integers(-1, 2**31 - 1)
# Everything YAML can hold: control characters only as escapes, surrogates not at all.
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
plain_data = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**12), 10**12), signed, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)

VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.POSITION: positions,
    Kind.POSITIONS: st.lists(positions, min_size=2, max_size=4).map(tuple),
    Kind.SIZE: st.tuples(axis, axis, axis),
    Kind.COLOUR: st.tuples(channels, channels, channels),
    Kind.ANGLE: numbers,
    Kind.NUMBER: signed,
    Kind.NOT_NEGATIVE: numbers,
    Kind.PROBABILITY: st.floats(0, 1),
    Kind.WHOLE: st.integers(0, 2**31 - 1),
    Kind.COUNT: counts,
    Kind.FLAG: st.booleans(),
    Kind.TEXT: texts,
    Kind.SKIN: st.sampled_from(SKINS),
    Kind.SYMBOL: st.one_of(st.sampled_from(SYMBOLS), st.sampled_from(["01/10", "*1*/000", "4x3", "12x1"])),
}


@st.composite
def items(draw: st.DrawFn, *, name: str | None = None, depth: int = 1) -> Item:
    name = name or draw(st.sampled_from(NAMES))
    takes = CATALOGUE[name].takes()
    chosen = draw(st.sets(st.sampled_from(sorted(takes)))) if takes else set()
    data: dict[str, Any] = {"name": name}
    if "reward_names" in chosen:
        rewards = draw(st.lists(st.sampled_from([*NAMES, NOTHING]), min_size=1, max_size=3))
        data["reward_names"] = rewards
        if "reward_weights" in chosen:
            data["reward_weights"] = [1.0, *draw(st.lists(numbers, min_size=2, max_size=2))][: len(rewards)]
        if "max_reward_counts" in chosen:
            data["max_reward_counts"] = draw(st.lists(counts, min_size=len(rewards), max_size=len(rewards)))
    for key in chosen - {"reward_names", "reward_weights", "max_reward_counts"}:
        if key == "operations":
            data[key] = draw(st.lists(operations(depth=depth), min_size=1, max_size=2)) if depth else None
        elif not (key == "at_one_of" and "at" in chosen):
            data[key] = draw(VALUES[_kind(key)])
    return Item.model_validate(data)


def _kind(key: str) -> Kind:
    from puzzlebox.arena.things import PARAMETERS

    return PARAMETERS[key].kind


def operations(depth: int) -> st.SearchStrategy[dict[str, Any]]:
    simple = st.one_of(
        st.just({"do": "nothing"}),
        st.builds(lambda reward: {"do": "grant_reward", "reward": reward}, signed),
        st.builds(lambda reward: {"do": "end_episode", "reward": reward}, signed),
        st.builds(lambda reward: {"do": "grant_continuous_reward", "reward_per_step": reward}, signed),
        st.builds(lambda steps: {"do": "freeze_agent", "steps": steps}, st.integers(0, 1000)),
        st.builds(
            lambda item, present, forget: {
                "do": "toggle_object",
                "items": [item],
                "initially_present": present,
                "forget": forget,
            },
            st.deferred(lambda: items(depth=depth - 1)),
            st.booleans(),
            st.booleans(),
        ),
    )
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            st.builds(
                lambda times, operation: {"do": "limited", "times": times, "operation": operation}, counts, inner
            ),
            st.builds(
                lambda choices, weigh: {
                    "do": "one_of",
                    "operations": choices,
                    "weights": [float(i + 1) for i in range(len(choices))] if weigh else [],
                },
                st.lists(inner, max_size=3),
                st.booleans(),
            ),
        ),
        max_leaves=3,
    )


colours = VALUES[Kind.COLOUR]
surfaces = st.builds(Surface, color=st.none() | colours, pattern=st.none() | st.sampled_from(PATTERNS))
themes = st.builds(
    Theme,
    base=st.sampled_from(list(THEMES)),
    floor=st.none() | surfaces,
    sky=st.none() | surfaces,
    ceiling=st.none() | surfaces,
    light=st.none() | st.floats(0, 1),
)
metadata = st.builds(
    lambda known, extra: Metadata.model_validate({**extra, **known}),
    st.fixed_dictionaries(
        {}, optional={"title": texts, "description": texts, "citation": texts, "level": st.integers(0, 99)}
    ),
    st.dictionaries(texts.filter(lambda key: key not in Metadata.model_fields), plain_data, max_size=2),
)
blackouts = st.one_of(
    st.lists(st.integers(0, 500), unique=True, max_size=4).map(sorted),
    st.integers(-100, -1).map(lambda period: [period]),
)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    ids = sorted(draw(st.sets(st.integers(0, 30), min_size=1, max_size=3)))
    arenas = [
        draw(
            st.builds(
                Arena,
                id=st.just(number),
                time_limit=st.integers(0, 10_000),
                pass_mark=signed,
                size=st.tuples(st.floats(5, 100), st.floats(5, 100)),
                theme=themes,
                blackouts=blackouts,
                random_seed=st.integers(-(2**31), 2**31 - 1),
                merge_next_arena=st.just(False),
                episode_end=st.sampled_from(["any", "all"]),
                metadata=metadata,
                items=st.lists(items(), max_size=5),
            )
        )
        for number in ids
    ]
    return Task(
        metadata=draw(metadata),
        randomize_arenas=draw(st.booleans()),
        show_notification=draw(st.booleans()),
        can_reset_episode=draw(st.booleans()),
        can_change_perspective=draw(st.booleans()),
        default_perspective=draw(st.sampled_from(["first", "third", "birdsEye"])),
        arenas=tuple(arenas),
    )
