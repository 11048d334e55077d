"""Write mail: text and HTML about unread messages, with headers that nobody can add to."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from typing import Any

from email_validator import EmailNotValidError, validate_email

from hubbub.providers.interface import Mail

LONGEST_HEADER = 200
MOST_SHOWN = 100
LONGEST_TEXT = 5000
UNSUBSCRIBE = "Unsubscribe from such mail"
_NOT_SHOWN = {"Cc", "Cs", "Zl", "Zp"}
"""Control characters, halves of characters, and ends of lines."""
_URL = re.compile(r"https?://[!-;=?-~]+")
_ID_CHARACTERS = re.compile(r"[^A-Za-z0-9._=+-]")
_PAGE = """\
<!doctype html>
<html>
<head><meta charset="utf-8"><title>{subject}</title></head>
<body style="font-family: sans-serif; line-height: 1.4">
<h1 style="font-size: 1.2em">{subject}</h1>
{parts}
</body>
</html>
"""
_MESSAGE = '<p dir="auto" style="white-space: pre-line"><strong>{sender}</strong><br>{text}</p>'
_PARAGRAPH = "<p>{text}</p>"
_FOOTER = '<p style="font-size: 0.8em"><a href="{url}">{text}</a></p>'


class BadAddress(Exception):
    """An address can't be written to; the text says why."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who mail is from."""

    name: str
    email: str

    @property
    def domain(self) -> str:
        """Return the part of the address after the @."""
        return self.email.rpartition("@")[2]


def write_mail(mail: Mail, sender: Sender, at: int) -> bytes:
    """Return a mail as it is sent, all in ASCII, with short lines.

    Raises:
        BadAddress: one of its addresses is not valid.
    """
    message = EmailMessage(policy=SMTP)
    to = clean_line(_name(mail.data["to"]))
    try:
        message["From"] = Address(clean_line(sender.name), addr_spec=sender.email)
        message["To"] = Address(to, addr_spec=read_address(mail.email))
    except (MessageError, ValueError):
        raise BadAddress("The e-mail address is not valid.") from None
    message["Subject"] = clean_line(mail.data.get("subject"))
    message["Date"] = format_datetime(datetime.fromtimestamp(at, UTC))
    message["Auto-Submitted"] = "auto-generated"
    url = mail.unsubscribe_url if _URL.fullmatch(mail.unsubscribe_url) else ""
    footer = f"\n-- \n{UNSUBSCRIBE}: {url}\n" if url else ""
    message.set_content(write_text(mail.data) + footer, cte="quoted-printable")
    message.add_alternative(write_html(mail.data, url), subtype="html", cte="quoted-printable")
    # `email` would encode words that are longer than a line, and so break these two.
    return _write_headers(mail, sender, url) + message.as_bytes()


def _write_headers(mail: Mail, sender: Sender, url: str) -> bytes:
    lines = []
    if mail.message_id:
        name = _ID_CHARACTERS.sub("-", mail.message_id)[:LONGEST_HEADER]
        lines.append(f"Message-ID: <{name}@{sender.domain}>")
    if url:
        lines.append(f"List-Unsubscribe: <{url}>")
        lines.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    return "".join(f"{line}\r\n" for line in lines).encode("ascii")


def write_text(data: Mapping[str, Any]) -> str:
    """Return the text of a mail."""
    parts = [f"{clean_line(data.get('subject'))}\n"]
    parts += (f"{part}\n" for part in _describe(data))
    for sender, text in _messages(data):
        parts.append(f"{sender}:\n{text}\n")
    return "\n".join(parts)


def write_html(data: Mapping[str, Any], unsubscribe_url: str) -> str:
    """Return the HTML of a mail; whatever users have written is escaped."""
    parts = [_PARAGRAPH.format(text=escape(part)) for part in _describe(data)]
    for sender, text in _messages(data):
        parts.append(_MESSAGE.format(sender=escape(sender), text=escape(text)))
    if unsubscribe_url:
        parts.append(_FOOTER.format(url=escape(unsubscribe_url), text=UNSUBSCRIBE))
    subject = escape(clean_line(data.get("subject")))
    return _PAGE.format(subject=subject, parts="\n".join(parts))


def read_address(text: str) -> str:
    """Return an e-mail address in ASCII.

    Raises:
        BadAddress: it is none, or can't be written in ASCII.
    """
    try:
        found = validate_email(text, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        raise BadAddress("The e-mail address is not valid.") from None
    if found.ascii_email is None:
        raise BadAddress("The e-mail address has letters before the @ that are not ASCII.")
    return found.ascii_email


def clean_line(text: object) -> str:
    """Return text on one line, not too long, without control characters."""
    return clean_text(text).replace("\n", " ").strip()[:LONGEST_HEADER]


def clean_text(text: object) -> str:
    """Return text with lines that end alike, without other control characters."""
    lines = f"{text or ''}".splitlines()
    return "\n".join("".join(filter(_is_shown, line)) for line in lines)


def _is_shown(letter: str) -> bool:
    return unicodedata.category(letter) not in _NOT_SHOWN


def _describe(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a mail says before the messages."""
    if "groupDetails" in data:
        yield clean_line(_name(data["groupDetails"]))
    hidden = len(data["messages"]) - MOST_SHOWN
    if hidden > 0:
        yield f"{hidden} earlier messages are not shown."


def _messages(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the sender and the text of each message that is shown."""
    for each in data["messages"][-MOST_SHOWN:]:
        text = clean_text(each.get("message"))
        shown = f"{text[:LONGEST_TEXT]} …" if len(text) > LONGEST_TEXT else text
        yield clean_line(_name(each["sender"])), shown


def _name(person: Mapping[str, Any]) -> str:
    return f"{person.get('name') or person.get('uid') or person.get('guid') or ''}"
