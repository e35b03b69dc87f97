"""A server that stands in for a language model, to try everything out: it speaks the protocol and knows no language.

    python -m puzzlebox.agents.language.practice_server --reply FORWARD --reply TURN_LEFT

It answers each request of an episode with the next of its replies, then starts over. It sees only what is sent to it,
and only programs of this machine can reach it.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REPLIES = ("FORWARD", "FORWARD", "TURN_LEFT")
_LARGEST_REQUEST = 64 << 20


class PracticeServer(ThreadingHTTPServer):
    """A chat-completions endpoint with fixed replies.

    Args:
        replies: the replies, one after the other, then from the start.
        port: the port; 0 for any that is free.
    """

    daemon_threads = True

    def __init__(self, replies: Sequence[str] = REPLIES, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.replies = tuple(replies)

    @property
    def url(self) -> str:
        """The address of the endpoint."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; it depends on nothing else, so several workers do not disturb each other.

        The reply is chosen by the number of the observation, with which messages of the arena's agent begin; for other
        requests, by the number of messages.
        """
        messages = request["messages"]
        number = _step_number(messages)
        reply = self.replies[(number if number is not None else len(messages) // 2) % len(self.replies)]
        words = sum(len(text.split()) for text in map(_text_of, messages))
        usage = {"prompt_tokens": words, "completion_tokens": len(reply.split())}
        choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        return {"object": "chat.completion", "model": request.get("model"), "choices": [choice], "usage": usage}


def _step_number(messages: Sequence[dict[str, Any]]) -> int | None:
    """Return the number of the observation in the last message that has one, from 0; None if no message has."""
    for message in reversed(messages):
        first, _, rest = _text_of(message).partition(" ")
        number = rest.partition(".")[0]
        if message.get("role") == "user" and first == "Observation" and number.isdigit():
            return int(number) - 1
    return None


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part.get("type") == "text")


class _Handler(BaseHTTPRequestHandler):
    server: PracticeServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request."""
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(min(length, _LARGEST_REQUEST))
        try:
            status, answer = 200, self.server.answer(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            status, answer = 400, {"error": {"message": "the request is not one for a chat completion"}}
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: a line for each request would hide everything else."""


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m puzzlebox.agents.language.practice_server", description=__doc__)
    parser.add_argument("--reply", action="append", help="a reply; may be given several times")
    parser.add_argument("--port", type=int, default=8000, help="the port, 0 for any free one (default: 8000)")
    options = parser.parse_args()
    try:
        server = PracticeServer(options.reply or REPLIES, options.port)
    except (OSError, OverflowError) as problem:
        sys.exit(f"error: port {options.port} cannot be used: {getattr(problem, 'strerror', None) or problem}")
    print(server.url, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


if __name__ == "__main__":
    main()
