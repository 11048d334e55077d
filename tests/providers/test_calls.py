"""What the answers of providers mean."""

import pytest

from hubbub.providers.calls import clean, judge_status, read_retry_after
from hubbub.providers.interface import Outcome

NOW = 1_800_000_000


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Outcome.SENT),
        (202, Outcome.SENT),
        (302, Outcome.REFUSED),
        (400, Outcome.REFUSED),
        (401, Outcome.REFUSED),
        (413, Outcome.REFUSED),
        (429, Outcome.SLOWER),
        (500, Outcome.LATER),
        (503, Outcome.LATER),
    ],
)
def test_statuses(status: int, outcome: Outcome) -> None:
    """Failures of a server pass, a quota makes slower, refusals are final."""
    assert judge_status(status) == outcome


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


def test_reasons_are_clean() -> None:
    """A reason is one short line without secrets."""
    assert clean("bad\r\nkey SG.x\x1b[0m", "SG.x", None, "") == "bad  key ••• [0m"
    assert len(clean("x" * 5000)) == 200
