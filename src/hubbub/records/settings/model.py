"""The settings of an app, their defaults, and the errors of setting them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

import msgspec

from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import MASK

Value = bool | int | float | str
LARGEST_LIMIT = 10_000_000
_decode = msgspec.json.Decoder(dict[str, Value]).decode

UPDATE_ON_GROUP_ACTIONS = "core.conversations.updateOnGroupActions"
UPDATE_ON_REPLIES = "core.conversations.updateOnReplies"
UPDATE_ON_MESSAGE_ACTIONS = "core.conversations.updateOnMessageActions"
THREADS_UPDATE_ON_MESSAGE_ACTIONS = "core.threads.updateOnMessageActions"
GROUP_UPDATE_MEMBERS = "limits.groupUpdateMembers"
GROUP_RECEIPT_ONLINE = "limits.groupReceiptOnline"
PRESENCE_ONLINE = "limits.presenceOnline"
TYPING_ONLINE = "limits.typingOnline"
PUSH_GROUP_MEMBERS = "limits.pushGroupMembers"
EMAIL_GROUP_MEMBERS = "limits.emailGroupMembers"
SMS_GROUP_MEMBERS = "limits.smsGroupMembers"
GROUP_MEMBERS = "limits.groupMembers"
GROUPS_PER_USER = "limits.groupsPerUser"
FRIENDS_PER_USER = "limits.friendsPerUser"
TOKENS_PER_USER = "limits.authTokensPerUser"
TOKEN_SECONDS = "authTokens.defaultSeconds"  # noqa: S105  # the name of a setting
LONGEST_TOKEN_SECONDS = "authTokens.longestSeconds"  # noqa: S105  # the name of a setting
PINNED_MESSAGES = "limits.pinnedMessages"
SAVED_MESSAGES = "limits.savedMessages"
PINNED_CONVERSATIONS = "limits.pinnedConversations"
BOTS = "limits.bots"
ROLES = "limits.roles"
API_KEYS = "limits.apiKeys"
CORE_CALLS = "limits.coreCallsPerMinute"
CALLS = "limits.callsPerMinute"
IMPORT_CALLS = "limits.importCallsPerMinute"
USER_CALLS = "limits.userCallsPerMinute"
USER_SENDS = "limits.userSendsPerMinute"
USER_APPENDS = "limits.userAppendsPerMinute"
SCHEDULED_MESSAGES = "limits.scheduledMessages"
REMINDERS_PER_USER = "limits.reminders"
DRAFTS_PER_USER = "limits.drafts"
GROWING_PER_USER = "limits.growingPerUser"
GROWING_TEXT = "limits.growingText"
GROWING_SILENCE = "limits.growingSilence"
HISTORY_FOR_NEW_MEMBERS = "groups.historyForNewMembers"
HISTORY_FOR_PARTICIPANTS = "messages.historyForParticipants"
SKIP_READ = "notifications.push.skipRead"
REFUSE_UNCHECKED = "webhooks.beforeMessage.refuseOnFailure"
ENGINE_URL = "moderation.customEngine.url"
ENGINE_SECRET = "moderation.customEngine.secret"  # noqa: S105  # the name of a setting
ENGINE_ON_FAILURE = "moderation.customEngine.onFailure"
ENGINE_CONFIDENCE = "moderation.customEngine.confidence"
APPROVE_MESSAGE, DROP_MESSAGE = "approve-message", "drop-message"
CHECK_TRANSIENT = "webhooks.beforeMessage.transient"
RETENTION_DAYS = "retention.days"
DISAPPEAR_AFTER = "retention.disappearAfter"
DISAPPEAR_FROM = "retention.disappearFrom"
PARTICIPANTS_MAY_SET = "retention.participantsMaySet"
OF_RETENTION = (RETENTION_DAYS, DISAPPEAR_AFTER, DISAPPEAR_FROM)
"""Those that say when messages are removed."""

DEFAULTS: Mapping[str, Value] = {
    UPDATE_ON_GROUP_ACTIONS: True,
    UPDATE_ON_REPLIES: True,
    UPDATE_ON_MESSAGE_ACTIONS: False,
    "core.conversations.updateOnCallActivity": False,
    THREADS_UPDATE_ON_MESSAGE_ACTIONS: False,
    "core.notifications.push.enabled": True,
    HISTORY_FOR_NEW_MEMBERS: True,
    HISTORY_FOR_PARTICIPANTS: False,
    REFUSE_UNCHECKED: False,
    CHECK_TRANSIENT: False,
    ENGINE_URL: "",
    ENGINE_SECRET: "",
    ENGINE_ON_FAILURE: APPROVE_MESSAGE,
    ENGINE_CONFIDENCE: 0.5,
    SKIP_READ: True,
    GROUP_UPDATE_MEMBERS: 300,
    GROUP_RECEIPT_ONLINE: 300,
    PRESENCE_ONLINE: 1_000,
    TYPING_ONLINE: 1_000,
    PUSH_GROUP_MEMBERS: 1_000,
    EMAIL_GROUP_MEMBERS: 30,
    SMS_GROUP_MEMBERS: 30,
    GROUP_MEMBERS: 100_000,
    GROUPS_PER_USER: 2_000,
    FRIENDS_PER_USER: 1_000,
    TOKENS_PER_USER: 100,
    TOKEN_SECONDS: 0,
    LONGEST_TOKEN_SECONDS: 0,
    PINNED_MESSAGES: 100,
    SAVED_MESSAGES: 100,
    PINNED_CONVERSATIONS: 5,
    BOTS: 25,
    ROLES: 25,
    API_KEYS: 25,
    CORE_CALLS: 0,
    CALLS: 0,
    IMPORT_CALLS: 0,
    USER_CALLS: 600,
    USER_SENDS: 120,
    USER_APPENDS: 12_000,
    SCHEDULED_MESSAGES: 1_000,
    REMINDERS_PER_USER: 1_000,
    DRAFTS_PER_USER: 1_000,
    GROWING_PER_USER: 100,
    GROWING_TEXT: 102_400,
    GROWING_SILENCE: 60,
    RETENTION_DAYS: 0,
    DISAPPEAR_AFTER: 0,
    DISAPPEAR_FROM: "sent",
    PARTICIPANTS_MAY_SET: False,
}
"""The default of every setting; limits are whole numbers from 0.

A limit of calls per minute that is 0 limits nothing; a time of retention that is 0 never ends.
"""

SMALLEST = {TOKENS_PER_USER: 1, GROWING_TEXT: 1, GROWING_SILENCE: 1}
"""The smallest values of limits that can't be 0: the newest token of a user is always valid."""
TEN_YEARS = 10 * 365 * 24 * 3600
MOST_DAYS, LONGEST_DISAPPEARING = 36_500, 31_536_000
LARGEST = {
    GROWING_TEXT: 1_000_000,  # such a text is stored whole each second
    TOKEN_SECONDS: TEN_YEARS,
    LONGEST_TOKEN_SECONDS: TEN_YEARS,
    RETENTION_DAYS: MOST_DAYS,
    DISAPPEAR_AFTER: LONGEST_DISAPPEARING,
}
"""The largest values of limits where they are others."""


_TEXTS = {
    ENGINE_URL: re.compile(r"|[hH][tT][tT][pP][sS]?://[^\s\x00]{1,2990}"),
    ENGINE_SECRET: re.compile(
        rf"|{MASK}|whsec_(?:[A-Za-z0-9+/]{{4}}){{6,21}}(?:[A-Za-z0-9+/]{{2}}==|[A-Za-z0-9+/]{{3}}=)?"
    ),
    ENGINE_ON_FAILURE: re.compile(f"{APPROVE_MESSAGE}|{DROP_MESSAGE}"),
    DISAPPEAR_FROM: re.compile("sent|read"),
}
"""What settings that are texts may be."""
_SENTENCES = {
    ENGINE_URL: "This must be an absolute http or https URL, or empty.",
    ENGINE_SECRET: "This must be whsec_ and 18 to 64 bytes in Base64, or empty.",
    ENGINE_ON_FAILURE: f"This must be {APPROVE_MESSAGE} or {DROP_MESSAGE}.",
    DISAPPEAR_FROM: "This must be sent or read.",
}


def settings_key(app_id: str) -> tuple[str, str]:
    """Return the key under which a node caches the settings of an app."""
    return "settings", app_id


class SettingUnknown(BadInput):
    """The setting does not exist."""

    def __init__(self, key: str) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={f"settings.{key}": [f"There is no setting {key}."]},
        )


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The settings of an app: the values that were set, by key."""

    given: Mapping[str, Value]

    def is_on(self, key: str) -> bool:
        """Return whether a boolean setting is on."""
        return bool(self.given.get(key, DEFAULTS[key]))

    def text(self, key: str) -> str:
        """Return the value of a setting that is a text."""
        return str(self.given.get(key, DEFAULTS[key]))

    def part(self, key: str) -> float:
        """Return the value of a setting that is a number from 0 to 1."""
        return float(self.given.get(key, DEFAULTS[key]))

    def limit(self, key: str) -> int:
        """Return the value of a numeric setting."""
        return int(self.given.get(key, DEFAULTS[key]))


@lru_cache(maxsize=256)
def settings_of(text: str | None) -> AppSettings:
    """Return settings from their stored JSON."""
    return AppSettings(_decode(text) if text else {})


def check_settings(wanted: Mapping[str, object]) -> dict[str, Value]:
    """Return the values to set.

    Raises:
        BadInput: a key is unknown, or a value does not fit; the error names all of them.
    """
    faults: dict[str, Sequence[str]] = {}
    checked: dict[str, Value] = {}
    for key, value in wanted.items():
        if key not in DEFAULTS:
            faults[f"settings.{key[:100]}"] = [f"There is no setting {key[:100]}."]
        elif isinstance(DEFAULTS[key], bool):
            if isinstance(value, bool):
                checked[key] = value
            else:
                faults[f"settings.{key}"] = ["This must be true or false."]
        elif isinstance(DEFAULTS[key], str):
            if isinstance(value, str) and _TEXTS[key].fullmatch(value):
                checked[key] = value
            else:
                faults[f"settings.{key}"] = [_SENTENCES[key]]
        elif isinstance(DEFAULTS[key], float):
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
                checked[key] = float(value)
            else:
                faults[f"settings.{key}"] = ["This must be a number from 0 to 1."]
        elif _is_limit(value, least := SMALLEST.get(key, 0), most := _largest(key)):
            checked[key] = value
        else:
            sentence = f"This must be a whole number from {least} to {most:,}."
            faults[f"settings.{key}"] = [sentence]
    if faults:
        raise BadInput.fields(faults)
    return checked


def _largest(key: str) -> int:
    return LARGEST.get(key, LARGEST_LIMIT)


def _is_limit(value: object, least: int, most: int) -> TypeGuard[int]:
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return least <= value <= most
