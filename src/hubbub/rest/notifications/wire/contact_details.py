"""The shapes of contact details."""

from typing import Annotated

from msgspec import Meta

from hubbub.records.notifications.model import ContactDetails
from hubbub.rest.wire.shapes import Shape


class ContactDetailsShape(Shape):
    """Where a user is reached beside the chat."""

    email: str | None = None
    phno: str | None = None


def contact_details_shape(details: ContactDetails) -> ContactDetailsShape:
    """`details` as the interface shows them."""
    return ContactDetailsShape(email=details.email, phno=details.phone_number)


class UpdateContactDetails(Shape):
    """What is to change of a user's contact details; what is not given stays."""

    email: (
        Annotated[str, Meta(min_length=1, max_length=254, description="An e-mail address.")] | None
    ) = None
    phno: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=40,
                description="A phone number with its country code, such as +14155552671.",
            ),
        ]
        | None
    ) = None
