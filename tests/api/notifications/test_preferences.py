"""The notification preferences of users, and their time zones."""

import asyncio
from typing import Any

import pytest
from tests.api.notifications.nested import merged, with_value
from tests.engines import one_engine
from tests.world import Json, Node, World

PATH = "/notifications/v1/preferences"
ANNAS = f"{PATH}?uid=anna"
ZONE = f"{PATH}/timezone?uid=anna"
SETTINGS = "/notifications/v1/settings"
LEVELS = ("Messages", "Replies", "QuotedReplies", "Reactions")
MEMBERS = ("Left", "Added", "Joined", "Kicked", "Banned", "Unbanned", "ScopeChanged")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DEFAULTS: Json = {
    "groupPreferences": {f"group{name}": 2 for name in LEVELS}
    | {f"groupMember{what}": 1 for what in MEMBERS},
    "oneOnOnePreferences": {f"oneOnOne{name}": 2 for name in LEVELS},
    "mutePreferences": {
        "dnd": 1,
        "schedule": {day: {"from": 0, "to": 2359, "dnd": False} for day in DAYS},
    },
    "usePrivacyTemplate": False,
}
ITEMS = [
    *[(f"groupPreferences.group{name}", 3) for name in LEVELS],
    *[(f"groupPreferences.groupMember{what}", 2) for what in MEMBERS],
    *[(f"oneOnOnePreferences.oneOnOne{name}", 1) for name in LEVELS],
    ("mutePreferences.dnd", 2),
    ("mutePreferences.schedule.monday.from", 930),
    ("mutePreferences.schedule.saturday.dnd", True),
    ("usePrivacyTemplate", True),
]


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create Anna and Ben."""
    await world.users("anna", "ben")


async def test_a_user_has_the_defaults_of_the_app(world: World) -> None:
    """Before any choice, a user has what the app has set."""
    assert await world.get(ANNAS) == DEFAULTS

    await world.patch(SETTINGS, with_value("preferences.group.messagesSetting", 3))
    assert (await world.get(ANNAS))["groupPreferences"]["groupMessages"] == 3


async def test_each_preference_is_chosen_alone(world: World) -> None:
    """A choice changes nothing else, adds to earlier ones, and is the user's alone."""
    expected = DEFAULTS
    for path, value in ITEMS:
        expected = merged(expected, with_value(path, value))
        assert await world.patch(ANNAS, with_value(path, value)) == expected, path
        assert await world.get(ANNAS) == expected, path

    assert await world.get(f"{PATH}?uid=ben") == DEFAULTS
    assert await world.delete(ANNAS) == DEFAULTS
    assert await world.get(ANNAS) == DEFAULTS


async def test_what_a_change_does_not_give_stays(world: World) -> None:
    """Nulls and empty objects choose nothing."""
    chosen = await world.patch(ANNAS, with_value("groupPreferences.groupMessages", 1))
    for body in (None, {}, {"groupPreferences": {"groupMessages": None}, "mutePreferences": {}}):
        assert await world.patch(ANNAS, body) == chosen


@pytest.mark.parametrize(
    ("path", "value", "lock"),
    [
        ("groupPreferences.groupMessages", 1, {"group": {"messagesOverride": False}}),
        ("groupPreferences.groupMemberLeft", 2, {"group": {"memberLeftOverride": False}}),
        ("oneOnOnePreferences.oneOnOneReactions", 3, {"oneOnOne": {"reactionsOverride": False}}),
        ("mutePreferences.dnd", 2, {"mute": {"dndPreferenceOverride": False}}),
        (
            "mutePreferences.schedule.monday.to",
            1700,
            {"mute": {"schedulePreferenceOverride": False}},
        ),
    ],
)
async def test_a_locked_item_is_ignored(world: World, path: str, value: Any, lock: Json) -> None:
    """A locked item is ignored without an error; it is neither in effect nor stored."""
    await world.patch(SETTINGS, {"preferences": lock})
    body = merged(with_value("groupPreferences.groupReplies", 3), with_value(path, value))
    replies = with_value("groupPreferences.groupReplies", 3)
    assert await world.patch(ANNAS, body) == merged(DEFAULTS, replies)

    await world.delete(SETTINGS)
    assert await world.get(ANNAS) == merged(DEFAULTS, replies)


async def test_a_choice_waits_while_its_item_is_locked(world: World) -> None:
    """A choice from before has no effect while the app locks the item."""
    chosen = await world.patch(ANNAS, with_value("groupPreferences.groupMessages", 1))
    lock = {"messagesSetting": 3, "messagesOverride": False}
    await world.patch(SETTINGS, {"preferences": {"group": lock}})
    assert (await world.get(ANNAS))["groupPreferences"]["groupMessages"] == 3

    await world.patch(SETTINGS, with_value("preferences.group.messagesOverride", True))
    assert await world.get(ANNAS) == chosen


@pytest.mark.parametrize(("use", "in_effect"), [(1, False), (2, True), (3, True)])
async def test_who_chooses_the_privacy_templates(world: World, use: int, in_effect: bool) -> None:
    """Users choose the privacy templates only where the app leaves it to them."""
    await world.patch(SETTINGS, {"templates": {"usePrivacyTemplate": use}})
    changed = await world.patch(ANNAS, {"usePrivacyTemplate": True})

    assert changed["usePrivacyTemplate"] is in_effect


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("groupPreferences.groupMessages", 0),
        ("groupPreferences.groupMessages", 4),
        ("groupPreferences.groupMessages", "2"),
        ("groupPreferences.groupMemberLeft", 3),
        ("oneOnOnePreferences.oneOnOneReactions", 4),
        ("mutePreferences.dnd", True),
        ("mutePreferences.schedule.monday.from", 2360),
        ("mutePreferences.schedule.monday.to", 1275),
        ("mutePreferences.schedule.monday.dnd", 1),
        ("usePrivacyTemplate", 2),
    ],
)
@one_engine
async def test_an_invalid_preference(world: World, path: str, value: Any) -> None:
    """A value that is not allowed is refused with its field, and nothing is stored."""
    body = merged(with_value("groupPreferences.groupReplies", 3), with_value(path, value))
    details = await world.refused("PATCH", ANNAS, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [path]
    assert await world.get(ANNAS) == DEFAULTS


@pytest.mark.parametrize(
    ("method", "target"),
    [
        *[(method, PATH) for method in ("GET", "PATCH", "DELETE")],
        *[(method, f"{PATH}/mute") for method in ("GET", "PUT", "DELETE")],
        *[(method, f"{PATH}/timezone") for method in ("GET", "PATCH")],
    ],
)
async def test_the_user_must_be_named(world: World, method: str, target: str) -> None:
    """A call without a uid, or with one that cannot be, is refused; an unknown user is 404."""
    body = None if method == "GET" else {"conversations": [], "timezone": "UTC"}
    for query in ("", "?uid=", "?uid=a%20b", "?uid=" + "x" * 101):
        details = await world.refused(
            method, target + query, body, status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["uid"]

    await world.delete("/users", {"uidsToDeactivate": ["ben"]})
    for uid in ("eve", "ben", "app_system"):
        await world.refused(
            method, f"{target}?uid={uid}", body, status=404, code="ERR_UID_NOT_FOUND"
        )


async def test_upper_case_names_the_same_user(world: World) -> None:
    """Uids are changed to lower case."""
    await world.patch(f"{PATH}?uid=ANNA", {"usePrivacyTemplate": True})

    assert (await world.get(ANNAS))["usePrivacyTemplate"] is True


async def test_choices_at_the_same_time_are_all_kept(world: World) -> None:
    """Concurrent choices of different items do not undo each other."""
    await asyncio.gather(*(world.patch(ANNAS, with_value(path, value)) for path, value in ITEMS))

    expected = DEFAULTS
    for path, value in ITEMS:
        expected = merged(expected, with_value(path, value))
    assert await world.get(ANNAS) == expected


async def test_preferences_stay_in_their_app(world: World, node: Node) -> None:
    """A user of the same uid in another app has preferences of their own."""
    other = await node.world()
    await other.user("anna")
    await world.patch(ANNAS, {"usePrivacyTemplate": True})
    await other.delete(ANNAS)

    assert await other.get(ANNAS) == DEFAULTS
    assert (await world.get(ANNAS))["usePrivacyTemplate"] is True


async def test_the_time_zone(world: World) -> None:
    """A user's time zone is UTC until it is set; resetting preferences keeps it."""
    assert await world.get(ZONE) == {"timezone": "UTC"}
    assert await world.patch(ZONE, {"timezone": "Asia/Kolkata"}) == {"timezone": "Asia/Kolkata"}

    await world.patch(ANNAS, {"usePrivacyTemplate": True})
    await world.delete(ANNAS)
    assert await world.get(ZONE) == {"timezone": "Asia/Kolkata"}
    assert await world.get(f"{PATH}/timezone?uid=ben") == {"timezone": "UTC"}


@pytest.mark.parametrize(
    "zone",
    [
        None,
        "",
        "Mars/Olympus",
        "europe/berlin",
        "../../etc/passwd",
        "Factory",
        5,
        "x" * 65,
        "UTC\0",
    ],
)
@one_engine
async def test_an_unknown_time_zone(world: World, zone: Any) -> None:
    """A time zone that is not in the IANA database is refused."""
    body = {"timezone": zone}
    details = await world.refused("PATCH", ZONE, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == ["timezone"]
    assert await world.get(ZONE) == {"timezone": "UTC"}
