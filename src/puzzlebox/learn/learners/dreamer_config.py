"""The configuration that the parts of SheepRL read, from the settings of a run."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.spaces import Dict as DictSpace

SIZES = ("XS", "S", "M", "L", "XL")


def picture_parts(space: DictSpace) -> list[str]:
    """Return the names of the parts of an observation that are pictures.

    Raises:
        ValueError: pictures differ in size, or their sides are no powers of two.
    """
    names = [
        name
        for name, part in space.items()
        if isinstance(part, Box) and part.dtype == np.uint8 and len(part.shape) == 3
    ]
    sides = {side for name in names for side in (space[name].shape or ())[:2]}
    if len(sides) > 1:
        raise ValueError(f"dreamer needs pictures of one size, with equal sides; there are {sorted(sides)} pixels")
    for side in sides:
        if side < 8 or side & (side - 1):
            raise ValueError(f"a picture is {side} pixels wide; for dreamer it must be 8, 16, 32, 64 or 128")
    return names


def configuration(settings: Mapping[str, Any], space: DictSpace, envs: int) -> Any:
    """Return SheepRL's configuration of DreamerV3.

    Raises:
        ValueError: there is no such size, or a setting of `sheeprl` is not one of SheepRL.
    """
    from hydra import compose, initialize_config_module
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from sheeprl.utils.utils import dotdict

    size = str(settings["size"])
    if size not in SIZES:
        raise ValueError(f"size is {size!r}; it must be {', '.join(SIZES)}")
    pictures = picture_parts(space)
    numbers = [name for name in space if name not in pictures]
    side = (space[pictures[0]].shape or (64,))[0] if pictures else 64
    overrides = [
        "exp=dreamer_v3",
        f"algo=dreamer_v3_{size}",
        "env=dummy",
        f"env.num_envs={envs}",
        f"env.screen_size={side}",
        f"algo.cnn_keys.encoder=[{','.join(pictures)}]",
        f"algo.mlp_keys.encoder=[{','.join(numbers)}]",
        f"algo.cnn_keys.decoder=[{','.join(pictures)}]",
        f"algo.mlp_keys.decoder=[{','.join(numbers)}]",
        f"algo.per_rank_batch_size={settings['batch_size']}",
        f"algo.per_rank_sequence_length={settings['sequence_length']}",
        f"algo.horizon={settings['horizon']}",
        f"algo.gamma={settings['gamma']}",
        f"algo.lmbda={settings['gae_lambda']}",
        f"algo.actor.ent_coef={settings['entropy']}",
        f"algo.world_model.optimizer.lr={settings['world_learning_rate']}",
        f"algo.actor.optimizer.lr={settings['actor_learning_rate']}",
        f"algo.critic.optimizer.lr={settings['critic_learning_rate']}",
        f"buffer.size={settings['buffer_size']}",
        "metric.log_level=0",
        *settings["sheeprl"],
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with initialize_config_module("sheeprl.configs", version_base="1.3"):
                composed = compose("config", overrides=overrides)
                return dotdict(OmegaConf.to_container(composed, resolve=True, throw_on_missing=False))
    except (HydraException, OmegaConfBaseException) as problem:
        line = str(problem).strip().splitlines()[0]
        raise ValueError(f"SheepRL refuses a setting: {line}") from None


def make_fabric(settings: Mapping[str, Any], device: str) -> Any:
    """Return the device and the precision, as SheepRL wants them."""
    from lightning.fabric import Fabric

    kind, _, number = device.partition(":")
    devices: Any = [int(number)] if number else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Fabric(accelerator="cuda" if kind == "cuda" else "cpu", devices=devices, precision=settings["precision"])
