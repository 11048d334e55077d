"""Links to files: signed, for a few days, bound to the app and the message that holds the file.

A stored attachment holds a reference in the place of a link. Whoever shows the message marks it,
and whoever sends the answer makes a link of it, as only he knows the address: neither takes JSON
apart.
Since a link names the message, a reference that somebody wrote into one of his leads nowhere.
"""

import hmac
import json
import re
import secrets
from dataclasses import dataclass

from hubbub.kernel.sealing import Sealer

DAY_SECONDS = 24 * 60 * 60
LIVES_DAYS = 7
THUMBNAIL = "-thumbnail"
"""What follows the id of a file where its thumbnail is meant."""
_PLACE = "https://files.invalid/"
"""An address that can't exist (RFC 2606), so that a reference has the form of any other URL."""
_NAMED = rb"([0-9a-f]{32}(?:-thumbnail)?)(\.[a-z0-9]{1,16})?"
_REFERENCE = re.compile(rb'"' + re.escape(_PLACE.encode()) + _NAMED + rb'"')
_MARK = f"https://{secrets.token_hex(16)}.invalid/".encode()
"""Random in each process: nobody else can write it into a text of his."""
_MARKED = re.compile(rb'"' + re.escape(_MARK) + rb"([0-9]+)/" + _NAMED + rb'"')
_SENT_BACK = re.compile(
    rb'"(?:https?://[^"]{1,300})?/files/[a-z0-9-]{1,64}/([0-9]{1,19})/'
    + _NAMED
    + rb'\?expires=[0-9]{1,18}&signature=[0-9a-f]{32}"'
)
"""A link of ours, as somebody has it who read a message and sends it back with an edit."""
_SIGNATURE_DIGITS = 32


def reference(file: str, extension: str) -> str:
    """What stands in a stored message for the link to a file."""
    return f"{_PLACE}{file}.{extension}" if extension else f"{_PLACE}{file}"


def has_references(data: str) -> bool:
    """Whether stored data may hold references, or links of ours."""
    return _PLACE in data or "&signature=" in data


def mark_references(data: bytes, message: int) -> bytes:
    """The data of a message, as JSON, with each reference marked as one of this message.

    A link to a file of this very message is one, too: it would expire where it is stored.
    """

    def again(found: re.Match[bytes]) -> bytes:
        is_own = int(found[1]) == message
        return b'"%b%d/%b%b"' % (_MARK, message, found[2], found[3] or b"") if is_own else found[0]

    return _SENT_BACK.sub(again, _REFERENCE.sub(rb'"%b%d/\1\2"' % (_MARK, message), data))


def has_marks(answer: bytes) -> bool:
    """Whether an answer is to have links."""
    return _MARK in answer


@dataclass(frozen=True, slots=True)
class Links:
    """Makes the links of an app; `address` is where the node is reached, without a path."""

    sealer: Sealer
    app_id: str
    address: str
    now: int

    def link(self, answer: bytes) -> bytes:
        """An answer, as JSON, with links in the places of marked references."""
        return _MARKED.sub(self._replace, answer)

    def _replace(self, found: re.Match[bytes]) -> bytes:
        extension = (found[3] or b"").decode()
        return b'"%b"' % self._url(int(found[1]), found[2].decode(), extension).encode()

    def _url(self, message: int, file: str, extension: str) -> str:
        # By whole days: a message that is read again has the same link, which caches know.
        expires = (self.now // DAY_SECONDS + LIVES_DAYS + 1) * DAY_SECONDS
        signature = sign(self.sealer, self.app_id, message, file, expires)
        path = f"/files/{self.app_id}/{message}/{file}{extension}"
        return f"{self.address}{path}?expires={expires}&signature={signature}"


def sign(sealer: Sealer, app_id: str, message: int, file: str, expires: int) -> str:
    """The signature of a link."""
    said = json.dumps(["link to a file", app_id, message, file, expires])
    return sealer.hash(said)[:_SIGNATURE_DIGITS]


def is_signature(given: str, expected: str) -> bool:
    """Whether a link's signature is the one that it must have."""
    return hmac.compare_digest(given.encode(), expected.encode())
