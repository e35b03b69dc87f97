"""The models that can be trained, by name; a model is imported when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.intuitions.models.learner import Learner

# Name, where its class is, and what it is.
MODELS = {
    "parts": ("parts:Parts", "ours: which thing, by which means, how efficiently; surprises kept apart (from states)"),
    "video": ("video:VideoModel", "the next frame, by CNN, bidirectional LSTM and U-Net (from pictures)"),
    "atc": ("atc:StateEncoder", "the contrastive state encoder that cloning and offline RL need (from pictures)"),
    "bc-mlp": ("cloning:CloningMLP", "the next action, with a context of single steps (from encoded pictures)"),
    "bc-rnn": ("cloning:CloningRNN", "the next action, with a context of whole trials (from encoded pictures)"),
    "offline-rl": (
        "offline_rl:OfflineRL",
        "the likelihood of the action under a learned policy (from encoded pictures)",
    ),
    "graph": ("graph:GraphModel", "the next place, by graphs of entities and a transformer, IRENE (from states)"),
}
# The observer that needs no training.
INVERSE_PLANNER = "inverse-planner"


def require_torch() -> None:
    """Raise a ModuleNotFoundError that names the remedy if torch is not installed."""
    try:
        import_module("torch")
    except ImportError:
        raise ModuleNotFoundError("models need torch; `pip install puzzlebox[learn]` brings it") from None


def check_device(device: str) -> None:
    """Raise a ValueError unless a device, `cpu` or `cuda`, is there."""
    if device == "cpu":
        return
    if device != "cuda" and not (device.startswith("cuda:") and device[5:].isdecimal()):
        raise ValueError(f"there is no device {device!r}; it must be cpu or cuda")
    require_torch()
    cuda = import_module("torch").cuda
    count = cuda.device_count() if cuda.is_available() else 0
    if int(device[5:] or 0) >= count:
        raise ValueError(
            f"the device is {device}, but torch finds {count or 'no'} such devices here; cpu is always there"
        )


def model_class(name: str) -> "type[Learner]":
    """Return the class of a model.

    Raises:
        ValueError: there is no such model.
        ModuleNotFoundError: torch is not installed.
    """
    if name not in MODELS:
        raise ValueError(f"there is no model {name!r}{nearest(name, MODELS)}")
    require_torch()
    module, _, attribute = MODELS[name][0].partition(":")
    found: Any = getattr(import_module(f"puzzlebox.intuitions.models.{module}"), attribute)
    assert found.name == name
    return found
