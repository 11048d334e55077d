"""`…/providers/smtp`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import channels
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import SmtpSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import smtp as wire
from hubbub.rest.notifications.wire.channels import ShowsSecrets, note_asking
from hubbub.rest.notifications.wire.smtp import read_smtp, smtp_shape
from hubbub.rest.wire.shapes import Success

SMTP = "/notifications/email/v1/providers/smtp"


@operation.get(SMTP, tag=TAG, is_own=True)
async def get_smtp_provider(call: Call, query: ShowsSecrets) -> wire.SmtpShape:
    """Get the setup of the mail server; the answer is empty if there is none.

    The password is shown as `•••` unless `withSecrets` is true.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, SmtpSetup)
    return smtp_shape(setup, note_asking(call, query))


@operation.post(SMTP, tag=TAG, is_own=True)
async def save_smtp_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveSmtp
) -> wire.SmtpShape:
    """Set the mail server up, in place of the previous setup.

    If it is enabled, the other providers of e-mail are disabled. A secret that is sent as answers
    show it, redacted, keeps its value.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_smtp(body))
    return smtp_shape(setup, note_asking(call, query))


@operation.put(SMTP, tag=TAG, errors=(ProviderNotFound,), is_own=True)
async def update_smtp_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeSmtp
) -> wire.SmtpShape:
    """Change the setup of the mail server; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_smtp(body))
    return smtp_shape(setup, note_asking(call, query))


@operation.delete(SMTP, tag=TAG, is_own=True)
async def delete_smtp_provider(call: Call) -> Success:
    """Delete the setup of the mail server; this succeeds also if there is none.

    No mail is sent with it any more. Other providers of e-mail stay as they are.
    """
    await channels.delete_channel(call.runtime, call.app_id, SmtpSetup)
    return Success(success=True)
