"""Triggers: list them, attach webhooks to them, detach them."""

from typing import Any

import pytest
from tests.api.webhooks.doors import Door
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.records.webhooks.triggers import TRIGGERS

ADDED = {"success": True, "message": "Triggers has been added successfully."}
REMOVED = {"success": True, "message": "Removed trigger successfully."}
NO_TRIGGER = "ERR_TRIGGER_NOT_FOUND"
DOCUMENTED = """
    message_sent message_edited message_deleted message_delivery_receipt message_read_receipt
    message_reaction_added message_reaction_removed user_mentioned user_blocked user_unblocked
    user_connection_status_changed group_created group_updated group_deleted
    group_owner_transferred group_member_added group_member_kicked group_member_banned
    group_member_unbanned group_member_joined group_member_left group_member_scope_changed
    group_member_removed call_initiated call_started meeting_started call_participant_joined
    call_participant_left meeting_participant_joined meeting_participant_left call_ended
    meeting_ended recording_generated transcription_generated call_busy call_cancelled
    call_rejected call_unanswered moderation_engine_approved moderation_engine_blocked
    moderation_manual_approved moderation_engine_failed after_campaign_completed
    after_campaign_failed after_notification_created after_feed_item_sent
    after_feed_item_delivered after_feed_item_read after_feed_item_interacted
    after_push_notification_sent after_push_notification_delivered after_push_notification_clicked
"""
"""The ids of the triggers of the v3 interface."""


async def test_all_triggers_are_listed(door: Door) -> None:
    """The list has all triggers of the v3 interface and seven of Hubbub's own, each described."""
    found = await door.call("GET", "/triggers")

    assert {each["id"] for each in found} == {
        *DOCUMENTED.split(),
        "before_message",
        "message_grown",
        "poll_voted",
        "poll_closed",
        "message_stop_requested",
        "scheduled_message_failed",
        "webhook_paused",
    }
    assert len(found) == len(TRIGGERS) == 59
    for each in found:
        assert each.keys() == {"id", "category", "description"}
        assert all(each.values())
    assert [each["id"] for each in await door.call("GET", "/triggers?perPage=3&page=2")] == [
        each["id"] for each in found[3:6]
    ]


@pytest.mark.parametrize("prefix", ["/v3", "/v3.0", ""])
async def test_managers_need_no_app_for_the_list(node: Node, world: World, prefix: str) -> None:
    """The list is the same with an app's key and with the management credentials."""
    listed = await world.get("/triggers")
    manager = node.manager()
    manager.prefix = prefix

    assert await manager.get("/triggers") == listed
    for headers in ({"key": node.management["key"]}, {**node.management, "secret": "wrong"}):
        await world.refused(
            "GET",
            "/triggers",
            headers=headers,
            key="",
            status=401,
            code="AUTH_ERR_EMPTY_AUTH_HEADER",
        )
    await world.refused(
        "GET", "/triggers", key=world.auth_key, status=403, code="AUTH_ERR_NO_ACCESS"
    )


async def test_triggers_are_attached(door: Door) -> None:
    """Each trigger has an outcome; the webhook lists those that it is attached to."""
    await door.create()

    assert await door.attach("server", "message_sent", "group_created") == {
        "message_sent": ADDED,
        "group_created": ADDED,
    }
    found = await door.call("GET", "/webhooks/server/triggers")
    assert found == [
        {"id": id_, "description": TRIGGERS[id_].description}
        for id_ in ("message_sent", "group_created")
    ]
    second = await door.ask("GET", "/webhooks/server/triggers?perPage=1&page=2")
    assert [each["id"] for each in second.data] == ["group_created"]
    assert second.meta["pagination"]["total"] == 2


async def test_all_triggers_can_be_attached(door: Door) -> None:
    """A webhook can be attached to all triggers at once, also to those that never occur."""
    await door.create()
    outcomes = await door.attach("server", *TRIGGERS)

    assert all(outcome == ADDED for outcome in outcomes.values())
    assert set(await door.attached("server")) == TRIGGERS.keys()


async def test_triggers_are_attached_once(door: Door) -> None:
    """A trigger that is attached already, or is named twice, is a success and counts once."""
    await door.create()
    for _ in range(2):
        assert await door.attach("server", "message_sent", "message_sent") == {
            "message_sent": ADDED
        }

    assert await door.attached("server") == ["message_sent"]


async def test_an_unknown_trigger(door: Door) -> None:
    """An unknown trigger is refused by its id; the others are attached."""
    await door.create()
    unknown = "message_forgotten"
    outcomes = await door.attach("server", unknown, "message_sent", "Message_Sent", " ")

    assert outcomes.keys() == {unknown, "message_sent", "Message_Sent", " "}
    assert outcomes["message_sent"] == ADDED
    assert outcomes[unknown]["success"] is False
    assert outcomes[unknown]["error"]["code"] == NO_TRIGGER
    assert unknown in outcomes[unknown]["error"]["message"]
    assert await door.attached("server") == ["message_sent"]


async def test_triggers_are_detached(door: Door) -> None:
    """Named triggers are detached, the others stay; one that is not attached is passed over."""
    await door.create()
    await door.create("other")
    for webhook_id in ("server", "other"):
        await door.attach(webhook_id, "message_sent", "message_edited", "group_created")
    body = {"triggerIds": ["message_sent", "group_created", "user_blocked"]}

    assert await door.call("DELETE", "/webhooks/server/triggers", body) == REMOVED
    assert await door.call("DELETE", "/webhooks/server/triggers", body) == REMOVED
    assert await door.attached("server") == ["message_edited"]
    assert len(await door.attached("other")) == 3


async def test_an_unknown_trigger_is_not_detached(door: Door) -> None:
    """If one of the triggers is unknown, none is detached."""
    await door.create()
    await door.attach("server", "message_sent")
    body = {"triggerIds": ["message_sent", "nothing"]}
    await door.refused("DELETE", "/webhooks/server/triggers", body, status=404, code=NO_TRIGGER)

    assert await door.attached("server") == ["message_sent"]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"triggerIds": []},
        {"triggerIds": "message_sent"},
        {"triggerIds": [""]},
        {"triggerIds": [1]},
        {"triggerIds": [None]},
        {"triggerIds": ["x" * 101]},
        {"triggerIds": ["a\0"]},
        {"triggerIds": ["message_sent"] * 101},
    ],
    ids=repr,
)
@one_engine
async def test_invalid_trigger_ids(world: World, method: str, body: Any) -> None:
    """The triggers are a list of 1 to 100 ids of at most 100 characters."""
    await world.post("/webhooks", {"id": "s", "name": "S", "webhookURL": "https://example.com"})
    details = await world.refused(
        method, "/webhooks/s/triggers", body, status=400, code="ERR_BAD_REQUEST"
    )

    assert [field.partition(".")[0] for field in details] == ["triggerIds"]
