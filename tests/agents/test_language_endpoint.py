"""The client of chat-completions endpoints, against a server that answers, fails, lies and dawdles."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from chat_server import Answer, chat_server
from puzzlebox.agents.language import Budget, BudgetSpent, Endpoint, EndpointError, Ledger
from puzzlebox.agents.language import endpoint as module
from puzzlebox.agents.language.endpoint import find_key, find_url
from puzzlebox.agents.language.practice_server import PracticeServer
from puzzlebox.seeds import rng_from

HELLO = [{"role": "user", "content": "hello"}]
PICTURE = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the client would have waited; the server really waits."""
    recorded: list[float] = []

    class Clock:
        monotonic, time = staticmethod(time.monotonic), staticmethod(time.time)
        sleep = staticmethod(recorded.append)

    monkeypatch.setattr(module, "time", Clock)
    return recorded


def test_a_reply_comes_back_with_its_numbers() -> None:
    with chat_server("NOOP") as server:
        endpoint = Endpoint("m", server.url + "/", "secret", {"temperature": 0}, prices=(2.0, 30.0))
        reply = endpoint.complete(HELLO)
    assert (reply.text, reply.model, reply.finish) == ("NOOP", "model-2026", "stop")
    assert (reply.prompt_tokens, reply.reply_tokens, reply.failures) == (100, 10, ())
    assert reply.money == pytest.approx((100 * 2 + 10 * 30) / 1e6)
    assert endpoint.ledger.spent == (1, 110, reply.money)
    assert server.requests == [{"model": "m", "messages": HELLO, "temperature": 0}]
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == "Bearer secret"


def test_text_in_parts_refusals_and_silence_are_texts() -> None:
    parts = [{"type": "text", "text": "FOR"}, {"type": "text", "text": "WARD"}]
    refusal = Answer(body=json.dumps({"choices": [{"message": {"content": None, "refusal": "I will not."}}]}).encode())
    with chat_server(Answer(parts), refusal, Answer(None)) as server:
        endpoint = Endpoint("m", server.url)
        assert [endpoint.complete(HELLO).text for _ in range(3)] == ["FORWARD", "I will not.", ""]


def test_half_characters_do_not_reach_files() -> None:
    message = {"content": "\ud800 FORWARD"}
    strange = Answer(body=json.dumps({"choices": [{"message": message, "finish_reason": "\udfff"}]}).encode())
    error = Answer(body=json.dumps({"error": {"message": "no \ud800"}}).encode(), status=400)
    with chat_server(strange, error) as server:
        endpoint = Endpoint("m", server.url)
        reply = endpoint.complete(HELLO)
        assert (reply.text, reply.finish) == ("? FORWARD", "?")
        with pytest.raises(EndpointError, match=r"no \?"):
            endpoint.complete(HELLO)


def test_after_429_it_waits_as_long_as_the_server_asks(waits: list[float]) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    busy = [Answer("slow down", 429, {"Retry-After": "7"}), Answer("still", 429, {"Retry-After": soon})]
    with chat_server(*busy, "NOOP") as server:
        reply = Endpoint("m", server.url).complete(HELLO)
    assert reply.text == "NOOP" and len(server.requests) == 3
    assert waits[0] == 7 and 10 < waits[1] <= 20
    assert reply.failures == ("429 Too Many Requests: slow down", "429 Too Many Requests: still")


def test_a_wait_of_hours_is_refused(waits: list[float]) -> None:
    with chat_server(Answer("tomorrow", 429, {"Retry-After": "7200"})) as server:
        with pytest.raises(EndpointError, match="asks to wait 7200 s"):
            Endpoint("m", server.url).complete(HELLO)
    assert not waits and len(server.requests) == 1


def test_trouble_of_the_server_is_retried_with_longer_and_longer_waits(waits: list[float]) -> None:
    faults = [Answer("oops", status) for status in (500, 502, 503, 504)]
    with chat_server(*faults, "NOOP") as server:
        endpoint = Endpoint("m", server.url)
        assert endpoint.complete(HELLO).text == "NOOP"
        assert waits == [1, 2, 4, 8]
        assert endpoint.ledger.spent.calls == 5  # each of them may cost something


def test_waits_have_a_random_part_from_the_seed(waits: list[float]) -> None:
    for _ in range(2):
        with chat_server(Answer("oops", 500), Answer("oops", 500), "NOOP") as server:
            endpoint = Endpoint("m", server.url)
            endpoint.use_rng(rng_from(3))
            endpoint.complete(HELLO)
    assert waits[:2] == waits[2:]
    assert 0.5 <= waits[0] < 1 <= waits[1] < 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(body=b"<html>hello</html>"), "the answer is not a chat completion: '<html>hello</html>'"),
        (Answer(body=b'{"choices": []}'), "the answer is not a chat completion"),
        (Answer(body=b'{"choices": [{"message": {"content": 5}}]}'), "the answer is not a chat completion"),
        (Answer(body=b"[" * 100_000), "the answer is not a chat completion"),
        (Answer(body=b'{"choices"', headers={"Content-Length": "100"}), "the connection broke|not a chat completion"),
        (Answer("oops", 500), "500 Internal Server Error: oops"),
    ],
)
def test_garbage_and_faults_that_stay_are_reported(answer: Answer, why: str, waits: list[float]) -> None:
    with chat_server(answer) as server:
        with pytest.raises(EndpointError, match="gave no usable reply after 3 attempts, the last: ") as caught:
            Endpoint("m", server.url, retries=2).complete(HELLO)
    caught.match(why)
    assert len(server.requests) == 3 and len(waits) == 2


def test_a_slow_answer_is_given_up_and_asked_for_again(waits: list[float]) -> None:
    with chat_server(Answer("late", delay_seconds=0.5), "NOOP") as server:
        reply = Endpoint("m", server.url, timeout_seconds=0.1).complete(HELLO)
    assert reply.text == "NOOP" and reply.failures == ("no whole answer within 0.1 s",)


def test_where_nobody_listens_the_sentence_says_so(waits: list[float]) -> None:
    with chat_server("NOOP") as server:
        url = server.url
    with pytest.raises(EndpointError, match="2 attempts, the last: no connection: Connection refused"):
        Endpoint("m", url, retries=1).complete(HELLO)


@pytest.mark.parametrize(
    ("answer", "messages", "why"),
    [
        (Answer("no such model", 404), HELLO, "refused the request: 404 Not Found: no such model$"),
        (Answer("images are not supported", 400), PICTURE, r"not supported; if the model cannot see .*sees='words'"),
        (Answer("images are not supported", 400), HELLO, "not supported$"),
        (Answer("bad key", 401), HELLO, "bad key; no key was sent: over plain http, only the one that key_variable"),
    ],
)
def test_a_refusal_is_not_repeated(answer: Answer, messages: Any, why: str, waits: list[float]) -> None:
    with chat_server(answer, "NOOP") as server:
        with pytest.raises(EndpointError, match=why):
            Endpoint("m", server.url).complete(messages)
    assert len(server.requests) == 1 and not waits


def test_redirects_are_not_followed() -> None:
    with chat_server("NOOP") as other, chat_server(Answer("", 307, {"Location": other.url})) as server:
        with pytest.raises(EndpointError, match=r"redirects to http.*, which is not followed"):
            Endpoint("m", server.url, "secret").complete(HELLO)
    assert not other.requests


def test_the_key_is_in_no_message_even_where_the_server_repeats_it() -> None:
    with chat_server(Answer("wrong key sk-12345 given", 401), Answer("your key is sk-12345")) as server:
        endpoint = Endpoint("m", server.url, "sk-12345")
        with pytest.raises(EndpointError) as caught:
            endpoint.complete(HELLO)
        assert str(caught.value).endswith("OPENAI_API_KEY, or the one that key_variable names")
        assert "sk-12345" not in str(caught.value) and "wrong key (key) given" in str(caught.value)
        assert endpoint.complete(HELLO).text == "your key is (key)"
    assert "sk-12345" not in repr(endpoint)


def test_keys_come_from_the_environment_and_not_over_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "one")
    monkeypatch.setenv("MY_KEY", "two")
    assert find_key("https://example.org/v1", None) == "one"
    assert find_key("http://example.org/v1", None) == ""
    assert find_key("http://example.org/v1", "MY_KEY") == "two"
    with pytest.raises(ValueError, match="key_variable is 'MY_KEE', but there is no such environment variable"):
        find_key("https://example.org/v1", "MY_KEE")


def test_addresses_are_given_or_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="there is no endpoint; give one"):
        find_url(None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert find_url(None) == "http://localhost:1/v1" and find_url("http://a/b") == "http://a/b"
    for wrong in ("localhost:8000", "ftp://a/b", "http://", "http://a:x/", "http://a:99999999/"):
        with pytest.raises(ValueError, match="it must be an address such as"):
            find_url(wrong)
    with pytest.raises(ValueError, match="user name or password") as caught:
        find_url("http://me:secret@a/v1")
    assert "secret" not in str(caught.value)


def test_a_budget_of_tokens_needs_an_endpoint_that_counts_them() -> None:
    with chat_server(Answer("NOOP", tokens=None)) as server:
        assert Endpoint("m", server.url).complete(HELLO).prompt_tokens is None
        counting = Endpoint("m", server.url, ledger=Ledger(None, Budget(tokens=5)))
        with pytest.raises(EndpointError, match="does not say how many tokens it used"):
            counting.complete(HELLO)


def test_a_spent_budget_stops_before_the_call() -> None:
    with chat_server("NOOP") as server:
        endpoint = Endpoint("m", server.url, ledger=Ledger(None, Budget(tokens=200)))
        endpoint.complete(HELLO)
        endpoint.complete(HELLO)
        with pytest.raises(BudgetSpent, match=r"the budget is spent: 220 of 200 tokens; .* --budget"):
            endpoint.complete(HELLO)
    assert len(server.requests) == 2


def test_the_practice_server_answers_by_the_number_of_the_observation() -> None:
    from threading import Thread

    server = PracticeServer(["A", "B"])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        endpoint = Endpoint("m", server.url)
        asked = [[{"role": "user", "content": f"Observation {number}. Health"}] for number in (1, 2, 3)]
        assert [endpoint.complete(messages).text for messages in asked] == ["A", "B", "A"]
        with pytest.raises(EndpointError, match="400 Bad Request: the request is not one for a chat completion"):
            endpoint.complete([{"role": "user", "content": 3}])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
