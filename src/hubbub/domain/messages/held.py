"""Messages that are held: their senders, and the app, see them as they would be sent."""

import msgspec

from hubbub.domain.access.people import uid_of
from hubbub.domain.messages.batch import make_message
from hubbub.domain.messages.compose import with_moderation
from hubbub.records.messages.model import Draft, Message, MessageIdNotFound
from hubbub.records.moderated.held import find_held
from hubbub.records.moderated.model import HELD, PENDING, HeldMessage, Review
from hubbub.records.moderated.store import find_review
from hubbub.records.users.model import THE_APP, Person
from hubbub.storage.interface import Snapshot


async def access_held_message(snapshot: Snapshot, person: Person, message_id: int) -> Message:
    """Return a held message, which its sender and the app may see.

    Raises:
        MessageIdNotFound: there is none, or somebody else sent it.
    """
    held = (await find_held(snapshot, [message_id])).get(message_id)
    is_seen = held is not None and (person is THE_APP or held.sender == uid_of(person))
    draft = held.read_draft() if held is not None and is_seen else None
    if held is None or draft is None:
        raise MessageIdNotFound(message_id)
    return show_held(held, draft, await find_review(snapshot, HELD, message_id))


def show_held(held: HeldMessage, draft: Draft, review: Review | None) -> Message:
    """Return a held message as it is shown: in no conversation, with how its review stands."""
    status = review.status if review is not None else PENDING
    message = make_message(draft, held.message, held.sent_at)
    return msgspec.structs.replace(message, data=with_moderation(draft.data, {"status": status}))
