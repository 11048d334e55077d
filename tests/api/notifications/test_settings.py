"""The notification settings of an app: defaults, partial changes, and what is refused."""

import asyncio
from typing import Any

import pytest
from tests.api.notifications.nested import at, with_value
from tests.engines import one_engine
from tests.world import Json, Node, World

PATH = "/notifications/v1/settings"
LEVELS = ("messages", "replies", "quotedReplies", "reactions")
MEMBERS = ("Left", "Added", "Joined", "Kicked", "Banned", "Unbanned", "ScopeChanged")
STATES = ("initiated", "ongoing", "cancelled", "busy", "rejected", "unanswered", "ended")
KINDS = (
    *("textMessage", "mediaMessage", "pollMessage", "reminderMessage", "customMessage"),
    *("interactiveForm", "interactiveCard", "interactiveScheduler", "interactiveCustom"),
    *("userMention", "groupMention", "emailSubject", "smsContent"),
)
EVERY_DAY = {"from": 0, "to": 2359, "dnd": False}
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def items(names: tuple[str, ...], setting: int) -> Json:
    """Return settings with this value, which users may override."""
    return {f"{name}Setting": setting for name in names} | {
        f"{name}Override": True for name in names
    }


async def test_the_defaults(world: World) -> None:
    """A new app has every setting, at its default."""
    settings = await world.get(PATH)
    edited = {"messageEditedSetting": 2, "messageDeletedSetting": 2}
    channel = {
        "notifyForUnreadOnly": True,
        "intervalInSeconds": 7200,
        "maxPerDay": 20,
        "maxPerDayPerConversation": 2,
    }

    assert settings["preferences"] == {
        "push": {
            "includeMessageObjectSetting": False,
            "includeMessageMetadataSetting": True,
            "includeSenderMetadataSetting": True,
            "includeReceiverMetadataSetting": True,
            "trimTextFieldSetting": False,
            "customJson": {},
        },
        "call": {f"{state}Setting": 2 for state in STATES}
        | {f"{state}Override": False for state in STATES},
        "bypassPreferencesForMentions": False,
        "bypassPreferencesForGroupMentions": False,
        "group": items(LEVELS, 2) | edited | items(tuple(f"member{it}" for it in MEMBERS), 1),
        "oneOnOne": items(LEVELS, 2) | edited,
        "mute": {
            "dndPreferenceSetting": 1,
            "dndPreferenceOverride": True,
            "schedulePreferenceSetting": dict.fromkeys(DAYS, EVERY_DAY),
            "schedulePreferenceOverride": True,
            "mutedGroupsOverride": True,
            "mutedOneOnOnesOverride": True,
        },
        "email": channel,
        "sms": channel,
    }
    assert settings["sound"] == {"chat": "default", "call": "default"}


async def test_the_default_templates(world: World) -> None:
    """There are two templates of each kind, in the spelling of the interface."""
    templates = (await world.get(PATH))["templates"]
    sender = "{{message.data.entities.sender.entity.name}}"
    group = "{{message.data.entities.receiver.entity.name}}"

    assert templates.pop("usePrivacyTemplate") == 3
    assert templates.keys() == {
        f"{kind}Template{variant}" for kind in KINDS for variant in ("Default", "Privacy")
    }
    assert templates["textMessageTemplateDefault"] == {
        "titleOneOnOne": sender,
        "titleGroup": f"{sender} @ {group}",
        "body": "{{message.data.text}}",
    }
    assert templates["textMessageTemplatePrivacy"]["body"] == "New message"
    media = templates["mediaMessageTemplateDefault"]
    assert media["body_image"] == "📷 Has sent an image"
    assert media.keys() >= {"titleOneOnOne", "titleGroup", "body_audio", "body_video", "body_file"}
    assert templates["userMentionTemplateDefault"].keys() == {
        *("titleOneOnOne", "titleGroup", "bodyOneOnOne", "bodyGroup", "body_fallback")
    }
    assert templates["groupMentionTemplateDefault"].keys() == {
        "titleGroup",
        "body",
        "body_fallback",
    }
    assert templates["emailSubjectTemplateDefault"].keys() == {"subjectOneOnOne", "subjectGroup"}
    assert templates["smsContentTemplateDefault"].keys() == {"bodyOneOnOne", "bodyGroup"}


CHANGES = [
    ("preferences.push.trimTextFieldSetting", True),
    ("preferences.push.includeMessageObjectSetting", True),
    ("preferences.push.customJson", {"a": {"b": [1, "ä"]}}),
    *[(f"preferences.call.{state}Setting", 1) for state in STATES],
    *[
        (f"preferences.{kind}.{name}Setting", 3)
        for kind in ("group", "oneOnOne")
        for name in LEVELS
    ],
    ("preferences.oneOnOne.repliesOverride", False),
    ("preferences.group.messageEditedSetting", 1),
    ("preferences.oneOnOne.messageDeletedSetting", 1),
    *[(f"preferences.group.member{what}Setting", 2) for what in MEMBERS],
    ("preferences.group.memberScopeChangedOverride", False),
    ("preferences.bypassPreferencesForMentions", True),
    ("preferences.bypassPreferencesForGroupMentions", True),
    ("preferences.mute.dndPreferenceSetting", 2),
    ("preferences.mute.dndPreferenceOverride", False),
    ("preferences.mute.schedulePreferenceSetting.monday.from", 800),
    ("preferences.mute.schedulePreferenceSetting.sunday.dnd", True),
    ("preferences.mute.schedulePreferenceOverride", False),
    ("preferences.mute.mutedGroupsOverride", False),
    ("preferences.mute.mutedOneOnOnesOverride", False),
    ("preferences.email.intervalInSeconds", 60),
    ("preferences.email.notifyForUnreadOnly", False),
    ("preferences.sms.intervalInSeconds", 86_400),
    ("preferences.sms.maxPerDay", 0),
    ("preferences.sms.maxPerDayPerConversation", 1),
    ("sound.chat", "ping.wav"),
    ("templates.usePrivacyTemplate", 2),
    *[(f"templates.{kind}TemplateDefault.titleGroup", "x") for kind in KINDS[:-2]],
    ("templates.pollMessageTemplatePrivacy.body_fallback", ""),
    ("templates.mediaMessageTemplateDefault.body_file", "📎"),
    ("templates.smsContentTemplatePrivacy.bodyGroup", "x" * 1000),
    ("templates.emailSubjectTemplateDefault.subjectOneOnOne", "{{messages.length}}"),
]


async def test_each_setting_is_changed_alone(world: World) -> None:
    """A change of one setting changes nothing else; all of them add up, until they are reset."""
    defaults = expected = await world.get(PATH)
    for path, value in CHANGES:
        assert at(expected, path) != value, path
        assert await world.patch(PATH, with_value(path, value)) == {"success": True}
        expected = replaced(expected, path.split("."), value)
        assert await world.get(PATH) == expected, path

    assert await world.delete(PATH) == {"success": True}
    assert await world.get(PATH) == defaults


def replaced(document: Any, path: list[str], value: Any) -> Any:
    """Return a document with another value at a path."""
    if not path:
        return value
    return {**document, path[0]: replaced(document[path[0]], path[1:], value)}


async def test_what_a_change_does_not_give_stays(world: World) -> None:
    """Nulls and empty objects change nothing; `customJson` is replaced as a whole."""
    await world.patch(PATH, with_value("preferences.push.customJson", {"a": 1}))
    before = await world.get(PATH)
    empty = {"preferences": {"push": {"customJson": None}, "mute": {}}, "sound": None}
    for body in (None, {}, empty, {"templates": {"textMessageTemplateDefault": {"body": None}}}):
        await world.patch(PATH, body)
        assert await world.get(PATH) == before

    for value in ({"b": 2}, {}):
        await world.patch(PATH, with_value("preferences.push.customJson", value))
        assert (await world.get(PATH))["preferences"]["push"]["customJson"] == value


async def test_what_get_answers_can_be_sent_back(world: World) -> None:
    """The whole answer is a valid change; overrides of calls are ignored."""
    settings = await world.get(PATH)
    settings["preferences"]["call"]["busyOverride"] = True
    await world.patch(PATH, settings)

    settings["preferences"]["call"]["busyOverride"] = False
    assert await world.get(PATH) == settings
    assert "Hubbub-Ignored" not in world.answer.headers


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("preferences.group.messagesSetting", 0),
        ("preferences.group.messagesSetting", 4),
        ("preferences.group.messagesSetting", True),
        ("preferences.group.messagesSetting", "2"),
        ("preferences.group.messagesOverride", 1),
        ("preferences.group.memberLeftSetting", 3),
        ("preferences.oneOnOne.messageEditedSetting", 3),
        ("preferences.call.endedSetting", 3),
        ("preferences.mute.dndPreferenceSetting", 3),
        ("preferences.mute.schedulePreferenceSetting.monday.from", -1),
        ("preferences.mute.schedulePreferenceSetting.monday.to", 2400),
        ("preferences.mute.schedulePreferenceSetting.tuesday.from", 1260),
        ("preferences.mute.schedulePreferenceSetting.friday.to", 99),
        ("preferences.email.intervalInSeconds", 59),
        ("preferences.sms.intervalInSeconds", 59),
        ("preferences.sms.intervalInSeconds", 86_401),
        ("preferences.email.maxPerDay", -1),
        ("preferences.push.customJson", "x"),
        ("preferences.push.customJson", {"a": "x" * 1020}),
        ("sound.chat", 5),
        ("sound.call", "x" * 256),
        ("templates.usePrivacyTemplate", 4),
        ("templates.usePrivacyTemplate", True),
        ("templates.textMessageTemplateDefault.body", "x" * 1001),
        ("templates.mediaMessageTemplateDefault.body_image", 5),
        ("preferences", []),
    ],
)
@one_engine
async def test_an_invalid_setting(world: World, path: str, value: Any) -> None:
    """A value that is not allowed is refused with its field, and nothing is stored."""
    before = await world.get(PATH)
    body = {"sound": {"chat": "ping"}} | with_value(path, value)
    details = await world.refused("PATCH", PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [path]
    assert await world.get(PATH) == before


async def test_the_operator_sets_the_least_interval(world: World, node: Node) -> None:
    """The least interval is a setting of the node."""
    path = "preferences.email.intervalInSeconds"
    other = node.with_settings(notification_min_interval=0.5)
    quick = World(other.sender, world.app_id, world.key, world.auth_key)
    await quick.patch(PATH, with_value(path, 1))

    assert at(await world.get(PATH), path) == 1
    details = await quick.refused(
        "PATCH", PATH, with_value(path, 0), status=400, code="ERR_BAD_REQUEST"
    )
    assert details == {path: ["This must be from 0.5 to 86400 seconds."]}


async def test_unknown_settings_are_named(world: World) -> None:
    """Unknown fields are ignored, and named in a header."""
    body = {"preferences": {"group": {"messagesSeting": 1}}, "sound": {"call": "ring"}}
    await world.patch(PATH, body)

    assert world.answer.headers["hubbub-ignored"] == "preferences.group.messagesSeting"
    assert (await world.get(PATH))["sound"] == {"chat": "default", "call": "ring"}


async def test_changes_at_the_same_time_are_all_kept(world: World) -> None:
    """Concurrent changes of different settings do not undo each other."""
    bodies = [with_value(f"templates.{kind}TemplateDefault.titleGroup", "x") for kind in KINDS[:-2]]
    await asyncio.gather(*(world.patch(PATH, body) for body in bodies))

    templates = (await world.get(PATH))["templates"]
    assert {templates[f"{kind}TemplateDefault"]["titleGroup"] for kind in KINDS[:-2]} == {"x"}


async def test_settings_stay_in_their_app(world: World, node: Node) -> None:
    """Another app has settings of its own."""
    other = await node.world()
    await world.patch(PATH, {"sound": {"chat": "ping"}})
    await other.delete(PATH)

    assert (await other.get(PATH))["sound"]["chat"] == "default"
    assert (await world.get(PATH))["sound"]["chat"] == "ping"
