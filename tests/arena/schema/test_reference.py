"""The original's own files: each loads with the right findings, and is the same after writing in both formats."""

from collections import Counter
from pathlib import Path

import pytest

from conftest import each_reference_file, reference_files
from puzzlebox.arena.schema import ANIMALAI, PUZZLEBOX, read, write

# The warnings about files that are not of the testbed, apart from clamped sizes.
EXPECTED_CODES = {
    "Arena-Objects.yaml": {"skipped-thing": 2, "no-effect": 10, "clamped-value": 2, "overlap": 1},
    "Example-Merged-Arenas-YAML-File.yml": {"pass-mark": 2, "no-effect": 1},
    "Example-YAML-File.yaml": {},
    "testButtonsLegacy.yml": {},
    "testCrowdedArena.yml": {"no-effect": 8},
    "testDatazone.yml": {"no-effect": 1},
    "testDatazone_freezeAgent.yml": {},
    "testMergedArenas.yml": {"no-effect": 1},
    "testUnmergedArenas.yml": {"no-effect": 1},
}


def test_the_reference_files_are_here(reference: Path) -> None:
    assert len(reference_files()) == 109


@pytest.mark.parametrize("path", each_reference_file())
def test_each_original_file_is_read_and_written_in_both_forms(path: Path) -> None:
    reading = read(path.read_bytes())
    assert reading.task is not None, reading.findings
    assert reading.form == ANIMALAI
    for form in (PUZZLEBOX, ANIMALAI):
        again = read(write(reading.task, form))
        assert again.task == reading.task
        # No warning is left that rewriting the file could remove.
        left = {finding.code for finding in again.findings}
        assert left <= {"clamped-size", "clamped-value", "ball-size", "pass-mark", "overlap", "short-list"}


@pytest.mark.parametrize("name", EXPECTED_CODES)
def test_the_sample_files_give_the_expected_warnings(name: str, reference: Path) -> None:
    (path,) = (reference / "data" / "animal-ai").rglob(name)
    codes = Counter(finding.code for finding in read(path.read_bytes()).findings)
    del codes["clamped-size"]
    assert codes == EXPECTED_CODES[name]


def test_the_testbed_gives_the_expected_warnings(reference: Path) -> None:
    """Two crossing walls of 06-11 really overlap; no other fixed thing does. One list is short on purpose.

    Five balls have sizes of which only the first number ever counted.
    """
    codes: dict[str, list[str]] = {}
    for path in sorted((reference / "data" / "animal-ai" / "testbed-sample").glob("*.yaml")):
        for finding in read(path.read_bytes()).findings:
            if finding.code != "clamped-size":
                codes.setdefault(finding.code, []).append(path.stem)
    assert codes == {
        "overlap": ["06-11-02"] * 2,
        "short-list": ["01-26-02"],
        "ball-size": ["09-29-02"] * 4 + ["10-23-02"],
    }


def test_all_that_the_survey_of_900_tasks_found_is_accepted() -> None:
    """Every key, name, blackout list and oddity that occurs in the testbed (docs/original/task-files.md#survey)."""
    names = (
        "Wall Agent GoodGoal GoodGoalMulti DeathZone Ramp WallTransparent GoodGoalBounce BadGoal GoodGoalMultiBounce "
        "Cardbox2 UObject Cardbox1 HotZone CylinderTunnel BadGoalBounce CylinderTunnelTransparent LObject LObject2"
    ).split()
    blackouts = [
        [15, 60],
        [50, 55, 75, 80, 100, 105, 115, 120, 125, 130, 135],
        [-20],
        [0, 50],
        [5, 10, 15, 20, 25],
        [-60],
    ]
    for index, name in enumerate(names):
        text = (
            "!ArenaConfig\narenas:\n  0: !Arena\n"
            + ("" if index == 3 else "    pass_mark: -1.05\n")
            + f"    t: {(250, 500, 1000)[index % 3]}\n    blackouts: {blackouts[index % len(blackouts)]}\n"
            f"    items:\n    - !Item\n      name: {name}\n"
            "      positions:\n      - !Vector3 {x: -1, y: 0, z: 38.5}\n      rotations: [315]\n"
            "      sizes:\n      - !Vector3 {x: 38, y: 0, z: .5}\n      - !Vector3 {x: 1, y: 1, z: 1}\n"
            "      colors:\n      - !RGB {r: 153, g: 153, b: 153}\n"
        )
        reading = read(text)
        assert reading.task is not None, (name, reading.findings)
        for form in (PUZZLEBOX, ANIMALAI):
            assert read(write(reading.task, form)).task == reading.task
