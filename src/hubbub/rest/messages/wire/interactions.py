"""The shapes of interactions and submissions."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.kernel.pages import Slice
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID, Submission
from hubbub.rest.wire.shapes import Json, Shape
from hubbub.rest.wire.slices import SliceList, slice_list

ElementId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_ELEMENT_ID,
        description="The `elementId` of an element of the message.",
    ),
]
FormData = Annotated[
    msgspec.Raw, documented_as(Json, description="The values by `elementId`, as sent.")
]


class UsedElementShape(Shape):
    """An element of the message, by its id."""

    element_id: ElementId


class MarkInteracted(Shape):
    """The elements that the acting user has used."""

    interactions: Annotated[
        list[ElementId | UsedElementShape],
        Meta(min_length=1, max_length=100, description="Each `elementId`, as text or object."),
    ]

    def element_ids(self) -> list[str]:
        return [
            each.element_id if isinstance(each, UsedElementShape) else each
            for each in self.interactions
        ]


class SubmitForm(Shape):
    """The values of a form."""

    form_data: Annotated[
        Json,
        Meta(
            description="The values by `elementId`, at most 10,240 bytes of JSON. A value is "
            "text; the `value` of an option; for a checkbox a list of these; or a date or time "
            "in the element's `dateTimeFormat`, or in ISO 8601 without one."
        ),
    ]


class SubmissionShape(Shape, kw_only=True):
    """A user's submission of a form."""

    id: str
    message_id: str
    uid: str
    form_data: FormData
    submitted_at: int


SubmissionList = SliceList[SubmissionShape]


def submission_shape(submission: Submission) -> SubmissionShape:
    """Return a submission on the wire."""
    return SubmissionShape(
        id=str(submission.number),
        message_id=str(submission.message),
        uid=submission.uid,
        form_data=msgspec.Raw(submission.form_data.encode()),
        submitted_at=submission.submitted_at,
    )


def submission_list(found: Slice[Submission]) -> SubmissionList:
    """Return the answer for a slice of submissions."""
    return slice_list(found, [submission_shape(each) for each in found.items])
