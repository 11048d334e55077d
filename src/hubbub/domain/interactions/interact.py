"""Use elements of an interactive message: each is marked once, and may complete its goal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.interactions.goals import is_completed
from hubbub.domain.interactions.read import Interactive, read_interactive
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP
from hubbub.records.interactions import store
from hubbub.records.interactions.events import (
    InteractionEventFields,
    InteractionGoalCompleted,
    MessageInteracted,
)
from hubbub.records.interactions.model import (
    GOAL,
    MOST_ELEMENTS,
    Mark,
    NotInteractive,
    SenderMayNotInteract,
    TooManyElements,
)
from hubbub.records.messages.model import INTERACTIVE, Message, MessageActionNotAllowed, MessageView
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Use:
    """Somebody's use of an interactive message that he may use."""

    uid: str
    message: Message
    interactive: Interactive
    at: int


async def interact(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, element_ids: Sequence[str]
) -> MessageView:
    """Mark elements as used by the acting user; those that he has used before stay as they are.

    Raises:
        UidNotFound, MessageIdNotFound: there is no such acting user, or message that he may see.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: he can't use it.
        BadInput: it has no such element.
        TooManyElements: he has used too many different ones.
    """

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        use = await access_to_use(tx, actor, message_id, runtime.clock.now())
        _refuse_unknown(use.interactive, element_ids)
        await mark(tx, use, element_ids)
        return (await view_messages(tx, [use.message], use.uid))[0]

    return await runtime.database.write(app_id, within)


async def access_to_use(snapshot: Snapshot, actor: Actor, message_id: int, now: int) -> Use:
    """An interactive message, if the acting user may use it.

    Raises:
        UidNotFound, MessageIdNotFound: there is no such acting user, or message that he may see.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: he can't use it.
    """
    person = await access_actor(snapshot, actor)
    uid, message = person.user.uid, await access_message(snapshot, person, message_id)
    if message.deleted_at is not None:
        raise MessageActionNotAllowed(message_id)
    if message.category != INTERACTIVE:
        raise NotInteractive(message_id)
    interactive = read_interactive(message.type, message.data)
    if message.sender == uid and not interactive.is_open_to_sender:
        raise SenderMayNotInteract(uid, message_id)
    await _refuse_blocked(snapshot, uid, message)
    return Use(uid, message, interactive, now)


async def _refuse_blocked(snapshot: Snapshot, uid: str, message: Message) -> None:
    """Let nothing pass between two where one has blocked the other.

    Raises:
        BlockedSender, BlockedReceiver: the other one has blocked him, or he the other one.
    """
    if message.receiver_type == GROUP:
        return
    other = message.other_than(uid)
    blocks = await find_blocks(snapshot, [(uid, other), (other, uid)])
    if (other, uid) in blocks:
        raise BlockedSender(uid, other)
    if (uid, other) in blocks:
        raise BlockedReceiver(uid, other)


def _refuse_unknown(interactive: Interactive, element_ids: Sequence[str]) -> None:
    faults = {
        f"interactions.{place}": ["This message has no such element."]
        for place, element_id in enumerate(element_ids)
        if not interactive.has_element(element_id)
    }
    if faults:
        raise BadInput.fields(faults)


async def mark(tx: Transaction, use: Use, element_ids: Iterable[str]) -> None:
    """Mark elements as used, and tell so; and that the goal is completed, the first time it is.

    Raises:
        TooManyElements: he has used too many different ones.
    """
    before = await store.find_used(tx, use.message.id, use.uid)
    new = [element_id for element_id in dict.fromkeys(element_ids) if element_id not in before]
    used = (before - {GOAL}) | set(new)
    if len(used) > MOST_ELEMENTS:
        raise TooManyElements(use.message.id)
    if new:
        await _insert(tx, use, new)
        tx.announce(MessageInteracted(**facts_of(use)))
    if GOAL not in before and is_completed(use.interactive.goal, used):
        await _insert(tx, use, [GOAL])
        tx.announce(InteractionGoalCompleted(**facts_of(use)))


async def _insert(tx: Transaction, use: Use, element_ids: Sequence[str]) -> None:
    number = next_event_number(tx)
    await store.insert_marks(
        tx, [Mark(use.message.id, use.uid, each, number, use.at) for each in element_ids]
    )


def facts_of(use: Use) -> InteractionEventFields:
    """What every event tells of a use."""
    return InteractionEventFields(
        message=use.message.id, conversation=use.message.conversation, uid=use.uid, at=use.at
    )
