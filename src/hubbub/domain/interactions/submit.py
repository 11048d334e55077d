"""Submit a form: check its values, mark the filled-in elements as used, store the submission."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.interactions.interact import Use, access_to_use, event_fields, mark_elements
from hubbub.domain.interactions.submissions import FORM_DATA, filled_in, find_faults
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.interactions import store
from hubbub.records.interactions.events import InteractiveFormSubmitted
from hubbub.records.interactions.model import (
    LARGEST_FORM_DATA,
    AlreadySubmitted,
    NotAForm,
    Submission,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

_encode = msgspec.json.Encoder().encode


async def submit_form(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, form_data: Mapping[str, Any]
) -> Submission:
    """Store the values that the acting user has entered in a form.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: they may not use it.
        NotAForm: the message is not a form.
        AlreadySubmitted: they have submitted it, and may do so only once.
        BadInput: values are wrong or missing; all of them are named.
    """
    text = _encode_form_data(form_data)

    async def within(tx: Transaction) -> Submission:
        await lock_counters(tx)
        use = await access_to_use(tx, actor, message_id, runtime.clock.now())
        await _check_submission(tx, use, form_data)
        submission = Submission(message_id, next_event_number(tx), use.uid, text, use.at)
        await store.insert_submission(tx, submission)
        tx.announce(InteractiveFormSubmitted(id=submission.number, **event_fields(use)))
        await mark_elements(tx, use, [*filled_in(form_data), *use.interactive.submit_ids])
        return submission

    return await runtime.database.write(app_id, within)


def _encode_form_data(form_data: Mapping[str, Any]) -> str:
    """Return the values as compact JSON.

    Raises:
        BadInput: the JSON has more than 10,240 bytes.
    """
    text = _encode(form_data)
    if len(text) > LARGEST_FORM_DATA:
        raise BadInput.field(
            FORM_DATA,
            f"The {FORM_DATA} has {len(text):,} bytes of JSON; {LARGEST_FORM_DATA:,} are allowed.",
        )
    return text.decode()


async def _check_submission(tx: Transaction, use: Use, form_data: Mapping[str, Any]) -> None:
    """Refuse a form that can't be submitted, or not with these values."""
    form = use.interactive
    if not form.is_form:
        raise NotAForm(use.message.id)
    if form.is_submitted_once and await store.has_submitted(tx, use.message.id, use.uid):
        raise AlreadySubmitted(use.uid, use.message.id)
    faults = find_faults(form.elements, form_data)
    if faults:
        raise BadInput.fields(faults)
