"""The samples that tests of webhooks send: one for each trigger, with the keys of real payloads."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.api.groups.clubs import BANS, HIKERS, MEMBERS, create_group, join_group
from tests.api.messages.talk import import_rows, to_group, to_user
from tests.api.moderation.ruling import delete_rule, make_rule
from tests.api.payloads.rendered import list_entries, list_rendered, render
from tests.api.presence.sessions import connect
from tests.contract import ContractBroken, load_contract
from tests.world import Json, Node, World

from hubbub.domain.deliveries.occurrences import EVENTS, Occurrence, list_occurrences
from hubbub.outbox import lock_counters
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import KINDS, NAMES
from hubbub.records.webhooks.events import WebhookPaused, WebhookTested
from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.store import insert_webhook
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.payloads.all import PAYLOADS, SAMPLES, SHOWN
from hubbub.storage.interface import Transaction

OCCURRING = {NAMES[event] for event in EVENTS} - {NAMES[WebhookTested]}
OCCURRING |= {"user_mentioned", "moderation_engine_approved"}
"""The triggers that occur with an event of the log."""
DESCRIBED = {"description": "For hikers", "icon": "https://example.com/hikers.png"}
BY_ID = ("members", "users", "mentions")
"""Objects whose keys are uids."""
SHAPES = {
    "message_sent": {"message"},
    "user_blocked": {"users", "by"},
    "user_connection_status_changed": {
        "timestamp",
        "user",
        "status",
        "currentConnection",
        "userPresenceChanged",
    },
    "call_ended": {"all_occupants", "created_at", "destroyed_at", "sessionId"},
    "recording_generated": {
        "recordingDate",
        "duration",
        "startTime",
        "sessionId",
        "recording_url",
    },
    "transcription_generated": {
        "sessionId",
        "tid",
        "transcriptDate",
        "transcript_url",
        "startTime",
        "endTime",
    },
    "moderation_manual_approved": {"message", "moderation", "reviewed"},
    "moderation_engine_failed": {
        "resource",
        "contentType",
        "outcome",
        "completedAt",
        "failures",
    },
}
"""The promised keys of some triggers, most of which have no source."""


def structure(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths in a JSON value, with the types of its values; keys that are ids are `*`."""
    if isinstance(value, dict):
        is_by_id = path.rpartition(".")[2] in BY_ID
        for key, item in value.items():
            yield from structure(item, f"{path}.{'*' if is_by_id else key}")
    elif isinstance(value, list):
        for item in value:
            yield from structure(item, f"{path}[]")
    else:
        yield path, type(value).__name__


@dataclass(slots=True)
class Story:
    """The payloads of what happens in an app, each rendered as soon as it happened."""

    node: Node
    world: World
    payloads: dict[str, Json] = field(default_factory=dict)
    read: int = 0

    async def note(self) -> None:
        """Keep the payloads of the events since the last time, by trigger."""
        for trigger_id, data in await list_rendered(self.node, self.world, self.read):
            self.payloads.setdefault(trigger_id, data)
        entries = await list_entries(self.node, self.world, self.read)
        self.read = entries[-1].number if entries else self.read

    async def begin(self) -> None:
        """Create Anna and Ben, with all fields that users in samples have."""
        rows = {
            uid: {
                "uid": uid,
                "name": uid.capitalize(),
                "avatar": f"https://example.com/{uid}.png",
                "lastActiveAt": 1_700_000_000,
            }
            for uid in ("anna", "ben")
        }
        await import_rows(self.world, "users", rows)

    async def talk(self) -> None:
        """Send, receive, react, edit and delete."""
        world = self.world
        await world.post("/messages", to_user("ben", muid="m-1"), as_="anna")
        await self.note()
        await world.post("/messages", to_user("ben", "<@uid:ben>", muid="m-2"), as_="anna")
        await self.note()
        await world.post("/users/anna/conversation/delivered", as_="ben")
        await world.post("/users/anna/conversation/read", as_="ben")
        message = await world.post("/messages", to_user("ben", muid="m-3"), as_="anna")
        await self.note()
        path = f"/messages/{message['id']}"
        await world.put(path, {"data": {"text": "New"}}, as_="anna")
        await self.note()
        await world.post(f"{path}/reactions/👍", as_="ben")
        await world.delete(f"{path}/reactions/👍", as_="ben")
        poll = {"question": "Tea?", "options": ["Yes", "No"]}
        body = {**to_user("ben"), "category": "interactive", "type": "poll", "data": poll}
        votes = f"/messages/{(await world.post('/messages', body, as_='anna'))['id']}/votes"
        await world.post(votes, {"options": [0]}, as_="ben")
        await self.note()
        await world.post(f"{votes}/close", as_="anna")
        await self.note()
        await world.delete(path, as_="anna")
        await self.note()

    async def grow(self) -> None:
        """Begin a message, ask that it stops, and end it."""
        growing = to_user("ben", "Hello", growing=True, muid="m-4")
        message = await self.world.post("/messages", growing, as_="anna")
        await self.world.post(f"/messages/{message['id']}/stop", as_="ben")
        await self.world.post(f"/messages/{message['id']}/finish", {}, as_="anna")
        await self.note()

    async def moderate(self) -> None:
        """Send what rules let pass and what they block, and approve that."""
        await make_rule(self.world, "blocked", "blockMessage")
        for text in ("Hello", "It is blocked"):
            body = to_user("ben", text, muid=text)
            sent = await self.world.post("/messages", body, as_="anna")
            await self.note()
        await delete_rule(self.world, "blocked")
        path = f"/moderation/blocked-messages/{sent['id']}"
        await self.world.patch(path, {"status": "approved"})
        await self.note()
        condition = {"operand": "custom", "category": "custom-api"}  # and there is no engine
        await self.world.post("/moderation/rules", {"id": "smart", "conditions": [condition]})
        await self.world.post("/messages", to_user("ben", "Hello"), as_="anna")
        await self.note()
        await self.world.delete("/moderation/rules/smart")

    async def fail_later(self) -> None:
        """Schedule a message to a group that is deleted before it is sent."""
        brief = {"guid": "brief", "name": "Brief", "type": "public", **DESCRIBED}
        await self.world.post("/groups", brief)
        body = {**to_group("brief"), "sendAt": self.node.clock.now() + 3600}
        await self.world.post("/messages", body)
        await self.world.delete("/groups/brief")
        await self.note()

    async def block(self) -> None:
        """Block and unblock."""
        for method in ("POST", "DELETE"):
            path, body = "/users/anna/blockedusers", {"blockedUids": ["ben"]}
            await self.world.call(method, path, body, as_="anna")
            await self.note()

    async def gather(self) -> None:
        """Create a group, and change its members, its fields and its owner."""
        world = self.world
        await create_group(world, by="anna", **DESCRIBED)
        await self.note()
        await join_group(world, "ben")
        await world.delete(f"{MEMBERS}/ben", as_="ben")
        await world.post(MEMBERS, {"participants": ["ben"]}, as_="anna")
        await world.put(f"{MEMBERS}/ben", {"scope": "moderator"}, as_="anna")
        await world.delete(f"{MEMBERS}/ben", as_="anna")
        await world.post(f"{BANS}/ben", as_="anna")
        await world.delete(f"{BANS}/ben", as_="anna")
        await self.note()
        await world.put(HIKERS, {"name": "Walkers"}, as_="anna")
        await self.note()
        await world.put(HIKERS, {"owner": "ben"})
        await self.note()
        await world.delete(HIKERS, as_="anna")
        await self.note()

    async def connect(self) -> None:
        """Connect, with a webhook that is to be told."""
        hook = {"id": "presence", "name": "Presence", "webhookURL": "https://example.com/presence"}
        await self.world.post("/webhooks", hook)
        await self.world.post(
            "/webhooks/presence/triggers", {"triggerIds": ["user_connection_status_changed"]}
        )
        await connect(self.node.runtime, self.world, "anna", "1")
        await self.note()

    async def pause(self) -> None:
        """Pause a webhook."""
        runtime, now = self.node.runtime, self.node.clock.now()
        webhook = Webhook(
            number=1,
            id="orders",
            name="Orders",
            url="https://example.com/hook",
            retries=True,
            secret="a secret",
            paused_at=now,
            created_at=now,
        )

        async def within(tx: Transaction) -> None:
            await lock_counters(tx)
            await insert_webhook(tx, runtime.sealer, webhook)
            tx.announce(WebhookPaused("orders", now))

        await runtime.database.write(self.world.app_id, within)
        await self.note()


STEPS: tuple[Callable[[Story], Awaitable[None]], ...] = (
    Story.begin,
    Story.talk,
    Story.grow,
    Story.moderate,
    Story.fail_later,
    Story.block,
    Story.gather,
    Story.connect,
    Story.pause,
)


async def test_samples_have_the_keys_of_real_payloads(node: Node, world: World) -> None:
    """Every trigger that occurs has a sample with the same keys, and values of the same types."""
    story = Story(node, world)
    for step in STEPS:
        await step(story)

    assert story.payloads.keys() == OCCURRING
    for trigger_id, data in story.payloads.items():
        expected, shown = set(structure(data)), set(structure(SAMPLES[trigger_id]))
        assert shown == expected, f"{trigger_id}: {sorted(shown ^ expected)}"


@pytest.mark.parametrize("trigger_id", sorted(OCCURRING))
def test_samples_conform_to_the_document(trigger_id: str) -> None:
    """The document describes each trigger that occurs, with a sample that conforms to it."""
    contract = load_contract()
    call = contract.document["webhooks"][trigger_id]["post"]
    content = call["requestBody"]["content"]["application/json"]
    example = content["examples"]["sample"]["value"]

    contract.check_payload(trigger_id, SAMPLES[trigger_id])
    assert example["data"] == SAMPLES[trigger_id]
    body = contract.resolve(content["schema"])
    assert example.keys() == body["properties"].keys() == set(body["required"])
    assert body["properties"]["trigger"]["enum"] == [example["trigger"]] == [trigger_id]


def test_a_payload_that_does_not_conform_is_noticed() -> None:
    """A field that the document does not have, or a trigger, breaks the contract."""
    contract, sample = load_contract(), SAMPLES["message_deleted"]
    for trigger_id, data in (
        ("message_deleted", {**sample, "more": 1}),
        ("message_deleted", {"message": sample["message"]}),
        ("call_initiated", SAMPLES["call_initiated"]),
    ):
        with pytest.raises(ContractBroken):
            contract.check_payload(trigger_id, data)


def test_an_event_is_stated_in_two_places() -> None:
    """Each event that clients are told of has a payload with a sample, and so a documented shape.

    Besides these, only triggers of webhooks have payloads, and only these have samples.
    """
    ours = {name: kind for name, kind in KINDS.items() if kind.struct.__module__[:7] == "hubbub."}
    shown = {name for name, kind in ours.items() if not kind.is_internal}

    assert PAYLOADS.keys() == shown | OCCURRING
    assert SAMPLES.keys() == shown | TRIGGERS.keys()
    assert all(SAMPLES.values())
    assert load_contract().document["x-events"].keys() == shown
    assert {NAMES[each] for each in SHOWN} == shown


@pytest.mark.parametrize("trigger_id", SHAPES)
def test_promised_keys_of_samples(trigger_id: str) -> None:
    """Samples of triggers without a source have the promised keys."""
    assert SAMPLES[trigger_id].keys() == SHAPES[trigger_id]


def test_structures_differ_by_keys_and_types() -> None:
    """The comparison above finds a missing key, another type, and ignores uids."""
    one = {"users": {"anna": {"name": "A"}}, "at": 1, "list": [{"a": True}]}
    assert set(structure(one)) == {
        (".users.*.name", "str"),
        (".at", "int"),
        (".list[].a", "bool"),
    }


async def test_a_test_renders_samples(node: Node, world: World) -> None:
    """A test of a webhook renders the samples of its triggers, beside what really happened."""
    await world.users("anna", "ben")
    await world.post("/messages", to_user("ben"), as_="anna")
    entries = await list_entries(node, world)
    tested = LogEntry(10**6, "epoch", WebhookTested(7, list(TRIGGERS), 1))
    occurrences: list[Occurrence] = [
        each for entry in (*entries, tested) for each in list_occurrences(entry)
    ]

    real, mention, *samples = await render(node, world, occurrences)
    assert real is not None
    assert json.loads(real)["message"]["data"]["text"] == "Hello"
    assert mention is None
    assert [json.loads(each or "") for each in samples] == [SAMPLES[id_] for id_ in TRIGGERS]
