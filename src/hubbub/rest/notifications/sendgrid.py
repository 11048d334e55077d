"""`…/providers/sendgrid`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import channels
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import SendGridSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import sendgrid as wire
from hubbub.rest.notifications.wire.channels import ShowsSecrets, note_asking
from hubbub.rest.notifications.wire.sendgrid import read_sendgrid, sendgrid_shape
from hubbub.rest.wire.shapes import Success

SENDGRID = "/notifications/email/v1/providers/sendgrid"


@operation.get(SENDGRID, tag=TAG)
async def get_sendgrid_provider(call: Call, query: ShowsSecrets) -> wire.SendGridShape:
    """Get the setup of SendGrid; the answer is empty if there is none.

    The key is shown as `•••` unless `withSecrets` is true. `repliesWebhook` is the URL for
    SendGrid's Inbound Parse.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, SendGridSetup)
    return sendgrid_shape(setup, note_asking(call, query), call.address)


@operation.post(SENDGRID, tag=TAG)
async def save_sendgrid_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveSendGrid
) -> wire.SendGridShape:
    """Set SendGrid up, in place of the previous setup.

    If it is enabled, the other providers of e-mail are disabled. A secret that is sent as answers
    show it, redacted, keeps its value.

    `repliesWebhook` is the URL for SendGrid's Inbound Parse.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_sendgrid(body))
    return sendgrid_shape(setup, note_asking(call, query), call.address)


@operation.put(SENDGRID, tag=TAG, errors=(ProviderNotFound,))
async def update_sendgrid_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeSendGrid
) -> wire.SendGridShape:
    """Change the setup of SendGrid; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_sendgrid(body))
    return sendgrid_shape(setup, note_asking(call, query), call.address)


@operation.delete(SENDGRID, tag=TAG)
async def delete_sendgrid_provider(call: Call) -> Success:
    """Delete the setup of SendGrid; this succeeds also if there is none.

    No mail is sent with it any more, and answers to earlier mails are ignored.
    """
    await channels.delete_channel(call.runtime, call.app_id, SendGridSetup)
    return Success(success=True)
