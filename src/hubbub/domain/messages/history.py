"""List what a message was before it was edited."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.conversations.model import GROUP
from hubbub.records.history import store
from hubbub.records.history.model import HistoryNotAccessible, MessageVersion
from hubbub.records.members.model import MODERATOR, RANK
from hubbub.records.members.store import find_member
from hubbub.records.messages.model import Message
from hubbub.records.settings.model import HISTORY_FOR_PARTICIPANTS
from hubbub.records.settings.store import find_settings
from hubbub.records.users.model import THE_APP, Person
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def list_versions(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, request: PageRequest
) -> Page[MessageVersion]:
    """Return former versions of a message, newest first; the message itself is not among them.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role may not.
        MessageIdNotFound: there is no such message, or the acting user may not see it.
        HistoryNotAccessible: they do not moderate its group, and the app shows it to no others.
    """

    async def within(snapshot: Snapshot) -> Page[MessageVersion]:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        if not await _may_see(snapshot, person, message):
            raise HistoryNotAccessible(message_id)
        versions = await store.list_versions(
            snapshot, message_id, limit=request.per_page, offset=request.offset
        )
        return Page(versions, await store.count_versions(snapshot, message_id), request)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _may_see(snapshot: Snapshot, person: Person, message: Message) -> bool:
    if person is THE_APP:
        return True
    if message.deleted_at is not None:  # its content is shown to the app alone
        return False
    if (await find_settings(snapshot)).is_on(HISTORY_FOR_PARTICIPANTS):
        return True
    return message.receiver_type == GROUP and await _moderates(snapshot, person, message)


async def _moderates(snapshot: Snapshot, person: Person, message: Message) -> bool:
    member = await find_member(snapshot, message.conversation, person.user.uid)
    return member is not None and member.rank >= RANK[MODERATOR]
