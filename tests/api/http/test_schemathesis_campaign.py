"""A large number of generated requests, also at every bound, gets only documented answers."""

from collections.abc import Callable
from typing import TypeVar

import pytest
import requests
from tests.api.http.made_up import (
    Caller,
    Case,
    limits,
    load_schema,
    make_anna,
    make_app,
    session,
)
from tests.live import LiveNode

__all__ = ["session"]

Test = TypeVar("Test", bound=Callable[..., None])

EXAMPLES = 80


def of_each_operation(test: Test) -> Test:
    """Parametrize a test with requests to each operation, the same in every run."""
    made: Test = load_schema(is_campaign=True).parametrize()(limits(EXAMPLES)(test))
    return made


@pytest.fixture(params=[make_app, make_anna])
async def caller(
    request: pytest.FixtureRequest, live: LiveNode, session: requests.Session
) -> Caller:
    """The app itself, with made-up ids; or one of its users, with existing ones."""
    made: Caller = await request.param(live, session)
    return made


@pytest.mark.campaign
@of_each_operation
def test_many_made_up_requests_meet_what_is_documented(case: Case, caller: Caller) -> None:
    """No answer is a 500, has an undocumented status, or another shape."""
    caller.check(case)
