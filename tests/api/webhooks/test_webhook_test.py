"""Samples: a webhook is sent one of each trigger that it is attached to."""

import msgspec
from tests.api.webhooks.doors import Door
from tests.eventlog import list_logged
from tests.world import Json, Node, World

from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.records.webhooks.model import PARTS
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.payloads.render import render_payloads

TEST = "/webhooks/server/test"


async def last_event(node: Node, world: World, name: str) -> tuple[str, Json]:
    """Return the id and the fields of the only event of that name."""
    logged = await node.runtime.database.read(world.app_id, list_logged)
    ((id_, body),) = [(event[1], event[4]) for event in logged if event[2] == name]
    return id_, msgspec.json.decode(body)


async def test_samples_are_queued(node: Node, world: World, door: Door) -> None:
    """The answer has the id and the trigger of each sample; the log has what planning needs."""
    await door.create()
    await door.attach("server", "message_sent", "user_blocked", "group_created")
    done = await door.call("POST", TEST)

    id_, event = await last_event(node, world, "webhook_tested")
    assert event["triggers"] == ["message_sent", "user_blocked", "group_created"]
    assert event["at"] == node.clock.now()
    assert done == {
        "success": True,
        "queued": 3,
        "deliveries": [
            {"id": id_, "trigger": "message_sent"},
            {"id": f"{id_}-1", "trigger": "user_blocked"},
            {"id": f"{id_}-2", "trigger": "group_created"},
        ],
    }


async def test_samples_of_all_triggers(node: Node, door: Door) -> None:
    """With all triggers attached, a sample of each is planned, as the answer says."""
    await door.create()
    await door.attach("server", *TRIGGERS)
    done = await door.call("POST", TEST)
    await plan_consumer(node.runtime, render_payloads).consume_all()
    listed = await door.call("GET", "/webhooks/server/deliveries")

    assert [each["trigger"] for each in done["deliveries"]] == list(TRIGGERS)
    assert done["queued"] == len(TRIGGERS) <= PARTS
    assert sorted(done["deliveries"], key=by_id) == sorted(
        ({"id": each["id"], "trigger": each["trigger"]} for each in listed), key=by_id
    )
    assert {each["state"] for each in listed} == {"pending"}


def by_id(sample: Json) -> str:
    """Return the id of a sample."""
    return str(sample["id"])


async def test_without_triggers(node: Node, world: World, door: Door) -> None:
    """A webhook that is attached to nothing is sent nothing."""
    await door.create()
    await door.attach("server", "message_sent")
    await door.call("DELETE", "/webhooks/server/triggers", {"triggerIds": ["message_sent"]})

    assert await door.call("POST", TEST) == {"success": True, "queued": 0, "deliveries": []}
    logged = await node.runtime.database.read(world.app_id, list_logged)
    assert "webhook_tested" not in {event[2] for event in logged}


async def test_a_disabled_webhook(door: Door) -> None:
    """A disabled webhook is sent no samples, and the caller is told so."""
    await door.create(enabled=False)
    await door.attach("server", "message_sent")

    assert list(await door.refused("POST", TEST)) == ["enabled"]


async def test_samples_are_for_one_webhook(node: Node, world: World, door: Door) -> None:
    """The event names the webhook by its number: another one of its id is not meant."""
    first = await door.create()
    await door.attach("server", "message_sent")
    await door.call("POST", TEST)
    _, event = await last_event(node, world, "webhook_tested")
    logged = await node.runtime.database.read(world.app_id, list_logged)

    assert event["webhook"] == logged[0][0] == 1, "the number of the event of its creation"
    assert first["id"] == "server"
