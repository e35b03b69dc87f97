"""Links for participants: they cannot be guessed, and each opens one task for one participant.

A link is signed, not listed: its key is an HMAC of its fields, made with a secret that is stored beside the recordings.
So links stay valid when the studio is started again, there is no table of ids from which to delete a participant, and a
new secret makes all links invalid at once.
"""

import hashlib
import hmac
import json
import os
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes
from urllib.parse import parse_qsl, urlencode

from puzzlebox.record.entries import checked_participant

# The name of the key in the query of an address.
KEY = "key"
_SECRET_BYTES = 32
_SIGNED = ("participant", "task", "seed")
# Part of the signed text, so that a key made for another purpose is not valid here.
_PURPOSE = "puzzlebox participant link 1"


class LinksError(Exception):
    """Links cannot be made or checked; the text is one sentence that says why."""


@dataclass(frozen=True)
class Link:
    """The content of a participant's link.

    Attributes:
        participant: the id under which every episode is recorded.
        task: the name of the task; None: the arena with one of every thing.
        seed: the seed of its episodes; None: a new one each time.
    """

    participant: str
    task: str | None
    seed: int | None = None


class Links:
    """Makes and checks participants' links.

    Args:
        secret: the key of the HMAC.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    def for_store(cls, store: Path, *, make: bool = True) -> "Links | None":
        """Return the links that belong to a file of recordings.

        Args:
            store: the file of recordings; the secret is in a file beside it that only its owner can read.
            make: whether to make a secret if there is none; if False, the result is None then.

        Raises:
            LinksError: the secret cannot be read or written.
        """
        path = store.with_name(store.name + ".key")
        try:
            if make and not path.exists():
                _write_secret(path)
            secret = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise LinksError(f"{path}, the secret of the participants' links, fails: {problem.strerror}") from None
        if len(secret) != _SECRET_BYTES:
            raise LinksError(f"{path} is damaged; delete it, and send the participants new links")
        return cls(secret)

    def address(self, link: Link, page: str = "/play") -> str:
        """Return the address of a link to a page, below the address of the studio."""
        values = {
            "task": link.task,
            "seed": None if link.seed is None else str(link.seed),
            "participant": link.participant,
        }
        fields = {name: value for name, value in values.items() if value is not None}
        return f"{page}?{urlencode(fields | {KEY: self._key(fields)})}"

    def read(self, query: str) -> Link | None:
        """Return the link of an address by its query (the part after the question mark); None if it is not valid."""
        try:
            pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=50)
        except ValueError:
            return None
        relevant = [(name, value) for name, value in pairs if name in (*_SIGNED, KEY)]
        fields = dict(relevant)
        # Of two values of a field, the page reads the first and a dictionary the last; only one of them was signed.
        if len(fields) != len(relevant) or KEY not in fields or "participant" not in fields:
            return None
        key = fields.pop(KEY)
        if not hmac.compare_digest(key.encode(), self._key(fields).encode()):
            return None
        seed = fields.get("seed")
        return Link(checked_participant(fields["participant"]), fields.get("task"), None if seed is None else int(seed))

    def _key(self, fields: dict[str, str]) -> str:
        """Return the key of the fields of a link, as text for an address."""
        text = json.dumps([_PURPOSE, *(fields.get(name) for name in _SIGNED)])
        return urlsafe_b64encode(hmac.digest(self._secret, text.encode(), hashlib.sha256)).decode().rstrip("=")


def has_key(query: str) -> bool:
    """Return whether a query has a key, so that the address must be a valid participant's link."""
    return any(name == KEY for name, _ in parse_qsl(query, keep_blank_values=True))


def _write_secret(path: Path) -> None:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process has just written it
        return
    with os.fdopen(file, "wb") as secret_file:
        secret_file.write(token_bytes(_SECRET_BYTES))
