"""The text of a reply, without the mail that it answers."""

import random
import time

import msgspec
import pytest

from hubbub.domain.notifications.replies.mail import FIELDS, read_mail
from hubbub.domain.notifications.replies.tag import ReplyTag, make_tag, read_tag
from hubbub.domain.notifications.replies.text import read_text
from hubbub.kernel.sealing import Sealer
from hubbub.records.messages.model import LARGEST_DATA_BYTES

SECRET = "0123456789abcdef0123"
SECONDS = 60.0
"""Ample: a text whose cost grows with its square takes minutes."""
SIZE = 256 * 1024
HOSTILE = (
    "<", "</", "<!--", "<a ", "<![", "<?", "&", "&#", "&#1", "&#x1", "<a b='", "<a href=x",
    "<script>", "<style>", "</script", "<a/ ", "<p>", ">", "\n", "\n\n>", "-", "--\n", "_", "_\n",
    "From:\n", "wrote:\n", "On wrote:\n>", " ", "\0", "\u0301", "\U0001f468\u200d", "\U0001f1e9",
)  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ("Yes\r\n\r\nBen\r\n", "Yes\n\nBen"),
        ("Yes\n> no\nmore", "Yes"),
        ("Yes\n\nOn Mon, 23 Nov 2026, Chat <c@example.com> wrote:\n\n> Well?", "Yes"),
        ("Yes\n\nOn Mon, 23 Nov 2026 at 08:12 Chat\n<c@example.com>\nwrote:\n> Well?", "Yes"),
        ("Ja\n\nAm 23.11.26 um 08:12 schrieb Chat:\n> Nun?", "Ja"),
        ("I say:\n> x", "I say:"),
        ("Ja\n\nAm 23.11.26 um 08:12 Chat schrieb:\n> Nun?", "Ja"),
        ("Anna wrote:\n> x", ""),
        ("She wrote:\nnothing", "She wrote:\nnothing"),
        ("Yes\n-----Original Message-----\nFrom: Chat", "Yes"),
        ("Ja\n-----Ursprüngliche Nachricht-----\nVon: Chat", "Ja"),
        ("Yes\n________________\nFrom: Chat\nSent: Monday\nTo: Ben", "Yes"),
        ("Yes\n*From:* Chat\n*Sent:* Monday", "Yes"),
        ("From: here on\nit is easy", "From: here on\nit is easy"),
        ("Yes\n-- \nBen, Berlin", "Yes"),
        ("Yes -- no", "Yes -- no"),
        (f"Yes\nOn Monday\n<re+1{SECRET.upper()}@example.com> said\nWell?", "Yes\nOn Monday"),
        ("a\0b\x1b[31mc\td", "ab[31mc\td"),
        ("> all quoted", ""),
    ],
)  # fmt: skip
def test_plain_text(plain: str, text: str) -> None:
    """The text ends before what mail programs add to it."""
    assert read_text(plain, "<p>unused", SECRET) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Yes</p><p>1 &lt; 2 &amp; 3&nbsp;m</p>", "Yes\n\n1 < 2 & 3\xa0m"),
        ("<div>Yes<br>No</div><blockquote>Well?</blockquote>more", "Yes\nNo"),
        ("Yes<div class='gmail_quote'>On Monday Chat wrote:</div>", "Yes"),
        ("<head><title>Re</title><style>p > a {}</style></head><p>Yes", "Yes"),
        ("<!doctype html><!-- a <p> b -->Yes<!-- not closed <p>No", "Yes"),
        ("Yes<div>On Monday Chat wrote:</div><blockquote>Well?</blockquote>", "Yes"),
        ("&#" + "1" * 5000 + ";Yes", "Yes"),
        ("1 < 2", "1 < 2"),
    ],
)
def test_markup(markup: str, text: str) -> None:
    """Without a plain text, the text of the HTML is taken, up to the first quote."""
    assert read_text(" \n", markup, SECRET) == text


@pytest.mark.parametrize("letter", ["a", "ü", "\n", '"', "\U0001f468"])
def test_the_longest_text(letter: str) -> None:
    """A text is cut at what the data of a message may hold."""
    text = read_text(f"{letter * SIZE}", "", SECRET) if letter != "\n" else ""
    text = text or read_text("x" + f"{letter}x" * SIZE, "", SECRET)
    size = len(msgspec.json.encode({"text": text}))

    assert LARGEST_DATA_BYTES - 6 <= size <= LARGEST_DATA_BYTES


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_are_read_in_time(piece: str) -> None:
    """However a text is made, reading it costs no more than its length."""
    text = (piece * SIZE)[:SIZE]
    began = time.process_time()
    read_text(text, "", SECRET)
    read_text("", text, SECRET)
    raw = text.encode()
    read_mail(dict.fromkeys(FIELDS, raw))

    assert time.process_time() - began < SECONDS


def test_random_mails() -> None:
    """A mail of any bytes is read without an error."""
    chance = random.Random(7)
    pieces = [
        *(each.encode() for each in HOSTILE),
        b"\xff",
        b'{"to":',
        b'"',
        b"[",
        b"(",
        b"@",
        b":",
    ]
    for _ in range(2000):
        made = {each: b"".join(chance.choices(pieces, k=chance.randrange(20))) for each in FIELDS}
        made["charsets"] = chance.choice([b"{}", b'{"text":"cp999"}', b'{"text":"punycode"}', b"1"])
        mail = read_mail(made)
        read_text(mail.text, mail.html, SECRET)
        assert [each for each in map(read_tag, mail.to) if each] == []


@pytest.mark.parametrize("name", ["from", "to", "headers"])
def test_deep_comments(name: str) -> None:
    """Comments inside comments in a header are no error."""
    assert read_mail({name: b"(" * 5000}).to == []


def test_a_mail() -> None:
    """The texts of a mail are in the character sets that the form names."""
    mail = read_mail(
        {
            "charsets": b'{"text": "iso-8859-1", "html": "no-such"}',
            "envelope": b'{"to": ["re+1@example.com"], "from": "b@example.com"}',
            "from": b'"Ben, at work" <ben@example.com>',
            "headers": b"Message-ID: <1@example.com>\nAuto-Submitted: auto-replied\n",
            "text": "Grüße".encode("latin-1"),
            "html": "Grüße".encode(),
        }
    )

    assert (mail.text, mail.html, mail.to) == ("Grüße", "Grüße", ["re+1@example.com"])
    assert (mail.sender, mail.message_id) == ("ben@example.com", "<1@example.com>")
    assert mail.is_automatic
    assert read_mail({"from": b"ben@example.com, anna@example.com"}).sender == ""


def test_tags() -> None:
    """A tag is found in an address of any case, and belongs to one person in one conversation."""
    sealer = Sealer(bytes(32))
    made = make_tag(sealer, "app", "ben", 2**53)
    tag = read_tag(f"replies+more+{made.upper()}@Example.com")

    assert len(made) + len("replies+") <= 64
    assert tag is not None
    assert tag.find_owner(sealer, "app", ["anna", "ben"]) == "ben"
    assert tag.find_owner(sealer, "app", ["anna"]) is None
    assert tag.find_owner(sealer, "other", ["ben"]) is None
    assert ReplyTag(tag.conversation - 1, tag.proof).find_owner(sealer, "app", ["ben"]) is None
    assert read_tag(f"replies+{made[-20:]}@example.com") is None
    assert read_tag("replies@example.com") is None
    assert read_tag(f"{'r' * 320}+{made}@example.com") is None
