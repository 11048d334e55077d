"""Submit a form: check its values, mark the filled-in elements as used, store the submission.

And list the submissions of a form, for its sender and for the app.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import access_message
from hubbub.domain.access.people import access_actor
from hubbub.domain.interactions.dates import UnreadableDate, read_days
from hubbub.domain.interactions.interact import Use, access_to_use, event_fields, mark_elements
from hubbub.domain.interactions.read import Element
from hubbub.domain.interactive_messages.faults import FaultList, FieldPath
from hubbub.domain.interactive_messages.times import read_date
from hubbub.domain.messages.ruled import KEPT_BACK, refuse
from hubbub.domain.moderation.decision import Occasion
from hubbub.domain.moderation.engine import announce_failed
from hubbub.domain.moderation.judge import judge
from hubbub.domain.moderation.load import find_rules
from hubbub.kernel.errors import BadInput
from hubbub.kernel.pages import Slice, SliceRequest, read_slice
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.interactions import store
from hubbub.records.interactions.events import InteractiveFormSubmitted
from hubbub.records.interactions.model import (
    LARGEST_FORM_DATA,
    AlreadySubmitted,
    NotAForm,
    Submission,
    SubmissionsNotShown,
)
from hubbub.records.messages.model import MESSAGE, TEXT, Draft
from hubbub.records.moderation.events import ModerationEngineFailed
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

_encode = msgspec.json.Encoder().encode
FORM_DATA = "formData"
CUSTOM_DATA = "customData"
"""The field of a message in which rules look for strings at any depth."""
ValueCheck = Callable[[Any, Element, FieldPath], None]
_LINE_END = re.compile(r"\r\n|\r|\n")


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
        BlockedByRule: a rule of the app would keep back a message with these values.
    """
    _encode_form_data(form_data)
    passed, failed = await _judge(runtime, app_id, actor, message_id, form_data)
    text = _encode_form_data(passed)

    async def within(tx: Transaction) -> Submission:
        await lock_counters(tx)
        use = await access_to_use(tx, actor, message_id, runtime.clock.now())
        await _check_submission(tx, use, passed)
        submission = Submission(message_id, next_event_number(tx), use.uid, text, use.at)
        await store.insert_submission(tx, submission)
        tx.announce(InteractiveFormSubmitted(id=submission.number, **event_fields(use)))
        await mark_elements(tx, use, [*filled_in(passed), *use.interactive.submit_ids])
        if failed is not None:
            tx.announce(failed)
        return submission

    return await runtime.database.write(app_id, within)


async def _judge(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, form_data: Mapping[str, Any]
) -> tuple[Mapping[str, Any], ModerationEngineFailed | None]:
    """Return the values as rules let them pass, and what is to be announced of the engine.

    They are judged as a text to whoever the form was sent to. Rules that only flag change nothing:
    there is no message to be reviewed but that of who sent the form.

    Raises:
        BlockedByRule: the rules keep them back, or what they leave is no valid submission.
        Refusal: the form can't be submitted, or not with these values.
    """
    if actor.is_app or not (await find_rules(runtime, app_id)).rules:
        return form_data, None

    async def within(snapshot: Snapshot) -> tuple[Use, Draft]:
        use = await access_to_use(snapshot, actor, message_id, runtime.clock.now())
        await _check_submission(snapshot, use, form_data)
        return use, _draft_of(use, form_data)

    use, draft = await runtime.database.read(app_id, within, is_short=True)
    decision = await judge(runtime, app_id, draft, Occasion.SUBMISSION)
    if decision is None:
        return form_data, None
    passed = form_data if decision.data is None else decision.data[CUSTOM_DATA]
    if decision.outcome in KEPT_BACK or find_faults(use.interactive.elements, passed):
        await announce_failed(runtime, app_id, decision)
        raise refuse(decision)
    return passed, decision.failed


def _draft_of(use: Use, form_data: Mapping[str, Any]) -> Draft:
    """Return a message with the values, from who submits them."""
    about = use.message
    is_group = about.receiver_type == GROUP
    return Draft(
        sender=use.uid,
        receiver_type=about.receiver_type,
        receiver=about.receiver if is_group else about.other_than(use.uid),
        category=MESSAGE,
        type=TEXT,
        data=_encode({CUSTOM_DATA: form_data}).decode(),
    )


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


async def _check_submission(snapshot: Snapshot, use: Use, form_data: Mapping[str, Any]) -> None:
    """Refuse a form that can't be submitted, or not with these values."""
    form = use.interactive
    if not form.is_form:
        raise NotAForm(use.message.id)
    if form.is_submitted_once and await store.has_submitted(snapshot, use.message.id, use.uid):
        raise AlreadySubmitted(use.uid, use.message.id)
    faults = find_faults(form.elements, form_data)
    if faults:
        raise BadInput.fields(faults)


def find_faults(
    elements: Mapping[str, Element], form_data: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the faults in the values of a form: sentences by dotted path, empty if none."""
    faults = FaultList()
    form = FieldPath(FORM_DATA, faults)
    for element_id in form_data:
        if element_id not in elements:
            form.at(element_id).report("This form has no element with this id.")
    for element_id, element in elements.items():
        _check_value(form_data.get(element_id), element, form.at(element_id))
    return faults.found


def filled_in(form_data: Mapping[str, Any]) -> list[str]:
    """Return the ids of the elements that have a value."""
    return [element_id for element_id, value in form_data.items() if not _is_empty(value)]


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == []


def _check_value(value: Any, element: Element, path: FieldPath) -> None:
    check = CHECKS.get(str(element.get("elementType")), _takes_nothing)
    if not _is_empty(value):
        check(value, element, path)
    elif element.get("optional") is False and check is not _takes_nothing:
        path.report("This is required.")


def _takes_nothing(_: Any, element: Element, path: FieldPath) -> None:
    path.report(f"A {element.get('elementType')} takes no value.")


def _check_text(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string.")
        return
    most = element.get("maxLines")
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        return
    if len(_LINE_END.findall(value)) >= most:
        path.report(f"This may have at most {most} lines.")


def _check_choice(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string: the value of one of the options.")
    elif value not in _option_values(element):
        path.report("This must be the value of one of the options.")


def _check_choices(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        path.report("This must be a list of strings: the values of some of the options.")
    elif not set(value) <= _option_values(element):
        path.report("Each of these must be the value of one of the options.")
    elif len(set(value)) < len(value):
        path.report("Each of these may be chosen once.")


def _option_values(element: Element) -> set[str]:
    options = element.get("options")
    found = options if isinstance(options, list) else []
    values = (option.get("value") for option in found if isinstance(option, Mapping))
    return {value for value in values if isinstance(value, str)}


def _check_moment(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string: a date or time.")
        return
    try:
        days = read_days(value, element)
    except UnreadableDate as fault:
        path.report(str(fault))
        return
    start, end = read_date(element.get("from")), read_date(element.get("to"))
    if days is not None and start is not None and days.last < start:
        path.report(f"This must not be before {start}.")
    if days is not None and end is not None and days.first > end:
        path.report(f"This must not be after {end}.")


CHECKS: Mapping[str, ValueCheck] = {
    "textInput": _check_text,
    "dropdown": _check_choice,
    "radio": _check_choice,
    "singleSelect": _check_choice,
    "checkbox": _check_choices,
    "dateTime": _check_moment,
}
"""By `elementType`; other elements take no value."""


async def list_submissions(
    runtime: Runtime, app_id: str, actor: Actor, message_id: int, request: SliceRequest[int]
) -> Slice[Submission]:
    """List the submissions of a form, oldest first.

    The submissions of a deleted message are shown to the app only.

    Raises:
        UidNotFound, MessageIdNotFound: the acting user does not exist, or can't see the message.
        SubmissionsNotShown: the acting user did not send the message.
    """

    async def within(snapshot: Snapshot) -> Slice[Submission]:
        person = await access_actor(snapshot, actor)
        message = await access_message(snapshot, person, message_id)
        if not actor.is_app and message.sender != actor.uid:
            raise SubmissionsNotShown(actor.name, message_id)
        if not actor.is_app and message.deleted_at is not None:
            return Slice([], request.limit)
        fetch = partial(store.list_submissions, snapshot, message_id)
        return await read_slice(request, fetch, attrgetter("number"))

    return await runtime.database.read(app_id, within, user=actor.uid)
