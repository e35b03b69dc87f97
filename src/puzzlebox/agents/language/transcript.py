"""The transcript of an episode: every message that was sent to a model, every reply, and what was made of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from puzzlebox.agents.language.endpoint import Completion, Message

FORMAT = 1
# What became of a reply: it was understood; it was not, and the model was asked again; it was not, for the second time.
UNDERSTOOD, ASKED_AGAIN, GIVEN_UP = "understood", "asked again", "given up"


@dataclass
class Transcript:
    """Everything that was sent and received in an episode.

    A message is kept once, however often it was sent again as memory; each call lists the messages it sent by their
    positions, so that every request can be put together again exactly (`requests`).

    Attributes:
        about: the endpoint, the model, the parameters of requests and the settings of the agent; never a key.
        messages: all messages in the order of their creation, each with `role` and `content`.
        calls: for each call: `decision` (how many decisions were played before it), `sent` and `reply` (positions of
            messages), `outcome` (`understood`, `asked again`, `given up`), `meaning` (what the reply means, or why it
            means nothing), `model`, `finish`, `prompt_tokens`, `reply_tokens`, `money`, `failures`, `seconds`.
        error: why the conversation ended early; "" if it did not.
    """

    about: Mapping[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""

    def add(self, role: str, content: Any) -> int:
        """Add a message; return its position."""
        self.messages.append({"role": role, "content": content})
        return len(self.messages) - 1

    def add_call(self, decision: int, sent: list[int], completion: Completion) -> dict[str, Any]:
        """Add a call and its reply; return its entry, to which the outcome is added."""
        reply = self.add("assistant", completion.text)
        entry = {
            **{"decision": decision, "sent": sent, "reply": reply, "outcome": "", "meaning": ""},
            **{"model": completion.model, "finish": completion.finish},
            **{"prompt_tokens": completion.prompt_tokens, "reply_tokens": completion.reply_tokens},
            **{"money": completion.money, "failures": list(completion.failures), "seconds": completion.seconds},
        }
        self.calls.append(entry)
        return entry

    def requests(self) -> Iterator[tuple[list[Message], str]]:
        """Yield the messages of each call as they were sent, and the reply."""
        for call in self.calls:
            yield [self.messages[position] for position in call["sent"]], self.messages[call["reply"]]["content"]

    def counts(self) -> dict[str, float]:
        """Return the numbers of calls, failed attempts, replies that were not understood, tokens, and the price."""
        return {
            "calls": len(self.calls),
            "failures": sum(len(call["failures"]) for call in self.calls),
            "asked_again": sum(call["outcome"] == ASKED_AGAIN for call in self.calls),
            "given_up": sum(call["outcome"] == GIVEN_UP for call in self.calls),
            "tokens": sum((call["prompt_tokens"] or 0) + (call["reply_tokens"] or 0) for call in self.calls),
            "money": sum(call["money"] for call in self.calls),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the transcript as plain data, which `of_dict` reads."""
        return {
            **{"format": FORMAT, "about": dict(self.about), "messages": [dict(each) for each in self.messages]},
            **{"calls": [dict(each) for each in self.calls], "error": self.error},
        }

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> "Transcript":
        """Return the transcript of plain data.

        Raises:
            ValueError: the data are not a transcript of this version.
        """
        try:
            if data["format"] != FORMAT:
                raise ValueError(f"the format of the transcript is {data['format']!r}; this version reads {FORMAT}")
            return cls(data["about"], list(data["messages"]), list(data["calls"]), data["error"])
        except (KeyError, TypeError):
            raise ValueError("it is not a transcript") from None
