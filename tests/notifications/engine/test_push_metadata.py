"""The settings of an app decide whether pushes hold the metadata of senders and receivers."""

import json

import pytest
from tests.notifications.engine.office import Office


@pytest.mark.parametrize("is_sender", [True, False])
@pytest.mark.parametrize("is_receiver", [True, False])
async def test_metadata_in_pushes(office: Office, *, is_sender: bool, is_receiver: bool) -> None:
    """The message in a push has the metadata that the settings include, and no other."""
    await office.add_fcm()
    await office.register("ben")
    for uid in ("anna", "ben"):
        await office.world.put(f"/users/{uid}", {"metadata": {"of": uid}})
    push = {
        "includeMessageObjectSetting": True,
        "includeSenderMetadataSetting": is_sender,
        "includeReceiverMetadataSetting": is_receiver,
    }
    await office.world.patch("/notifications/v1/settings", {"preferences": {"push": push}})
    await office.say("Hello")
    await office.work()

    [pushed] = office.pushed
    entities = json.loads(pushed["data"]["message"])["data"]["entities"]
    shown = {role: "metadata" in entities[role]["entity"] for role in ("sender", "receiver")}
    assert shown == {"sender": is_sender, "receiver": is_receiver}
