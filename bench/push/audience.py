"""A store with a large group, each of whose members has a device for pushes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bench.crowd import FROM, UPTO, batches, make_app
from hubbub.domain.notifications.providers.push import insert_checked
from hubbub.domain.settings.manage import set_settings
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.model import GROUP, USER, Conversation
from hubbub.records.conversations.store import insert_conversations, insert_participants
from hubbub.records.devices.model import PushDevice
from hubbub.records.devices.store import insert_device
from hubbub.records.groups.model import PUBLIC, GroupDraft
from hubbub.records.groups.store import add_members_count, insert_groups
from hubbub.records.members.model import PARTICIPANT, Member
from hubbub.records.members.store import insert_members
from hubbub.records.notifications.items import MessageLevel, Switch
from hubbub.records.notifications.model import Mute
from hubbub.records.notifications.preference_store import put_choices, put_mutes
from hubbub.records.notifications.preferences import Choices, GroupChoices
from hubbub.records.notifications.setups import FcmSetup, ServiceAccount
from hubbub.records.settings.model import PUSH_GROUP_MEMBERS
from hubbub.records.users.model import Profile, UserDraft
from hubbub.records.users.store import insert_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

GUID, SENDER = "stadium", "fan-00000"
PARTNERS = 5
"""Each member writes with so many of those before and after them, and has unread messages."""
CHOICES = {
    1: Choices(group=GroupChoices(messages=MessageLevel.NONE)),
    2: Choices(group=GroupChoices(messages=MessageLevel.MENTIONS)),
    3: Choices(dnd=Switch.ON),
    4: Choices(timezone="Asia/Kolkata"),
    5: Choices(uses_privacy_template=True),
}
"""Of mixed preferences: what is chosen by each tenth member of those."""
MUTED = 6
"""The place, out of ten, of the members who have muted the group."""
REACHED_OF_TEN = 6
"""With mixed preferences, so many of ten get a push."""


@dataclass(frozen=True, slots=True)
class Audience:
    """An app with a large group."""

    app_id: str
    key: str
    members: int
    reached: int
    """The members who get a push of each message of `SENDER`."""


async def fill(runtime: Runtime, members: int, *, is_mixed: bool) -> Audience:
    """Fill an empty store."""
    app_id, key = await make_app(runtime, "Stadium")
    uids = [f"fan-{number:05d}" for number in range(members)]
    await _write_group(runtime, app_id, members)
    for place, some in enumerate(batches(uids)):
        await _write_users(runtime, app_id, [_user(uid) for uid in some])
        await _write_members(runtime, app_id, some)
        await _write_talks(runtime, app_id, place, some)
        if is_mixed:
            await _write_preferences(runtime, app_id, some)
    await set_settings(runtime, app_id, {PUSH_GROUP_MEMBERS: members})
    await insert_checked(runtime, app_id, "fcm", _make_setup())
    reached = sum(_is_reached(place) for place in range(1, members)) if is_mixed else members - 1
    return Audience(app_id, key, members, reached)


def _is_reached(place: int) -> bool:
    return place % 10 not in {1, 2, 3, MUTED}


def _user(uid: str) -> UserDraft:
    return UserDraft(uid, Profile(uid.replace("-", " ").title(), role="default"))


def _make_setup() -> FcmSetup:
    """Return credentials that no gateway checks here, but with a key that can sign."""
    key = generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = ServiceAccount("bench", "sender@bench.example.com", pem, "key")
    return FcmSetup(service_account_creds=account)


async def _write_group(runtime: Runtime, app_id: str, members: int) -> None:
    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        await insert_groups(tx, [(GroupDraft(GUID, "Stadium", PUBLIC, created_at=FROM), 1)], FROM)
        group = Conversation(1, GROUP, GUID, "", FROM, FROM, 0, 0, 0, 0, 0)
        await insert_conversations(tx, [group])
        await add_members_count(tx, {GUID: members})
        numbers.conversation = numbers.groups = 1

    await runtime.database.write(app_id, within)


async def _write_users(runtime: Runtime, app_id: str, drafts: Sequence[UserDraft]) -> None:
    """Write users, none of whom is connected: they would be told three seconds later."""

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        await insert_users(tx, drafts, UPTO, next_event_number(tx))
        numbers.users += len(drafts)

    await runtime.database.write(app_id, within)


async def _write_members(runtime: Runtime, app_id: str, uids: Sequence[str]) -> None:
    """Write members of the group, with a device each."""
    group = Conversation(1, GROUP, GUID, "", FROM, FROM, 0, 0, 0, 0, 0)
    now_ms = runtime.clock.milliseconds()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        members = [Member(1, uid, PARTICIPANT, FROM) for uid in uids]
        await insert_members(tx, members, [1] * len(members))
        await insert_participants(tx, [(group, uid) for uid in uids])
        for uid in uids:
            token = f"{uid}:" + "x" * 140
            await insert_device(
                tx, PushDevice(uid, "fcm_android", token, None, f"hash-{uid}", now_ms, now_ms)
            )

    await runtime.database.write(app_id, within)


async def _write_talks(runtime: Runtime, app_id: str, place: int, uids: Sequence[str]) -> None:
    """Write one-to-one conversations of members, with messages that they have not read."""

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        talks = [
            Conversation(
                numbers.conversation + 1 + at, USER, *pair, FROM, FROM, 3, 3, FROM, FROM, 3
            )
            for at, pair in enumerate(_pairs(uids))
        ]
        await insert_conversations(tx, talks)
        numbers.conversation += len(talks)
        numbers.message = 10

    await runtime.database.write(app_id, within)


def _pairs(uids: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, uid in enumerate(uids):
        for other in uids[place + 1 : place + 1 + PARTNERS]:
            yield uid, other


async def _write_preferences(runtime: Runtime, app_id: str, uids: Sequence[str]) -> None:
    """Write preferences by the last digit of the uid."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        for uid in uids:
            place = int(uid[-1])
            if place in CHOICES:
                await put_choices(tx, uid, CHOICES[place])
            elif place == MUTED:
                mute = Mute(GUID, GROUP, 2**52)
                await put_mutes(tx, uid, [mute], {GUID: 1})

    await runtime.database.write(app_id, within)
