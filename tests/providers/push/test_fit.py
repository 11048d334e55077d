"""Payloads within the limit, cut by whole characters."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubbub.providers.fit import cut, fit

TEXTS = [
    "plain",
    "Grüße",
    "日本語のテキスト",
    "👋🏽👋🏽",
    "👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷🇮🇳",
    "e\u0301e\u0301",
    "❤️❤️",
    "नमस्ते",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    'quotes " and \\ and \n lines',
]


def encode(fields: Any) -> bytes:
    """Return a payload in which the body stands twice."""
    shown = {"body": fields.get("body", "")}
    return json.dumps({**fields, "shown": shown}, ensure_ascii=False).encode()


def test_what_fits_stays_as_it_is() -> None:
    """Fields within the limit are not touched."""
    fields = {"body": "x" * 100, "message": {"text": "y" * 100}}

    assert fit(encode, fields, 4096) == encode(fields)


def test_the_message_goes_first() -> None:
    """If it is too much, `message` goes, and the body stays whole."""
    fields = {"body": "x" * 1500, "message": {"text": "y" * 4000}}

    assert fit(encode, fields, 4096) == encode({"body": "x" * 1500})


@pytest.mark.parametrize("text", TEXTS)
def test_then_the_body_is_cut(text: str) -> None:
    """All copies of the body are cut alike, no more than needed, and the rest stays."""
    body = text * 1000
    fields = {"title": "Anna", "body": body, "message": {"id": "1"}}
    encoded = fit(encode, fields, 4096)
    assert encoded is not None
    found = json.loads(encoded)

    assert found["title"] == "Anna"
    assert "message" not in found
    assert found["body"] == found["shown"]["body"]
    assert body.startswith(found["body"])
    assert 4096 - 150 <= len(encoded) <= 4096


@pytest.mark.parametrize("fields", [{"title": "x" * 5000}, {"title": "x" * 5000, "body": "y"}])
def test_what_can_never_fit(fields: dict[str, str]) -> None:
    """If the rest alone is too much, there is no payload."""
    assert fit(encode, fields, 4096) is None


@pytest.mark.parametrize("letter", [text for text in TEXTS if len(text) > 5 and text[0] > "z"])
def test_letters_stay_whole(letter: str) -> None:
    """A text is not cut within a letter that consists of several code points."""
    half = len(letter) // 2
    whole = letter[:half] if letter[:half] * 2 == letter else ""
    for limit in range(len(letter.encode()) + 1):
        found = cut(letter, limit)
        assert len(found.encode()) <= limit
        if whole:
            assert found in {"", whole, letter}


def test_flags_stay_whole() -> None:
    """Flags are pairs of letters: a row of them is cut between pairs."""
    flags = "🇩🇪🇫🇷🇮🇳"
    found = {cut(flags, limit) for limit in range(len(flags.encode()) + 1)}

    assert found == {"", "🇩🇪", "🇩🇪🇫🇷", flags}


@given(st.text(), st.integers(0, 100))
def test_any_text(text: str, limit: int) -> None:
    """Any text is cut to a beginning that fits, and never before a combining mark."""
    text = text.encode("utf-8", "replace").decode()
    found = cut(text, limit)
    rest = text[len(found) :]

    assert text.startswith(found)
    assert len(json.dumps(found, ensure_ascii=False).encode()) - 2 <= limit or not found
    assert not (found and rest and unicodedata.combining(rest[0]))
