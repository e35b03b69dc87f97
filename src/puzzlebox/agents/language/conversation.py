"""A conversation with a language model: a system prompt, the last turns, and one more try after an unclear reply."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from puzzlebox.agents.language.budget import Ledger
from puzzlebox.agents.language.endpoint import Endpoint
from puzzlebox.agents.language.transcript import ASKED_AGAIN, GIVEN_UP, UNDERSTOOD, Transcript
from puzzlebox.agents.origin import describe_error
from puzzlebox.seeds import rng_from

# Some models write their reasoning into the reply.
_REASONING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)

Meaning = TypeVar("Meaning")


class Unparsable(ValueError):
    """A reply has no meaning; the message is a sentence for the model that says what is allowed."""


class Conversation:
    """Asks a model turn by turn and records everything in a transcript.

    Args:
        endpoint: where the model is.
        system: the system prompt.
        memory: how many earlier turns (an observation and the reply to it) are sent again with each call.
        about: what the transcript says about the agent.
    """

    def __init__(self, endpoint: Endpoint, system: str, memory: int, about: Mapping[str, Any]) -> None:
        self._endpoint, self._system, self._memory, self._about = endpoint, system, memory, dict(about)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode with an empty memory and a new transcript."""
        self._endpoint.use_rng(rng_from(seed))
        self.transcript = Transcript(self._about)
        self._prompt = self.transcript.add("system", self._system)
        self._turns: list[tuple[int, int]] = []

    @property
    def ledger(self) -> Ledger:
        """The ledger that counts what is spent."""
        return self._endpoint.ledger

    def ask(self, content: Any, parse: Callable[[str], Meaning], decision: int) -> Meaning | None:
        """Send an observation and return the meaning of the reply.

        A reply without a meaning is answered once with what is allowed.

        Args:
            content: the observation: a text, or a list of parts as endpoints take them.
            parse: returns the meaning of a reply, or raises `Unparsable`.
            decision: how many decisions of the episode were played so far, for the transcript.

        Returns:
            The meaning; None if the second reply has none either.

        Raises:
            BudgetSpent: the budget does not allow another call.
            EndpointError: the endpoint gave no usable reply.
        """
        script = self.transcript
        question = script.add("user", content)
        earlier = [position for turn in self._turns for position in turn]
        sent = [self._prompt, *earlier, question]
        for outcome in (ASKED_AGAIN, GIVEN_UP):
            try:
                completion = self._endpoint.complete([script.messages[position] for position in sent])
            except Exception as problem:
                script.error = describe_error(problem)
                raise
            call = script.add_call(decision, sent, completion)
            try:
                meaning = parse(_REASONING.sub("", completion.text))
            except Unparsable as unclear:
                call["outcome"], call["meaning"] = outcome, str(unclear)
                if outcome == ASKED_AGAIN:
                    sent = [*sent, call["reply"], script.add("user", str(unclear))]
                continue
            call["outcome"], call["meaning"] = UNDERSTOOD, str(meaning)
            self._remember(question, call["reply"])
            return meaning
        self._remember(question, script.calls[-1]["reply"])
        return None

    def _remember(self, question: int, reply: int) -> None:
        self._turns.append((question, reply))
        self._turns = self._turns[-self._memory :] if self._memory else []
