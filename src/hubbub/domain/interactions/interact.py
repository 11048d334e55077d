"""Use elements of an interactive message: each is marked once, and may complete the goal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor, check_blocks
from hubbub.domain.interactions.read import Interactive, is_completed, read_interactive
from hubbub.domain.views.messages import view_messages
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
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
    NotInteractive,
    SenderMayNotInteract,
    TooManyElements,
    UsedElement,
)
from hubbub.records.messages.model import INTERACTIVE, Message, MessageActionNotAllowed, MessageView
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Use:
    """A permitted use of an interactive message by a user."""

    uid: str
    message: Message
    interactive: Interactive
    at: int


async def interact(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, element_ids: Sequence[str]
) -> MessageView:
    """Mark elements as used by the acting user; elements used before do not change.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: they may not use it.
        BadInput: the message has no such element.
        TooManyElements: they have used too many different ones.
    """

    async def within(tx: Transaction) -> MessageView:
        await lock_counters(tx)
        use = await access_to_use(tx, actor, message_id, runtime.clock.now())
        _refuse_unknown(use.interactive, element_ids)
        await mark_elements(tx, use, element_ids)
        return (await view_messages(tx, [use.message], use.uid))[0]

    return await runtime.database.write(app_id, within)


async def access_to_use(snapshot: Snapshot, actor: Actor, message_id: int, now: int) -> Use:
    """Return an interactive message that the acting user may use.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: they may not use it.
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
    if message.receiver_type != GROUP:
        await check_blocks(snapshot, (uid, message.other_than(uid)))
    return Use(uid, message, interactive, now)


def _refuse_unknown(interactive: Interactive, element_ids: Sequence[str]) -> None:
    faults = {
        f"interactions.{index}": ["This message has no element with this id."]
        for index, element_id in enumerate(element_ids)
        if not interactive.has_element(element_id)
    }
    if faults:
        raise BadInput.fields(faults)


async def mark_elements(tx: Transaction, use: Use, element_ids: Iterable[str]) -> None:
    """Mark elements as used and announce it; announce the goal when it is first completed.

    Raises:
        TooManyElements: the user has used too many different ones.
    """
    before = await store.find_used(tx, use.message.id, use.uid)
    new = [element_id for element_id in dict.fromkeys(element_ids) if element_id not in before]
    used = (before - {GOAL}) | set(new)
    if len(used) > MOST_ELEMENTS:
        raise TooManyElements(use.message.id)
    if new:
        await _insert_marks(tx, use, new)
        tx.announce(MessageInteracted(**event_fields(use)))
    if GOAL not in before and is_completed(use.interactive.goal, used):
        await _insert_marks(tx, use, [GOAL])
        tx.announce(InteractionGoalCompleted(**event_fields(use)))


async def _insert_marks(tx: Transaction, use: Use, element_ids: Sequence[str]) -> None:
    number = next_event_number(tx)
    await store.insert_marks(
        tx, [UsedElement(use.message.id, use.uid, each, number, use.at) for each in element_ids]
    )


def event_fields(use: Use) -> InteractionEventFields:
    """Return the fields that all events of a use have."""
    return InteractionEventFields(
        message=use.message.id, conversation=use.message.conversation, uid=use.uid, at=use.at
    )
