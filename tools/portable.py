"""Pack what training needs for a machine that installs nothing: Puzzlebox, and libraries for its version of Python.

python tools/portable.py --python 3.12 -o build/portable    writes build/portable/site.tar.xz

On the machine, which has torch and numpy of its own, with the archive in a copy of this repository:

tar xf build/portable/site.tar.xz -C build && PYTHONPATH=build/site python -m benchmarks.learning list
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = (
    *("sapien", "gymnasium", "pydantic", "pydantic-core", "pyyaml", "typer", "rich", "annotated-types"),
    *("annotated-doc", "typing-extensions", "typing-inspection", "cloudpickle", "farama-notifications"),
    *("markdown-it-py", "mdurl", "pygments", "click", "shellingham", "tensorboardx", "protobuf", "packaging"),
    "stable-baselines3",
)
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
# Headers, robots and sensors of SAPIEN, which training does not use: half of its size.
_LEFT_OUT = ("sapien/include", "sapien/asset", "sapien/sensor/assets")


def locked(names: tuple[str, ...]) -> list[str]:
    """Return libraries with the versions that requirements.lock names."""
    versions = dict(re.findall(r"^([a-z0-9-]+)==([^ \\\n]+)", (ROOT / "requirements.lock").read_text(), re.M))
    return [f"{name}=={versions[name]}" for name in names]


def download(python: str, folder: Path) -> list[Path]:
    """Download wheels for a version of Python on Linux; return their files."""
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", python, *platforms, "--dest", str(folder), *locked(LIBRARIES)]
    subprocess.run(command, check=True)
    return sorted(folder.glob("*.whl"))


def own_wheel(python: str) -> Path:
    """Build our own wheel for a version of Python, and return it."""
    subprocess.run(["make", "--no-print-directory", "wheel", f"PYTHON={python}"], check=True, cwd=ROOT)
    return max((ROOT / "dist").glob("puzzlebox-*.whl"), key=lambda file: file.stat().st_mtime)


def main() -> None:
    """Write the archive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="3.12", help="the machine's version of Python (default: 3.12)")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "portable", help="the folder")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        draft = Path(name)
        for wheel in (*download(options.python, draft), own_wheel(options.python)):
            with ZipFile(wheel) as files:
                files.extractall(draft / "site")
        for each in _LEFT_OUT:
            shutil.rmtree(draft / "site" / each, ignore_errors=True)
        archive = options.output / "site.tar.xz"
        subprocess.run(["tar", "-cJf", str(archive), "-C", str(draft), "site"], check=True)
    print(f"wrote {archive}: {archive.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
