"""Links to files: signed, valid for a few days, bound to the app and the message with the file.

A stored attachment holds a reference instead of a link. The code that renders a message marks each
reference with the message's id. The code that sends the answer replaces the marks by links, since
only it knows the address of the node. Neither parses JSON.
Since a link names the message, a forged reference in another message leads to no file.
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
"""Follows the id of a file to name its thumbnail."""
_REFERENCE_PREFIX = "https://files.invalid/"
"""An address that can't exist (RFC 2606), so a reference has the form of any other URL."""
_FILE = rb"([0-9a-f]{32}(?:-thumbnail)?)(\.[a-z0-9]{1,16})?"
_REFERENCE = re.compile(rb'"' + re.escape(_REFERENCE_PREFIX.encode()) + _FILE + rb'"')
_RARE = b"\x7f"
"""A character that hardly any text has: a single byte is found in a tenth of the time."""
_MARK = _RARE + secrets.token_hex(16).encode() + b"/"
"""Random in each process, so users can't forge it."""
_MARKED = re.compile(rb'"' + re.escape(_MARK) + rb"(-?[0-9]+)/" + _FILE + rb'"')
_SIGNED_LINK = re.compile(
    rb'"(?:https?://[^"]{1,300})?/files/[a-z0-9-]{1,64}/([0-9]{1,19})/'
    + _FILE
    + rb'\?expires=[0-9]{1,18}&signature=[0-9a-f]{32}"'
)
"""A link to a file here, as a client got it with a message and may send it with an edit."""
_SIGNATURE_DIGITS = 32


def reference(file: str, extension: str) -> str:
    """Return the reference that stands for the link to a file in a stored message."""
    return f"{_REFERENCE_PREFIX}{file}.{extension}" if extension else f"{_REFERENCE_PREFIX}{file}"


OF_EXPORT = 0
"""Stands in a link for the message: the file is that of an export."""


def mark_export(file: str) -> str:
    """Return the mark of the file of an export, which becomes a link when the answer is sent."""
    return f"{_MARK.decode()}{OF_EXPORT}/{file}.zip"


def file_of(url: str) -> str | None:
    """Return the id of the file that a reference stands for; None of any other URL."""
    if not url.startswith(_REFERENCE_PREFIX):
        return None
    return url.removeprefix(_REFERENCE_PREFIX).partition(".")[0]


def file_of_link(url: str, message: int) -> str | None:
    """Return the id of the file that a signed link to one of the message leads to; None of others.

    A client that edits a message may send back the link that it got.
    """
    found = _SIGNED_LINK.fullmatch(f'"{url}"'.encode(errors="replace"))
    return found[2].decode() if found is not None and int(found[1]) == message else None


def has_references(data: str) -> bool:
    """Return whether stored data may contain references or signed links."""
    return _REFERENCE_PREFIX in data or "&signature=" in data


def mark_references(data: bytes, message: int, *, is_deleted: bool) -> bytes:
    """Mark each reference in the JSON data of a message with the message's id, negative if deleted.

    A signed link to a file of the same message is marked, too: a stored link would expire.
    """
    number = -message if is_deleted else message

    def mark_own_link(found: re.Match[bytes]) -> bytes:
        is_own = int(found[1]) == message
        return b'"%b%d/%b%b"' % (_MARK, number, found[2], found[3] or b"") if is_own else found[0]

    return _SIGNED_LINK.sub(mark_own_link, _REFERENCE.sub(rb'"%b%d/\1\2"' % (_MARK, number), data))


def has_marks(answer: bytes) -> bool:
    """Return whether an answer contains marked references."""
    return _RARE in answer and _MARK in answer


@dataclass(frozen=True, slots=True)
class Links:
    """Creates the links of an app; `address` is the URL of the node, without a path."""

    sealer: Sealer
    app_id: str
    address: str
    now: int

    def link(self, answer: bytes) -> bytes:
        """Replace the marked references in the JSON of an answer by links."""
        return _MARKED.sub(self._replace, answer)

    def _replace(self, found: re.Match[bytes]) -> bytes:
        extension = (found[3] or b"").decode()
        return b'"%b"' % self._url(int(found[1]), found[2].decode(), extension).encode()

    def _url(self, message: int, file: str, extension: str) -> str:
        # By whole days: a message that is read again has the same link, so caches can find it.
        expires = (self.now // DAY_SECONDS + LIVES_DAYS + 1) * DAY_SECONDS
        signature = sign(self.sealer, self.app_id, message, file, expires)
        path = f"/files/{self.app_id}/{abs(message)}/{file}{extension}"
        return f"{self.address}{path}?expires={expires}&signature={signature}"


def sign(sealer: Sealer, app_id: str, message: int, file: str, expires: int) -> str:
    """Return the signature of a link; the message's id is negative if the message is deleted."""
    return sealer.sign(_signed(app_id, message, file, expires))[:_SIGNATURE_DIGITS]


def is_signed(
    sealer: Sealer, given: str, app_id: str, message: int, file: str, expires: int
) -> bool:
    """Return whether the signature of a link is ours; each is compared in constant time."""
    ours = sealer.signatures(_signed(app_id, message, file, expires))
    return any(
        hmac.compare_digest(given.encode(), each[:_SIGNATURE_DIGITS].encode()) for each in ours
    )


def _signed(app_id: str, message: int, file: str, expires: int) -> str:
    return json.dumps(["link to a file", app_id, message, file, expires])
