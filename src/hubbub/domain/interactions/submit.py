"""Submit a form: every value is checked, what was filled in counts as used, the whole is kept."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.interactions.interact import Use, access_to_use, facts_of, mark
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

FormData = Mapping[str, Any]
_encode = msgspec.json.Encoder().encode


async def submit_form(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, form_data: FormData
) -> Submission:
    """Keep what the acting user has filled into a form.

    Raises:
        UidNotFound, MessageIdNotFound: there is no such acting user, or message that he may see.
        MessageActionNotAllowed, NotInteractive, SenderMayNotInteract, BlockedSender,
            BlockedReceiver: he can't use it.
        NotAForm: there is nothing to submit.
        AlreadySubmitted: he has, and may but once.
        BadInput: values are wrong or missing; all of them are named.
    """
    text = _encoded(form_data)

    async def within(tx: Transaction) -> Submission:
        await lock_counters(tx)
        use = await access_to_use(tx, actor, message_id, runtime.clock.now())
        await _refuse(tx, use, form_data)
        submission = Submission(message_id, next_event_number(tx), use.uid, text, use.at)
        await store.insert_submission(tx, submission)
        tx.announce(InteractiveFormSubmitted(id=submission.number, **facts_of(use)))
        await mark(tx, use, [*filled_in(form_data), *use.interactive.submit_ids])
        return submission

    return await runtime.database.write(app_id, within)


def _encoded(form_data: FormData) -> str:
    """The values as compact JSON.

    Raises:
        BadInput: it has more than 10,240 bytes.
    """
    text = _encode(form_data)
    if len(text) > LARGEST_FORM_DATA:
        raise BadInput.field(
            FORM_DATA,
            f"The {FORM_DATA} has {len(text):,} bytes of JSON; {LARGEST_FORM_DATA:,} may be.",
        )
    return text.decode()


async def _refuse(tx: Transaction, use: Use, form_data: FormData) -> None:
    """Say why a form can't be submitted like that, if so."""
    form = use.interactive
    if not form.is_form:
        raise NotAForm(use.message.id)
    if form.is_submitted_once and await store.has_submitted(tx, use.message.id, use.uid):
        raise AlreadySubmitted(use.uid, use.message.id)
    faults = find_faults(form.elements, form_data)
    if faults:
        raise BadInput.fields(faults)
