"""What waits is decided when it leaves: nobody is sent what they may not have any more."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp.web import BaseRequest, Response
from tests.gateways.faults import Refused
from tests.notifications.engine.office import TOKENS, Office

from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.notifications.unsubscribe import Subscriber, end_digests

INTERVAL = 7_200
EMAIL = "ben@example.com"
Change = Callable[[Office], Awaitable[object]]


async def kick(office: Office) -> None:
    """Kick Ben."""
    await office.world.delete("/groups/hikers/members/ben", as_="anna")


async def ban(office: Office) -> None:
    """Ban Ben."""
    await office.world.post("/groups/hikers/bannedusers/ben", as_="anna")


async def leave(office: Office) -> None:
    """Have Ben leave the group."""
    await office.world.delete("/groups/hikers/members/ben", as_="ben")


async def block(office: Office) -> None:
    """Have Ben block Anna."""
    await office.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})


async def deactivate(office: Office) -> None:
    """Deactivate Ben."""
    await office.world.delete("/users", {"uidsToDeactivate": ["ben"]})


async def disturb_not(office: Office) -> None:
    """Have Ben choose to be left alone."""
    chosen = {"mutePreferences": {"dnd": 2}}
    await office.world.patch("/notifications/v1/preferences?uid=ben", chosen)


async def mute(office: Office) -> None:
    """Have Ben mute the group."""
    until = 1000 * (office.clock.now() + 1_000_000)
    muted = {"conversations": [{"id": "hikers", "type": "group", "until": until}]}
    await office.world.put("/notifications/v1/preferences/mute?uid=ben", muted)


async def choose_none(office: Office) -> None:
    """Have Ben switch off messages of groups."""
    chosen = {"groupPreferences": {"groupMessages": 1}}
    await office.world.patch("/notifications/v1/preferences?uid=ben", chosen)


async def unsubscribe(office: Office) -> None:
    """Have Ben end e-mails."""
    await end_digests(office.runtime, Subscriber(office.world.app_id, "ben", "email"))


REASONS: dict[Change, str] = {
    kick: "NOT_A_MEMBER",
    ban: "NOT_A_MEMBER",
    leave: "NOT_A_MEMBER",
    block: "BLOCKED",
    deactivate: "DEACTIVATED",
    disturb_not: "DND_PREFERENCE",
    mute: "MUTE_PREFERENCE",
    choose_none: "MESSAGES_PREFERENCE",
}
CHANGES = [pytest.param(change, reason, id=change.__name__) for change, reason in REASONS.items()]


async def fail(office: Office) -> None:
    """Have FCM fail from now on."""
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")


async def recover(office: Office) -> list[tuple[str, str]]:
    """Have FCM work again, and return what it has got: the token and the text of each push."""
    office.gateways.fcm.faults.answer_always("")
    for _ in range(5):
        await office.work(after=100)
    return [(push["token"], push["data"]["body"]) for push in office.pushed]


async def reasons(office: Office) -> list[str]:
    """Return why something was not sent, of each entry of the log."""
    return [each["reason"] for each in await office.logs(notificationTriggered="false")]


@pytest.mark.parametrize(("change", "reason"), CHANGES)
async def test_a_push_that_waits(office: Office, change: Change, reason: str) -> None:
    """Of a push that waits while FCM is down, it is decided again whether it is sent."""
    await office.add_fcm()
    await office.add_custom("push")
    await office.group("hikers", "anna", "ben", "cora")
    for uid in ("ben", "cora"):
        await office.register(uid)
    await fail(office)
    office.gateways.custom.faults.answer_always("500")
    await office.say("Hello", "#hikers")
    await office.work()
    await change(office)
    office.gateways.custom.faults.answer_always("")

    assert await recover(office) == [("device-of-cora", "Hello")]
    assert [each["data"]["to"]["uid"] for each in office.gateways.custom.received] == ["cora"]
    assert await reasons(office) == [reason, reason]


@pytest.mark.parametrize(
    ("change", "reason"), [*CHANGES, pytest.param(unsubscribe, "UNSUBSCRIBED", id="unsubscribe")]
)
@pytest.mark.parametrize("is_written", [False, True], ids=["due", "written"])
async def test_a_mail_that_waits(
    office: Office, change: Change, reason: str, *, is_written: bool
) -> None:
    """An e-mail is decided on when it is due, and again when SendGrid is back."""
    await office.add_sendgrid()
    await office.group("hikers", "anna", "ben", "cora")
    for uid in ("ben", "cora"):
        details = {"email": f"{uid}@example.com"}
        await office.world.patch("/notifications/v1/contact-details", details, as_=uid)
    office.gateways.sendgrid.faults.answer_always("500")
    await office.say("Before", "#hikers")
    await office.work()
    await office.work(after=INTERVAL if is_written else 0)
    await change(office)
    await office.say("After", "#hikers")
    office.gateways.sendgrid.faults.answer_always("")
    for _ in range(3):
        await office.work(after=INTERVAL)

    addresses = {mail["personalizations"][0]["to"][0]["email"] for mail in mails(office)}
    assert addresses == {"cora@example.com"}
    assert set(await reasons(office)) == {reason}


def mails(office: Office) -> list[dict[str, Any]]:
    """Return the e-mails that SendGrid has accepted."""
    return office.gateways.sendgrid.received


async def test_a_phone_with_another_user(office: Office) -> None:
    """After a user has logged out, and another registered the phone, it gets nothing of theirs."""
    await office.add_fcm()
    auth_token = await office.register("ben", "phone")
    await fail(office)
    await office.say("For Ben")
    await office.work()
    await office.world.delete(f"/users/ben/auth_tokens/{auth_token}")
    await office.register("cora", "phone")

    assert await recover(office) == []
    assert await reasons(office) == ["LOGGED_OUT"]


async def test_a_phone_of_another_log_in(office: Office) -> None:
    """A push that was planned for a log-in that has ended is not sent to a later one."""
    await office.add_fcm()
    auth_token = await office.register("ben", "phone")
    await fail(office)
    await office.say("Earlier")
    await office.work()
    await office.world.delete(f"/users/ben/auth_tokens/{auth_token}")
    await office.register("ben", "phone")

    assert await recover(office) == []
    assert await reasons(office) == ["LOGGED_OUT"]


@pytest.mark.parametrize("is_taken", [False, True], ids=["free", "taken"])
async def test_erased_people(office: Office, *, is_taken: bool) -> None:
    """Of people who were erased nothing is sent or logged, also if their uid is taken again."""
    await office.add_fcm()
    await office.add_custom("push")
    await office.add_sendgrid()
    await office.register("ben", "phone")
    details = {"email": EMAIL}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    await office.group("hikers", "anna", "ben")
    await fail(office)
    office.gateways.custom.faults.answer_always("500")
    office.gateways.sendgrid.faults.answer_always("500")
    await office.say("Alone")
    await office.say("Together", "#hikers")
    await office.work()
    await office.work(after=INTERVAL)
    await office.world.delete("/users/ben", {"permanent": True})
    await erase_all(office.runtime)
    if is_taken:
        await office.world.user("ben")
        await office.register("ben", "phone")
        await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
        await office.world.post("/groups/hikers/members", {"participants": ["ben"]})
    office.gateways.custom.faults.answer_always("")
    office.gateways.sendgrid.faults.answer_always("")

    assert await recover(office) == []
    assert office.gateways.custom.received == []
    assert mails(office) == []
    assert await office.logs() == []


@pytest.mark.parametrize("error", ["", "500"], ids=["sent", "waits"])
async def test_a_person_erased_during_a_call(
    office: Office, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    """Who is erased while the provider is called is not in the log; others of the bundle are."""
    await office.add_custom("push")
    await office.group("hikers", "anna", "ben", "cora")
    gateway, called = office.gateways.custom, list[str]()
    accept = gateway.accept

    async def accept_and_erase(request: BaseRequest, body: bytes) -> Response:
        answer = await accept(request, body)
        called.append(gateway.received[-1]["data"]["to"]["uid"])
        if called[-1] != "ben":
            return answer
        await office.world.delete("/users/ben", {"permanent": True})
        await erase_all(office.runtime)
        if error:
            raise Refused(error)
        return answer

    monkeypatch.setattr(gateway, "accept", accept_and_erase)
    await office.say("Hello", "#hikers")
    for wait in (0, INTERVAL):
        await office.work(after=wait)

        assert sorted(called) == ["ben", "cora"]
        assert [each["member"] for each in await office.logs()] == ["cora"]


async def test_an_erased_sender(office: Office) -> None:
    """Of a sender who was erased nothing is sent or logged."""
    await office.add_fcm()
    await office.add_sendgrid()
    await office.register("ben")
    details = {"email": EMAIL}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    await office.group("hikers", "cora", "anna", "ben")
    await fail(office)
    office.gateways.sendgrid.faults.answer_always("500")
    await office.say("Alone")
    await office.say("Together", "#hikers")
    await office.work()
    await office.work(after=INTERVAL)
    await office.world.delete("/users/anna", {"permanent": True})
    await erase_all(office.runtime)
    office.gateways.sendgrid.faults.answer_always("")

    assert await recover(office) == []
    assert mails(office) == []
    assert await office.logs() == []


async def test_an_edited_message(office: Office) -> None:
    """A text that waits goes out as edited."""
    await office.add_fcm()
    await office.register("ben")
    await fail(office)
    message = await office.say("The code is 4711")
    await office.work()
    await office.world.put(f"/messages/{message}", {"data": {"text": "Taken out"}}, as_="anna")

    assert ("device-of-ben", "Taken out") in await recover(office)
    assert "4711" not in str(office.pushed)
    assert "4711" not in str(await office.logs())


@pytest.mark.parametrize("is_permanent", [False, True])
async def test_a_deleted_message(office: Office, *, is_permanent: bool) -> None:
    """The push of a message that was deleted meanwhile is dropped."""
    await office.add_fcm()
    await office.register("ben")
    await fail(office)
    message = await office.say("Secret")
    await office.work()
    body = {"permanent": True} if is_permanent else None
    await office.world.delete(f"/messages/{message}", body, as_=None if is_permanent else "anna")

    assert "Secret" not in str(await recover(office))
    assert "MESSAGE_DELETED" in await reasons(office)
    assert "Secret" not in str(await office.logs())


async def test_a_mail_with_a_deleted_message(office: Office) -> None:
    """An e-mail that waits is without the message that was deleted for good meanwhile."""
    await office.add_sendgrid()
    details = {"email": EMAIL}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    first = await office.say("Erased")
    await office.work()
    second = await office.say("Two")
    await office.work()
    office.gateways.sendgrid.faults.answer_always("500")
    await office.work(after=INTERVAL)
    await office.world.delete(f"/messages/{first}", {"permanent": True})
    await office.world.put(f"/messages/{second}", {"data": {"text": "2"}}, as_="anna")
    await office.world.patch(
        "/notifications/v1/contact-details", {"email": "new@example.com"}, as_="ben"
    )
    office.gateways.sendgrid.faults.answer_always("")
    await office.work(after=100)

    [mail] = office.gateways.sendgrid.received
    [person] = mail["personalizations"]
    assert person["to"][0]["email"] == "new@example.com"
    assert [each["message"] for each in person["dynamic_template_data"]["messages"]] == ["2"]


async def test_a_mail_whose_messages_were_read(office: Office) -> None:
    """An e-mail that waits is not sent if its messages were read meanwhile."""
    await office.add_sendgrid()
    details = {"email": EMAIL}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    message = await office.say("One")
    await office.work()
    office.gateways.sendgrid.faults.answer_always("500")
    await office.work(after=INTERVAL)
    await office.world.post("/users/anna/conversation/read", {"messageId": message}, as_="ben")
    office.gateways.sendgrid.faults.answer_always("")
    await office.work(after=100)

    assert mails(office) == []
    assert await reasons(office) == ["ALREADY_READ"]


async def test_a_renewed_registration(office: Office) -> None:
    """A token that its log-in has registered again still gets what waits."""
    await office.add_fcm()
    auth_token = await office.register("ben", "phone")
    await fail(office)
    await office.say("Hello")
    await office.work()
    office.clock.advance(10)
    body = {"authToken": auth_token, "platform": "fcm_android", "fcmToken": "phone"}
    await office.world.post(TOKENS, body)

    assert await recover(office) == [("phone", "Hello")]
