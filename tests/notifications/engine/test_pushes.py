"""People get pushes of what happens in their conversations, and the log says so."""

from collections import Counter

import pytest
from structlog.testing import capture_logs
from tests.api.people.erasing import rows_of
from tests.notifications.engine.office import TOKENS, Office
from tests.world import Node

from hubbub.domain.notifications.planning.bundling import READING_SECONDS
from hubbub.domain.notifications.sending.pushes import EXPIRY_SECONDS
from hubbub.kernel.pages import SliceRequest
from hubbub.records.notifications.logs import LogFilter, list_logs
from hubbub.records.notifications.sending.model import Bundle, push_queue
from hubbub.records.notifications.sending.store import insert_bundles


async def test_a_message_reaches_the_device(office: Office) -> None:
    """Who is sent a message gets a push on their device, and nobody else does."""
    await office.add_fcm()
    await office.register("ben")
    await office.register("anna")
    await office.register("cora")
    message = await office.say("Hello")
    await office.work()

    [push] = office.pushed
    assert push["token"] == "device-of-ben"
    assert push["data"]["title"] == "Anna"
    assert push["data"]["body"] == "Hello"
    assert push["data"]["unreadMessageCount"] == "1"
    assert push["data"]["tag"] == str(message)
    [log] = await office.logs()
    assert log["notificationTriggered"] is True
    assert log["success"] is True
    assert (log["messageId"], log["trigger"], log["provider"]) == (message, "after_message", "fcm")
    await office.work()
    assert len(office.pushed) == 1


async def test_events_after_the_first_provider_count(office: Office) -> None:
    """Nobody is told of events from before the app had a provider."""
    await office.register("ben")
    await office.say("Before")
    await office.add_fcm()
    await office.say("After")
    await office.work()

    assert [push["data"]["body"] for push in office.pushed] == ["After"]


async def test_a_group_with_mixed_preferences(office: Office) -> None:
    """Each member of a group gets what they have chosen, and the log has the reasons."""
    await office.add_fcm()
    await office.world.users("dora", "emil")
    await office.group("hikers", "anna", "ben", "cora", "dora", "emil")
    for uid in ("ben", "cora", "dora", "emil"):
        await office.register(uid)
    choices = {
        "ben": {"groupPreferences": {"groupMessages": 3}},
        "cora": {"mutePreferences": {"dnd": 2}},
        "dora": {"usePrivacyTemplate": True},
    }
    for uid, chosen in choices.items():
        await office.world.patch(f"/notifications/v1/preferences?uid={uid}", chosen)
    await office.say("Hello", "#hikers")
    await office.say("Hello <@uid:ben>", "#hikers")
    await office.work()

    told = sorted((push["token"][10:], push["data"]["body"]) for push in office.pushed)
    assert [uid for uid, _ in told] == ["ben", "dora", "dora", "emil", "emil"]
    bodies = dict(told)
    assert "Hello" not in bodies["dora"]
    assert bodies["emil"] == "Hello @Ben"
    reasons = sorted(
        (log["member"], log["reason"]) for log in await office.logs(notificationTriggered="false")
    )
    assert reasons == [
        ("ben", "MESSAGES_PREFERENCE"),
        ("cora", "DND_PREFERENCE"),
        ("cora", "DND_PREFERENCE"),
    ]


async def test_large_groups_are_planned_by_pages(office: Office) -> None:
    """In a group with more members than one batch takes, each of them gets one push."""
    await office.add_fcm()
    await office.world.put("/settings", {"settings": {"limits.pushGroupMembers": 5_000}})
    people = [f"member-{number}" for number in range(1_150)]
    await office.crowd("crowd", "anna", *people)
    for uid in people[::10]:
        await office.register(uid)
    await office.say("Hello", "#crowd")
    await office.say("Again", "#crowd")
    await office.work()

    told = [(push["token"], push["data"]["body"]) for push in office.pushed]
    assert len(told) == len(set(told)) == 2 * 115


async def test_more_pushes_than_one_transaction_stores(office: Office) -> None:
    """Each of the pushes of several bundles is sent once, and logged with what was sent."""
    await office.add_fcm()
    people = [f"member-{number}" for number in range(450)]
    await office.crowd("crowd", "anna", *people)
    for uid in people:
        await office.register(uid)
    message = await office.say("Hello", "#crowd")
    await office.work()

    tokens = {f"device-of-{uid}" for uid in people}
    assert len(office.pushed) == 450
    assert {push["token"] for push in office.pushed} == tokens
    logs = await office.runtime.database.read(
        office.world.app_id,
        lambda snapshot: list_logs(
            snapshot, LogFilter(message_id=message), SliceRequest(limit=1_000)
        ),
    )
    assert len(logs.items) == 450
    assert {log.entry.push_token for log in logs.items} == tokens
    assert {log.entry.payload["data"]["body"] for log in logs.items} == {"Hello"}


async def test_groups_over_the_limit(office: Office) -> None:
    """In a group with more members than the app allows for pushes, nobody gets one."""
    await office.add_fcm()
    await office.group("hikers", "anna", "ben", "cora")
    await office.register("ben")
    await office.world.put("/settings", {"settings": {"limits.pushGroupMembers": 2}})
    await office.say("Hello", "#hikers")
    await office.work()

    assert office.pushed == []


async def test_a_lost_token_is_removed(office: Office) -> None:
    """A token that FCM does not know any more is removed; the log says why."""
    await office.add_fcm()
    auth_token = await office.register("ben", "gone-phone")
    await office.say("Hello")
    await office.work()

    listed = await office.world.get(f"{TOKENS}?authToken={auth_token}")
    assert listed["pushTokens"] == []
    [log] = await office.logs()
    assert (log["success"], log["error"]) == (False, "UNREGISTERED")


async def test_a_token_that_is_registered_again(office: Office) -> None:
    """A token that was registered again since the push was planned is kept."""
    await office.add_fcm()
    auth_token = await office.register("ben", "gone-phone")
    office.gateways.fcm.faults.answer_next("UNAVAILABLE")
    await office.say("Hello")
    await office.work()
    body = {"authToken": auth_token, "platform": "fcm_android", "fcmToken": "gone-phone"}
    office.clock.advance(10)
    await office.world.post(TOKENS, body)
    await office.work(after=10)

    [log] = await office.logs()
    assert log["error"] == "UNREGISTERED"
    listed = await office.world.get(f"{TOKENS}?authToken={auth_token}")
    assert len(listed["pushTokens"]) == 1


@pytest.mark.parametrize("fault", ["UNAVAILABLE", "INTERNAL", "html"])
async def test_an_outage_is_retried(office: Office, fault: str) -> None:
    """While FCM fails, a push is tried again, under the same collapse id; its token stays."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_next(fault, fault)
    await office.say("Hello")
    await office.work()
    assert office.pushed == []
    assert [log["state"] for log in await office.logs()] == ["waiting"]
    for pause in (10.0, 10.0):
        await office.work(after=pause)

    [push] = office.pushed
    assert push["data"]["body"] == "Hello"
    [log] = await office.logs()
    assert log["success"] is True


async def test_a_push_that_expires(office: Office) -> None:
    """If FCM stays away until a push is worth nothing, it is given up, and the log says so."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("Hello")
    await office.work()
    office.gateways.fcm.faults.answer_always("")
    await office.work(after=EXPIRY_SECONDS + 1)

    assert office.pushed == []
    [log] = await office.logs()
    assert (log["notificationTriggered"], log["reason"]) == (False, "TIMED_OUT")


async def test_a_refusal_is_final(office: Office) -> None:
    """A push that FCM refuses is not tried again; the token stays."""
    await office.add_fcm()
    auth_token = await office.register("ben")
    office.gateways.fcm.faults.answer_next("SENDER_ID_MISMATCH")
    await office.say("Hello")
    await office.work()
    await office.work(after=100)

    assert office.pushed == []
    [log] = await office.logs()
    assert (log["success"], log["error"]) == (False, "SENDER_ID_MISMATCH")
    assert (await office.world.get(f"{TOKENS}?authToken={auth_token}"))["pushTokens"]


async def test_a_quota_slows_down_one_provider(office: Office) -> None:
    """While FCM wants to be left alone, nothing is sent to it, and APNs is served."""
    await office.add_fcm()
    await office.add_apns()
    await office.register("ben")
    await office.register("cora", "ab" * 32, "apns_ios_device")
    office.gateways.fcm.faults.answer_next("QUOTA_EXCEEDED")
    await office.say("One")
    await office.work()
    calls = office.gateways.fcm.calls
    await office.say("Two")
    await office.say("To Cora", "cora")
    await office.work(after=30)
    assert office.gateways.fcm.calls == calls
    assert len(office.gateways.apns.received) == 1
    await office.work(after=31)

    assert sorted(push["data"]["body"] for push in office.pushed) == ["One", "Two"]


async def test_an_unknown_provider(office: Office) -> None:
    """A device whose provider the app does not have is told nothing; the log says so."""
    await office.add_fcm()
    await office.register("ben", "ab" * 32, "apns_ios_device")
    await office.say("Hello")
    await office.work()

    [log] = await office.logs()
    assert log["reason"] == "INVALID_PUSH_PROVIDER_ID"


async def test_the_custom_provider(office: Office) -> None:
    """The custom provider is called once for each recipient, with or without devices."""
    await office.add_custom("push")
    await office.group("hikers", "anna", "ben", "cora")
    await office.say("Hello", "#hikers")
    await office.work()

    calls = office.gateways.custom.received
    assert sorted(call["data"]["to"]["uid"] for call in calls) == ["ben", "cora"]
    assert calls[0]["data"]["notificationDetails"]["title"] == "Anna @ Hikers"


async def test_who_reads_at_once_gets_no_push(office: Office) -> None:
    """Who is connected and reads a message gets no push for it; else it comes a moment later."""
    await office.add_fcm()
    for uid in ("ben", "cora"):
        await office.register(uid)
        await office.go_online(uid)
    message = await office.say("Hello", "ben")
    await office.say("Hello", "cora")
    await office.work()
    assert office.pushed == []
    await office.world.post("/users/anna/conversation/read", {"messageId": message}, as_="ben")
    await office.work(after=READING_SECONDS)

    assert [push["token"] for push in office.pushed] == ["device-of-cora"]
    [log] = await office.logs(notificationTriggered="false")
    assert log["reason"] == "ALREADY_READ"


async def test_a_message_that_was_deleted_meanwhile(office: Office) -> None:
    """A push that is tried again says nothing of a message that was deleted in the meantime."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_next("UNAVAILABLE")
    message = await office.say("Secret")
    await office.work()
    await office.world.delete(f"/messages/{message}", as_="anna")
    await office.work(after=10)

    assert "Secret" not in str(office.pushed)


async def test_reactions_and_changes(office: Office) -> None:
    """The author of a message is told of reactions; edits and deletions are told to the others."""
    await office.add_fcm()
    await office.register("ben")
    await office.register("anna")
    message = await office.say("Hello")
    await office.world.post(f"/messages/{message}/reactions/👍", as_="ben")
    await office.work()
    await office.world.put(f"/messages/{message}", {"data": {"text": "Hi"}}, as_="anna")
    await office.world.delete(f"/messages/{message}", as_="anna")
    await office.work()

    told = [(push["token"][10:], push["data"]["body"]) for push in office.pushed]
    assert ("anna", "Has reacted 👍 to your message") in told
    assert ("ben", "Has deleted a message") in told
    assert {push["data"]["tag"] for push in office.pushed} == {str(message)}
    logs = await office.logs(trigger="message_reaction_added")
    assert (logs[0]["reactionSender"], logs[0]["reactionReceiver"]) == ("ben", "anna")


async def test_reactions_that_wait(office: Office) -> None:
    """Their text is read when they are sent: what was erased or taken back is not pushed."""
    await office.add_fcm()
    await office.register("anna")
    for _ in range(3):
        office.gateways.fcm.faults.answer_next("UNAVAILABLE")
    message = await office.say("Hello")
    path = f"/messages/{message}/reactions"
    await office.group("hikers", "anna", "cora")
    said = await office.say("Hello", "#hikers")
    await office.world.post(f"/messages/{said}/reactions/erased", as_="cora")
    await office.world.post(f"{path}/back", as_="ben")
    await office.world.post(f"{path}/kept", as_="ben")
    await office.work()
    node = Node(office.runtime, office.clock, office.sender, {})
    bundles = str(await rows_of(node, office.world, ["notice_bundles"]))
    assert "message_reaction_added" in bundles
    assert not any(text in bundles for text in ('"erased"', '"back"', '"kept"'))
    await office.world.delete(f"{path}/back", as_="ben")
    await office.world.delete("/users/cora", {"permanent": True})
    await office.work(after=10)

    told = [push["data"]["body"] for push in office.pushed if "reacted" in push["data"]["body"]]
    assert told == ["Has reacted kept to your message"]


async def test_messages_that_new_members_may_not_see(office: Office) -> None:
    """Who may not see an earlier message of a group is not told that it was edited or deleted."""
    await office.add_fcm()
    await office.world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    await office.group("hikers", "anna", "ben")
    for uid in ("ben", "cora"):
        await office.register(uid)
    early = await office.say("Early", "#hikers")
    await office.world.post("/groups/hikers/members", {"participants": ["cora"]})
    late = await office.say("Late", "#hikers")
    for message in (early, late):
        await office.world.put(f"/messages/{message}", {"data": {"text": "Hi"}}, as_="anna")
    await office.work()

    told = Counter((push["token"][10:], push["data"]["tag"]) for push in office.pushed)
    assert told["ben", str(early)] == told["ben", str(late)] == told["cora", str(late)] == 2
    assert told["cora", str(early)] == 0


async def test_blocks_and_deactivation(office: Office) -> None:
    """Nothing is sent or logged for people who block the sender, or are deactivated."""
    await office.add_fcm()
    await office.world.users("dora")
    await office.group("hikers", "anna", "ben", "cora", "dora")
    for uid in ("ben", "cora", "dora"):
        await office.register(uid)
    await office.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await office.world.delete("/users", {"uidsToDeactivate": ["cora"]})
    await office.say("Hello", "#hikers")
    await office.work()

    assert [push["token"] for push in office.pushed] == ["device-of-dora"]
    assert len(await office.logs()) == 1


async def test_a_silent_message(office: Office) -> None:
    """A message sent with `sendNotification` false is told to nobody."""
    await office.add_fcm()
    await office.register("ben")
    await office.say("Hello", sendNotification=False)
    await office.work()

    assert office.pushed == []


async def test_a_bundle_with_a_defect(office: Office) -> None:
    """A bundle that can't be sent for a defect is logged, and holds up no other one."""
    await office.add_fcm()
    await office.register("ben")
    broken = Bundle(push_queue("fcm", "fcm-1"), "0" * 24, 0, 0, "{}")
    await office.runtime.database.write(
        office.world.app_id, lambda tx: insert_bundles(tx, [broken], 0)
    )
    await office.say("Hello")
    with capture_logs() as lines:
        await office.work()

    assert [push["data"]["body"] for push in office.pushed] == ["Hello"]
    assert "bundle_failed" in {line["event"] for line in lines}
