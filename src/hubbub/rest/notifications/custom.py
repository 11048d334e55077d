"""`…/providers/custom`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import channels
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.notifications.model import ProviderNotFound
from hubbub.records.notifications.setups import CustomEmailSetup, CustomPushSetup, CustomSmsSetup
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import custom as wire
from hubbub.rest.notifications.wire.channels import ShowsSecrets, note_asking
from hubbub.rest.notifications.wire.custom import (
    email_shape,
    push_shape,
    read_email,
    read_push,
    read_sms,
    sms_shape,
)
from hubbub.rest.wire.shapes import Success

PUSH = "/notifications/push/v1/providers/custom"
EMAIL = "/notifications/email/v1/providers/custom"
SMS = "/notifications/sms/v1/providers/custom"


@operation.get(PUSH, tag=TAG)
async def get_custom_push_provider(call: Call, query: ShowsSecrets) -> wire.CustomPushProviders:
    """Get the setup of the custom push provider; the list is empty if there is none.

    It is a URL of your own, called for each person who gets a push. The password is shown as
    `•••` unless `withSecrets` is true.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, CustomPushSetup)
    return push_shape(setup, note_asking(call, query))


@operation.post(PUSH, tag=TAG)
async def save_custom_push_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveCustom
) -> wire.CustomPushProviders:
    """Set the custom push provider up, in place of the previous setup.

    It is called for each recipient, beside the other push providers. A password that is sent as
    answers show it, redacted, keeps its value.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_push(body))
    return push_shape(setup, note_asking(call, query))


@operation.put(PUSH, tag=TAG, errors=(ProviderNotFound,))
async def update_custom_push_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeCustom
) -> wire.CustomPushProviders:
    """Change the setup of the custom push provider; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_push(body))
    return push_shape(setup, note_asking(call, query))


@operation.delete(PUSH, tag=TAG)
async def delete_custom_push_provider(call: Call) -> Success:
    """Delete the setup of the custom push provider; this succeeds also if there is none.

    The URL is not called any more. Other providers of pushes stay as they are.
    """
    await channels.delete_channel(call.runtime, call.app_id, CustomPushSetup)
    return Success(success=True)


@operation.get(EMAIL, tag=TAG)
async def get_custom_email_provider(call: Call, query: ShowsSecrets) -> wire.CustomEmailShape:
    """Get the setup of the custom provider of e-mail; the answer is empty if there is none.

    It is a URL of your own, called for each mail. The password is shown as `•••` unless
    `withSecrets` is true.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, CustomEmailSetup)
    return email_shape(setup, note_asking(call, query))


@operation.post(EMAIL, tag=TAG)
async def save_custom_email_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveCustomEmail
) -> wire.CustomEmailShape:
    """Set the custom provider of e-mail up, in place of the previous setup.

    If it is enabled, the other providers of e-mail are disabled. A secret that is sent as answers
    show it, redacted, keeps its value.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_email(body))
    return email_shape(setup, note_asking(call, query))


@operation.put(EMAIL, tag=TAG, errors=(ProviderNotFound,))
async def update_custom_email_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeCustomEmail
) -> wire.CustomEmailShape:
    """Change the setup of the custom provider of e-mail; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_email(body))
    return email_shape(setup, note_asking(call, query))


@operation.delete(EMAIL, tag=TAG)
async def delete_custom_email_provider(call: Call) -> Success:
    """Delete the setup of the custom provider of e-mail; this succeeds also if there is none.

    The URL is not called any more. Other providers of mails stay as they are.
    """
    await channels.delete_channel(call.runtime, call.app_id, CustomEmailSetup)
    return Success(success=True)


@operation.get(SMS, tag=TAG)
async def get_custom_sms_provider(call: Call, query: ShowsSecrets) -> wire.CustomSmsShape:
    """Get the setup of the custom provider of SMS; the answer is empty if there is none.

    It is a URL of your own, called for each SMS. The password is shown as `•••` unless
    `withSecrets` is true.
    """
    setup = await channels.get_channel(call.runtime, call.app_id, CustomSmsSetup)
    return sms_shape(setup, note_asking(call, query))


@operation.post(SMS, tag=TAG)
async def save_custom_sms_provider(
    call: Call, query: ShowsSecrets, body: wire.SaveCustomSms
) -> wire.CustomSmsShape:
    """Set the custom provider of SMS up, in place of the previous setup.

    If it is enabled, the other provider of SMS is disabled. A secret that is sent as answers
    show it, redacted, keeps its value.
    """
    setup = await channels.save_channel(call.runtime, call.app_id, read_sms(body))
    return sms_shape(setup, note_asking(call, query))


@operation.put(SMS, tag=TAG, errors=(ProviderNotFound,))
async def update_custom_sms_provider(
    call: Call, query: ShowsSecrets, body: wire.ChangeCustomSms
) -> wire.CustomSmsShape:
    """Change the setup of the custom provider of SMS; fields that are absent keep their values.

    A secret that is sent as answers show it, redacted, keeps its value, too.
    """
    setup = await channels.change_channel(call.runtime, call.app_id, read_sms(body))
    return sms_shape(setup, note_asking(call, query))


@operation.delete(SMS, tag=TAG)
async def delete_custom_sms_provider(call: Call) -> Success:
    """Delete the setup of the custom provider of SMS; this succeeds also if there is none.

    The URL is not called any more. Other providers of SMS stay as they are.
    """
    await channels.delete_channel(call.runtime, call.app_id, CustomSmsSetup)
    return Success(success=True)
