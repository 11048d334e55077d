"""List the conversations that a user has muted, mute and unmute some."""

from collections.abc import Mapping, Sequence

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group
from hubbub.domain.access.people import access_actor, access_own, access_user_to_see
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.groups.store import find_groups
from hubbub.records.notifications import preference_store as store
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.model import GROUP, MOST_MUTES, ONE_ON_ONE, Mute, TooManyMutes
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def list_mutes(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> list[Mute]:
    """Return the muted conversations of a user, as far as the app leaves it to users.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """
    now = runtime.clock.milliseconds()

    async def within(snapshot: Snapshot) -> list[Mute]:
        await access_own(snapshot, actor, uid)
        settings = await store.find_settings(snapshot)
        return _permitted(settings, await store.list_mutes(snapshot, uid, now))

    return await runtime.database.read(app_id, within, user=actor.uid)


async def mute_conversations(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, mutes: Sequence[Mute]
) -> None:
    """Mute conversations of a user, as far as the app leaves it to users.

    Raises:
        UidNotFound: the user, or another one of a conversation, does not exist or is deactivated.
        NotOwnUser: another user acts.
        GuidNotFound: the group of a conversation does not exist, or the user may not see it.
        BadInput: the end of a mute is not in the future.
        TooManyMutes: the user would have more than 5,000.
    """
    now = runtime.clock.milliseconds()
    _check_ends(mutes, now)

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        conversations = await _access_others(tx, actor, mutes)
        await store.delete_expired_mutes(tx, uid, now)
        permitted = _permitted(await store.find_settings(tx), _latest(mutes))
        await store.put_mutes(tx, uid, permitted, conversations)
        if len(await store.list_mutes(tx, uid, now)) > MOST_MUTES:
            raise TooManyMutes

    await runtime.database.write(app_id, within)


async def unmute_conversations(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, mutes: Sequence[Mute]
) -> None:
    """Unmute conversations of a user; those that are not muted, or do not exist, are ignored.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """
    others = [mute.id for mute in mutes if mute.type == ONE_ON_ONE]
    guids = [mute.id for mute in mutes if mute.type == GROUP]

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        groups = await find_groups(tx, guids)
        conversations = [group.conversation for group in groups.values()]
        await store.delete_mutes(tx, uid, others, conversations)

    await runtime.database.write(app_id, within)


def _latest(mutes: Sequence[Mute]) -> list[Mute]:
    """Return the last one of each conversation: a statement stores a row once."""
    return list({(mute.type, mute.id): mute for mute in mutes}.values())


def _permitted(settings: NotificationSettings, mutes: Sequence[Mute]) -> list[Mute]:
    may_mute = {
        GROUP: settings.mute.may_mute_groups,
        ONE_ON_ONE: settings.mute.may_mute_one_on_ones,
    }
    return [mute for mute in mutes if may_mute[mute.type]]


def _check_ends(mutes: Sequence[Mute], now: int) -> None:
    sentence = "This must be a time in the future, in milliseconds."
    faults = {
        f"conversations.{index}.until": [sentence]
        for index, mute in enumerate(mutes)
        if mute.until <= now
    }
    if faults:
        raise BadInput.fields(faults)


async def _access_others(
    snapshot: Snapshot, actor: Actor, mutes: Sequence[Mute]
) -> Mapping[str, int]:
    """Return the numbers of the groups' conversations by guid, if the actor may see all of them."""
    person = await access_actor(snapshot, actor)
    conversations: dict[str, int] = {}
    for mute in mutes:
        if mute.type == ONE_ON_ONE:
            await access_user_to_see(snapshot, person, mute.id)
        elif mute.id not in conversations:
            group = (await access_group(snapshot, person, mute.id)).group
            conversations[mute.id] = group.conversation
    return conversations
