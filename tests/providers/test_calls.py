"""What the answers of providers mean."""

import pytest

from hubbub.providers.calls import clean, judge_status
from hubbub.providers.interface import SendOutcome


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, SendOutcome.SENT),
        (202, SendOutcome.SENT),
        (302, SendOutcome.REFUSED),
        (400, SendOutcome.REFUSED),
        (401, SendOutcome.REFUSED),
        (413, SendOutcome.REFUSED),
        (429, SendOutcome.SLOWER),
        (500, SendOutcome.LATER),
        (503, SendOutcome.LATER),
    ],
)
def test_statuses(status: int, outcome: SendOutcome) -> None:
    """Failures of a server pass, a quota makes slower, refusals are final."""
    assert judge_status(status) == outcome


def test_reasons_are_clean() -> None:
    """A reason is one short line without secrets."""
    assert clean("bad\r\nkey SG.x\x1b[0m", "SG.x", None, "") == "bad  key ••• [0m"
    assert len(clean("x" * 5000)) == 200
