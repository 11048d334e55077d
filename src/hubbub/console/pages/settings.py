"""The settings of an app, with what the reference says of them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import msgspec

from hubbub.console import page
from hubbub.console.page import DEVELOPERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.settings import manage
from hubbub.http.contract.schemas import description_of
from hubbub.kernel.text import MASK
from hubbub.records.settings.model import (
    DEFAULTS,
    ENGINE_SECRET,
    AppSettings,
    SettingUnknown,
    Value,
    check_settings,
)

SETTINGS = "/apps/{app}/settings"
DOCUMENTED_AS = "Settings"
"""The shape of the reference that has a field for each setting."""
LONGEST_VALUE = 3000
TRUTHS = {"true": True, "false": False}


class NewValue(PageForm):
    """What a setting is to be."""

    value: Annotated[str, msgspec.Meta(max_length=LONGEST_VALUE)] = ""


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting with its value, its default and its meaning."""

    key: str
    value: Value
    default: Value
    is_given: bool
    meaning: str

    @property
    def area(self) -> str:
        """Return the first part of its key."""
        return self.key.partition(".")[0]


@page.get(SETTINGS, title="Settings", roles=DEVELOPERS)
async def list_settings(visit: Visit, app: str) -> PageShown:
    """List all settings with their values, defaults and meanings."""
    settings = await manage.get_settings(visit.runtime, app)
    shown = sorted(_shown(settings), key=lambda each: each.area)
    areas = [(area, list(some)) for area, some in groupby(shown, lambda each: each.area)]
    return show("settings.html", areas=areas)


def _shown(settings: AppSettings) -> Iterator[ShownSetting]:
    for key, default in DEFAULTS.items():
        meaning = description_of(DOCUMENTED_AS, key) or ""
        value = settings.given.get(key, default)
        yield ShownSetting(key, value, default, key in settings.given, meaning)


@page.post(SETTINGS + "/{key}", roles=DEVELOPERS, back=SETTINGS)
async def set_setting(visit: Visit, app: str, key: str, form: NewValue) -> ChangeMade:
    """Set a setting."""
    values = check_settings({key: _parse(key, form.value)})
    await visit.change(
        "setting.set",
        key,
        lambda runtime: manage.set_settings(runtime, app, values),
        before={"value": await _value_of(visit, app, key)},
        after={"value": values[key] if key != ENGINE_SECRET else MASK},
    )
    return ChangeMade(f"{key} is set. All nodes go by that within five seconds.")


@page.post(SETTINGS + "/{key}/reset", roles=DEVELOPERS, back=SETTINGS)
async def reset_setting(visit: Visit, app: str, key: str) -> ChangeMade:
    """Give a setting its default again."""
    await visit.change(
        "setting.reset",
        key,
        lambda runtime: manage.reset_settings(runtime, app, [key]),
        before={"value": await _value_of(visit, app, key)},
    )
    return ChangeMade(f"{key} has its default again.")


async def _value_of(visit: Visit, app: str, key: str) -> Value:
    if key not in DEFAULTS:
        raise SettingUnknown(key)
    return (await manage.get_settings(visit.runtime, app)).given.get(key, DEFAULTS[key])


def _parse(key: str, text: str) -> object:
    """Return the value that a text of the form means; the text itself if it means none."""
    default = DEFAULTS.get(key)
    if isinstance(default, bool):
        return TRUTHS.get(text, text)
    if isinstance(default, float):
        with suppress(ValueError):
            return float(text)
    if isinstance(default, int) and text.isascii() and text.isdecimal():
        return int(text)
    return text
