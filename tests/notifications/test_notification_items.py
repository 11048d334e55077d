"""The items of the preferences: which one applies, its reason, and what beats or refuses all."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.notifications.talks import ANNA, BEN, HIKERS, happening, reacted, said, view
from tests.world import Json

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.planning.decide import (
    Addressee,
    Limits,
    decide,
    refuses_all,
)
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.notifications.app_settings import (
    CallSettings,
    ChannelSettings,
    Day,
    MuteSettings,
    NotificationSettings,
    Schedule,
)
from hubbub.records.notifications.items import (
    ASKED_FOR,
    CALLS,
    CHANGES,
    MEMBER_ACTIONS,
    MESSAGES,
    Item,
    PreferenceDefault,
    Switch,
)
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preferences import Choices, resolve_preferences

NOW = Instant(1_790_000_000)
BOTH = [
    *(
        (item, is_group)
        for item in [*sorted(MESSAGES), Item.REACTION, *sorted(CHANGES)]
        for is_group in (0, 1)
    ),
    *((item, 1) for item in sorted(MEMBER_ACTIONS)),
]
"""All items of users, with where they occur."""


def done(
    item: Item, *, is_group: int = 0, mentions: bool = False, is_silent: bool = False
) -> Happening:
    """Return what Anna did, to a message of Ben's if she reacted; it may mention Ben and all."""
    sender, to = (BEN, ANNA) if item is Item.REACTION else (ANNA, BEN)
    about = view(
        sender=sender,
        to=HIKERS if is_group else to,
        mentions=[BEN] if mentions else (),
        mentions_all=mentions,
    )
    return happening(item, about, actor="anna", is_silent=is_silent)


def settings_with(
    item: Item, is_group: int, value: int, *, may_override: bool = True
) -> NotificationSettings:
    """Return settings in which one item has a value, and is off in the other kind of chat."""
    settings = NotificationSettings()
    here, there = ("group", "one_on_one") if is_group else ("one_on_one", "group")
    changed = {
        here: _with(
            getattr(settings, here), item, PreferenceDefault(value, may_override=may_override)
        ),
        there: _with(
            getattr(settings, there), item, PreferenceDefault(3 - value, may_override=may_override)
        ),
    }
    return msgspec.structs.replace(settings, **changed)


def _with(section: Any, item: Item, value: PreferenceDefault[int]) -> Any:
    return msgspec.structs.replace(section, **{item: value}) if hasattr(section, item) else section


def decided(
    settings: NotificationSettings, about: Happening, uid: str = "ben", **how: Any
) -> Reason | None:
    """Return the decision for a person without choices."""
    addressee = Addressee(uid, resolve_preferences(settings, how.pop("choices", None)))
    return decide(settings, about, NOW, msgspec.structs.replace(addressee, **how))


@pytest.mark.parametrize(("item", "is_group"), BOTH)
def test_item_counts_where_it_belongs(item: Item, is_group: int) -> None:
    """An item that is off has its own reason; that of the other kind of chat does not matter."""
    about = done(item, is_group=is_group)

    assert decided(settings_with(item, is_group, 2), about) is None
    assert decided(settings_with(item, is_group, 1), about) is item.reason


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ({Item.MESSAGE}, Reason.MESSAGES_PREFERENCE),
        ({Item.REPLY}, Reason.REPLIES_PREFERENCE),
        ({Item.QUOTED_REPLY}, Reason.QUOTED_REPLIES_PREFERENCE),
        ({Item.REACTION}, Reason.REACTIONS_PREFERENCE),
        (CHANGES, Reason.MESSAGE_ACTIONS_PREFERENCE),
        (MEMBER_ACTIONS, Reason.GROUP_ACTIONS_PREFERENCE),
        (CALLS, Reason.CALL_PREFERENCE),
    ],
)
def test_reasons(items: set[Item], reason: Reason) -> None:
    """Each item has the reason that the log names for it."""
    assert {item for item in set(Item) - ASKED_FOR if item.reason is reason} == set(items)


@pytest.mark.parametrize(
    ("level", "uid", "reason"),
    [
        (1, "ben", Reason.REACTIONS_PREFERENCE),
        (1, "carl", Reason.REACTIONS_PREFERENCE),
        (2, "ben", None),
        (2, "carl", Reason.REACTIONS_PREFERENCE),
        (3, "ben", None),
        (3, "carl", None),
    ],
)
def test_reactions(level: int, uid: str, reason: Reason | None) -> None:
    """Reactions count for the message's author, or for all."""
    settings = settings_with(Item.REACTION, 1, level)

    assert decided(settings, done(Item.REACTION, is_group=1), uid) is reason


@pytest.mark.parametrize("item", sorted(CALLS))
def test_states_of_calls_are_for_the_app_to_decide(item: Item) -> None:
    """A state of a call that is off has its reason; do-not-disturb counts for calls, too."""
    on = NotificationSettings()
    off = NotificationSettings(call=msgspec.structs.replace(CallSettings(), **{item: Switch.OFF}))

    assert decided(on, done(item)) is None
    assert decided(on, done(item), choices=Choices(dnd=Switch.ON)) is Reason.DND_PREFERENCE
    assert decided(off, done(item)) is Reason.CALL_PREFERENCE
    assert [each for each in CALLS if decided(off, done(each))] == [item]


@pytest.mark.parametrize(("item", "is_group"), BOTH)
def test_mention_beats_quiet_only_in_new_messages(item: Item, is_group: int) -> None:
    """A reaction to, or a change of, a message that mentions someone does not disturb them."""
    settings = msgspec.structs.replace(settings_with(item, is_group, 2), bypass_for_mentions=True)
    about = done(item, is_group=is_group, mentions=True)

    reason = decided(settings, about, choices=Choices(dnd=Switch.ON))

    assert reason is (None if item in MESSAGES else Reason.DND_PREFERENCE)


@pytest.mark.parametrize(("item", "is_group"), [*BOTH, (Item.CALL_INITIATED, 0)])
def test_silent_message_is_refused_for_its_item(item: Item, is_group: int) -> None:
    """Nothing is sent about a message that asks for no notifications, not even for a mention."""
    settings = msgspec.structs.replace(NotificationSettings(), bypass_for_mentions=True)
    about = done(item, is_group=is_group, is_silent=True, mentions=True)

    assert decided(settings, about) is item.reason
    assert refuses_all(settings, about) is item.reason


@pytest.mark.parametrize("is_group", [0, 1])
@pytest.mark.parametrize("in_groups", [True, False])
def test_apps_may_forbid_to_mute(is_group: int, in_groups: bool) -> None:
    """A muted group still notifies in an app that does not let users mute groups; 1:1 alike."""
    mute = MuteSettings(may_mute_groups=in_groups, may_mute_one_on_ones=not in_groups)
    settings = NotificationSettings(mute=mute)
    until = int(NOW.now * 1000) + 1

    reason = decided(settings, done(Item.MESSAGE, is_group=is_group), muted_until_ms=until)

    assert reason is (Reason.MUTE_PREFERENCE if in_groups == bool(is_group) else None)


def test_calls_count_as_chat_of_their_kind() -> None:
    """A muted conversation does not ring."""
    until = int(NOW.now * 1000) + 1

    reason = decided(NotificationSettings(), done(Item.CALL_INITIATED), muted_until_ms=until)

    assert reason is Reason.MUTE_PREFERENCE


def test_first_reason_wins() -> None:
    """With everything against it, the reasons come in the order of the checks."""
    settings = settings_with(Item.MESSAGE, 0, 1)
    about = done(Item.MESSAGE)
    limits = Limits(ChannelSettings(max_per_day=0), Reason.MISSING_EMAIL, 0, 0)
    muted = int(NOW.now * 1000) + 1
    never = Schedule(**dict.fromkeys(Schedule.__struct_fields__, Day(dnd=True)))
    closed = resolve_preferences(
        NotificationSettings(mute=MuteSettings(schedule=PreferenceDefault(never))),
        Choices(dnd=Switch.ON),
    )
    awake = msgspec.structs.replace(closed, dnd=Switch.OFF)
    item_off = resolve_preferences(settings)
    defaults = NotificationSettings()

    assert [
        decide(settings, about, NOW, Addressee("ben", item_off, muted), limits),
        decide(defaults, about, NOW, Addressee("ben", closed, muted), limits),
        decide(defaults, about, NOW, Addressee("ben", awake, muted), limits),
        decide(defaults, about, NOW, Addressee("ben", awake), limits),
        decide(defaults, about, NOW, Addressee("ben", resolve_preferences(defaults)), limits),
        decide(
            defaults,
            about,
            NOW,
            Addressee("ben", resolve_preferences(defaults)),
            replace(limits, missing=None),
        ),
        decide(defaults, about, NOW, Addressee("ben", resolve_preferences(defaults))),
    ] == [
        Reason.MESSAGES_PREFERENCE,
        Reason.DND_PREFERENCE,
        Reason.MUTE_PREFERENCE,
        Reason.SCHEDULE_PREFERENCE,
        Reason.MISSING_EMAIL,
        Reason.QUOTA_PREFERENCE,
        None,
    ]


@pytest.mark.parametrize(("item", "is_group"), BOTH)
@pytest.mark.parametrize("value", [1, 2])
@pytest.mark.parametrize("may_override", [True, False])
def test_refusal_for_all_is_one_that_nobody_can_change(
    item: Item, is_group: int, value: int, may_override: bool
) -> None:
    """Only an item that is off, and locked, is refused for all without asking who they are."""
    settings = settings_with(item, is_group, value, may_override=may_override)

    reason = refuses_all(settings, done(item, is_group=is_group))

    assert reason is (item.reason if value == 1 and not may_override else None)


def test_refusal_for_all_of_calls() -> None:
    """Users have no choice for calls."""
    settings = NotificationSettings(call=CallSettings(ended=Switch.OFF))

    assert refuses_all(settings, done(Item.CALL_ENDED)) is Reason.CALL_PREFERENCE
    assert refuses_all(settings, done(Item.CALL_BUSY)) is None


@pytest.mark.parametrize("item", [item for item in Item if item not in ASKED_FOR])
def test_the_sender_is_no_audience(item: Item) -> None:
    """Nobody is notified of what they did; authors are notified of reactions, not of changes."""
    about = happening(item, view(sender=BEN, to=HIKERS), actor="anna")

    assert not about.may_concern("anna")
    assert not about.may_concern(SYSTEM_UID)
    assert about.may_concern("ben") == (item not in CHANGES)
    assert about.may_concern("carl")


@pytest.mark.parametrize(
    ("moderation", "others"),
    [
        ({"status": "pending"}, False),
        ({"status": "disapproved"}, False),
        ({"status": "approved"}, True),
        ({}, True),
    ],
)
def test_what_moderation_withholds_is_for_its_sender_alone(moderation: Json, others: bool) -> None:
    """A message that moderation shows to nobody but its sender notifies nobody else."""
    about = view(data={"moderation": moderation})
    reaction = reacted(about)

    assert said(data={"moderation": moderation}).may_concern("ben") == others
    assert (reaction.may_concern("anna"), reaction.may_concern("carl")) == (True, others)


@pytest.mark.parametrize(
    ("fields", "is_silent"),
    [
        ({}, False),
        ({"options": {"sendNotification": False}}, True),
        ({"options": {"updateConversation": False}}, False),
        ({"category": "custom"}, True),
        ({"category": "custom", "options": {"sendNotification": True}}, False),
    ],
)
def test_who_asks_for_notifications(fields: Json, is_silent: bool) -> None:
    """Custom messages notify only if they ask for it, others unless they ask not to."""
    assert said(**fields).is_silent == is_silent
