"""The shapes of interactions and submissions."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.interactions.find import Stretch, Submissions
from hubbub.http.decode import parse_message_id
from hubbub.http.operation import Envelope
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID, Submission
from hubbub.rest.messages.wire.messages import Current, MessageId
from hubbub.rest.wire.shapes import Free, Shape

ElementId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_ELEMENT_ID,
        description="The `elementId` of an element of the message.",
    ),
]
FormData = Annotated[
    msgspec.Raw,
    Meta(
        extra_json_schema={"type": "object", "description": "The values by `elementId`, as sent."}
    ),
]


class UsedElement(Shape):
    """An element that was used."""

    element_id: ElementId


class MarkInteracted(Shape):
    """Which elements were used."""

    interactions: Annotated[
        list[ElementId | UsedElement],
        Meta(min_length=1, max_length=100, description="By `elementId`, as text or objects."),
    ]

    def element_ids(self) -> list[str]:
        return [
            each.element_id if isinstance(each, UsedElement) else each for each in self.interactions
        ]


class SubmitForm(Shape):
    """What was filled in."""

    form_data: Annotated[
        Free,
        Meta(
            description="The values by `elementId`, at most 10,240 bytes of JSON: text; the "
            "`value` of an option; of a checkbox a list of these; a date or time in the "
            "element's `dateTimeFormat`, or in ISO 8601 where it has none."
        ),
    ]


class SubmissionShape(Shape, kw_only=True):
    """What somebody submitted with a form."""

    id: str
    message_id: str
    uid: str
    form_data: FormData
    submitted_at: int


class ListSubmissions(Shape):
    """Which submissions, and from where."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    affix: Literal["append", "prepend"] = "append"
    id: MessageId | None = None

    def stretch(self) -> Stretch:
        return Stretch(
            limit=self.limit,
            is_before=self.affix == "prepend",
            id=None if self.id is None else parse_message_id(self.id),
        )


class SubmissionCursor(Shape):
    """Where a list of submissions goes on, as query parameters."""

    affix: Literal["append", "prepend"]
    id: str


class SubmissionsMeta(Shape):
    """About a stretch of submissions; `previous` is older, `next` newer, where there is more."""

    current: Current
    previous: SubmissionCursor | None = None
    next: SubmissionCursor | None = None


class SubmissionList(Envelope):
    """A stretch of the submissions of a form, ascending."""

    data: list[SubmissionShape]
    meta: SubmissionsMeta


def submission_shape(submission: Submission) -> SubmissionShape:
    """A submission as the interface shows it."""
    return SubmissionShape(
        id=str(submission.number),
        message_id=str(submission.message),
        uid=submission.uid,
        form_data=msgspec.Raw(submission.form_data.encode()),
        submitted_at=submission.submitted_at,
    )


def submission_list(found: Submissions) -> SubmissionList:
    """A stretch of submissions as the interface shows it."""
    rows = [submission_shape(each) for each in found.items]
    return SubmissionList(
        data=rows,
        meta=SubmissionsMeta(
            current=Current(limit=found.limit, count=len(rows)),
            previous=SubmissionCursor(affix="prepend", id=rows[0].id) if found.has_older else None,
            next=SubmissionCursor(affix="append", id=rows[-1].id) if found.has_newer else None,
        ),
    )
