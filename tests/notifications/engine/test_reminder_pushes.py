"""People get a push of what they wanted to be reminded of, at that time."""

from tests.notifications.engine.office import Office

PREFERENCES = "/notifications/v1/preferences?uid={}"


async def remind(office: Office, message: int, uid: str = "ben") -> None:
    """Set a reminder for an hour later, and let that hour pass."""
    await office.work()
    office.gateways.fcm.accepted.clear()
    at = {"at": office.clock.now() + 3_600}
    await office.world.post(f"/messages/{message}/reminders", at, as_=uid)
    await office.do_scheduled(after=3_600)
    await office.work()


async def test_a_reminder_is_pushed(office: Office) -> None:
    """Who has set the reminder gets a push, nobody else does, and the log says so."""
    await office.add_fcm()
    for uid in ("anna", "ben", "cora"):
        await office.register(uid)
    await office.group("hikers", "anna", "ben", "cora")
    message = await office.say("Water the plants", "#hikers")
    await remind(office, message)

    [push] = office.pushed[-1:]
    assert push["token"] == "device-of-ben"
    assert push["data"]["body"] == "Reminder: Water the plants"
    assert [each["token"] for each in office.pushed].count("device-of-ben") == 2
    log = (await office.logs(messageId=message))[-1]
    assert (log["trigger"], log["member"], log["success"]) == ("user_reminded", "ben", True)


async def test_nothing_mutes_a_reminder(office: Office) -> None:
    """A reminder is pushed though the person has muted, switched off and read all of it."""
    await office.add_fcm()
    await office.register("ben")
    message = await office.say("Water the plants")
    await office.world.patch(
        PREFERENCES.format("ben"),
        {"oneOnOnePreferences": {"oneOnOneMessages": 1}, "mutePreferences": {"dnd": 2}},
    )
    muted = {"id": "anna", "type": "oneOnOne", "until": 1_000 * (office.clock.now() + 9_999)}
    mute = "/notifications/v1/preferences/mute?uid=ben"
    await office.world.put(mute, {"conversations": [muted]})
    await office.world.post("/users/anna/conversation/read", as_="ben")
    before = len(office.pushed)
    await remind(office, message)

    assert [push["data"]["body"] for push in office.pushed[before:]] == [
        "Reminder: Water the plants"
    ]


async def test_a_reminder_of_an_own_message(office: Office) -> None:
    """People are reminded of what they have written themselves, too."""
    await office.add_fcm()
    await office.register("anna")
    message = await office.say("Water the plants")
    await remind(office, message, "anna")

    assert [push["token"] for push in office.pushed] == ["device-of-anna"]


async def test_a_private_reminder(office: Office) -> None:
    """With the privacy template, the push of a reminder does not show the text of the message."""
    await office.add_fcm()
    await office.register("ben")
    await office.world.patch(PREFERENCES.format("ben"), {"usePrivacyTemplate": True})
    message = await office.say("Water the plants")
    before = len(office.pushed)
    await remind(office, message)

    assert office.pushed[-1]["data"]["body"] == "Reminder of a message"
    assert len(office.pushed) > before
