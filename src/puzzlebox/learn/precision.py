"""The type of numbers in large matrix products: the faster one of a device."""

import platform
from typing import Literal

import torch

Precision = Literal["bf16", "fp32"]
# The first NVIDIA GPUs with products of bf16.
_FIRST_CAPABILITY = (8, 0)


def fastest_precision(device: str | torch.device) -> Precision:
    """Return "bf16" for a device that has instructions for it; others take several times as long with it as with fp32.

    Args:
        device: "cpu", "cuda" or "cuda:N".
    """
    kind = torch.device(device)
    if kind.type == "cuda":
        return "bf16" if torch.cuda.get_device_capability(kind) >= _FIRST_CAPABILITY else "fp32"
    return "bf16" if _has_instructions() else "fp32"


def _has_instructions() -> bool:
    """Return whether this processor multiplies matrices of bf16."""
    if not torch.backends.mkldnn.is_available():
        return False
    if platform.machine().lower() in ("aarch64", "arm64"):
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # on x86 it is also true without instructions
    # Every processor with AMX has these instructions, too. Torch before 2.6 cannot tell.
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", bool)())
