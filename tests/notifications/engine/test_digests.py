"""People get e-mails and SMS about messages that they have not read for a while."""

from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.notifications.engine.office import SENDGRID, Office

from hubbub.domain.notifications.logs import prune_logs
from hubbub.domain.notifications.planning import decide_digest
from hubbub.domain.notifications.planning.decide_digest import find_reader
from hubbub.storage.interface import Row
from hubbub.storage.queries import Query

INTERVAL = 7_200


async def contact(office: Office, uid: str, **details: str) -> None:
    """Store the contact details of a user."""
    await office.world.patch("/notifications/v1/contact-details", details, as_=uid)


async def test_unread_messages_come_in_one_mail(office: Office) -> None:
    """All that is unread after the interval comes in one e-mail, and in no other one."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    await office.say("One")
    await office.work()
    await office.say("Two")
    await office.work(after=INTERVAL - 10)
    assert office.gateways.sendgrid.received == []
    await office.work(after=10)

    [mail] = office.gateways.sendgrid.received
    [person] = mail["personalizations"]
    data = person["dynamic_template_data"]
    assert person["to"] == [{"email": "ben@example.com", "name": "Ben"}]
    assert [each["message"] for each in data["messages"]] == ["One", "Two"]
    await office.say("Three")
    await office.work()
    await office.work(after=INTERVAL)
    later = office.gateways.sendgrid.received[1]["personalizations"][0]["dynamic_template_data"]
    assert [each["message"] for each in later["messages"]] == ["Three"]
    await office.work(after=10 * INTERVAL)
    assert len(office.gateways.sendgrid.received) == 2


async def test_a_quick_pair_of_messages(office: Office) -> None:
    """Messages of one conversation that are planned together come in one e-mail, and are pushed."""
    await office.add_fcm()
    await office.add_sendgrid()
    await office.register("ben")
    await contact(office, "ben", email="ben@example.com")
    for text in ("One", "Two", "Three"):
        await office.say(text)
    await office.work()
    await office.work(after=INTERVAL)

    [mail] = office.gateways.sendgrid.received
    data = mail["personalizations"][0]["dynamic_template_data"]
    assert [each["message"] for each in data["messages"]] == ["One", "Two", "Three"]
    assert len(office.pushed) == 3


async def test_what_is_read_is_not_written(office: Office) -> None:
    """Who reads the messages before the interval is over gets no e-mail."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    message = await office.say("One")
    await office.work()
    await office.world.post("/users/anna/conversation/read", {"messageId": message}, as_="ben")
    await office.work(after=INTERVAL)

    assert office.gateways.sendgrid.received == []
    assert await office.logs() == []


async def test_read_messages_are_written_if_the_app_says_so(office: Office) -> None:
    """With `notifyForUnreadOnly` off, messages are written of that were read meanwhile."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    email = {"email": {"notifyForUnreadOnly": False}}
    await office.world.patch("/notifications/v1/settings", {"preferences": email})
    message = await office.say("One")
    await office.work()
    await office.world.post("/users/anna/conversation/read", {"messageId": message}, as_="ben")
    await office.work(after=INTERVAL)

    assert len(office.gateways.sendgrid.received) == 1


async def test_a_missing_address(office: Office) -> None:
    """For people without an address or number nothing is sent, and the log says so."""
    await office.add_sendgrid()
    await office.add_twilio()
    await office.say("Hello")
    await office.work()
    await office.work(after=INTERVAL)

    reasons = {log["channel"]: log["reason"] for log in await office.logs()}
    assert reasons == {"email": "MISSING_EMAIL", "sms": "MISSING_PHNO"}


async def test_sms(office: Office) -> None:
    """An SMS says who has sent how many messages."""
    await office.add_twilio()
    await contact(office, "ben", phno="+14155550123")
    await office.say("Hello")
    await office.work()
    await office.work(after=INTERVAL)

    [message] = office.gateways.twilio.received
    assert message.to == "+14155550123"
    assert "Anna" in message.text
    [log] = await office.logs(channel="sms")
    assert (log["provider"], log["success"]) == ("twilio", True)


async def test_what_twilio_refuses(office: Office) -> None:
    """A number that Twilio refuses is logged with the reason that the interface has for it."""
    await office.add_twilio()
    await contact(office, "ben", phno="+14155550123")
    office.gateways.twilio.faults.answer_next("21614")
    await office.say("Hello")
    await office.work()
    await office.work(after=INTERVAL)
    await office.work(after=100)

    [log] = await office.logs()
    assert (log["notificationTriggered"], log["reason"]) == (False, "TWILIO_CREATE_ERROR")


async def test_quotas(office: Office) -> None:
    """A conversation gets as many e-mails a day as the app allows; the next day it goes on."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    await contact(office, "cora", email="cora@example.com")
    email = {"email": {"intervalInSeconds": 60, "maxPerDayPerConversation": 1, "maxPerDay": 2}}
    await office.world.patch("/notifications/v1/settings", {"preferences": email})
    for _ in range(2):
        await office.say("Hello")
        await office.say("Hello", "cora")
        await office.work()
        await office.work(after=60)
    assert len(office.gateways.sendgrid.received) == 2
    logs = await office.logs(reason="QUOTA_PREFERENCE")
    assert {log["channel"] for log in logs} == {"email"}
    await office.say("Good morning")
    await office.work(after=86_400)
    await office.work(after=60)

    assert len(office.gateways.sendgrid.received) == 3


async def test_large_groups(office: Office) -> None:
    """In a group with more members than the app allows for e-mail, nobody is written to."""
    await office.add_sendgrid()
    await office.group("hikers", "anna", "ben", "cora")
    await contact(office, "ben", email="ben@example.com")
    await office.say("Hello", "#hikers")
    await office.work()
    await office.world.put("/settings", {"settings": {"limits.emailGroupMembers": 2}})
    await office.say("Again", "#hikers")
    await office.work()
    await office.work(after=INTERVAL)

    assert len(office.gateways.sendgrid.received) == 1


@pytest.mark.parametrize("uses_stored", [True, False])
async def test_custom_mail(office: Office, *, uses_stored: bool) -> None:
    """The custom provider is told of people without an address, unless it wants stored ones."""
    await office.add_custom("email", useStoredEmailID=uses_stored)
    await office.say("Hello")
    await office.work()
    await office.work(after=INTERVAL)

    told = [call["data"]["to"] for call in office.gateways.custom.received]
    assert told == ([] if uses_stored else [{"uid": "ben", "name": "Ben"}])


async def test_unsubscribing(office: Office) -> None:
    """By the link of an e-mail a person ends such e-mails, and can begin them again."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    await office.say("One")
    await office.work()
    await office.work(after=INTERVAL)
    [mail] = office.gateways.sendgrid.received
    header = mail["headers"]["List-Unsubscribe"]
    path = header.strip("<>").removeprefix("https://chat.example.com")
    assert "Unsubscribe?" in await office.page("GET", path)
    assert "Unsubscribed" in await office.page("POST", path)
    await office.say("Two")
    await office.work()
    await office.work(after=INTERVAL)
    assert len(office.gateways.sendgrid.received) == 1
    assert "Subscribed" in await office.page("POST", f"{path}/again")
    await office.say("Three")
    await office.work()
    await office.work(after=INTERVAL)

    assert len(office.gateways.sendgrid.received) == 2
    assert "not valid" in await office.page("GET", path[:-4], status=404)
    assert "not valid" in await office.page("POST", f"{path[:-4]}/again", status=404)


async def test_a_provider_that_is_disabled(office: Office) -> None:
    """After the provider is disabled, nothing more is written."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    await office.say("One")
    await office.work()
    await office.add_twilio()
    await office.world.put(SENDGRID, {"isEnabled": False})
    await office.work(after=INTERVAL)

    assert office.gateways.sendgrid.received == []


async def test_a_mail_with_a_defect(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """An e-mail that can't be written for a defect is logged, and holds up no other one."""
    await office.add_sendgrid()
    for uid in ("ben", "cora"):
        await contact(office, uid, email=f"{uid}@example.com")
        await office.say("Hello", uid)
    await office.work()
    usual = find_reader

    async def fail_for_ben(snapshot: Any, channels: Any, channel: str, uid: str, *rest: Any) -> Any:
        if uid == "ben":
            raise ZeroDivisionError
        return await usual(snapshot, channels, channel, uid, *rest)

    monkeypatch.setattr(decide_digest, "find_reader", fail_for_ben)
    with capture_logs() as lines:
        await office.work(after=INTERVAL)
    assert "letter_failed" in {line["event"] for line in lines}
    assert len(office.gateways.sendgrid.received) == 1
    monkeypatch.undo()
    await office.work(after=3_600)

    assert len(office.gateways.sendgrid.received) == 2


async def test_what_is_over_is_not_kept(office: Office) -> None:
    """Delete after 14 days how far a person was written to; new messages are written of once."""
    await office.add_sendgrid()
    await contact(office, "ben", email="ben@example.com")
    await office.say("One")
    await office.work()
    await office.work(after=INTERVAL)
    await prune_logs(office.runtime)
    assert len(await _stored(office)) == 1
    office.clock.advance(15 * 86_400)

    await prune_logs(office.runtime)

    assert await _stored(office) == []
    await office.say("Two")
    await prune_logs(office.runtime)
    await office.work()
    await office.work(after=INTERVAL)
    mails = [mail["personalizations"][0] for mail in office.gateways.sendgrid.received]
    texts = [
        [each["message"] for each in mail["dynamic_template_data"]["messages"]] for mail in mails
    ]
    assert texts == [["One"], ["Two"]]


async def _stored(office: Office) -> list[Row]:
    query = Query("look", "SELECT uid FROM unread_notices WHERE app_id = :app_id")
    return await office.runtime.database.read(
        office.world.app_id, lambda snapshot: snapshot.fetch(query)
    )
