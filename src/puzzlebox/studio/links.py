"""Links for participants: nobody can guess one, and each opens one task for one participant.

A link is signed, not listed: its key is an HMAC of what the link says, made with a secret that lies beside the
recordings. So links stay valid when the studio is started again, no table of ids has to be kept (and nobody has to be
deleted from it), and a new secret makes all links invalid at once.
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

# What the key is called in an address.
KEY = "key"
_SECRET_BYTES = 32
_SIGNED = ("participant", "task", "seed")
# So that a key for this purpose is never one for another.
_PURPOSE = "puzzlebox participant link 1"


class LinksError(Exception):
    """Links cannot be made or checked; one sentence says why."""


@dataclass(frozen=True)
class Link:
    """What a participant's link opens.

    Attributes:
        participant: the id every episode is recorded under.
        task: the name of the task; None: the arena with one of every thing.
        seed: the seed of its episodes; None: a new one each time.
    """

    participant: str
    task: str | None
    seed: int | None = None


class Links:
    """Makes and checks links.

    Args:
        secret: what the keys are made with.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @classmethod
    def beside(cls, store: Path, *, make: bool = True) -> "Links | None":
        """The links of a file of recordings.

        Args:
            store: the file of recordings; the secret is in a file beside it that only its owner can read.
            make: make a secret where there is none yet; otherwise there are no links then, and the result is None.

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
        said = {
            "task": link.task,
            "seed": None if link.seed is None else str(link.seed),
            "participant": link.participant,
        }
        given = {name: value for name, value in said.items() if value is not None}
        return f"{page}?{urlencode(given | {KEY: self._key(given)})}"

    def read(self, query: str) -> Link | None:
        """The link of an address, by the part after the question mark; None where it is not one of ours."""
        try:
            pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=50)
        except ValueError:
            return None
        known = [(name, value) for name, value in pairs if name in (*_SIGNED, KEY)]
        said = dict(known)
        # The page takes the first of two values and a dictionary the last: one of them would not be what was signed.
        if len(said) != len(known) or KEY not in said or "participant" not in said:
            return None
        key = said.pop(KEY)
        if not hmac.compare_digest(key.encode(), self._key(said).encode()):
            return None
        seed = said.get("seed")
        return Link(checked_participant(said["participant"]), said.get("task"), None if seed is None else int(seed))

    def _key(self, said: dict[str, str]) -> str:
        """The key of what a link says, as text for an address."""
        text = json.dumps([_PURPOSE, *(said.get(name) for name in _SIGNED)])
        return urlsafe_b64encode(hmac.digest(self._secret, text.encode(), hashlib.sha256)).decode().rstrip("=")


def has_key(query: str) -> bool:
    """Whether an address wants to be a participant's link, a valid one or not."""
    return any(name == KEY for name, _ in parse_qsl(query, keep_blank_values=True))


def _write_secret(path: Path) -> None:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another program was quicker
        return
    with os.fdopen(file, "wb") as opened:
        opened.write(token_bytes(_SECRET_BYTES))
