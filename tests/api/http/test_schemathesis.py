"""Generated requests, valid and invalid, get only documented answers."""

from typing import Any

import hypothesis
import pytest
import requests
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from tests.api.http.made_up import (
    SEED,
    Caller,
    Case,
    limits,
    load_schema,
    make_anna,
    make_app,
    session,
)
from tests.engines import one_engine
from tests.live import LiveNode

from hubbub.rest.operations import OPERATIONS

__all__ = ["session"]

Operation = APIOperation[Any, Any, Any, Any]

EXAMPLES = 3
TAGS = sorted({operation.tag.name for operation in OPERATIONS})


def operations_of(tag: str) -> list[Operation]:
    """Return the operations of an area."""
    found = [result.ok() for result in load_schema().get_all_operations()]
    return [each for each in found if tag in each.definition.raw["tags"]]


def find_faults(caller: Caller, operation: Operation) -> list[str]:
    """Send requests to an operation, the same in every run; return what the answers broke."""
    cases = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]
    faults = []

    @hypothesis.seed(SEED)
    @limits(EXAMPLES)
    @hypothesis.given(case=st.one_of(cases))
    def send(case: Case) -> None:
        try:
            caller.check(case)
        except FailureGroup as failure:
            faults.append(f"{operation.label}: {failure}")

    send()
    return faults[:1]


@pytest.mark.parametrize("tag", TAGS)
async def test_made_up_requests_meet_what_is_documented(
    live: LiveNode, session: requests.Session, tag: str
) -> None:
    """No generated request causes a 500, an undocumented status, or an answer of another shape."""
    operations = operations_of(tag)
    faults = [
        fault
        for operation in operations
        for fault in find_faults(await make_anna(live, session), operation)
    ]

    assert operations
    assert faults == []


@one_engine
@pytest.mark.parametrize("tag", TAGS)
async def test_requests_for_what_does_not_exist_meet_what_is_documented(
    live: LiveNode, session: requests.Session, tag: str
) -> None:
    """Nor does a generated request whose ids are made up, too: few get beyond the first look."""
    caller = await make_app(live, session)
    faults = [fault for operation in operations_of(tag) for fault in find_faults(caller, operation)]

    assert faults == []
