"""The shapes of contact details."""

from typing import Annotated

from msgspec import Meta

from hubbub.records.notifications.model import ContactDetails
from hubbub.rest.wire.shapes import Shape


class ContactDetailsShape(Shape):
    """The e-mail address and the phone number of a user."""

    email: str | None = None
    phno: str | None = None


def contact_details_shape(details: ContactDetails) -> ContactDetailsShape:
    """Return contact details on the wire."""
    return ContactDetailsShape(email=details.email, phno=details.phone_number)


class UpdateContactDetails(Shape):
    """The changes to contact details; fields that are absent keep their values."""

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
