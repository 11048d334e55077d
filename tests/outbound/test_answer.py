"""The pause that an answer asks for."""

import pytest

from hubbub.outbound.answer import read_retry_after

NOW = 1_800_000_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", None),
        ("7", 7),
        (" 0 ", 0),
        ("999999999", 86_400),
        ("-1", None),
        ("soon", None),
        ("٣", None),
        ("9" * 5000, None),
        ("Fri, 15 Jan 2027 08:00:30 GMT", 30),
        ("Fri, 15 Jan 2027 08:00:30", 30),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0),
        ("Fri, 15 Jan 9999 08:00:00 GMT", 86_400),
        ("Fri, 99 Jan 2027 08:00:00 GMT", None),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    """A number or a date is read; what is neither is no pause, and none is longer than a day."""
    assert read_retry_after(text, NOW) == seconds
