"""Compare MiniWorld and ViZDoom with Puzzlebox: same machine, same core, in turns, random actions, with resets.

The peers come from PyPI into an environment of their own under build/, which may be deleted at any time. Each simulator
runs as a process of its own that prints JSON (`peer_program.py`), pinned to one core where `taskset` exists.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from benchmarks.measure import Result

PACKAGES = {"miniworld": "miniworld==2.1.0", "vizdoom": "vizdoom==1.3.2"}
# 139x139 has as many pixels as ViZDoom's smallest picture, 160x120.
_OWN = ("puzzlebox:64", "puzzlebox:139")
# Each peer with the Puzzlebox environment it is compared with.
PEERS = (
    ("puzzlebox:64", "miniworld:OneRoom"),
    ("puzzlebox:64", "miniworld:PickupObjects"),
    ("puzzlebox:64", "vizdoom:health_gathering_supreme:1"),
    ("puzzlebox:64", "vizdoom:health_gathering_supreme:3"),
    ("puzzlebox:139", "vizdoom:basic:1"),
    ("puzzlebox:139", "vizdoom:health_gathering_supreme:1"),
    ("puzzlebox:139", "vizdoom:health_gathering_supreme:3"),
    ("puzzlebox:139", "vizdoom:health_gathering_supreme:4"),
)
_SECONDS, _ROUNDS, _TURNS = 0.5, 2, 4
_PROGRAM = Path(__file__).with_name("peer_program.py")
_FOLDER = Path(__file__).parent.parent / "build" / "peers"


def _python() -> Path:
    return _FOLDER / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"


def install(peer: str) -> str:
    """Install a peer into the environment of the benchmark; return why that failed, or ""."""
    if not _python().exists():
        venv.create(_FOLDER / "venv", with_pip=True)
    stamp = _FOLDER / f"{peer}.installed"
    if stamp.exists() and stamp.read_text() == PACKAGES[peer]:
        return ""
    print(f"installing {PACKAGES[peer]} into build/peers ...", file=sys.stderr)
    command = [str(_python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGES[peer]]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        return f"pip: {_last_line(process.stderr)}"
    stamp.write_text(PACKAGES[peer])
    return ""


def measure(name: str) -> dict[str, Any]:
    """Return the figures of a simulator; {"problem": why} where it does not run."""
    python = sys.executable if name in _OWN else str(_python())
    command = [python, str(_PROGRAM), name, str(_SECONDS), str(_ROUNDS)]
    if shutil.which("taskset"):
        command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command]
    try:  # ViZDoom leaves files where it runs
        process = subprocess.run(command, cwd=_FOLDER, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return {"problem": "no answer within two minutes"}
    if process.returncode:
        return {"problem": _last_line(process.stderr)}
    figures: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return figures


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"


def _describe(figures: dict[str, Any]) -> str:
    kind, scene, *_ = figures["name"].split(":")
    kind = {"miniworld": "MiniWorld", "vizdoom": "ViZDoom"}[kind]
    skip = f"frame skip {figures['frame_skip']}"
    return f"{kind} {figures['version']} {scene} {figures['resolution']}, {skip}, {figures['note']}"


def run() -> list[Result]:
    """Return a result for each peer, beside Puzzlebox's rate; or the reason why it does not run here."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    problems = {peer: why for peer in PACKAGES if (why := install(peer))}
    best: dict[str, dict[str, Any]] = {}
    for _ in range(_TURNS):
        for name in dict.fromkeys((*_OWN, *(peer for _, peer in PEERS))):
            kind = name.split(":")[0]
            if kind in problems:
                continue
            figures = measure(name)
            if "problem" in figures:
                problems[kind] = figures["problem"]
            elif name not in best or figures["rate"] > best[name]["rate"]:
                best[name] = figures
    results = []
    for own, name in PEERS:
        kind = name.split(":")[0]
        size = best[own]["resolution"]
        result = Result(f"env steps a second, camera {size}, frame skip 3", best[own]["rate"], "/s")
        if kind in problems:
            result.peer_name = f"{name} does not run here: {problems[kind]}"
        else:
            result.peer, result.peer_name = best[name]["rate"], _describe(best[name])
        results.append(result)
    return results
