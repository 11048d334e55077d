"""Read notification settings from requests, and render them in answers."""

from typing import Any, TypeVar

import msgspec

from hubbub.kernel.errors import BadInput
from hubbub.records.notifications.app_settings import (
    Document,
    MuteSettings,
    NotificationSettings,
)
from hubbub.rest.notifications.wire.schedule import read_schedule, schedule_shape
from hubbub.rest.notifications.wire.settings import (
    AppPreferencesShape,
    CallSettingsShape,
    ChannelSettingsShape,
    GroupSettingsShape,
    MuteSettingsShape,
    NotificationSettingsShape,
    OneOnOneSettingsShape,
    PushSettingsShape,
    SoundShape,
)
from hubbub.rest.notifications.wire.templates import (
    TemplatesShape,
    given_fields,
    read_templates,
    templates_shape,
)

LARGEST_CUSTOM_JSON = 1_024
OVERRIDE = "_override"
_NAMES = {
    "trim_text_field_setting": "trim_text",
    "notify_for_unread_only": "unread_only",
    "interval_in_seconds": "interval_seconds",
}
"""The names of the records that differ from those of the interface by more than `_setting`."""

Target = TypeVar("Target", bound=msgspec.Struct)


def read_settings(body: NotificationSettingsShape) -> Document:
    """Return the given settings as a document.

    Raises:
        BadInput: a time of the schedule is not one, or `customJson` is too large.
    """
    given = body.preferences or AppPreferencesShape()
    _check_custom_json(given.push)
    return _present(
        {
            "push": _read_fields(given.push),
            "call": _read_fields(given.call),
            "group": _read_items(given.group),
            "one_on_one": _read_items(given.one_on_one),
            "mute": _read_mute(given.mute or MuteSettingsShape()),
            "email": _read_fields(given.email),
            "sms": _read_fields(given.sms),
            "bypass_for_mentions": given.bypass_preferences_for_mentions,
            "bypass_for_group_mentions": given.bypass_preferences_for_group_mentions,
            "sound": _read_fields(body.sound),
            "templates": read_templates(body.templates or TemplatesShape()),
        }
    )


def _check_custom_json(push: PushSettingsShape | None) -> None:
    if push and len(msgspec.json.encode(push.custom_json)) > LARGEST_CUSTOM_JSON:
        sentence = f"This must have at most {LARGEST_CUSTOM_JSON:,} bytes as JSON."
        raise BadInput.field("preferences.push.customJson", sentence)


def _read_fields(shape: msgspec.Struct | None) -> Document:
    given = given_fields(shape) if shape else {}
    return {
        _record_name(name): value for name, value in given.items() if not name.endswith(OVERRIDE)
    }


def _record_name(name: str) -> str:
    return _NAMES.get(name, name.removesuffix("_setting"))


def _read_items(shape: msgspec.Struct | None) -> Document:
    document: Document = {}
    for name, value in given_fields(shape).items() if shape else ():
        item = document.setdefault(name.removesuffix("_setting").removesuffix(OVERRIDE), {})
        item["may_override" if name.endswith(OVERRIDE) else "setting"] = value
    return document


def _read_mute(shape: MuteSettingsShape) -> Document:
    schedule = shape.schedule_preference_setting
    return _present(
        {
            "dnd": _present(
                {
                    "setting": shape.dnd_preference_setting,
                    "may_override": shape.dnd_preference_override,
                }
            ),
            "schedule": _present(
                {
                    "setting": read_schedule(
                        schedule, "preferences.mute.schedulePreferenceSetting"
                    ),
                    "may_override": shape.schedule_preference_override,
                }
            ),
            "may_mute_groups": shape.muted_groups_override,
            "may_mute_one_on_ones": shape.muted_one_on_ones_override,
        }
    )


def _present(document: Document) -> Document:
    """Return a document without the fields that were not given."""
    return {name: value for name, value in document.items() if value is not None and value != {}}


def settings_shape(settings: NotificationSettings) -> NotificationSettingsShape:
    """Return the settings of an app on the wire."""
    preferences = AppPreferencesShape(
        push=_fields_shape(settings.push, PushSettingsShape),
        call=_fields_shape(settings.call, CallSettingsShape),
        bypass_preferences_for_mentions=settings.bypass_for_mentions,
        bypass_preferences_for_group_mentions=settings.bypass_for_group_mentions,
        group=_items_shape(settings.group, GroupSettingsShape),
        one_on_one=_items_shape(settings.one_on_one, OneOnOneSettingsShape),
        mute=_mute_shape(settings.mute),
        email=_fields_shape(settings.email, ChannelSettingsShape),
        sms=_fields_shape(settings.sms, ChannelSettingsShape),
    )
    return NotificationSettingsShape(
        preferences=preferences,
        sound=_fields_shape(settings.sound, SoundShape),
        templates=templates_shape(settings.templates),
    )


def _fields_shape(record: msgspec.Struct, shape: type[Target]) -> Target:
    """Return the fields of a record on the wire; nothing of it may be overridden."""
    fields: dict[str, Any] = {
        name: False if name.endswith(OVERRIDE) else getattr(record, _record_name(name))
        for name in shape.__struct_fields__
    }
    return shape(**fields)


def _items_shape(record: msgspec.Struct, shape: type[Target]) -> Target:
    fields: dict[str, Any] = {}
    for name in shape.__struct_fields__:
        item = getattr(record, name.removesuffix("_setting").removesuffix(OVERRIDE))
        fields[name] = item.may_override if name.endswith(OVERRIDE) else item.setting
    return shape(**fields)


def _mute_shape(mute: MuteSettings) -> MuteSettingsShape:
    return MuteSettingsShape(
        dnd_preference_setting=mute.dnd.setting.value,
        dnd_preference_override=mute.dnd.may_override,
        schedule_preference_setting=schedule_shape(mute.schedule.setting),
        schedule_preference_override=mute.schedule.may_override,
        muted_groups_override=mute.may_mute_groups,
        muted_one_on_ones_override=mute.may_mute_one_on_ones,
    )
