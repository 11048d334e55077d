"""A mail as SendGrid's Inbound Parse passes it on: a form, whose texts have character sets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from email.utils import getaddresses
from typing import TypeVar

import msgspec

_Json = TypeVar("_Json")

FIELDS = frozenset({"charsets", "envelope", "from", "headers", "html", "text", "to"})
LARGEST_FIELD = 256 * 1024
"""In bytes; what comes after them is left out."""
_LONGEST_ADDRESSES = 4096
_MOST_ADDRESSES = 50
_MOST_COMMENTS = 50
_LONGEST_NAME = 998
# Not every codec of Python: that of punycode, for example, takes minutes for a long text.
_CHARSETS = re.compile(
    r"(?:us-)?ascii|utf-?(?:8|16|32)|iso-8859-\d{1,2}|(?:windows-|cp)\d{3,4}|koi8-[ru]|big5"
    r"|gb(?:2312|k|18030)|euc-(?:jp|kr)|shift_jis|iso-2022-(?:jp|kr)|ks_c_5601-1987",
    re.IGNORECASE,
)


class _Envelope(msgspec.Struct):
    to: list[str] = []


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail that has arrived. All of it may be forged."""

    to: Sequence[str]
    """The addresses that it was delivered to."""
    sender: str
    """The address that it says it is from; empty if that is not exactly one."""
    message_id: str
    is_automatic: bool
    """Whether a program has written it, such as one for absences (RFC 3834)."""
    text: str
    html: str


def read_mail(fields: Mapping[str, bytes]) -> IncomingMail:
    """Return the mail in the fields of a form; what is missing or malformed is empty."""
    charsets = _decode_json(fields, "charsets", dict[str, str]) or {}
    headers = HeaderParser().parsestr(_text(fields, "headers"))
    senders = _addresses(_text(fields, "from"))
    envelope = _decode_json(fields, "envelope", _Envelope)
    said_by_program = str(headers.get("Auto-Submitted", "no")).strip().lower()
    precedence = str(headers.get("Precedence", "")).strip().lower()
    return IncomingMail(
        to=envelope.to[:_MOST_ADDRESSES] if envelope else _addresses(_text(fields, "to")),
        sender=senders[0] if len(senders) == 1 else "",
        message_id=str(headers.get("Message-ID", "")).strip()[:_LONGEST_NAME],
        is_automatic=said_by_program != "no" or precedence in {"auto_reply", "bulk", "junk"},
        text=_text(fields, "text", charsets.get("text", "")),
        html=_text(fields, "html", charsets.get("html", "")),
    )


def _text(fields: Mapping[str, bytes], name: str, charset: str = "") -> str:
    raw = fields.get(name, b"")
    try:
        return raw.decode(charset if _CHARSETS.fullmatch(charset) else "utf-8", "replace")
    except LookupError:  # there is no such page of code
        return raw.decode("utf-8", "replace")


def _addresses(header: str) -> list[str]:
    if header.count("(") > _MOST_COMMENTS:  # Python reads one inside another by recursion
        return []
    found = getaddresses([header[:_LONGEST_ADDRESSES]])
    return [address for _, address in found if address][:_MOST_ADDRESSES]


def _decode_json(fields: Mapping[str, bytes], name: str, type_: type[_Json]) -> _Json | None:
    try:
        return msgspec.json.decode(fields.get(name, b""), type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
