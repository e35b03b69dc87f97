"""SAPIEN's compiled module, loaded without the rest of the package.

`import sapien` runs `nvidia-smi` twice, to look for a GPU to draw with, and imports a renderer, OpenCV and
an HTTP client. Puzzlebox uses PhysX alone, and importing it starts no program. Code that imports SAPIEN
itself, before or after, uses the same compiled module.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType

# The first module loads the libraries that the second is linked to.
_LIBRARY_LOADER, _COMPILED = "sapien._oidn_tricks", "sapien.pysapien"


def _load(name: str, folders: list[str]) -> ModuleType:
    """Return a module of the package without running the package's own `__init__`."""
    if name in sys.modules:
        return sys.modules[name]
    spec = PathFinder.find_spec(name, folders)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load_sapien() -> ModuleType:
    """Return SAPIEN's compiled module, which holds PhysX as `physx`."""
    package = find_spec("sapien")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'sapien'; install it with `pip install sapien`", name="sapien")
    folders = list(package.submodule_search_locations)
    _load(_LIBRARY_LOADER, folders)
    return _load(_COMPILED, folders)
