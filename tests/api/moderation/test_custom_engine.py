"""A server of the app decides on conditions: what it is sent, what it may answer, how it fails."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from tests.api.messages.talk import say, to_user
from tests.api.moderation.test_judging import Judge, rule
from tests.api.moderation.test_moderation_rules import LISTS, sender, words
from tests.api.webhooks.hooks import Checked, serve_checked
from tests.eventlog import list_logged
from tests.receiver import Received
from tests.world import Json, Node

from hubbub.domain.moderation.decision import Ruling
from hubbub.records.moderation.engine.model import decode_failures
from hubbub.records.moderation.events import ModerationEngineFailed

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ENGINE = "moderation.customEngine."
YES: Json = {"isMatchingCondition": True, "confidence": 0.9, "reason": "Rude."}
NO: Json = {"isMatchingCondition": False, "confidence": 0.9}
CUSTOM: Json = {"operand": "custom", "category": "custom-api"}


@dataclass(slots=True)
class Engine:
    """An app with a custom engine, which answers as the test says."""

    checked: Checked
    answer: Any = None
    """JSON, bytes, or None: it hangs."""
    status: int = 200
    asked: list[Json] = field(default_factory=list)
    headers: list[Received] = field(default_factory=list)

    @property
    def judging(self) -> Judge:
        """Return what asks for decisions."""
        return Judge(self.checked.node, self.checked.world)

    async def decide(self, body: bytes) -> web.StreamResponse:
        """Answer a call."""
        self.asked.append(json.loads(body))
        request = self.checked.elsewhere.asked[-1]
        names = {name.lower(): text for name, text in request.headers.items()}
        self.headers.append(Received("", names, body))
        if self.answer is None:
            await self.checked.elsewhere.leaving.wait()
        given = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        return web.Response(body=given, status=self.status)

    async def set(self, **values: Any) -> None:
        """Set settings of the engine."""
        settings = {ENGINE + name: value for name, value in values.items()}
        await self.checked.world.put("/settings", {"settings": settings})

    async def failures(self) -> list[ModerationEngineFailed]:
        """Return the failures that were announced."""
        checked = self.checked
        logged = await checked.node.runtime.database.read(checked.world.app_id, list_logged)
        return [
            msgspec.json.decode(body, type=ModerationEngineFailed)
            for _, _, name, _, body in logged
            if name == "moderation_engine_failed"
        ]


@pytest.fixture
async def server(node: Node, tmp_path: Path) -> AsyncIterator[Engine]:
    """Anna and Ben, in an app whose engine matches everything."""
    async with serve_checked(node, tmp_path) as checked:
        made = Engine(checked, YES)
        checked.elsewhere.pages["engine"] = made.decide
        await made.set(url=checked.url("pages/engine"))
        yield made


async def test_the_engine_is_asked(server: Engine) -> None:
    """It is sent the texts before the message, the whole message, and the condition."""
    world = server.checked.world
    for text in ("One", "Two"):
        await say(world, "ben", to_user("anna", text))
    await rule(world, "smart", {**CUSTOM, "value": "rude"})
    server.asked.clear()
    assert await server.judging.matches("Three", muid="m-1") == ["smart"]

    [asked] = server.asked
    assert asked["contextMessages"] == [
        {"ben": "One"},
        {"ben": "Two"},
        {
            "anna": {
                "sender": "anna",
                "receiver": "ben",
                "receiverType": "user",
                "category": "message",
                "type": "text",
                "data": {"text": "Three"},
                "muid": "m-1",
            }
        },
    ]
    assert asked["rule"] == "smart"
    assert asked["condition"]["value"] == ["rude"]


async def test_ten_messages_are_the_context(server: Engine) -> None:
    """No more than the ten messages before are shown."""
    world = server.checked.world
    for number in range(12):
        await say(world, "ben", to_user("anna", f"{number}"))
    await rule(world, "smart", CUSTOM)
    await server.judging.decide("Now")

    context = server.asked[-1]["contextMessages"]
    assert context[:-1] == [{"ben": f"{number}"} for number in range(2, 12)]


async def test_calls_are_signed(server: Engine) -> None:
    """With a secret the calls are signed as those of webhooks are; the secret is never shown."""
    world = server.checked.world
    await rule(world, "smart", CUSTOM)
    await server.judging.decide("Hello")
    assert "webhook-signature" not in server.headers[-1].headers

    await server.set(secret=SECRET)
    await server.judging.decide("Hello")
    server.headers[-1].check_signature(SECRET)
    shown = {row["key"]: row["value"] for row in await world.get("/settings")}
    assert shown[ENGINE + "secret"] == "•••"

    await server.set(secret="•••", confidence=0.1)
    await server.judging.decide("Hello")
    server.headers[-1].check_signature(SECRET)
    await server.set(secret="")
    await server.judging.decide("Hello")
    assert "webhook-signature" not in server.headers[-1].headers


@pytest.mark.parametrize(
    ("answer", "matches"),
    [
        (YES, True),
        (NO, False),
        ({**YES, "confidence": 0.5}, True),
        ({**YES, "confidence": 0.49}, False),
        ({**YES, "reason": None}, True),
    ],
)
async def test_the_engine_decides(server: Engine, answer: Json, *, matches: bool) -> None:
    """Its answer matches if it says so with enough confidence."""
    await rule(server.checked.world, "smart", CUSTOM, action=["dropMessage"])
    server.answer = answer
    decision = await server.judging.decide("Hello")

    assert decision.outcome is (Ruling.DROP if matches else Ruling.ALLOW)
    assert await server.failures() == []


async def test_the_confidence_is_a_setting(server: Engine) -> None:
    """An answer matches from the confidence on that the app has set."""
    await rule(server.checked.world, "smart", CUSTOM)
    await server.set(confidence=0.95)
    assert await server.judging.matches("Hello") == []
    await server.set(confidence=0)
    assert await server.judging.matches("Hello") == ["smart"]


async def test_the_engine_is_asked_about_what_concerns_it(server: Engine) -> None:
    """It decides on labels of media of the condition's kind, on sentences, and on nothing else."""
    world = server.checked.world
    sentences = {"id": "rude", "category": "sentence-similarity", "searchTerms": ["Go", "Away"]}
    await world.post(LISTS, sentences)
    reference = {"value": "rude", "isKeywordsReferencePresent": True}
    await rule(world, "similar", {"category": "sentence-similarity", **reference})
    media = {"operand": "image", "isMediaPresent": True, "value": "violence_greaterThan_30"}
    await rule(world, "image", media)
    await rule(world, "word", words("hello"), CUSTOM)
    await rule(world, "others", CUSTOM, filters=[sender("uid", "ben")])

    assert await server.judging.matches("Hello") == ["similar", "word"]
    [asked] = server.asked
    assert asked["disallowedSentences"] == ["Go", "Away"]

    server.asked.clear()
    attachment = {
        "url": "https://example.org/a.png",
        "name": "a.png",
        "mimeType": "image/png",
        "extension": "png",
        "size": 1,
    }
    found = await server.judging.matches(type="image", data={"attachments": [attachment]})
    assert set(found) == {"image", "similar", "word"}
    assert {each["rule"] for each in server.asked} == {"image", "similar", "word"}


FAILURES: list[tuple[str, int, Any]] = [
    ("http_4xx", 404, b"not here"),
    ("http_5xx", 503, b"x" * 3_000),
    ("invalid_response", 301, b""),
    ("invalid_response", 204, b""),
    ("invalid_response", 200, b"\xff"),
    ("invalid_response", 200, {"isMatchingCondition": "yes", "confidence": 1}),
    ("invalid_response", 200, {"isMatchingCondition": True, "confidence": 1.1}),
    ("invalid_response", 200, {"isMatchingCondition": True}),
    ("invalid_response", 200, b"[" * 1_000),
]


@pytest.mark.parametrize(("category", "status", "answer"), FAILURES, ids=lambda x: str(x)[:50])
async def test_answers_that_are_none(
    server: Engine, category: str, status: int, answer: Any
) -> None:
    """An answer that is none is a failure: the message passes, and the failure is announced."""
    await rule(server.checked.world, "smart", CUSTOM, name="Smart")
    server.answer, server.status = answer, status
    assert (await server.judging.decide("Hello")).outcome is Ruling.ALLOW

    [event] = await server.failures()
    [failure] = decode_failures(event.failures)
    assert (failure.category, failure.http_status) == (category, status)
    assert (failure.rule, failure.rule_name, failure.condition) == ("smart", "Smart", 1)
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    assert failure.response_body == body[:2_048].decode(errors="replace")
    assert failure.response_body_truncated is (len(body) > 2_048)
    assert (event.sender, event.receiver, event.action) == ("anna", "ben", "approve-message")


async def test_an_engine_that_hangs(server: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that does not answer in time has failed."""
    monkeypatch.setattr("hubbub.domain.moderation.engine.ENGINE_SECONDS", 0.05)
    await rule(server.checked.world, "smart", CUSTOM)
    server.answer = None
    assert await server.judging.matches("Hello") == []

    [event] = await server.failures()
    [failure] = decode_failures(event.failures)
    assert (failure.category, failure.timeout_ms) == ("timeout", 50)


async def test_an_engine_that_is_not_there(server: Engine) -> None:
    """An engine that can't be reached, and none at all, have failed."""
    await rule(server.checked.world, "smart", CUSTOM)
    await server.set(url="https://localhost:1/")
    assert await server.judging.matches("Hello") == []
    await server.set(url="")
    assert await server.judging.matches("Hello") == []

    categories = [
        each.category
        for event in await server.failures()
        for each in decode_failures(event.failures)
    ]
    assert categories == ["connection_error", "not_configured"]


async def test_failures_may_count_as_matches(server: Engine) -> None:
    """With `drop-message` what the rule says is done when the engine fails."""
    await rule(server.checked.world, "smart", CUSTOM, action=["dropMessage"])
    await server.set(onFailure="drop-message")
    server.status = 500
    decision = await server.judging.decide("Hello")

    assert decision.outcome is Ruling.DROP
    [event] = await server.failures()
    assert event.action == "drop-message"


@pytest.mark.parametrize("action", ["mask", "blockMessage", "dropMessage", "flagMessage"])
async def test_failures_under_an_idempotency_key(server: Engine, action: str) -> None:
    """A call that is one transaction, also to several receivers, survives an engine that fails."""
    world = server.checked.world
    await rule(world, "smart", CUSTOM, action=[action])
    await server.set(onFailure="drop-message")
    server.status = 500
    one: Json = {"category": "message", "type": "text", "data": {"text": "Hello"}}
    several = one | {"multipleReceivers": {"uids": ["ben", "anna"], "guids": ["hikers"]}}
    status = 403 if action == "dropMessage" else 200
    for body in (one | {"receiver": "ben", "receiverType": "user"}, several):
        how: Any = {"as_": "anna", "headers": {"Idempotency-Key": f"k{len(body)}"}}
        answers = [await world.ask("POST", "/messages", body, **how) for _ in "12"]

        assert {each.status for each in answers} == {status if body is not several else 200}
        assert answers[0].body == answers[1].body
    assert {each.action for each in await server.failures()} == {"drop-message"}
    await rule(world, "another", CUSTOM)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("url", "ftp://example.org"),
        ("url", "https://user:secret@example.org"),
        ("url", 1),
        ("secret", "password"),
        ("secret", "whsec_***"),
        ("secret", "•••"),
        ("onFailure", "explode"),
        ("confidence", 1.5),
        ("confidence", True),
        ("confidence", "0.5"),
    ],
)
async def test_settings_of_the_engine_are_checked(server: Engine, name: str, value: Any) -> None:
    """A value that is not valid is refused by name, and nothing is changed."""
    world = server.checked.world
    before = await world.get("/settings")
    body = {"settings": {ENGINE + name: value}}
    details = await world.refused("PUT", "/settings", body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [f"settings.{ENGINE}{name}"]
    assert await world.get("/settings") == before
    reset = await world.delete("/settings", {"keys": [ENGINE + "url"]})
    assert {row["key"]: row["value"] for row in reset}[ENGINE + "url"] == ""
