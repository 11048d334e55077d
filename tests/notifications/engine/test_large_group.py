"""A message to a group reaches exactly the right people on the right channels."""

from dataclasses import dataclass
from random import Random

import pytest
from tests.notifications.engine.office import Office

SEED = 15
INTERVAL = 7_200
OFF, ALL, MENTIONS = 1, 2, 3
NONE, FCM, APNS, WEB = "none", "fcm", "apns", "web"
CLOSED = {
    day: {"from": 0, "to": 2359, "dnd": True}
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
}


@dataclass(frozen=True, slots=True)
class Person:
    """What a member has, and has chosen."""

    uid: str
    device: str
    level: int | None
    is_undisturbed: bool
    is_muted: bool
    is_closed: bool
    is_mentioned: bool
    has_email: bool
    has_number: bool
    is_blocking: bool
    has_read: bool

    @property
    def is_reached(self) -> bool:
        """Return whether they are told of the message, by push or later in writing."""
        if self.is_blocking or self.level == OFF:
            return False
        if self.level == MENTIONS and not self.is_mentioned:
            return False
        return self.is_mentioned or not (self.is_undisturbed or self.is_muted or self.is_closed)

    @property
    def reason(self) -> str:
        """Return why not."""
        if self.level == OFF or (self.level == MENTIONS and not self.is_mentioned):
            return "MESSAGES_PREFERENCE"
        if self.is_undisturbed:
            return "DND_PREFERENCE"
        return "MUTE_PREFERENCE" if self.is_muted else "SCHEDULE_PREFERENCE"


def invent(count: int) -> list[Person]:
    """Return people with all kinds of choices."""
    chance = Random(SEED)
    return [
        Person(
            uid=f"member-{number}",
            device=chance.choice((NONE, FCM, FCM, APNS, WEB)),
            level=chance.choice((None, OFF, ALL, MENTIONS)),
            is_undisturbed=chance.random() < 0.15,
            is_muted=chance.random() < 0.15,
            is_closed=chance.random() < 0.15,
            is_mentioned=chance.random() < 0.05,
            has_email=chance.random() < 0.5,
            has_number=chance.random() < 0.5,
            is_blocking=chance.random() < 0.05,
            has_read=chance.random() < 0.3,
        )
        for number in range(count)
    ]


async def test_a_group_of_sixty(office: Office) -> None:
    """In a group of 60, each gets what a plain model says, on all channels."""
    await tell_and_check(office, 60)


@pytest.mark.campaign
async def test_a_group_of_a_thousand(office: Office) -> None:
    """In a group of 1,000, each gets what a plain model says, on all channels."""
    await tell_and_check(office, 1_000)


async def tell_and_check(office: Office, count: int) -> None:
    """Send a message to a group of people with mixed preferences, and check all gateways."""
    people = invent(count)
    browsers = await settle(office, people)
    mentions = " ".join(f"<@uid:{each.uid}>" for each in people if each.is_mentioned)
    message = await office.say(f"Hello {mentions}", "#crowd")
    await office.work()
    await office.work(after=60)
    check_pushes(office, people, browsers)
    await check_reasons(office, people)
    for each in people:
        if each.has_read:
            read = {"messageId": message}
            await office.world.post("/groups/crowd/conversation/read", read, as_=each.uid)
    await office.work(after=INTERVAL)
    check_digests(office, people)


async def settle(office: Office, people: list[Person]) -> dict[str, str]:
    """Set up the app and its people; return the browsers by uid."""
    await office.add_fcm()
    await office.add_apns()
    server_key = await office.add_webpush()
    await office.add_custom("push")
    await office.add_sendgrid()
    await office.add_twilio()
    limits = {f"limits.{channel}GroupMembers": 2_000 for channel in ("push", "email", "sms")}
    limits["limits.groupUpdateMembers"] = 2_000  # in larger groups nothing counts as unread
    await office.world.put("/settings", {"settings": limits})
    bypass = {"preferences": {"bypassPreferencesForMentions": True}}
    await office.world.patch("/notifications/v1/settings", bypass)
    await office.crowd("crowd", "anna", *(each.uid for each in people))
    browsers: dict[str, str] = {}
    for number, each in enumerate(people):
        if each.device == FCM:
            await office.register(each.uid)
        elif each.device == APNS:
            await office.register(each.uid, f"{number:064x}", "apns_ios_device")
        elif each.device == WEB:
            browsers[each.uid] = await office.subscribe(each.uid, server_key)
        await choose(office, number, each)
    return browsers


async def choose(office: Office, number: int, person: Person) -> None:
    """Store what a person has chosen."""
    uid = person.uid
    chosen: dict[str, object] = {}
    if person.level is not None:
        chosen["groupPreferences"] = {"groupMessages": person.level}
    mute: dict[str, object] = {"dnd": 2} if person.is_undisturbed else {}
    if person.is_closed:
        mute["schedule"] = CLOSED
    if mute:
        chosen["mutePreferences"] = mute
    if chosen:
        await office.world.patch(f"/notifications/v1/preferences?uid={uid}", chosen)
    if person.is_muted:
        until = 1000 * (office.clock.now() + 10 * INTERVAL)
        muted = {"conversations": [{"id": "crowd", "type": "group", "until": until}]}
        await office.world.put(f"/notifications/v1/preferences/mute?uid={uid}", muted)
    if person.is_blocking:
        await office.world.post(f"/users/{uid}/blockedusers", {"blockedUids": ["anna"]})
    details = {"email": f"{uid}@example.com"} if person.has_email else {}
    details |= {"phno": f"+1415555{number:04d}"} if person.has_number else {}
    if details:
        await office.world.patch("/notifications/v1/contact-details", details, as_=uid)


def check_pushes(office: Office, people: list[Person], browsers: dict[str, str]) -> None:
    """Check who got a push, on which device."""
    gateways = office.gateways
    reached = [each for each in people if each.is_reached]
    by_device = {
        kind: sorted(each.uid for each in reached if each.device == kind)
        for kind in (FCM, APNS, WEB)
    }
    assert sorted(push["token"][10:] for push in gateways.fcm.received) == by_device[FCM]
    numbers = sorted(int(push["token"], 16) for push in gateways.apns.received)
    assert sorted(people[number].uid for number in numbers) == by_device[APNS]
    owners = {browser: uid for uid, browser in browsers.items()}
    told = sorted(owners[push.browser] for push in gateways.webpush.received)
    assert told == by_device[WEB]
    called = sorted(call["data"]["to"]["uid"] for call in gateways.custom.received)
    assert called == sorted(each.uid for each in reached)
    refused = [*gateways.fcm.refused, *gateways.apns.refused, *gateways.webpush.refused]
    assert [*refused, *gateways.custom.refused] == []


async def check_reasons(office: Office, people: list[Person]) -> None:
    """Check that the log has the reason for everybody else, but for who blocks the sender."""
    found: dict[str, str] = {}
    cursor: dict[str, str] = {}
    while page := await office.logs(channel="push", notificationTriggered="false", **cursor):
        found |= {entry["member"]: entry["reason"] for entry in page}
        cursor = {"affix": "prepend", "logId": page[0]["_id"]}
    assert found == {
        each.uid: each.reason for each in people if not each.is_reached and not each.is_blocking
    }


def check_digests(office: Office, people: list[Person]) -> None:
    """Check who got an e-mail and an SMS: who has not read, and is not to be left alone."""
    unread = [each for each in people if each.is_reached and not each.has_read]
    mails = office.gateways.sendgrid.received
    written = sorted(mail["personalizations"][0]["to"][0]["email"] for mail in mails)
    assert written == sorted(f"{each.uid}@example.com" for each in unread if each.has_email)
    numbers = sorted(message.to for message in office.gateways.twilio.received)
    called = [people.index(each) for each in unread if each.has_number]
    assert numbers == sorted(f"+1415555{number:04d}" for number in called)
