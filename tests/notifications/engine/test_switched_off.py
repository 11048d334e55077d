"""The log says why nobody gets a push if the app's settings, not a person's, are the reason."""

from typing import Any

import pytest
from tests.notifications.engine.office import Office

NO_MESSAGES = {"messagesSetting": 1, "messagesOverride": False}
NO_EDITS = {"messageEditedSetting": 1}


async def switch_off(office: Office, **items: Any) -> None:
    """Switch off items of groups, for everybody."""
    await office.world.patch("/notifications/v1/settings", {"preferences": {"group": items}})


async def two_phones(office: Office) -> None:
    """Have a group of three with FCM, of whom two have a phone; one of these sends."""
    await office.add_fcm()
    await office.group("hikers", "anna", "ben", "cora")
    await office.register("anna")
    await office.register("ben")


async def test_messages_of_groups(office: Office) -> None:
    """There is an entry for who would have got a push, and for nobody else."""
    await two_phones(office)
    await switch_off(office, **NO_MESSAGES)
    await office.say("Hello", "#hikers")
    await office.work()

    [entry] = await office.logs()
    assert office.pushed == []
    assert (entry["member"], entry["reason"]) == ("ben", "MESSAGES_PREFERENCE")


async def test_edits_of_messages(office: Office) -> None:
    """Likewise for an item that is on by default, and is no message."""
    await two_phones(office)
    await switch_off(office, **NO_EDITS)
    message = await office.say("Hello", "#hikers")
    await office.world.put(f"/messages/{message}", {"data": {"text": "Hi"}}, as_="anna")
    await office.work()

    reasons = [each["reason"] for each in await office.logs() if "reason" in each]
    assert reasons == ["MESSAGE_ACTIONS_PREFERENCE"]


@pytest.mark.parametrize("has_provider", [True, False])
async def test_what_is_not_logged(office: Office, *, has_provider: bool) -> None:
    """Nothing is logged of what is off by default or silent, nor without a provider."""
    if has_provider:
        await two_phones(office)
    await office.world.users("dora")
    if not has_provider:
        await office.group("hikers", "anna", "ben")
        await switch_off(office, **NO_MESSAGES)
    await office.say("Hello", "#hikers", sendNotification=False)
    await office.world.post("/groups/hikers/members", {"participants": ["dora"]})
    await office.work()

    assert await office.logs() == []


async def test_a_group_over_the_limit(office: Office) -> None:
    """Of a group that is too large for pushes, nothing is logged."""
    await two_phones(office)
    await office.world.put("/settings", {"settings": {"limits.pushGroupMembers": 2}})
    await switch_off(office, **NO_MESSAGES)
    await office.say("Hello", "#hikers")
    await office.work()

    assert await office.logs() == []
