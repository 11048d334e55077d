"""Generated requests, and how their answers are compared with the document."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.contract import load_contract
from tests.live import LiveNode
from tests.soon import SOON_SECONDS

Case = schemathesis.Case[Any]

SEED = 20_190_614
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
        answer = case.call(
            self.base_url, session=self.session, headers=self.headers, timeout=SOON_SECONDS
        )
        case.validate_response(answer, checks=CHECKS)


@pytest.fixture(scope="session")
def session() -> Iterator[requests.Session]:
    """A keep-alive connection."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


async def make_app(live: LiveNode, session: requests.Session) -> Caller:
    """Make an app, which calls with made-up ids."""
    world = await live.world()
    headers = {"apikey": world.key, **live.management}
    return Caller(session, f"{live.address}/v3", headers, {})


async def make_anna(live: LiveNode, session: requests.Session) -> Caller:
    """Make an app with a user, who calls with existing ids."""
    world = await live.world()
    headers = {"apikey": world.key, **live.management}
    await world.users("anna", "ben")
    places = {
        "uid": "anna",
        "authToken": await world.token("anna"),
        "apiKey": world.auth_key,
        "appId": world.app_id,
        "role": "default",
    }
    return Caller(session, f"{live.address}/v3", {**headers, "onBehalfOf": "anna"}, places)


@cache
def load_schema(*, is_campaign: bool = False) -> Any:
    """Load the document as a source of requests; a campaign also tests every bound."""
    load_all_checks()
    asked = {
        "seed": SEED,
        "phases": {"examples": {"enabled": False}, "coverage": {"enabled": is_campaign}},
        "generation": {"with-security-parameters": False},
    }
    config = schemathesis.Config.from_dict(asked)
    return schemathesis.openapi.from_dict(load_contract().document, config=config)


def limits(count: int) -> hypothesis.settings:
    """Return the settings for a number of requests per operation."""
    return hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
