"""A chat-completions server for tests: it answers each request with the next thing it was given, faults included."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any


@dataclass
class Answer:
    """An answer: by default a completion with this text."""

    text: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay_seconds: float = 0.0
    tokens: tuple[int, int] | None = (100, 10)

    def data(self) -> bytes:
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps({"error": {"message": self.text}}).encode()
        choice = {"message": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}
        answer: dict[str, Any] = {"model": "model-2026", "choices": [choice]}
        if self.tokens is not None:
            answer["usage"] = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
        return json.dumps(answer).encode()


@dataclass
class ChatServer:
    """A running server; after its answers are used up, it repeats the last one."""

    answers: list[Answer]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=Lock)


@contextmanager
def chat_server(*answers: Answer | str) -> Iterator[ChatServer]:
    """Serve answers on a free port of this machine."""
    state = ChatServer([each if isinstance(each, Answer) else Answer(each) for each in answers])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                answer = state.answers[min(len(state.requests), len(state.answers) - 1)]
                state.requests.append(data)
                state.headers.append(dict(self.headers.items()))
                state.paths.append(self.path)
            time.sleep(answer.delay_seconds)
            body = answer.data()
            try:
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the client has given up

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def texts(messages: Sequence[dict[str, Any]]) -> list[str]:
    """Return the text of each message."""
    return [each["content"] if isinstance(each["content"], str) else each["content"][0]["text"] for each in messages]
