"""Registration of `puzzlebox/Arena-v1` with Gymnasium, without importing Gymnasium for programs that do not use it."""

import sys
from importlib.util import find_spec
from typing import Any

ARENA = "puzzlebox/Arena-v1"


def register() -> None:
    """Register the environments with Gymnasium, unless they are registered already."""
    from gymnasium.envs import registration

    if ARENA not in registration.registry:
        registration.register(
            ARENA,
            entry_point="puzzlebox.arena.envs.arena:ArenaEnv",
            vector_entry_point="puzzlebox.arena.envs.vector:ArenaVectorEnv",
            # The environment itself refuses to step without an episode; after `restore` it has one without `reset`.
            order_enforce=False,
        )


class _ImportHook:
    """Registers the environments right after the first import of Gymnasium, which takes 0.1 s."""

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
