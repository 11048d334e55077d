"""Mail is written so that no user can add to it."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.providers.notifications import make_mail

from hubbub.providers.interface import Mail
from hubbub.providers.mail.body import (
    LONGEST_TEXT,
    MOST_SHOWN,
    Sender,
    write_html,
    write_mail,
    write_text,
)

SENDER = Sender("Chat", "chat@example.com")
HOSTILE = "x\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\x00\u2028"
HEADERS = [
    "Message-ID",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "From",
    "To",
    "Subject",
    "Date",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
]
TAGS = {"html", "head", "meta", "title", "body", "h1", "p", "strong", "br", "a"}


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(mail: Mail, sender: Sender = SENDER) -> EmailMessage:
    """Return a mail as a reader shows it; it is short lines of ASCII."""
    content = write_mail(mail, sender, 1_800_000_000)
    assert content.isascii()
    assert all(len(line) <= 998 for line in content.split(b"\r\n"))
    assert b"\n" not in content.replace(b"\r\n", b"")
    return message_from_bytes(content, policy=default)


@pytest.mark.parametrize("text", [HOSTILE, "Grüße 👩‍👩‍👧 " * 40, "", "=?utf-8?q?x?=", "a" * 5000])
def test_headers(text: str) -> None:
    """Names and subjects of users stay what they are: one header each."""
    to = {"uid": "ben", "name": text}
    message = read(make_mail(subject=text, to=to), Sender(text, "chat@example.com"))

    assert message.keys() == HEADERS
    assert message["To"].addresses[0].addr_spec == "ben@example.com"
    assert message["From"].addresses[0].addr_spec == "chat@example.com"
    assert "\n" not in message["Subject"]
    assert len(message["To"].addresses) == 1


def test_a_subject_in_utf8() -> None:
    """A subject may be in any script."""
    assert read(make_mail(subject="Grüße 👩‍👩‍👧 من آنا"))["Subject"] == "Grüße 👩‍👩‍👧 من آنا"


@pytest.mark.parametrize(
    ("given_id", "written"),
    [
        ("17.ben", "<17.ben@example.com>"),
        ("<a b>\r\nX: y", "<-a-b---X--y@example.com>"),
        ("x" * 900, f"<{'x' * 200}@example.com>"),
    ],
)
def test_message_ids(given_id: str, written: str) -> None:
    """A Message-ID is the same for every try, and can't end its header."""
    mail = make_mail()
    first, second = (
        read(Mail(mail.data, mail.email, mail.unsubscribe_url, given_id)) for _ in "12"
    )

    assert first["Message-ID"] == second["Message-ID"] == written


def test_a_long_unsubscribe_url() -> None:
    """A URL that is longer than a line is written as it is, as RFC 8058 needs it."""
    mail = make_mail()
    url = "https://chat.example/" + "x" * 300
    content = write_mail(Mail(mail.data, mail.email, url, "1"), SENDER, 1)

    assert f"\r\nList-Unsubscribe: <{url}>\r\n".encode() in content


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "https://a/\r\nX: y", "https://a/ b>"])
def test_urls_that_are_none(url: str) -> None:
    """A URL that is none to click on is not in the mail."""
    mail = make_mail()
    message = read(Mail(mail.data, mail.email, url, "1"))
    html = message.get_body(("html",))

    assert "List-Unsubscribe" not in message
    assert html is not None
    assert "<a " not in html.get_content()


def test_html_is_escaped() -> None:
    """Text of users is text, wherever it stands."""
    data = make_mail(
        subject=HOSTILE,
        messages=[
            {"sender": {"uid": "eve", "name": '<img src="x">'}, "message": HOSTILE},
            {"sender": {"uid": "<eve>"}, "message": None},
        ],
        groupDetails={"guid": "g", "name": "</p><a href='https://evil.example'>"},
    ).data
    page = Page(write_html(data, "https://chat.example/?a=1&b=%22"))

    assert page.tags == TAGS
    assert ("href", "https://chat.example/?a=1&b=%22") in page.attributes
    assert "<script>alert(1)</script>" in page.text
    assert '<img src="x">' in page.text
    assert "https://evil.example" in page.text


names = st.text(max_size=300)


@settings(deadline=None)
@given(subject=names, sender=names, text=st.text(max_size=3000), group=names)
def test_any_text(subject: str, sender: str, text: str, group: str) -> None:
    """Any text makes a mail with the same headers and tags."""
    messages = [{"sender": {"uid": "eve", "name": sender}, "message": text}]
    details = {"guid": "g", "name": group}
    mail = make_mail(subject=subject, messages=messages, groupDetails=details)
    message = read(mail, Sender(sender, "chat@example.com"))

    assert message.keys() == HEADERS
    assert Page(write_html(mail.data, mail.unsubscribe_url)).tags == TAGS


def test_half_characters() -> None:
    """Halves of characters, which can't be encoded, are left out."""
    mail = make_mail(subject="a\ud800b", messages=[{"sender": {}, "message": "c\udfffd"}])
    message = read(mail)
    body = message.get_body(("plain",))

    assert message["Subject"] == "ab"
    assert body is not None
    assert "cd" in body.get_content()


def test_a_group() -> None:
    """Mail about a group names the group, and each sender."""
    messages = [{"sender": {"uid": uid, "name": uid.title()}, "message": "Hi"} for uid in "ab"]
    text = write_text(make_mail(messages=messages, groupDetails={"name": "Cooks"}).data)

    assert text == "2 new messages from Anna\n\nCooks\n\nA:\nHi\n\nB:\nHi\n"


def test_many_messages() -> None:
    """Of very many messages, the last are shown, and how many are not."""
    messages: list[Any] = [
        {"sender": {"name": "A"}, "message": f"m{each}."} for each in range(5000)
    ]
    text = write_text(make_mail(messages=messages).data)

    assert f"{5000 - MOST_SHOWN} earlier messages are not shown." in text
    assert "m4999." in text
    assert text.count("A:") == MOST_SHOWN


def test_a_long_message() -> None:
    """A very long message is shown in part."""
    messages = [{"sender": {"name": "A"}, "message": "x" * 60_000}]
    mail = make_mail(messages=messages)

    assert f"{'x' * LONGEST_TEXT} …" in write_text(mail.data)
    assert len(write_mail(mail, SENDER, 1)) < 4 * LONGEST_TEXT
