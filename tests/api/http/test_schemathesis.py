"""Requests made up out of the document, right and wrong ones, meet only what the document says."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.contract import the_contract
from tests.live import LiveNode

Case = schemathesis.Case[Any]
Test = TypeVar("Test", bound=Callable[..., None])

SEED = 20_190_614
EXAMPLES = 8
CAMPAIGN_EXAMPLES = 80
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    response_schema_conformance,
    content_type_conformance,
]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends the requests, and what really is at the places of a path."""

    session: requests.Session
    base_url: str
    headers: dict[str, str]
    places: dict[str, str]

    def check(self, case: Case) -> None:
        """Send a request, and hold the answer against the document."""
        for name in case.path_parameters.keys() & self.places.keys():
            case.path_parameters[name] = self.places[name]
        answer = case.call(self.base_url, session=self.session, headers=self.headers)
        case.validate_response(answer, checks=CHECKS)


@pytest.fixture(scope="session")
def session() -> Iterator[requests.Session]:
    """A connection that is kept."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture(params=["app", "anna"])
async def caller(
    request: pytest.FixtureRequest, live: LiveNode, session: requests.Session
) -> Caller:
    """The app itself, with made-up places; or somebody of its users, with real ones."""
    world = await live.world()
    headers = {"apikey": world.key, **live.management}
    if request.param == "app":
        return Caller(session, f"{live.address}/v3", headers, {})
    await world.users("anna", "ben")
    places = {
        "uid": "anna",
        "authToken": await world.token("anna"),
        "apiKey": world.auth_key,
        "appId": world.app_id,
        "role": "default",
    }
    return Caller(session, f"{live.address}/v3", {**headers, "onBehalfOf": "anna"}, places)


def load_schema(*, is_campaign: bool) -> Any:
    """The document as a source of requests; in a campaign they go to every bound, too."""
    load_all_checks()
    asked = {
        "seed": SEED,
        "phases": {"examples": {"enabled": False}, "coverage": {"enabled": is_campaign}},
        "generation": {"with-security-parameters": False},
    }
    config = schemathesis.Config.from_dict(asked)
    return schemathesis.openapi.from_dict(the_contract().document, config=config)


def with_requests(count: int, *, is_campaign: bool = False) -> Callable[[Test], Test]:
    """Have a test run for each operation with so many requests, the same ones in every run."""
    schema = load_schema(is_campaign=is_campaign)
    limits = settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    def decorate(test: Test) -> Test:
        decorated: Test = schema.parametrize()(limits(test))
        return decorated

    return decorate


@with_requests(EXAMPLES)
def test_a_made_up_request_meets_what_is_documented(case: Case, caller: Caller) -> None:
    """No made-up request causes a defect, an undocumented status, or an answer of another shape."""
    caller.check(case)


@pytest.mark.campaign
@with_requests(CAMPAIGN_EXAMPLES, is_campaign=True)
def test_many_made_up_requests_meet_what_is_documented(case: Case, caller: Caller) -> None:
    """However many are made up, and however close to the bounds, none finds anything else."""
    caller.check(case)
