"""RLlib on Ray trains in our environments with two workers on this machine.

The name of an environment begins with the module that registers it, which Gymnasium imports in each worker.
"""

import pytest


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("puzzlebox:puzzlebox/Arena-v1", {"task": "examples/food", "camera": None, "rays": 3, "max_episode_steps": 30}),
        ("puzzlebox:puzzlebox/Infant-KickTheBall-v1", {"senses": ["joints"]}),
    ],
)
def test_rllib_trains_with_two_workers(name: str, settings: dict[str, object]) -> None:
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.connectors.env_to_module import FlattenObservations

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    try:
        config = (
            PPOConfig()
            .environment(name, env_config=settings)
            .env_runners(
                num_env_runners=2,
                num_envs_per_env_runner=1,
                env_to_module_connector=lambda *_, **__: FlattenObservations(),
            )
            .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        )
        learner = config.build_algo()
        first, second = learner.train(), learner.train()
        assert first["num_env_steps_sampled_lifetime"] >= 128
        assert second["num_env_steps_sampled_lifetime"] > first["num_env_steps_sampled_lifetime"]
        assert learner.env_runner_group.num_healthy_remote_workers() == 2
        weights = learner.get_module().state_dict()
        assert all(bool(value.isfinite().all()) for value in weights.values())
        learner.stop()
    finally:
        ray.shutdown()
