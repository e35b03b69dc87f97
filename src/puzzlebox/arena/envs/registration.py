"""Telling Gymnasium that there is `puzzlebox/Arena-v1`, without importing Gymnasium for those who do not use it."""

import sys
from importlib.util import find_spec
from typing import Any

ARENA = "puzzlebox/Arena-v1"


def register() -> None:
    """Put the environments into Gymnasium's list; once is enough."""
    from gymnasium.envs import registration

    if ARENA not in registration.registry:
        registration.register(
            ARENA,
            entry_point="puzzlebox.arena.envs.arena:ArenaEnv",
            vector_entry_point="puzzlebox.arena.envs.vector:ArenaVectorEnv",
            # The environment itself refuses to step without an episode, and has one after `restore` without `reset`.
            order_enforce=False,
        )


class _Waiting:
    """Looks out for the first import of Gymnasium and registers right after it: importing it here would cost 0.1 s."""

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
    """Register now if Gymnasium is there, otherwise as soon as somebody imports it."""
    if "gymnasium" in sys.modules:
        register()
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())
