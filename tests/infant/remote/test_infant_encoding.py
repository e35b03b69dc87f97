"""Values survive encoding with their types and bytes; bytes from strangers give a value or one sentence."""

import socket
import tracemalloc
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.remote import encoding
from puzzlebox.infant.remote.encoding import MOST_DEPTH, EncodingError, decode, encode
from puzzlebox.infant.remote.protocol import MAGIC, Kind, RefusedError, pack, receive

VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    127,
    128,
    -129,
    2**63,
    -(2**100),
    0.1,
    float("inf"),
    "",
    "Grüße",
    b"\x00\xff",
    [],
    [1, [2.5, None], ("a", b"b")],
    {"a": {"b": [1, 2]}, "": ()},
    np.float32(0.1),
    np.int64(-3),
    np.bool_(True),
    np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
    np.array(5.0),
    np.zeros((0, 3), np.int16),
    np.array([[True, False]]),
    np.array([np.nan, -0.0], np.float16),
]


def same(one: Any, two: Any) -> bool:
    """Return whether two values have the same types and bytes."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[name], two[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    return bool(one == two)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert same(decode(encode(value)), value)


def test_arrays_come_back_writable_and_in_the_order_of_their_elements() -> None:
    turned = np.arange(6, dtype=">i4").reshape(2, 3).T
    back = decode(encode(turned))
    assert np.array_equal(back, turned)
    back[0, 0] = 9
    assert back[0, 0] == 9


@pytest.mark.parametrize(
    "value", [{1: 2}, object(), {"a": {1, 2}}, np.array(["a"]), np.array([None]), 1j, 2**600, np.zeros((1,) * 9)]
)
def test_other_values_cannot_be_sent(value: Any) -> None:
    with pytest.raises(EncodingError):
        encode(value)


def nested(depth: int) -> Any:
    value: Any = None
    for _ in range(depth):
        value = [value]
    return value


def test_depth_has_a_limit_on_both_sides() -> None:
    assert decode(encode(nested(MOST_DEPTH))) == nested(MOST_DEPTH)
    with pytest.raises(EncodingError, match="levels deep"):
        encode(nested(MOST_DEPTH + 1))
    with pytest.raises(EncodingError, match="levels deep"):
        decode(b"l\x01\x00\x00\x00" * 100_000 + b"N")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "ends in the middle"),
        (b"?", "no kind of value 63"),
        (b"NN", "1 bytes follow"),
        (b"i\x00", "a whole number has 0 bytes"),
        (b"s\xff\xff\xff\xff", "a length is 4,294,967,295"),
        (b"s\x01\x00\x00\x00\xff", "not UTF-8"),
        (b"d\x02\x00\x00\x00" + b"\x01\x00\x00\x00aN" * 2, "same key twice"),
        (b"a\x00\x01\x01\x00\x00\x00\x02", "other bytes than 0 and 1"),
        (b"a\x63\x00", "no array of type 99"),
        (b"a\x0b\x08" + b"\xff\xff\xff\xff" * 8, "too large"),
        (b"a\x0b\x04" + b"\xff\xff\xff\xff" * 3 + bytes(4), "too large"),
        (b"a\x0b\x01\xff\xff\xff\x0f", "ends in the middle"),
        (b"l\xa1\x86\x01\x00" + b"N" * 100_001, "more than 100,000 values"),
    ],
)
def test_bytes_that_are_no_value_get_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(EncodingError, match=sentence):
        decode(data)


def test_random_and_damaged_bytes_never_crash_or_allocate_much() -> None:
    rng = np.random.default_rng(1)
    whole = encode({"all": VALUES, "eyes": np.zeros((16, 16, 6), np.uint8)})
    kinds = np.frombuffer(b"NFTifsbltdan", np.uint8)
    values = 0
    tracemalloc.start()
    try:
        for turn in range(3000):
            if turn % 3 == 0:
                data = bytearray(rng.bytes(int(rng.integers(0, 300))))
            elif turn % 3 == 1:  # mostly kinds of values and small lengths
                data = bytearray(rng.choice(np.concatenate((kinds, np.zeros(20, np.uint8), kinds % 4)), 200).tobytes())
            else:
                data = bytearray(whole)
                for place in rng.integers(0, len(data), int(rng.integers(1, 6))):
                    data[place] = int(rng.integers(0, 256))
            with suppress(EncodingError):
                decode(data)
                values += 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert values > 100  # the test also reaches the end of messages
    assert peak < 1 << 20


def test_the_limit_of_values_bounds_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "MOST_VALUES", 10)
    assert decode(encode([None] * 9)) == [None] * 9
    with pytest.raises(EncodingError, match="more than 10 values"):
        decode(encode([None] * 10))


HELLO = pack(Kind.HELLO, {"token": "x"})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "not the protocol"),
        (MAGIC + b"\x02\x00" + HELLO[6:], "version 2"),
        (MAGIC + b"\x01\x00\x09\x00" + HELLO[8:], "no message of kind 9"),
        (MAGIC + b"\x01\x00\x01\x00\xff\xff\xff\xff", "at most 1,000 are allowed"),
        (HELLO[:-2], "middle of a message"),
        (MAGIC + b"\x01\x00\x01\x00\x01\x00\x00\x00N", "must hold a mapping"),
        (MAGIC + b"\x01\x00\x01\x00\x01\x00\x00\x00?", "cannot be read"),
    ],
)
def test_bytes_that_are_no_message_get_one_sentence(data: bytes, sentence: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(RefusedError, match=sentence):
            receive(ours, 1000, 10.0)
