"""Send a sample by a provider of an app, to see whether its setup works."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.notifications.sending.digests import MailGateway, SmsGateway
from hubbub.domain.notifications.sending.gateways import open_gateway
from hubbub.providers.interface import Mail, Push, Result, Sms
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App, AppNotFound
from hubbub.records.notifications.sending.model import CUSTOM_PUSH, EMAIL, SMS
from hubbub.records.notifications.setups import (
    EMAIL_KINDS,
    SMS_KINDS,
    ApnsSetup,
    ChannelSetup,
    CustomPushSetup,
    FcmSetup,
    PushSetup,
    WebPushSetup,
)
from hubbub.runtime import Runtime

SAMPLE = "This is a test: notifications of the app {app} arrive."
SAMPLE_ID, SENDER = "test", "Hubbub"
LIVES_SECONDS = 3600
PLATFORMS: Mapping[type[object], str] = {
    FcmSetup: "fcm_android",
    ApnsSetup: "apns_ios_device",
    WebPushSetup: "web_push",
}
"""The platform of the device that a sample is for, where a gateway has devices."""


async def send_sample(
    runtime: Runtime, app_id: str, setup: PushSetup | ChannelSetup, to: str
) -> Result:
    """Send a sample as notifications are sent, also if the setup is not enabled; not tried again.

    `to` is a token of the gateway, an e-mail address, a phone number, or for an own server a uid.

    Raises:
        AppNotFound: the app does not exist any more.
    """
    app = await apps_store.find_app(runtime.database, app_id)
    if app is None:
        raise AppNotFound(app_id)
    gateway = open_gateway(runtime, app, _queue_of(setup), setup)
    assert gateway.provider is not None
    text = SAMPLE.format(app=app.name)
    if isinstance(gateway, MailGateway):
        named = {"uid": SAMPLE_ID, "email": to}
        return await gateway.provider.send(Mail({**_data(named, text), "subject": text}, to))
    if isinstance(gateway, SmsGateway):
        named = {"uid": SAMPLE_ID, "phno": to}
        return await gateway.provider.send(Sms({**_data(named, text), "smsContent": text}, to))
    now = runtime.clock.now()
    platform = PLATFORMS.get(type(setup), "")
    push = Push(
        uid=SAMPLE_ID if platform else to,
        platform=platform,
        token=to if platform else "",
        fields=_push_fields(app, text, now),
        unread=0,
        collapse_id=SAMPLE_ID,
        expires_at=now + LIVES_SECONDS,
    )
    return (await gateway.provider.send([push]))[0]


def _queue_of(setup: PushSetup | ChannelSetup) -> str:
    if isinstance(setup, EMAIL_KINDS):
        return EMAIL
    if isinstance(setup, SMS_KINDS):
        return SMS
    return CUSTOM_PUSH if isinstance(setup, CustomPushSetup) else f"{setup.kind}:{SAMPLE_ID}"


def _push_fields(app: App, text: str, now: int) -> Mapping[str, Any]:
    """Return the fields of a push about a message from and to a user `SAMPLE_ID`."""
    return {
        "title": app.name,
        "body": text,
        "sender": SAMPLE_ID,
        "senderName": SENDER,
        "receiver": SAMPLE_ID,
        "receiverName": SENDER,
        "receiverType": "user",
        "tag": SAMPLE_ID,
        "conversationId": SAMPLE_ID,
        "type": "chat",
        "sentAt": str(now * 1000),
    }


def _data(to: Mapping[str, str], text: str) -> dict[str, Any]:
    """Return what a digest of one message says."""
    sender = {"uid": SAMPLE_ID, "name": SENDER}
    return {"to": to, "messages": [{"sender": sender, "message": text}], "senderDetails": sender}
