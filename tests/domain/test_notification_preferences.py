"""Notification settings and preferences: defaults, choices, and which of them are in effect."""

import json
from typing import Any

import msgspec
import pytest

from hubbub.records.notifications.app_settings import (
    WEEKDAYS,
    Day,
    NotificationSettings,
    Schedule,
    merge_documents,
    notification_settings_of,
)
from hubbub.records.notifications.items import MessageLevel, ReactionLevel, Switch
from hubbub.records.notifications.preferences import (
    Choices,
    DayChoices,
    GroupChoices,
    OneOnOneChoices,
    ScheduleChoices,
    choices_of,
    overlay,
    permitted_choices,
    resolve_each,
    resolve_preferences,
)
from hubbub.records.notifications.templates import TemplateChoice

LEVELS = ("messages", "replies", "quoted_replies")
MEMBERS = ("left", "added", "joined", "kicked", "banned", "unbanned", "scope_changed")
ITEMS = [
    *((kind, item) for kind in ("group", "one_on_one") for item in (*LEVELS, "reactions")),
    *(("group", f"member_{what}") for what in MEMBERS),
]


def app(**given: Any) -> NotificationSettings:
    """Return the settings of an app that has set these."""
    return notification_settings_of(json.dumps(given))


def test_defaults_of_an_app() -> None:
    """An app that has set nothing has the defaults."""
    settings: Any = notification_settings_of(None)

    assert settings == NotificationSettings() == app()
    assert all(getattr(settings.group, name).setting == MessageLevel.ALL for name in LEVELS)
    assert settings.group.reactions.setting == ReactionLevel.OWN
    assert settings.one_on_one.message_edited.setting == Switch.ON
    assert not settings.one_on_one.message_edited.may_override
    assert settings.email == settings.sms
    assert (settings.email.interval_seconds, settings.email.max_per_day) == (7_200, 20)


@pytest.mark.parametrize(("kind", "item"), ITEMS)
def test_a_choice_is_in_effect_where_the_app_leaves_it(kind: str, item: str) -> None:
    """A choice beats the default, unless the app does not let users override that item."""
    default, chosen = (1, 2) if item.startswith("member_") else (2, 1)
    choices = msgspec.convert({kind: {item: chosen}}, Choices)
    locked = app(**{kind: {item: {"may_override": False}}})

    for settings, expected in ((app(), chosen), (locked, default)):
        preferences = resolve_preferences(settings, choices)
        assert getattr(getattr(preferences, kind), item) == expected
        others = {name: value for name, value in flat(preferences).items() if name != (kind, item)}
        assert others == {
            name: value
            for name, value in flat(resolve_preferences(settings)).items()
            if name != (kind, item)
        }


def flat(preferences: Any) -> dict[tuple[str, str], int]:
    """Return all items of preferences."""
    return {
        (kind, name): getattr(getattr(preferences, kind), name)
        for kind in ("group", "one_on_one")
        for name in getattr(preferences, kind).__struct_fields__
    }


@pytest.mark.parametrize(
    ("use", "chosen", "in_effect"),
    [
        (TemplateChoice.DEFAULT, True, False),
        (TemplateChoice.DEFAULT, None, False),
        (TemplateChoice.PRIVACY, False, True),
        (TemplateChoice.PRIVACY, None, True),
        (TemplateChoice.BY_USER, True, True),
        (TemplateChoice.BY_USER, False, False),
        (TemplateChoice.BY_USER, None, False),
    ],
)
def test_privacy_templates(use: int, chosen: bool | None, in_effect: bool) -> None:
    """Only an app that leaves it to its users has some of them choose the privacy templates."""
    settings = app(templates={"use_privacy_template": int(use)})
    preferences = resolve_preferences(settings, Choices(uses_privacy_template=chosen))

    assert preferences.uses_privacy_template is in_effect


@pytest.mark.parametrize(("may_override", "in_effect"), [(True, Switch.ON), (False, Switch.OFF)])
def test_do_not_disturb(may_override: bool, in_effect: Switch) -> None:
    """Do-not-disturb is chosen by users where the app leaves it to them."""
    settings = app(mute={"dnd": {"may_override": may_override}})

    assert resolve_preferences(settings, Choices(dnd=Switch.ON)).dnd == in_effect


def test_a_chosen_schedule_is_partial() -> None:
    """A user may choose one field of one day; the other days and fields are the app's."""
    settings = app(mute={"schedule": {"setting": {"monday": {"since": 900, "until": 1700}}}})
    choices = Choices(schedule=ScheduleChoices(monday=DayChoices(until=1200)))
    schedule = resolve_preferences(settings, choices).schedule

    assert schedule.monday == Day(900, 1200)
    assert [schedule.day(number) for number in range(1, 7)] == [Day()] * 6
    locked = app(mute={"schedule": {"may_override": False}})
    assert resolve_preferences(locked, choices).schedule == Schedule()


def test_the_days_of_the_week() -> None:
    """Weekdays are counted as Python does, from Monday, which is 0."""
    days = {name: {"since": number} for number, name in enumerate(WEEKDAYS)}
    schedule = msgspec.convert(days, Schedule)

    assert [schedule.day(number).since for number in range(7)] == list(range(7))


@pytest.mark.parametrize(
    ("day", "times"),
    [
        (Day(), {0: True, 1200: True, 2359: True}),
        (Day(dnd=True), {0: False, 1200: False, 2359: False}),
        (Day(900, 1730), {859: False, 900: True, 1730: True, 1731: False}),
        (Day(2200, 600), {0: True, 600: True, 601: False, 2159: False, 2200: True}),
        (Day(800, 800), {759: False, 800: True, 801: False}),
    ],
)
def test_the_period_of_a_day(day: Day, times: dict[int, bool]) -> None:
    """Both ends are in the period; one that ends before it begins goes over midnight."""
    assert {time: day.includes(time) for time in times} == times


def test_choices_are_stored_sparsely() -> None:
    """Only what was chosen is stored, and read again as it was."""
    choices = Choices(group=GroupChoices(messages=MessageLevel.MENTIONS), timezone="Asia/Tokyo")
    text = msgspec.json.encode(choices).decode()

    assert json.loads(text) == {"group": {"messages": 3}, "timezone": "Asia/Tokyo"}
    assert choices_of(text) == choices
    assert choices_of(None) == Choices()


def test_choices_are_merged() -> None:
    """Later choices add to earlier ones, at every depth."""
    first = Choices(
        group=GroupChoices(messages=MessageLevel.NONE, replies=MessageLevel.NONE),
        schedule=ScheduleChoices(sunday=DayChoices(dnd=True)),
    )
    second = Choices(
        group=GroupChoices(messages=MessageLevel.ALL),
        one_on_one=OneOnOneChoices(reactions=ReactionLevel.NONE),
        schedule=ScheduleChoices(sunday=DayChoices(since=800)),
        dnd=Switch.ON,
    )

    assert overlay(first, second) == Choices(
        group=GroupChoices(messages=MessageLevel.ALL, replies=MessageLevel.NONE),
        one_on_one=OneOnOneChoices(reactions=ReactionLevel.NONE),
        schedule=ScheduleChoices(sunday=DayChoices(since=800, dnd=True)),
        dnd=Switch.ON,
    )


def test_choices_that_are_not_permitted_are_dropped() -> None:
    """A choice that an app does not leave to its users is dropped; the rest of a change is kept."""
    settings = app(
        group={"messages": {"may_override": False}},
        mute={"dnd": {"may_override": False}},
        templates={"use_privacy_template": 2},
    )
    choices = Choices(
        group=GroupChoices(messages=MessageLevel.NONE, replies=MessageLevel.NONE),
        dnd=Switch.ON,
        uses_privacy_template=False,
        timezone="Asia/Tokyo",
    )

    assert permitted_choices(settings, choices) == Choices(
        group=GroupChoices(replies=MessageLevel.NONE), timezone="Asia/Tokyo"
    )


def test_settings_are_merged() -> None:
    """A change of settings adds to what was set before; `custom_json` is replaced as a whole."""
    first = {"push": {"custom_json": {"a": 1}, "trim_text": True}, "sound": {"chat": "ping"}}
    second = {"push": {"custom_json": {"b": {}}}, "sound": {"call": "ring"}}
    merged = merge_documents(first, second)

    assert merged["push"] == {"custom_json": {"b": {}}, "trim_text": True}
    assert merged["sound"] == {"chat": "ping", "call": "ring"}
    assert app(**merged).push.custom_json == {"b": {}}


def test_templates_of_an_app() -> None:
    """A changed text of a template leaves the others of its kind at their defaults."""
    settings = app(templates={"default": {"text_message": {"body": "hello"}}})
    chosen = settings.templates.choose(is_private=False)

    assert chosen.text_message.body == "hello"
    assert "@" in chosen.text_message.title_group
    assert settings.templates.choose(is_private=True).text_message.body == "New message"


def test_private_templates_show_no_content() -> None:
    """No body, subject or short message of the privacy templates has a placeholder."""
    for template in msgspec.to_builtins(NotificationSettings().templates.privacy).values():
        for name, text in template.items():
            assert text
            assert name.startswith("title") or "{{" not in text


def test_preferences_of_many() -> None:
    """People who chose nothing share the defaults; the others have their own."""
    chosen = {"ben": Choices(dnd=Switch.ON, timezone="Asia/Tokyo")}
    found = resolve_each(app(), chosen, ["anna", "ben", "carla"])

    assert found["anna"] == found["carla"] == resolve_preferences(app())
    assert found["ben"].dnd == Switch.ON
    assert [found[uid].timezone for uid in ("anna", "ben")] == ["UTC", "Asia/Tokyo"]
