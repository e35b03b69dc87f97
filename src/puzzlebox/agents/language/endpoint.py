"""An OpenAI-compatible chat-completions endpoint: one request and its reply, with retries, time-outs and a budget.

Only the standard library is used. Redirects are not followed, because the key would go along.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from puzzlebox.agents.language.budget import Ledger

BASE_URL, KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
_PATH = "/chat/completions"
# Answers after which the same request may succeed: time-out, conflict, too many requests, trouble of the server.
_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504, 529)
# Answers of servers that cannot read a part of the request, such as a picture.
_UNREADABLE = (400, 404, 415, 422)
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 1.0, 60.0
_LONGEST_RETRY_AFTER_SECONDS = 300.0
_LARGEST_REPLY = 16 << 20
_MOST_SHOWN = 300

Message = Mapping[str, Any]


class EndpointError(RuntimeError):
    """The endpoint gave no usable reply; the message says what it answered."""


class _Retry(Exception):
    """An attempt failed, and another one may succeed."""

    def __init__(self, why: str, wait_seconds: float | None = None) -> None:
        super().__init__(why)
        self.wait_seconds = wait_seconds


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect."""


@dataclass(frozen=True)
class Completion:
    """A reply.

    Attributes:
        text: what the model wrote; "" if it wrote nothing.
        model: the model that the endpoint says it used; "" if it does not say.
        finish: why the model stopped, such as "stop" or "length"; "" if the endpoint does not say.
        prompt_tokens: the tokens of the request; None if the endpoint does not say.
        reply_tokens: the tokens of the reply; None if the endpoint does not say.
        money: their price; 0 without prices.
        failures: why earlier attempts of the same request failed.
        seconds: how long all attempts took, waiting included.
    """

    text: str
    model: str = ""
    finish: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    money: float = 0.0
    failures: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass
class Endpoint:
    """A chat-completions endpoint and the model to use there.

    Attributes:
        model: the name of the model.
        url: the address up to `/chat/completions`, such as `http://localhost:8000/v1`.
        key: the key, sent as a bearer token; "" for none. It is in no message, file or representation.
        parameters: further fields of each request, such as `{"temperature": 0}`.
        timeout_seconds: how long one attempt may take.
        retries: how often a request is repeated after a time-out, 429, 5xx, a broken connection or a reply that is
            no chat completion.
        prices: the price of a million tokens of prompts, and of replies. None: unknown.
        ledger: counts what is spent, and refuses calls beyond the budget.
    """

    model: str
    url: str
    key: str = field(default="", repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timeout_seconds: float = 60.0
    retries: int = 5
    prices: tuple[float, float] | None = None
    ledger: Ledger = field(default_factory=Ledger, repr=False)

    def __post_init__(self) -> None:
        self._address = _address_of(self.url)
        self._opener = build_opener(_NoRedirects)
        # Waiting times differ between workers, so that they do not all come back at once; they change no result.
        self._rng: np.random.Generator | None = None

    def use_rng(self, rng: np.random.Generator) -> None:
        """Draw the variable part of waiting times from this stream."""
        self._rng = rng

    def complete(self, messages: Sequence[Message]) -> Completion:
        """Send messages and return the reply.

        Raises:
            BudgetSpent: the budget does not allow another call.
            EndpointError: the endpoint refused the request, or no attempt succeeded.
        """
        body = json.dumps({**self.parameters, "model": self.model, "messages": list(messages)}).encode()
        started, failures = time.monotonic(), list[str]()
        while True:
            self.ledger.reserve()
            try:
                reply = self._read_reply(self._send(body, messages))
                break
            except _Retry as failure:
                failures.append(str(failure))
                if len(failures) > self.retries:
                    attempts = f"{len(failures)} attempts, the last" if self.retries else "the only attempt"
                    raise EndpointError(f"{self._address} gave no usable reply after {attempts}: {failure}") from None
                wait = failure.wait_seconds
                if wait is not None and wait > _LONGEST_RETRY_AFTER_SECONDS:
                    raise EndpointError(f"{self._address} asks to wait {wait:.0f} s before the next call") from None
                time.sleep(self._wait(len(failures)) if wait is None else wait)
        return self._settled(reply, tuple(failures), time.monotonic() - started)

    def _wait(self, failures: int) -> float:
        """Return how long to wait after some failures: twice as long each time, of which up to a half is random."""
        longest = min(_FIRST_WAIT_SECONDS * 2.0 ** (failures - 1), _LONGEST_WAIT_SECONDS)
        return longest * (1.0 if self._rng is None else float(self._rng.uniform(0.5, 1.0)))

    def _send(self, body: bytes, messages: Sequence[Message]) -> bytes:
        """Send one request and return the bytes of the answer."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "puzzlebox"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(self._address, body, headers, method="POST")
        deadline = time.monotonic() + self.timeout_seconds
        try:
            with self._opener.open(request, timeout=self.timeout_seconds) as response:
                return self._read_until(response, deadline)
        except HTTPError as answer:
            with answer:
                raise self._problem(answer, deadline, messages) from None
        except URLError as problem:
            reason = problem.reason
            if isinstance(reason, TimeoutError):
                raise self._late() from None
            raise _Retry(self._clean(f"no connection: {getattr(reason, 'strerror', None) or reason}")) from None
        except TimeoutError:
            raise self._late() from None
        except (OSError, HTTPException) as problem:
            raise _Retry(self._clean(f"the connection broke: {problem or type(problem).__name__}")) from None

    def _read_until(self, response: Any, deadline: float) -> bytes:
        """Read an answer; each part may come in time and the whole too late."""
        parts, size = [], 0
        while part := response.read1(1 << 16):
            parts.append(part)
            size += len(part)
            if size > _LARGEST_REPLY:
                raise _Retry(f"the answer is longer than {_LARGEST_REPLY >> 20} MiB")
            if time.monotonic() > deadline:
                raise self._late()
        return b"".join(parts)

    def _late(self) -> _Retry:
        return _Retry(f"no whole answer within {self.timeout_seconds:g} s")

    def _problem(self, answer: HTTPError, deadline: float, messages: Sequence[Message]) -> Exception:
        """Return the exception for an answer that is an error."""
        try:
            said = _error_text(self._read_until(answer, deadline))
        except (_Retry, OSError, HTTPException):
            said = ""
        text = self._clean(": ".join(filter(None, [f"{answer.code} {answer.reason}".strip(), said])))
        if answer.code in _TRANSIENT:
            return _Retry(text, _retry_after(answer.headers.get("Retry-After")))
        if 300 <= answer.code < 400:
            where = self._clean(answer.headers.get("Location") or "elsewhere")
            return EndpointError(f"{self._address} redirects to {where}, which is not followed; name that as endpoint")
        hint = ""
        if answer.code in _UNREADABLE and _has_picture(messages):
            hint = "; if the model cannot see pictures, let it read words (sees='words')"
        if answer.code in (401, 403):
            hint = self._key_hint()
        return EndpointError(f"{self._address} refused the request: {text}{hint}")

    def _key_hint(self) -> str:
        """Return which key was sent, and how to send another, after a server has refused it."""
        if self.key:
            return f"; the key comes from the environment variable {KEY}, or the one that key_variable names"
        if urlsplit(self.url).scheme == "https":
            return f"; no key was sent: set the environment variable {KEY}, or name another one with key_variable"
        return f"; no key was sent: over plain http, only the one that key_variable names is, never {KEY} by itself"

    def _clean(self, text: str) -> str:
        """Return a text of the server on one line, cut if it is long, without the key if it repeats that."""
        text = _encodable(" ".join(text.split()))
        if self.key:
            text = text.replace(self.key, "(key)")
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."

    def _read_reply(self, data: bytes) -> Completion:
        """Read the first choice of an answer."""
        try:
            answer = json.loads(data)
            choice = answer["choices"][0]
            message = choice["message"]
            text = _text_of(message.get("content")) or _text_of(message.get("refusal"))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            shown = self._clean(data[: 4 * _MOST_SHOWN].decode("utf-8", "replace"))
            raise _Retry(f"the answer is not a chat completion: {shown!r}") from None
        usage = answer.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        prompt, reply = (each if type(each) is int and each >= 0 else None for each in counts)
        finish = choice.get("finish_reason")
        return Completion(
            self._without_key(_encodable(text)),
            _encodable(str(answer.get("model") or "")),
            "" if finish is None else _encodable(str(finish)),
            prompt,
            reply,
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "(key)") if self.key else text

    def _settled(self, reply: Completion, failures: tuple[str, ...], seconds: float) -> Completion:
        """Enter the tokens of a reply into the ledger; return the reply with its price."""
        prompt, answer = reply.prompt_tokens or 0, reply.reply_tokens or 0
        money = 0.0
        if self.prices is not None:
            money = (prompt * self.prices[0] + answer * self.prices[1]) / 1e6
        self.ledger.settle(prompt + answer, money)
        limits = self.ledger.budget
        if reply.prompt_tokens is None and (limits.tokens is not None or limits.money is not None):
            raise EndpointError(f"{self._address} does not say how many tokens it used; limit only calls in --budget")
        return Completion(
            *(reply.text, reply.model, reply.finish, reply.prompt_tokens, reply.reply_tokens),
            *(money, failures, round(seconds, 3)),
        )


def find_key(url: str, variable: str | None) -> str:
    """Return the key for an endpoint from the environment; "" if there is none.

    Args:
        url: the address of the endpoint. Without a named variable, `OPENAI_API_KEY` is used for https alone, so that a
            key is never sent unencrypted by accident.
        variable: the environment variable that holds the key.

    Raises:
        ValueError: the named variable is not set.
    """
    if variable is None:
        return os.environ.get(KEY, "").strip() if urlsplit(url).scheme == "https" else ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"key_variable is {variable!r}, but there is no such environment variable, or it is empty")
    return key


def find_url(endpoint: str | None) -> str:
    """Return the address of an endpoint, given or from the environment.

    Raises:
        ValueError: there is none.
    """
    url = endpoint or os.environ.get(BASE_URL, "")
    if not url:
        raise ValueError(
            f"there is no endpoint; give one, as in endpoint='http://localhost:8000/v1', or set {BASE_URL}"
        )
    _address_of(url)
    return url


def _address_of(url: str) -> str:
    """Return the address of chat completions for the base address of an endpoint."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, TypeError, AttributeError):
        valid = False
    if not valid:
        raise ValueError(f"endpoint is {url!r}; it must be an address such as http://localhost:8000/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            "the endpoint has a user name or password in its address; give a key with key_variable instead"
        )
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH, fragment=""))


def _text_of(content: Any) -> str:
    """Return the text of a message, which is a text or a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str))


def _encodable(text: str) -> str:
    """Return a text with "?" for halves of characters, which JSON can hold and no file in UTF-8 can."""
    return text.encode("utf-8", "replace").decode()


def _error_text(data: bytes) -> str:
    """Return what an error answer says: its message if it is JSON, otherwise its text."""
    text = data.decode("utf-8", "replace")
    try:
        answer = json.loads(text)
        error = answer.get("error", answer)
        return str(error["message"] if isinstance(error, Mapping) and "message" in error else error)
    except (ValueError, AttributeError, RecursionError):
        return text


def _retry_after(value: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for: a number, or a date; None without one."""
    if value is None:
        return None
    try:
        return max(0.0, float(value)) if value.strip().replace(".", "", 1).isdigit() else _seconds_until(value)
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds_until(date: str) -> float:
    return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())


def _has_picture(messages: Sequence[Message]) -> bool:
    return any(
        part.get("type") == "image_url"
        for message in messages
        if isinstance(message.get("content"), list)
        for part in message["content"]
    )
