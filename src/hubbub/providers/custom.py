"""Custom providers: the app's own server is called once for each person."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.outbound.answer import Response
from hubbub.providers.calls import AT_ONCE, ProviderCaller, basic_auth, send_each
from hubbub.providers.interface import Mail, Push, Result, SendOutcome, Sms
from hubbub.records.notifications.setups import CustomSetup

PUSH = "push-notification-payload-generated"
MAIL = "email-notification-payload-generated"
SMS = "sms-notification-payload-generated"
NO_EMAIL = Result(SendOutcome.REFUSED, "No e-mail address is stored.")
NO_NUMBER = Result(SendOutcome.REFUSED, "No phone number is stored.")

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class CustomWebhook:
    """The server that an app has named for a channel."""

    caller: ProviderCaller
    app_id: str
    region: str
    setup: CustomSetup

    def wrap(self, trigger: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a call."""
        return {
            "trigger": trigger,
            "data": dict(data),
            "appId": self.app_id,
            "region": self.region,
            "webhook": "custom",
        }

    async def call(self, body: Mapping[str, Any]) -> Result:
        """Make a call; any status of success will do."""
        headers = {"Content-Type": "application/json"}
        setup = self.setup
        if setup.uses_basic_auth:
            headers |= basic_auth(setup.basic_auth_username, setup.basic_auth_password)
        return await self.caller.post(setup.webhook_url or "", _encode(body), headers, self._read)

    def _read(self, answer: Response) -> Result:
        # What it says besides its status stays unread: it may repeat the password.
        return self.caller.judge(answer)


class CustomPush:
    """The custom push provider: people, with or without tokens, are its devices."""

    def __init__(self, webhook: CustomWebhook) -> None:
        self._webhook = webhook
        self._slots = asyncio.Semaphore(AT_ONCE)

    def render(self, push: Push) -> dict[str, Any]:
        data = {"to": {"uid": push.uid}, "notificationDetails": describe(push)}
        return self._webhook.wrap(PUSH, data)

    async def send(self, pushes: Sequence[Push]) -> list[Result]:
        return await send_each(pushes, self._send_one, self._slots)

    async def _send_one(self, push: Push) -> Result:
        body = self.render(push)
        return (await self._webhook.call(body)).of(body)


class CustomMail:
    """The custom e-mail provider."""

    def __init__(self, webhook: CustomWebhook, *, only_stored: bool = False) -> None:
        self._webhook = webhook
        self._only_stored = only_stored

    def render(self, mail: Mail) -> dict[str, Any]:
        return self._webhook.wrap(MAIL, mail.data)

    async def send(self, mail: Mail) -> Result:
        if self._only_stored and not mail.email:
            return NO_EMAIL
        return await self._webhook.call(self.render(mail))


class CustomSms:
    """The custom SMS provider."""

    def __init__(self, webhook: CustomWebhook, *, only_stored: bool = False) -> None:
        self._webhook = webhook
        self._only_stored = only_stored

    def render(self, sms: Sms) -> dict[str, Any]:
        return self._webhook.wrap(SMS, sms.data)

    async def send(self, sms: Sms) -> Result:
        if self._only_stored and not sms.phone_number:
            return NO_NUMBER
        return await self._webhook.call(self.render(sms))


def describe(push: Push) -> dict[str, Any]:
    """Return the fields of a push payload for one person."""
    return {**push.fields, "unreadMessageCount": push.unread}
