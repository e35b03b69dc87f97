"""The rules of each build of the Animal-AI Environment: for each preset, those that differ from Puzzlebox's own.

This table defines `rules="3.1"`. `Rules` in `rules.py` documents each field, and its defaults are the preset
`puzzlebox`. Things and world read single fields, never the name of a preset, so nothing else differs between presets.

| preset | what it reproduces |
|---|---|
| `puzzlebox` | no build: the rules a new study should use; the page on differences explains why each differs |
| `4.3` | build 4.3, which the scripts of today's users were written for |
| `3.1` | build 3.1, which the published results come from |
| `2019` | the first build, of 2019 |
"""

from typing import Any

# Masses (kg) of things in builds before 4.1.0 that differ from the catalogue.
_MASSES_3_1 = {"LightBlock": 1.0, "HeavyBlock": 2.0, "UBlock": 1.5, "LBlock": 1.5, "JBlock": 1.5}
_MASSES_2019 = {**_MASSES_3_1, "Agent": 1.0, "Wall": 100.0, "WallTransparent": 100.0, "Ramp": 100.0}

_BUILD_4_3: dict[str, Any] = {
    "left_out": False,
    "success": "completed",
    "goals_to_collect": "so_far",
    "changing_goals_count": False,
    "ep_ending_goals_end": False,
    "decoys_end": True,
    "ripen_goals_ripen": False,
    "spawners": "constant",
    "grey_tunnels": True,
    "hollow_boxes": False,
    "dark_rays": False,
    "hot_zone_floor": 1e-3,
    "ray_tags": 12,
}
_BUILD_3_1: dict[str, Any] = {
    **_BUILD_4_3,
    "masses": _MASSES_3_1,
    "changing_goals_count": True,
    "ripen_goals_ripen": True,
    "spawners": "swollen",
    "grey_tunnels": False,
}
_BUILD_2019: dict[str, Any] = {
    "drive": 30.0,
    "drag": 1.2,
    "quick_stop": 1.0,
    "masses": _MASSES_2019,
    "success": "completed",
    "ray_tags": 6,
}
# The presets by name, in the order messages list them.
BUILDS: dict[str, dict[str, Any]] = {"puzzlebox": {}, "4.3": _BUILD_4_3, "3.1": _BUILD_3_1, "2019": _BUILD_2019}
