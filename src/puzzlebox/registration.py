"""Registration of the environments of all wings with Gymnasium, right after a program imports it.

Importing Gymnasium takes 0.1 s; programs that do not use it do not pay for it. The modules named here import nothing
heavy themselves.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# The modules whose `register` registers the environments of a wing.
_MODULES = ("puzzlebox.arena.envs.registration", "puzzlebox.infant.envs.registration")


def register() -> None:
    """Register the environments of all wings with Gymnasium, unless they are registered already."""
    for name in _MODULES:
        import_module(name).register()


class _ImportHook:
    """Registers the environments right after the first import of Gymnasium."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def run_and_register(module: Any) -> None:
            run(module)
            register()

        spec.loader.exec_module = run_and_register  # type: ignore[method-assign]
        return spec


def register_when_needed() -> None:
    """Register now if Gymnasium is imported, otherwise right after its first import."""
    if "gymnasium" in sys.modules:
        register()
    elif not any(isinstance(finder, _ImportHook) for finder in sys.meta_path):
        sys.meta_path.insert(0, _ImportHook())
