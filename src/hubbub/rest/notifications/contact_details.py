"""`/notifications/v1/contact-details`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import contact_details
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
from hubbub.rest.wire.shapes import Succeeded

TAG = "Notifications"
PATH = "/notifications/v1/contact-details"


@operation.get(PATH, tag=TAG, acting=Acting.REQUIRED, for_users=True, errors=(UidNotFound,))
async def get_contact_details(call: Call) -> ContactDetailsShape:
    """Get the acting user's contact details."""
    details = await contact_details.get_contact_details(call.runtime, call.app_id, call.actor)
    return contact_details_shape(details)


@operation.patch(PATH, tag=TAG, acting=Acting.REQUIRED, for_users=True, errors=(UidNotFound,))
async def update_contact_details(
    call: Call, body: wire.UpdateContactDetails
) -> ContactDetailsShape:
    """Change the acting user's contact details; what is not given stays.

    The phone number is stored and answered in the form E.164.
    """
    given = ContactDetails(body.email, body.phno)
    details = await contact_details.update_contact_details(
        call.runtime, call.app_id, call.actor, given
    )
    return contact_details_shape(details)


@operation.delete(PATH, tag=TAG, acting=Acting.REQUIRED, for_users=True, errors=(UidNotFound,))
async def delete_contact_details(call: Call) -> Succeeded:
    """Delete the acting user's contact details; it succeeds also when there were none."""
    await contact_details.delete_contact_details(call.runtime, call.app_id, call.actor)
    return Succeeded(success=True)
