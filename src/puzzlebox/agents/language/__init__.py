"""Language models as agents: what every wing shares.

`endpoint` sends requests to any OpenAI-compatible server, `budget` limits what a run may spend, `conversation` keeps
the last turns and asks again after a reply that cannot be parsed, and `transcript` records everything that was sent
and received. A wing adds the words: what is observed, and what a reply means (`puzzlebox.arena.agents.language`).
"""

from puzzlebox.agents.language.budget import Budget, BudgetSpent, Ledger, Spent
from puzzlebox.agents.language.conversation import Conversation, Unparsable
from puzzlebox.agents.language.endpoint import Completion, Endpoint, EndpointError
from puzzlebox.agents.language.transcript import Transcript

__all__ = [
    "Budget",
    "BudgetSpent",
    "Completion",
    "Conversation",
    "Endpoint",
    "EndpointError",
    "Ledger",
    "Spent",
    "Transcript",
    "Unparsable",
]
