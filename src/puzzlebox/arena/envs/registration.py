"""Registration of `puzzlebox/Arena-v1` with Gymnasium."""

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
