"""Animal-AI 2026: a program that answers with a word plays, one picture at a time."""

import sys

from animalai.LLM_scaffolds import FrameByFrameScaffold
from animalai.LLM_scaffolds.environment_scaffolds import AVAILABLE_ACTIONS, EnvironmentScaffold

from animalai import AnimalAIEnvironment


def answer(prompt: str, picture) -> str:
    """Walk where the picture is not empty; it replaces a language model."""
    assert all(action in prompt for action in AVAILABLE_ACTIONS)
    return "FORWARD" if picture.size else "NOOP"


env = AnimalAIEnvironment(arenas_configurations=sys.argv[1], useCamera=True, resolution=84, timescale=5, seed=None)
scaffold: EnvironmentScaffold = FrameByFrameScaffold(env, skipframe=4)
prompt = FrameByFrameScaffold.get_default_system_prompt()
frame, info = scaffold.reset()
while not scaffold.is_finished():
    frame, reward, done, info = scaffold.step(answer(prompt, frame))
print(frame.shape, frame.dtype, round(scaffold.get_results()["total_reward"]))
scaffold.close()
