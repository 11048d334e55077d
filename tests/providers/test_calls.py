"""What the answers of providers mean."""

import pytest

from hubbub.providers.calls import clean, judge_status
from hubbub.providers.interface import Outcome


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


def test_reasons_are_clean() -> None:
    """A reason is one short line without secrets."""
    assert clean("bad\r\nkey SG.x\x1b[0m", "SG.x", None, "") == "bad  key ••• [0m"
    assert len(clean("x" * 5000)) == 200
