"""Keep what users have begun to write; the other people of the conversation never learn of it."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import refuse_conversation
from hubbub.domain.access.people import access_actor
from hubbub.domain.messages.compose import encode_data
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP, USER, conversation_id, possible_keys
from hubbub.records.drafts import store
from hubbub.records.drafts.events import DraftChanged
from hubbub.records.drafts.model import (
    ConversationDraft,
    DraftKey,
    DraftNotFound,
    TooManyDrafts,
    conversation_of,
)
from hubbub.records.messages.model import ConversationNotAccessible
from hubbub.records.settings.model import DRAFTS_PER_USER, settings_of
from hubbub.records.users.model import Person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def get_draft(runtime: Runtime, app_id: str, actor: Actor, text: str) -> ConversationDraft:
    """Return the acting user's draft in the conversation with an id.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible,
            BadInput: as in `put_draft`.
        DraftNotFound: there is no draft.
    """

    async def within(snapshot: Snapshot) -> ConversationDraft:
        key = await _access(snapshot, await access_actor(snapshot, actor), text)
        draft = await store.find_draft(snapshot, key)
        if draft is None:
            raise DraftNotFound(conversation_id(conversation_of(key)))
        return draft

    return await runtime.database.read(app_id, within)


async def list_own_drafts(
    runtime: Runtime, app_id: str, actor: Actor, page: PageRequest
) -> Page[ConversationDraft]:
    """Return a page of the acting user's drafts, the latest first.

    Raises:
        UidNotFound: the user does not exist.
    """

    async def within(snapshot: Snapshot) -> Page[ConversationDraft]:
        uid = (await access_actor(snapshot, actor)).user.uid
        found = await store.list_drafts(snapshot, uid, page)
        return Page(found, await store.count_drafts(snapshot, uid), page)

    return await runtime.database.read(app_id, within)


async def put_draft(
    runtime: Runtime, app_id: str, actor: Actor, text: str, data: Mapping[str, Any]
) -> ConversationDraft:
    """Keep what the acting user has begun to write in the conversation with an id.

    There need not be a message in it yet. The latest draft counts, whichever device it is from.

    Raises:
        UidNotFound, GuidNotFound, BannedMember, GroupNotJoined, ConversationNotAccessible: the
            acting user, the other user or the group does not exist, or they take no part in it.
        BadInput: the data is too large, or the id can mean several conversations.
        TooManyDrafts: the user is at their limit.
    """
    encoded = encode_data(data)

    async def within(tx: Transaction) -> ConversationDraft:
        counters = await lock_counters(tx)
        key = await _access(tx, await access_actor(tx, actor), text)
        before, uid = await store.find_draft(tx, key), key[0]
        if before is None:
            limit = settings_of(counters.settings).limit(DRAFTS_PER_USER)
            if await store.count_drafts(tx, uid) >= limit:
                raise TooManyDrafts(uid, limit)
        elif before.data == encoded:
            return before
        draft = ConversationDraft(*key, data=encoded, updated_at=runtime.clock.now())
        await store.store_draft(tx, draft)
        _announce(tx, key, draft.updated_at)
        return draft

    return await runtime.database.write(app_id, within)


async def remove_draft(runtime: Runtime, app_id: str, actor: Actor, text: str) -> None:
    """Remove the acting user's draft in the conversation with an id, if there is one.

    Also in a group that they have left, or to a user who is deactivated.

    Raises:
        UidNotFound: the acting user does not exist.
        ConversationNotAccessible, BadInput: the id is none of theirs, or can mean several.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        key = _key_of(await access_actor(tx, actor), text)
        if await store.delete_draft(tx, key):
            _announce(tx, key, runtime.clock.now())

    await runtime.database.write(app_id, within)


def _announce(tx: Transaction, key: DraftKey, now: int) -> None:
    uid, receiver_type, receiver = key
    tx.announce(DraftChanged(uid=uid, receiver_type=receiver_type, receiver=receiver, at=now))


async def _access(snapshot: Snapshot, person: Person, text: str) -> DraftKey:
    """Return the key of a person's draft in a conversation that they may write to."""
    key = _key_of(person, text)
    await refuse_conversation(snapshot, person, conversation_of(key))
    return key


def _key_of(person: Person, text: str) -> DraftKey:
    """Return the key of a person's draft in the conversation with an id."""
    uid = person.user.uid
    own = [key for key in possible_keys(text.lower()) if key[0] == GROUP or uid in key[1:]]
    if not own:
        raise ConversationNotAccessible(text)
    if len(own) > 1:
        raise BadInput.field("conversationId", "Several conversations have this id.")
    kind, left, right = own[0]
    return (uid, GROUP, left) if kind == GROUP else (uid, USER, right if left == uid else left)
