"""Fixtures of the tests of moderation."""

from collections.abc import Sequence

import pytest
from tests.api.moderation.planted import plant


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """Plant the rules of `planted.py`; return the data that they judged."""
    return plant(monkeypatch)
