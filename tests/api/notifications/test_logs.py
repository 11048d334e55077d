"""`GET /notifications/v1/logs`: entries, filters, cursors, deletion."""

from typing import Any
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace
from tests.api.messages.talk import group, say, to_group, to_user
from tests.api.notifications.log_samples import AT_MS, pushed, store
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.domain.erasure import erase
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.notifications.logs import prune_logs
from hubbub.records.notifications.logs import shown_token
from hubbub.records.notifications.model import Reason

LOGS = "/notifications/v1/logs"
BAD = "ERR_BAD_REQUEST"
DAY = 86_400


async def found(world: World, **query: Any) -> list[int]:
    """Return the ids of the messages of the entries that a query finds."""
    return [entry["messageId"] for entry in await world.get(f"{LOGS}?{urlencode(query)}")]


async def test_an_entry_of_a_push(world: World, node: Node) -> None:
    """A push to a device is shown as the interface has it; absent fields are left out."""
    await store(node, world, pushed())

    (entry,) = await world.get(LOGS)
    assert len(entry.pop("_id")) == 24
    assert entry == {
        "processingStartedAtMS": AT_MS,
        "processingEndedAtMS": AT_MS + 250,
        "totalProcessingTimeInMS": 250,
        "component": "notifications-core",
        "channel": "push",
        "provider": "fcm",
        "providerId": "google",
        "messageId": 65,
        "trigger": "after_message",
        "messageSentAtMS": AT_MS - 1000,
        "sender": "anna",
        "receiver": "ben",
        "receiverType": "user",
        "tokenType": "fcm_android",
        "pushToken": "f-1",
        "payload": {"title": "Anna", "body": "Hello"},
        "notificationTriggered": True,
        "success": True,
    }


async def test_an_entry_of_what_was_not_sent(world: World, node: Node) -> None:
    """Of a group it names the member, and gives the reason."""
    entry = pushed(
        receiver="hikers",
        receiver_type="group",
        reaction_id=7,
        reaction_sender="cora",
        reaction_receiver="hikers",
        provider=None,
        provider_id=None,
        token_type=None,
        push_token=None,
        payload=None,
        is_triggered=False,
        is_success=None,
        reason=Reason.DND_PREFERENCE,
    )
    await store(node, world, entry)

    (shown,) = await world.get(LOGS)
    assert shown["member"] == "ben"
    assert (shown["notificationTriggered"], shown["reason"]) == (False, "DND_PREFERENCE")
    reaction = ("reactionId", "reactionSender", "reactionReceiver")
    assert [shown[name] for name in reaction] == [7, "cora", "hikers"]
    assert not shown.keys() & {"success", "payload", "provider", "pushToken", "error"}


OTHER = pushed(
    uid="cora",
    channel="email",
    provider="smtp",
    trigger="message_reaction_added",
    message_id=66,
    message_sent_at_ms=AT_MS,
    message_category="custom",
    message_type="location",
    sender="ben",
    receiver="hikers",
    receiver_type="group",
    reaction_id=7,
    reaction_sender="anna",
    reaction_receiver="cora",
    is_success=False,
    error="550 no such user",
)
SUPPRESSED = pushed(
    message_id=67, is_triggered=False, is_success=None, reason=Reason.MUTE_PREFERENCE
)
FILTERS: list[tuple[dict[str, Any], list[int]]] = [
    ({"messageId": 66}, [66]),
    ({"reactionId": 7}, [66]),
    ({"reactionId": 8}, []),
    ({"from": AT_MS}, [66]),
    ({"from": AT_MS - 1000}, [65, 66, 67]),
    ({"to": AT_MS - 1}, [65, 67]),
    ({"from": AT_MS - 1000, "to": AT_MS - 1000}, [65, 67]),
    ({"from": 0, "to": 1}, []),
    ({"messageCategory": "message"}, [65, 67]),
    ({"messageCategory": "custom"}, [66]),
    ({"messageType": "location"}, [66]),
    ({"trigger": "after_message"}, [65, 67]),
    ({"trigger": "message_reaction_added"}, [66]),
    ({"sender": "ANNA"}, [65, 67]),
    ({"receiver": "hikers"}, [66]),
    ({"receiverType": "user"}, [65, 67]),
    ({"reactionSender": "anna"}, [66]),
    ({"reactionReceiver": "Cora"}, [66]),
    ({"member": "cora"}, [66]),
    ({"member": "ben"}, []),
    ({"channel": "email"}, [66]),
    ({"channel": "sms"}, []),
    ({"provider": "fcm"}, [65, 67]),
    ({"notificationTriggered": "true"}, [65, 66]),
    ({"notificationTriggered": "0"}, [67]),
    ({"reason": "MUTE_PREFERENCE"}, [67]),
    ({"reason": "DND_PREFERENCE"}, []),
    ({"success": "true"}, [65]),
    ({"success": "false"}, [66]),
    ({"success": "", "sender": ""}, [65, 66, 67]),
    ({"channel": "push", "sender": "anna", "notificationTriggered": "false"}, [67]),
]


@pytest.mark.parametrize(("query", "expected"), FILTERS, ids=str)
async def test_filters(
    world: World, node: Node, query: dict[str, Any], expected: list[int]
) -> None:
    """Each filter alone, and several together, find the entries that they name."""
    await store(node, world, pushed(), OTHER, SUPPRESSED)

    assert await found(world, **query) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("messageId", "0"),
        ("messageId", "x"),
        ("messageId", str(2**63)),
        ("reactionId", "-1"),
        ("from", "-1"),
        ("from", "yesterday"),
        ("to", "1" * 20),
        ("messageCategory", "letter"),
        ("messageType", "x" * 256),
        ("trigger", "after_lunch"),
        ("sender", "a b"),
        ("receiver", "a/b"),
        ("receiverType", "usr"),
        ("reactionSender", "é"),
        ("reactionReceiver", "x" * 101),
        ("member", "a\n"),
        ("channel", "fax"),
        ("provider", "pigeon"),
        ("notificationTriggered", "maybe"),
        ("reason", "NO_REASON"),
        ("success", "2"),
        ("affix", "sideways"),
        ("logId", "65"),
        ("logId", "z" * 24),
        ("logId", "0" * 24 + "\n"),
    ],
)
@one_engine
async def test_values_that_no_filter_has(world: World, name: str, text: str) -> None:
    """A filter with an impossible value is refused by name."""
    path = f"{LOGS}?{urlencode({name: text})}"
    details = await world.refused("GET", path, status=400, code=BAD)

    assert list(details) == [name]


async def test_cursors(world: World, node: Node) -> None:
    """The newest 20 entries come first; cursors lead to the oldest and back."""
    await store(node, world, *(pushed(message_id=n, ended_at_ms=AT_MS + n) for n in range(1, 46)))
    assert await found(world) == list(range(26, 46))
    meta = world.answer.meta
    assert meta["current"] == {"limit": 20, "count": 20}
    assert "next" not in meta
    assert (meta["previous"]["affix"], meta["previous"]["messageId"]) == ("prepend", 26)

    assert await found(world, **cursor(world, "previous")) == list(range(6, 26))
    assert await found(world, **cursor(world, "previous")) == list(range(1, 6))
    assert "previous" not in world.answer.meta
    assert await found(world, **cursor(world, "next")) == list(range(6, 26))
    assert await found(world, affix="append") == list(range(1, 21))
    assert await found(world, affix="append", sender="anna", to=1) == []
    assert world.answer.meta == {"current": {"limit": 20, "count": 0}}


def cursor(world: World, side: str) -> dict[str, str]:
    """Return the parameters that continue from the latest answer."""
    given = world.answer.meta[side]
    return {name: given[name] for name in ("affix", "logId")}


async def test_entries_are_kept_for_14_days(world: World, node: Node) -> None:
    """Entries older than 14 days are deleted, however many; newer ones stay."""
    oldest = node.runtime.clock.milliseconds() - 14 * DAY * 1000
    await store(node, world, *(pushed(message_id=n, ended_at_ms=oldest - 1) for n in range(1, 6)))
    await store(node, world, *(pushed(message_id=n, ended_at_ms=oldest) for n in (6, 7)))
    assert await found(world) == list(range(1, 8))
    await prune_logs(node.runtime, chunk=2)

    assert await found(world) == [6, 7]


async def test_entries_end_with_their_message(world: World, node: Node) -> None:
    """A message that is deleted permanently leaves none of its text in the log."""
    await world.users("anna", "ben")
    ids = [int((await say(world, "anna", to_user("ben")))["id"]) for _ in range(2)]
    await store(node, world, *(pushed(message_id=each) for each in ids))
    await world.delete(f"/messages/{ids[0]}", as_="anna")
    assert await found(world) == ids

    await world.delete(f"/messages/{ids[0]}", {"permanent": True}, as_="anna")
    assert await found(world) == ids[1:]


async def test_entries_end_with_a_user(world: World, node: Node) -> None:
    """Entries for a deleted user, of their messages and reactions are erased, and no others."""
    await world.users("anna", "ben", "cora", "dave")
    await group(world, "hikers", "anna", "ben", "cora", "dave")
    first, second = [
        int((await say(world, by, to_group("hikers")))["id"]) for by in ("anna", "ben")
    ]
    for uid in ("ben", "dave"):
        await world.post(f"/messages/{first}/reactions/ok", as_=uid)
    to_hikers = {"receiver": "hikers", "receiver_type": "group"}
    of_anna = pushed(message_id=first, **to_hikers)
    await store(
        node,
        world,
        *(replace(of_anna, uid=uid) for uid in ("ben", "cora", "dave")),
        *(replace(of_anna, uid="anna", reaction_sender=uid) for uid in ("ben", "dave")),
        *(
            replace(of_anna, uid=f"u{n}", message_id=second, sender="ben")
            for n in range(erase.LOGS + 1)
        ),
    )
    await world.delete("/users/ben", {"permanent": True})
    await erase_all(node.runtime)

    left = [(it["member"], it.get("reactionSender")) for it in await world.get(LOGS)]
    assert left == [("cora", None), ("dave", None), ("anna", "dave")]


async def test_a_new_user_keeps_their_entries(world: World, node: Node) -> None:
    """Entries of a user who was created later, with the uid of one that is being erased, stay."""
    await world.users("anna", "ben")
    old = int((await say(world, "anna", to_user("ben")))["id"])
    await world.delete("/users/ben", {"permanent": True})
    await world.user("ben")
    new = int((await say(world, "anna", to_user("ben")))["id"])
    await store(node, world, *(pushed(message_id=each) for each in (old, new)))
    await erase_all(node.runtime)

    assert await found(world) == [new]


@pytest.mark.parametrize(
    ("platform", "token", "shown"),
    [
        ("fcm_android", '{"a": 1}', '{"a": 1}'),
        (
            "web_push",
            '{"endpoint": "https://push.example/x", "keys": {"p256dh": "p", "auth": "a"}}',
            "https://push.example/x",
        ),
        ("web_push", "{}", ""),
        ("web_push", "no JSON", ""),
    ],
)
def test_tokens_in_the_log(platform: str, token: str, shown: str) -> None:
    """Of the subscription of a browser only the endpoint is logged, because it has a secret."""
    assert shown_token(platform, token) == shown


async def test_entries_stay_in_their_app(world: World, node: Node) -> None:
    """Another app does not see them, not even by a cursor."""
    await store(node, world, pushed())
    (entry,) = await world.get(LOGS)
    other = await node.world()

    assert await found(other) == await found(other, logId="f" * 24) == []
    assert await found(other, messageId=65, logId=entry["_id"], affix="append") == []
