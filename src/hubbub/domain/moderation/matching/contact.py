"""Find e-mail addresses, phone numbers and links in texts.

RE2 finds what may be one, in a time that is linear in the length of the text; a library decides on
each address and each number.
"""

import re
from collections.abc import Iterator

import phonenumbers
import re2
from email_validator import EmailNotValidError, validate_email

from hubbub.domain.moderation.matching.folding import Span
from hubbub.records.moderation.rules.model import EMAIL, LINK, PHONE

LONGEST_AT_ONCE = 200
"""In so long a text there are so few candidates that the libraries take little time for all."""
_NAMED = (
    "com|net|org|info|biz|io|co|me|ly|gg|app|dev|xyz|online|site|shop|link|club|top|ru|cn|uk|de"
)
"""Names under which a host is a link without `https://`; other ones are often no links at all."""
_LABELS = r"(?:[\pL\pN](?:[\pL\pN-]{0,62}[\pL\pN])?\.)+"
_EMAIL = re2.compile(rf"(?i)[\pL\pN._%+'-]{{1,64}}@{_LABELS}(?:\pL{{2,24}}|xn--[a-z0-9-]{{2,59}})")
_LINK = re2.compile(
    rf"(?i)\b(?:(?:https?|ftp)://|www\.)[^\s<>\"]{{2,1000}}"
    rf"|\b{_LABELS}(?:{_NAMED})\b(?:/[^\s<>\"]*)?"
)
_NUMBER = re2.compile(r"(?:\+|\b00|\b|\()[0-9][0-9 ()./-]{5,25}[0-9]\b")
_CONTACT = re.compile(rf"({EMAIL}|{LINK}|{PHONE})(?::([A-Z]{{2}}))?")


def parse_contact(value: str) -> tuple[str, str | None] | None:
    """Return the kind of contact details that a condition names, and the region of its numbers.

    `phone:DE` finds numbers as they are written in Germany, too; `phone` those with the code of a
    country alone. None if the value names no kind, or an unknown region.
    """
    named = _CONTACT.fullmatch(value)
    if named is None:
        return None
    kind, region = named.groups()
    if region is not None and (kind != PHONE or region not in phonenumbers.SUPPORTED_REGIONS):
        return None
    return kind, region


def find_contact(kind: str, region: str | None, text: str) -> Iterator[Span]:
    """Yield where a text has contact details of a kind."""
    if kind == EMAIL:
        return _emails(text)
    return _numbers(text, region) if kind == PHONE else _links(text)


def _emails(text: str) -> Iterator[Span]:
    if "@" not in text:
        return
    for found in _EMAIL.finditer(text):
        try:
            validate_email(found.group(), check_deliverability=False, test_environment=True)
        except EmailNotValidError:
            continue
        yield found.span()


def _links(text: str) -> Iterator[Span]:
    if "." not in text and "://" not in text:
        return
    for found in _LINK.finditer(text):
        if found.start() == 0 or text[found.start() - 1] != "@":  # else it is an address
            yield found.span()


def _numbers(text: str, region: str | None) -> Iterator[Span]:
    for found in _NUMBER.finditer(text):
        written = found.group()
        if written.startswith("00"):
            written = "+" + written[2:]
        if not written.startswith("+") and region is None:
            continue
        try:
            number = phonenumbers.parse(written, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number(number):
            yield found.span()
