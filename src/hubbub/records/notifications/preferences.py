"""The notification preferences of a person: what they chose, where their app leaves the choice."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Struct, defstruct
from msgspec.structs import FieldInfo, fields

from hubbub.records.notifications.app_settings import (
    GroupSettings,
    NotificationSettings,
    OneOnOneSettings,
    Schedule,
)
from hubbub.records.notifications.items import Switch
from hubbub.records.notifications.templates import TemplateChoice

UTC = "UTC"


def _choices_struct(name: str, about: str, settings: type[Struct]) -> type[Struct]:
    """Return a struct with a choice for each item that apps may leave to their users."""
    items = [
        (item.name, _level_of(item) | None, None)
        for item in fields(settings)
        if item.default.may_override
    ]
    namespace = {"__doc__": about}
    return defstruct(
        name, items, frozen=True, omit_defaults=True, module=__name__, namespace=namespace
    )


def _preferences_struct(name: str, about: str, settings: type[Struct]) -> type[Struct]:
    """Return a struct with a value for each item."""
    items = [(item.name, _level_of(item)) for item in fields(settings)]
    return defstruct(name, items, frozen=True, module=__name__, namespace={"__doc__": about})


def _level_of(item: FieldInfo) -> Any:
    (level,) = get_args(item.type)
    return level


OneOnOneChoices = _choices_struct(
    "OneOnOneChoices",
    "What a user chose for one-to-one conversations; None is the app's default.",
    OneOnOneSettings,
)
GroupChoices = _choices_struct(
    "GroupChoices", "What a user chose for groups; None is the app's default.", GroupSettings
)
OneOnOnePreferences = _preferences_struct(
    "OneOnOnePreferences",
    "The preferences of a person for one-to-one conversations.",
    OneOnOneSettings,
)
GroupPreferences = _preferences_struct(
    "GroupPreferences", "The preferences of a person for groups.", GroupSettings
)


class DayChoices(Struct, frozen=True, omit_defaults=True):
    """What a user chose of a `Day`."""

    since: int | None = None
    until: int | None = None
    dnd: bool | None = None


class ScheduleChoices(Struct, frozen=True, omit_defaults=True):
    """What a user chose of a `Schedule`."""

    monday: DayChoices | None = None
    tuesday: DayChoices | None = None
    wednesday: DayChoices | None = None
    thursday: DayChoices | None = None
    friday: DayChoices | None = None
    saturday: DayChoices | None = None
    sunday: DayChoices | None = None


class Choices(Struct, frozen=True, omit_defaults=True):
    """All that a user chose; None is the app's default."""

    group: GroupChoices | None = None  # type: ignore[valid-type]
    one_on_one: OneOnOneChoices | None = None  # type: ignore[valid-type]
    dnd: Switch | None = None
    schedule: ScheduleChoices | None = None
    uses_privacy_template: bool | None = None
    timezone: str | None = None
    """The name of a time zone in the IANA database."""


class Preferences(Struct, frozen=True):
    """The preferences of a person that are in effect."""

    group: GroupPreferences  # type: ignore[valid-type]
    one_on_one: OneOnOnePreferences  # type: ignore[valid-type]
    dnd: Switch
    schedule: Schedule
    uses_privacy_template: bool
    timezone: str = UTC


Chosen = TypeVar("Chosen", bound=Struct)
_decode_choices = msgspec.json.Decoder(Choices).decode
"""Made on import, for the reason that `app_settings.py` gives."""


@lru_cache(maxsize=4_096)
def choices_of(text: str | None) -> Choices:
    """Return choices from their stored JSON; None is nothing stored."""
    return _decode_choices(text) if text else Choices()


def overlay(before: Chosen, given: Struct) -> Chosen:
    """Return `before` with the values of `given` that are not None, at every depth."""
    changes: dict[str, Any] = {}
    for name in given.__struct_fields__:
        value = getattr(given, name)
        if value is None:
            continue
        present = getattr(before, name)
        is_nested = isinstance(value, Struct) and present is not None
        changes[name] = overlay(present, value) if is_nested else value
    return msgspec.structs.replace(before, **changes) if changes else before


def permitted_choices(settings: NotificationSettings, choices: Choices) -> Choices:
    """Return the choices that the app leaves to its users; the others are None."""
    return Choices(
        group=_permitted(settings.group, choices.group),
        one_on_one=_permitted(settings.one_on_one, choices.one_on_one),
        dnd=choices.dnd if settings.mute.dnd.may_override else None,
        schedule=choices.schedule if settings.mute.schedule.may_override else None,
        uses_privacy_template=(
            choices.uses_privacy_template
            if settings.templates.use_privacy_template == TemplateChoice.BY_USER
            else None
        ),
        timezone=choices.timezone,
    )


def _permitted(settings: Struct, choices: Struct | None) -> Any:
    if choices is None:
        return None
    names = choices.__struct_fields__
    locked = [name for name in names if not getattr(settings, name).may_override]
    return msgspec.structs.replace(choices, **dict.fromkeys(locked)) if locked else choices


def resolve_preferences(
    settings: NotificationSettings, choices: Choices | None = None
) -> Preferences:
    """Return the preferences in effect: the app's defaults, and the choices that it permits."""
    defaults = default_preferences(settings)
    return overlay(defaults, permitted_choices(settings, choices)) if choices else defaults


def default_preferences(settings: NotificationSettings) -> Preferences:
    """Return the preferences of people who have chosen nothing."""
    return Preferences(
        group=_defaults(settings.group, GroupPreferences),
        one_on_one=_defaults(settings.one_on_one, OneOnOnePreferences),
        dnd=settings.mute.dnd.setting,
        schedule=settings.mute.schedule.setting,
        uses_privacy_template=settings.templates.use_privacy_template == TemplateChoice.PRIVACY,
    )


def resolve_each(
    settings: NotificationSettings, choices: Mapping[str, Choices], uids: Collection[str]
) -> dict[str, Preferences]:
    """Return the preferences in effect of many people, by uid; many have chosen the same."""
    defaults = default_preferences(settings)
    resolved = {
        chosen: overlay(defaults, permitted_choices(settings, chosen))
        for chosen in set(choices.values())
    }
    return {uid: resolved[choices[uid]] if uid in choices else defaults for uid in uids}


def _defaults(settings: Struct, kind: type[Struct]) -> Any:
    return kind(**{name: getattr(settings, name).setting for name in kind.__struct_fields__})
