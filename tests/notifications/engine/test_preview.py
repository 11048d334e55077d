"""A test says what a person would be sent of a message, and sends nothing."""

from tests.notifications.engine.office import FCM, Office

PATH = "/notifications/v1/test"
STORED = {"email": {"useStoredEmailID": True}, "sms": {"useStoredPhNo": True}}


async def test_all_channels(office: Office) -> None:
    """There is an entry for each device and channel, with what would be sent."""
    await office.add_fcm()
    await office.add_apns()
    await office.add_sendgrid()
    await office.add_twilio()
    await office.register("ben")
    await office.register("ben", "ab" * 32, "apns_ios_device")
    details = {"email": "ben@example.com"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    message = await office.say("Hello")
    entries = await office.world.post(PATH, {"uid": "ben", "messageId": message})

    found = {each.get("provider", each["channel"]): each for each in entries}
    assert set(found) == {"fcm", "apns", "sendgrid", "sms"}
    assert "Hello" in str(found["fcm"]["payload"])
    assert "ben@example.com" in str(found["sendgrid"]["payload"])
    assert (found["sms"]["notificationTriggered"], found["sms"]["reason"]) == (
        False,
        "MISSING_PHNO",
    )
    secrets = ("SG.key", "PRIVATE KEY", "device-of-ben", "secret")
    assert not any(secret in str(entries) for secret in secrets)
    await office.work()
    assert len(office.pushed) == 1
    assert len(await office.logs()) == 2


async def test_why_not(office: Office) -> None:
    """It says which preference is in the way."""
    await office.add_fcm()
    await office.register("ben")
    chosen = {"mutePreferences": {"dnd": 2}}
    await office.world.patch("/notifications/v1/preferences?uid=ben", chosen)
    message = await office.say("Hello")
    [entry] = await office.world.post(PATH, {"uid": "ben", "messageId": str(message)})

    assert (entry["notificationTriggered"], entry["reason"]) == (False, "DND_PREFERENCE")


async def test_who_is_not_told_at_all(office: Office) -> None:
    """The answer is empty for the sender, for who can't see the message, and without providers."""
    message = await office.say("Hello")
    assert await office.world.post(PATH, {"uid": "ben", "messageId": message}) == []
    await office.add_fcm()
    await office.register("cora")
    for uid in ("anna", "cora"):
        assert await office.world.post(PATH, {"uid": uid, "messageId": message}) == []


async def test_history_that_is_not_shown(office: Office) -> None:
    """A member who can't see what was said before they joined is not told of it."""
    await office.add_fcm()
    await office.register("ben")
    await office.world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    await office.group("hikers", "anna")
    before = await office.say("Hello", "#hikers")
    await office.world.post("/groups/hikers/members", {"participants": ["ben"]})
    after = await office.say("Hello Ben", "#hikers")

    assert await office.world.post(PATH, {"uid": "ben", "messageId": before}) == []
    [entry] = await office.world.post(PATH, {"uid": "ben", "messageId": after})
    assert entry["notificationTriggered"]


async def test_bad_tests(office: Office) -> None:
    """Unknown people and messages, and ids that are none, are refused with the field."""
    message = await office.say("Hello")
    unknown = {"uid": "nobody", "messageId": message}
    await office.world.refused("POST", PATH, unknown, status=404, code="ERR_UID_NOT_FOUND")
    missing = {"uid": "ben", "messageId": 999}
    await office.world.refused("POST", PATH, missing, status=404, code="ERR_MESSAGE_ID_NOT_FOUND")
    bad = {"uid": "ben", "messageId": "x"}
    details = await office.world.refused("POST", PATH, bad, status=400, code="ERR_BAD_REQUEST")
    assert list(details) == ["messageId"]


async def test_a_provider_without_credentials(office: Office) -> None:
    """If no push provider of the app has its credentials, the answer says so."""
    await office.world.post(FCM, {"providerId": "fcm-1"})
    await office.register("ben")
    message = await office.say("Hello")
    [entry] = await office.world.post(PATH, {"uid": "ben", "messageId": message})

    assert (entry["provider"], entry["reason"]) == ("fcm", "INVALID_PUSH_PROVIDER_ID")


async def test_providers_that_are_switched_off(office: Office) -> None:
    """For each channel whose saved providers are all switched off, the answer says so."""
    for channel in ("push", "email", "sms"):
        await office.add_custom(channel, isEnabled=False, **STORED.get(channel, {}))
    await office.add_twilio()
    await office.add_sendgrid(isEnabled=False)
    details = {"email": "ben@example.com", "phno": "+14155552671"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    message = await office.say("Hello")
    entries = await office.world.post(PATH, {"uid": "ben", "messageId": message})

    found = {(each["channel"], each["provider"]): each.get("reason") for each in entries}
    assert found == {
        ("push", "custom"): "NOT_FOUND",
        ("email", "custom"): "NOT_FOUND",
        ("email", "sendgrid"): "NOT_FOUND",
        ("sms", "twilio"): None,
    }


async def test_nobody_without_a_device(office: Office) -> None:
    """The answer says that a person has registered no device."""
    await office.add_fcm()
    message = await office.say("Hello")
    [entry] = await office.world.post(PATH, {"uid": "ben", "messageId": message})
    assert (entry["channel"], entry["reason"]) == ("push", "NOT_FOUND")
    await office.register("ben")
    [entry] = await office.world.post(PATH, {"uid": "ben", "messageId": message})

    assert entry["notificationTriggered"]
