"""`…/providers/twilio`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import channels
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import TwilioSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import twilio as wire
from hubbub.rest.notifications.wire.channels import ShowsSecrets, note_asking
from hubbub.rest.notifications.wire.twilio import read_twilio, twilio_shape
from hubbub.rest.wire.shapes import Success

TWILIO = "/notifications/sms/v1/providers/twilio"


@operation.get(TWILIO, tag=TAG)
async def get_twilio_provider(call: Call, query: ShowsSecrets) -> wire.TwilioShape:
    """Get the setup of Twilio; the answer is empty if there is none.

    The token is shown as `•••` unless `withSecrets` is true.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, TwilioSetup)
    return twilio_shape(setup, note_asking(call, query))


@operation.post(TWILIO, tag=TAG)
async def save_twilio_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveTwilio
) -> wire.TwilioShape:
    """Set Twilio up, in place of the previous setup.

    If it is enabled, the other provider of SMS is disabled. A secret that is sent as answers
    show it, redacted, keeps its value.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_twilio(body))
    return twilio_shape(setup, note_asking(call, query))


@operation.put(TWILIO, tag=TAG, errors=(ProviderNotFound,))
async def update_twilio_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeTwilio
) -> wire.TwilioShape:
    """Change the setup of Twilio; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_twilio(body))
    return twilio_shape(setup, note_asking(call, query))


@operation.delete(TWILIO, tag=TAG)
async def delete_twilio_provider(call: Call) -> Success:
    """Delete the setup of Twilio; this succeeds also if there is none.

    No SMS is sent with it any more. Other providers of SMS stay as they are.
    """
    await channels.delete_channel(call.runtime, call.app_id, TwilioSetup)
    return Success(success=True)
