"""Generated requests, valid and invalid, get only documented answers."""

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
from tests.contract import load_contract
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
    """The sender of requests, and existing ids for the parts of a path."""

    session: requests.Session
    base_url: str
    headers: dict[str, str]
    places: dict[str, str]

    def check(self, case: Case) -> None:
        """Send a request, and validate the answer against the document."""
        for name in case.path_parameters.keys() & self.places.keys():
            case.path_parameters[name] = self.places[name]
        answer = case.call(self.base_url, session=self.session, headers=self.headers)
        case.validate_response(answer, checks=CHECKS)


@pytest.fixture(scope="session")
def session() -> Iterator[requests.Session]:
    """A keep-alive connection."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture(params=["app", "anna"])
async def caller(
    request: pytest.FixtureRequest, live: LiveNode, session: requests.Session
) -> Caller:
    """The app itself, with made-up ids; or one of its users, with existing ones."""
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
    """Load the document as a source of requests; a campaign also tests every bound."""
    load_all_checks()
    asked = {
        "seed": SEED,
        "phases": {"examples": {"enabled": False}, "coverage": {"enabled": is_campaign}},
        "generation": {"with-security-parameters": False},
    }
    config = schemathesis.Config.from_dict(asked)
    return schemathesis.openapi.from_dict(load_contract().document, config=config)


def with_requests(count: int, *, is_campaign: bool = False) -> Callable[[Test], Test]:
    """Parametrize a test with a number of requests per operation, the same in every run."""
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
    """No generated request causes a 500, an undocumented status, or an answer of another shape."""
    caller.check(case)


@pytest.mark.campaign
@with_requests(CAMPAIGN_EXAMPLES, is_campaign=True)
def test_many_made_up_requests_meet_what_is_documented(case: Case, caller: Caller) -> None:
    """A large number of requests, also at every bound, gets only documented answers."""
    caller.check(case)
