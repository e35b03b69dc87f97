"""An arena for language models: an action is a word, an observation is a picture."""

from puzzlebox.animalai.LLM_scaffolds.environment_scaffolds import (
    ACTION_MAP,
    AVAILABLE_ACTIONS,
    EnvironmentScaffold,
    FrameByFrameScaffold,
)

__all__ = ["ACTION_MAP", "AVAILABLE_ACTIONS", "EnvironmentScaffold", "FrameByFrameScaffold"]
