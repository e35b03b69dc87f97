"""Language and vision-language models in the arena: what they are shown, and what their replies mean."""

from puzzlebox.arena.agents.language.agent import LanguageAgent

__all__ = ["LanguageAgent"]
