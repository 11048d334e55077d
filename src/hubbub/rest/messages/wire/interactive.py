"""The data of interactive messages, for the document: forms, cards, schedulers and their elements.

They are validated by the tables of `hubbub.domain.interactive_messages`; further fields are kept.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from hubbub.http.documented import VARIANTS, Variants, documented_as, with_any_fields
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID
from hubbub.rest.wire.shapes import Json, Shape

ElementId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_ELEMENT_ID,
        description="The id of the element, unique in the message.",
    ),
]
WebUrl = Annotated[str, Meta(description="An absolute http or https URL.")]
Date = Annotated[str, Meta(description="A date in ISO 8601, such as 2026-01-31.")]
TimeZone = Annotated[str, Meta(description="An IANA time zone, such as Europe/Berlin.")]
ClockTime = Annotated[str, Meta(description="A time of day as four digits, such as 0930.")]
Minutes = Annotated[int | str, Meta(description="A number of minutes, also as text.")]
IsOptional = Annotated[bool, Meta(description="Whether the element may be left empty.")]
Label = Annotated[str, Meta(description="The text above the element.")]


class Action(Shape):
    """What a button does."""


@with_any_fields
class ApiAction(Shape, kw_only=True):
    """A button calls a URL with a payload."""

    action_type: Literal["apiAction"]
    url: WebUrl | None = None
    method: Annotated[str, Meta(description="An HTTP method, such as POST.")] | None = None
    payload: Json | None = None
    headers: Json | None = None
    data_key: (
        Annotated[str, Meta(description="The key of the payload that gets the submitted values.")]
        | None
    ) = None


@with_any_fields
class UrlNavigation(Shape):
    """A button opens a page."""

    action_type: Literal["urlNavigation"]
    url: WebUrl


@with_any_fields
class DeepLinkAction(Shape):
    """A button opens a link of any scheme, such as one into another app on the phone."""

    action_type: Literal["deepLinkAction"]
    url: Annotated[str, Meta(description="A URL of any scheme but those that run scripts.")]


@with_any_fields
class CustomAction(Shape):
    """A button does what the client defines."""

    action_type: Literal["customAction"]


VARIANTS[Action] = Variants(
    (ApiAction, UrlNavigation, DeepLinkAction, CustomAction), discriminator="actionType"
)


@with_any_fields
class Option(Shape):
    """An option of a choice: the text that users see, and the value that is submitted."""

    value: str
    label: str


@with_any_fields
class Placeholder(Shape):
    """The text that an empty input shows."""

    text: str | None = None


class Element(Shape):
    """An element of an interactive message."""


@with_any_fields
class LabelElement(Shape):
    """A text to read."""

    element_type: Literal["label"]
    element_id: ElementId
    text: str


@with_any_fields
class TextInputElement(Shape, kw_only=True):
    """An input for text."""

    element_type: Literal["textInput"]
    element_id: ElementId
    optional: IsOptional | None = None
    label: Label | None = None
    default_value: str | None = None
    max_lines: Annotated[int, Meta(description="The most lines of the text.")] | None = None
    placeholder: Placeholder | None = None


@with_any_fields
class ButtonElement(Shape, kw_only=True):
    """A button."""

    element_type: Literal["button"]
    element_id: ElementId
    button_text: str | None = None
    disable_after_interacted: (
        Annotated[bool, Meta(description="Whether each user can use it only once.")] | None
    ) = None
    action: Action | None = None


@with_any_fields
class CheckboxElement(Shape, kw_only=True):
    """A choice of any number of options."""

    element_type: Literal["checkbox"]
    element_id: ElementId
    label: Label
    optional: IsOptional | None = None
    default_value: list[str] | None = None
    options: list[Option] | None = None


class SingleChoice(Shape, kw_only=True):
    """A choice of one option."""

    element_id: ElementId
    optional: IsOptional | None = None
    label: Label | None = None
    default_value: (
        Annotated[str, Meta(description="The `value` of the option that is chosen at first.")]
        | None
    ) = None
    options: list[Option] | None = None


@with_any_fields
class DropdownElement(SingleChoice, kw_only=True):
    """A choice of one option from a list that opens."""

    element_type: Literal["dropdown"]


@with_any_fields
class RadioElement(SingleChoice, kw_only=True):
    """A choice of one option by radio buttons."""

    element_type: Literal["radio"]


@with_any_fields
class SingleSelectElement(SingleChoice, kw_only=True):
    """A choice of one option by buttons."""

    element_type: Literal["singleSelect"]


@with_any_fields
class DateTimeElement(Shape, kw_only=True):
    """An input for a date, a time, or both."""

    element_type: Literal["dateTime"]
    element_id: ElementId
    optional: IsOptional | None = None
    label: Label | None = None
    default_value: (
        Annotated[str, Meta(description="In ISO 8601, according to the mode.")] | None
    ) = None
    date_time_format: (
        Annotated[str, Meta(description="The pattern of submitted values, such as yyyy-MM-dd.")]
        | None
    ) = None
    mode: Literal["date", "time", "dateTime"] | None = None
    timezone_code: TimeZone | None = None
    # `from` is a Python keyword.
    from_: Annotated[str, Meta(description="The first day, in ISO 8601.")] | None = field(
        name="from", default=None
    )
    to: Annotated[str, Meta(description="The last day, in ISO 8601.")] | None = None


VARIANTS[Element] = Variants(
    (
        LabelElement,
        TextInputElement,
        ButtonElement,
        CheckboxElement,
        DropdownElement,
        RadioElement,
        SingleSelectElement,
        DateTimeElement,
    ),
    discriminator="elementType",
)


@with_any_fields
class Form(Shape, kw_only=True):
    """A form that users fill in and submit."""

    title: str | None = None
    text: str | None = None
    form_fields: Annotated[list[Element], Meta(min_length=1)]
    submit_element: ButtonElement | None = None
    goal_completion_text: (
        Annotated[str, Meta(description="The text that replaces the form when it is done.")] | None
    ) = None


@with_any_fields
class Card(Shape, kw_only=True):
    """An image with a text and buttons."""

    text: str | None = None
    image_url: str | None = None
    card_actions: list[ButtonElement] | None = None


@with_any_fields
class OpenHours(Shape, kw_only=True):
    """A span of time in which appointments can be made."""

    from_: ClockTime = field(name="from")
    to: ClockTime


Hours = list[OpenHours]


class Availability(Shape, kw_only=True):
    """The hours of each weekday in which appointments can be made."""

    monday: Hours | None = None
    tuesday: Hours | None = None
    wednesday: Hours | None = None
    thursday: Hours | None = None
    friday: Hours | None = None
    saturday: Hours | None = None
    sunday: Hours | None = None


@with_any_fields
class Scheduler(Shape, kw_only=True):
    """A calendar in which users choose an appointment."""

    title: str | None = None
    avatar_url: str | None = None
    buffer_time: Minutes | None = None
    duration: Minutes | None = None
    ics_file_url: str | None = None
    timezone_code: TimeZone | None = None
    availability: Availability | None = None
    date_range_start: Date | None = None
    date_range_end: Date | None = None
    goal_completion_text: str | None = None
    schedule_element: ButtonElement | None = None


@with_any_fields
class InteractionGoal(Shape, kw_only=True):
    """When an interactive message counts as done for a user."""

    type: (
        Annotated[
            str, documented_as(Literal["any", "anyAction", "anyOf", "oneOf", "allOf", "none"])
        ]
        | None
    ) = None
    element_ids: list[str] | None = None
