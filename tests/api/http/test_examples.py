"""The examples in the document are calls that were made, and the answers of the server.

`make examples` records them anew, from the story.
"""

import hashlib
import json
import os
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote, urlencode

from jsonschema import Draft202012Validator, ValidationError
from tests import pem
from tests.api.http.example_story import PEM, STORY, Step
from tests.api.notifications.log_samples import pushed
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.contract import load_contract
from tests.wire import InProcess
from tests.world import Caller

from hubbub.bootstrap import open_runtime
from hubbub.domain.apps.manage import make_management_credentials, store_first_credentials
from hubbub.domain.deliveries.outcome import Attempt, decide
from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.domain.metrics.count import count_all
from hubbub.domain.moderated.hold import hold_message
from hubbub.domain.moderation.decision import Decision, Matched, Ruling
from hubbub.http.app import make_app
from hubbub.http.contract.examples import EXAMPLES, Example
from hubbub.http.decoding.decode import decode_body, decode_query
from hubbub.http.operation import Operation, RequiredKey
from hubbub.kernel.errors import BadInput
from hubbub.outbox.set_aside import SetAside, insert_set_aside
from hubbub.records.messages.model import Draft, MessageView
from hubbub.records.notifications.logs import insert_logs
from hubbub.records.webhooks import queues
from hubbub.rest.operations import OPERATIONS
from hubbub.rest.payloads.render import render_payloads
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

BY_NAME = {entry.name: entry for entry in OPERATIONS}
KEYS = {"private_key": pem.rsa_key, "p8Key": pem.p256_key}
START = 1_790_000_000
RECORDED = os.environ.get("HUBBUB_RECORD_EXAMPLES")


class CountedIds:
    """Identifiers that look random and are the same each time."""

    def __init__(self) -> None:
        self._count = 0

    def hexadecimal(self, length: int) -> str:
        self._count += 1
        digest = hashlib.sha256(str(self._count).encode()).hexdigest()
        return (digest * (length // len(digest) + 1))[:length]


async def test_examples_are_what_the_server_answers(new_settings: NewSettings) -> None:
    """Each request of the document, sent in the order of the story, gets the answer there."""
    told = [example async for example in tell(new_settings)]
    if RECORDED:
        record(told)
        return
    recorded = [example for examples in EXAMPLES.values() for example in examples]

    by_place = {(each.operation, each.name): each for each in told}
    assert by_place == {(each.operation, each.name): each for each in recorded}


async def tell(new_settings: NewSettings) -> AsyncIterator[Example]:
    """Make the calls of the story on an installation of its own, and yield the examples."""
    clock = ManualClock(START)
    async with open_runtime(new_settings(log_requests=False), clock, CountedIds()) as runtime:
        credentials = make_management_credentials(runtime.ids)
        assert await store_first_credentials(runtime, credentials)
        management = {"key": credentials.key, "secret": credentials.secret}
        caller = Caller(InProcess(make_app(runtime, OPERATIONS)))
        app: dict[str, str] = {}
        found: dict[str, str] = {}
        for step in STORY:
            clock.advance(60)
            await count_all(runtime)
            if step.operation == "list_notification_logs":
                await log_push(runtime, "my-app")
            if step.operation == "list_set_aside_events":
                await set_event_aside(runtime, "my-app")
            if step.operation == "list_moderation_blocked_messages":
                found["blocked"] = await hold_a_message(runtime, "my-app")
            entry = BY_NAME[step.operation]
            headers = management if entry.key is RequiredKey.MANAGEMENT else app
            call = example_of(step, found)
            answer = await caller.ask(
                entry.method,
                target_of(entry, call),
                with_keys(call.body),
                headers={**headers},
                as_=step.as_,
            )
            assert answer.status == 200, f"{step}: {answer}"
            found |= names_in(step, answer.json)
            if step.operation.startswith("test_webhook"):
                await fail_deliveries(runtime, "my-app")
            if step.operation == "create_app":
                app = {"apikey": full_access_key(answer.json["data"])}
            if step.name:
                yield with_steady_ids(Example(**{**fields(call), "answer": answer.json}))


def with_steady_ids(example: Example) -> Example:
    """Return an example with ids of sessions that do not depend on the master key."""
    if example.operation not in {"list_sessions", "end_session"}:
        return example
    rows = example.answer["data"] if example.operation == "list_sessions" else []
    ids = [row["id"] for row in rows] or [example.path["sessionId"]]
    text = json.dumps(fields(example))
    for place, id_ in enumerate(ids):
        text = text.replace(id_, hashlib.sha256(str(place).encode()).hexdigest()[:32])
    return Example(**json.loads(text))


async def fail_deliveries(runtime: Runtime, app_id: str) -> None:
    """Plan deliveries to webhooks, and give them up after an attempt."""
    await plan_consumer(runtime, render_payloads).consume_all()
    attempt = Attempt(runtime.clock.now(), 2001, error="It took more than 2 seconds.")

    async def within(tx: Transaction) -> None:
        for webhook in await queues.lock_queues(tx):
            heads = await queues.list_heads(
                tx, webhook, runtime.clock.milliseconds(), busy=[], partitions=9, each=9
            )
            ended = [decide(head.delivery, attempt, pauses=()).delivery for head in heads]
            await queues.store_outcomes(tx, ended)
            await queues.close_partitions(tx, webhook, {each.partition for each in ended})

    await runtime.database.write(app_id, within)


async def hold_a_message(runtime: Runtime, app_id: str) -> str:
    """Hold a message of Anna to Ben, as a rule does; return its id."""
    matched = Matched(
        rule_id="no-insults",
        rule_name="No insults",
        revision_id="my-app_no-insults_1",
        condition={
            "id": 1,
            "entity": "message",
            "operand": "text",
            "category": "word",
            "operator": "contains",
            "value": ["donkey"],
        },
        action=("blockMessage",),
        term="donkey",
    )
    draft = Draft(
        sender="anna",
        receiver_type="user",
        receiver="ben",
        category="message",
        type="text",
        data='{"text":"You donkey!"}',
        features=("createMessage",),
    )
    view = await hold_message(runtime, app_id, draft, Decision(Ruling.BLOCK, (matched,)))
    assert isinstance(view, MessageView)
    return str(view.message.id)


async def log_push(runtime: Runtime, app_id: str) -> None:
    """Log a push to Ben, as the engine does."""
    at = runtime.clock.milliseconds()
    entry = pushed(started_at_ms=at, ended_at_ms=at + 250, message_sent_at_ms=at - 1000)
    await runtime.database.write(app_id, lambda tx: insert_logs(tx, runtime.ids, [entry]))


async def set_event_aside(runtime: Runtime, app_id: str) -> None:
    """Set the app's first event aside, as a consumer does."""
    reason = "KeyError in hubbub/domain/notices/planning/plan.py, line 97"
    at, name = runtime.clock.now(), "message_sent"
    row = SetAside(at, 7, "notifications", "1790000000-7", name, reason)
    await runtime.database.write(app_id, lambda tx: insert_set_aside(tx, row))


def example_of(step: Step, found: dict[str, str]) -> Example:
    """Return the example of a step, with the ids of what earlier steps made."""
    text = json.dumps([step.path, step.query, step.body])
    for name in sorted(found, key=len, reverse=True):
        text = text.replace(f'"@{name}"', json.dumps(found[name]))
    path, query, body = json.loads(text)
    return Example(step.operation, step.name, path, query, step.as_, body, None)


def fields(example: Example) -> dict[str, Any]:
    """Return the fields of an example by name."""
    return {name: getattr(example, name) for name in Example.__slots__}


def target_of(entry: Operation, call: Example) -> str:
    """Return the path and query of a call."""
    path = entry.path.format_map({name: quote(text, safe="") for name, text in call.path.items()})
    return f"{path}?{urlencode(call.query)}" if call.query else path


def with_keys(body: Any) -> Any:
    """Return a body with a true private key wherever the example has dots."""
    if not isinstance(body, dict):
        return body
    return {
        name: KEYS[name]() if value == PEM else with_keys(value) for name, value in body.items()
    }


def names_in(step: Step, answer: Any) -> dict[str, str]:
    """Return what later steps may name: ids of messages and of a sample, keys, tokens, cursors."""
    data = answer.get("data")
    if step.operation == "list_events":
        return {"cursor": answer["meta"]["cursor"]}
    if step.operation.startswith("test_webhook"):
        return {"sample": data["deliveries"][0]["id"]}
    if step.operation == "send_message" and "scheduledId" in data:
        return {step.name: data["scheduledId"]}
    if step.operation == "send_message" and "id" in data:
        return {step.name: data["id"]}
    if step.operation == "list_sessions":
        return {"session": data[0]["id"]}
    made = {"create_apikey": "apiKey", "create_authtoken": "authToken", "ask_for_import": "id"}
    made["ask_for_export"] = "id"
    if step.operation in made:
        return {step.operation: data[made[step.operation]]}
    return {}


def full_access_key(app: Any) -> str:
    """Return the key of an app that may do everything."""
    keys = app["apiKeys"].values()
    return str(next(key["apiKey"] for key in keys if key["scope"] == "fullAccess"))


def record(told: list[Example]) -> None:
    """Write the file of examples."""
    from hubbub.http.contract import examples

    rows = [
        {
            name: value
            for name, value in fields(each).items()
            if value is not None and (value or name == "body")
        }
        for each in told
    ]
    examples.FILE.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


def test_every_operation_has_an_example() -> None:
    """The document has the request, if there is a body, and the answer of each example."""
    found, expected = {}, {}
    for entry in OPERATIONS:
        described = load_contract().operation(entry.path, entry.method)
        contents = [described["responses"]["200"]["content"]]
        if entry.body is not None:
            contents.append(described["requestBody"]["content"])
        names = [each.name for each in EXAMPLES[entry.name]]
        expected[entry.name] = [names for _ in contents]
        found[entry.name] = [list(each["application/json"]["examples"]) for each in contents]

    assert found == expected


def test_examples_fit_the_schemas() -> None:
    """The body of each example fits the schema of the document, and the type in the program."""
    calls = [example for examples in EXAMPLES.values() for example in examples]

    assert len(calls) >= len(OPERATIONS)
    assert [fault for fault in map(find_fault, calls) if fault] == []


def find_fault(call: Example) -> str:
    """Return why a call does not fit the document or the program, or ""."""
    entry = BY_NAME[call.operation]
    try:
        if call.body is not None:
            check_body(entry, call.body)
        if entry.query is not None:
            decode_query(urlencode(call.query), entry.query)
    except (ValidationError, BadInput) as fault:
        return f"{call.operation}, {call.name}: {fault!r}"
    return ""


def check_body(entry: Operation, body: Any) -> None:
    """Check that a body fits the schema of an operation, and the type in the program."""
    assert entry.body is not None
    described = load_contract().operation(entry.path, entry.method)
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    components = load_contract().document["components"]
    Draft202012Validator({**schema, "components": components}).validate(body)
    decode_body(json.dumps(body).encode(), entry.body)
