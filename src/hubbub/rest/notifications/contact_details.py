"""`/notifications/v1/contact-details`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications.settings import contact_details
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.notifications.model import ContactDetails
from hubbub.records.users.model import UidNotFound
from hubbub.rest.notifications.wire import contact_details as wire
from hubbub.rest.notifications.wire.contact_details import (
    ContactDetailsShape,
    contact_details_shape,
)
from hubbub.rest.wire.shapes import Success

TAG = operation.Tag(
    "Notifications",
    "Providers of push, e-mail and SMS, what apps and users choose, push tokens, contact details,"
    " and what was sent.",
)
PATH = "/notifications/v1/contact-details"


@operation.get(PATH, tag=TAG, acting=Acting.REQUIRED, errors=(UidNotFound,))
async def get_contact_details(call: Call) -> ContactDetailsShape:
    """Get the contact details of the acting user.

    Fields that are not stored are absent. Other users never see them.
    """
    details = await contact_details.get_contact_details(call.runtime, call.app_id, call.actor)
    return contact_details_shape(details)


@operation.patch(PATH, tag=TAG, acting=Acting.REQUIRED, errors=(UidNotFound,))
async def update_contact_details(
    call: Call, body: wire.UpdateContactDetails
) -> ContactDetailsShape:
    """Change the contact details of the acting user; fields that are absent keep their values.

    The phone number is stored and returned in the format E.164.
    """
    changes = ContactDetails(body.email, body.phno)
    details = await contact_details.update_contact_details(
        call.runtime, call.app_id, call.actor, changes
    )
    return contact_details_shape(details)


@operation.delete(PATH, tag=TAG, acting=Acting.REQUIRED, errors=(UidNotFound,))
async def delete_contact_details(call: Call) -> Success:
    """Delete the contact details of the acting user; this succeeds also if there are none.

    Then nothing can be sent to the stored addresses any more.
    """
    await contact_details.delete_contact_details(call.runtime, call.app_id, call.actor)
    return Success(success=True)
