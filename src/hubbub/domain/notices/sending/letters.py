"""The e-mail or SMS of a bundle, which has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hubbub.domain.notices.entries import logged
from hubbub.domain.notices.sending.pushes import LONGEST_REASON
from hubbub.providers.interface import (
    Mail,
    MailProvider,
    Outcome,
    Result,
    Sms,
    SmsProvider,
)
from hubbub.records.notices.model import EMAIL, SMS, About, MailContent, SmsContent
from hubbub.records.notifications.logs import LogEntry
from hubbub.records.notifications.reasons import Reason

TWILIO = "twilio"


@dataclass(frozen=True, slots=True)
class MailGateway:
    """A mail provider of an app, by the name that the log has for it."""

    provider: MailProvider | None
    """None if the app has none that is enabled."""
    kind: str
    """`sendgrid`, `smtp` or `custom`."""


@dataclass(frozen=True, slots=True)
class SmsGateway:
    """An SMS provider of an app, by the name that the log has for it."""

    provider: SmsProvider | None
    """None if the app has none that is enabled."""
    kind: str
    """`twilio` or `custom`."""


@dataclass(frozen=True, slots=True)
class Letter:
    """An e-mail or SMS to one person."""

    content: MailContent | SmsContent
    channel: str
    kind: str
    payload: Any

    @property
    def about(self) -> About:
        """Return the event that it is about."""
        return self.content.about

    @property
    def uid(self) -> str:
        """Return whom it is for."""
        return self.content.uid

    @property
    def expires_at(self) -> int:
        """Return when it is worth nothing any more, in seconds."""
        return self.content.expires_at

    def entry(self, result: Result, began_ms: int, now_ms: int) -> LogEntry:
        """Return the log's entry of an answer."""
        has_failed = result.outcome is not Outcome.SENT
        is_refused = has_failed and self.kind == TWILIO
        return logged(
            self.content.about,
            self.content.uid,
            self.channel,
            started_at_ms=began_ms,
            ended_at_ms=now_ms,
            is_triggered=not is_refused,
            reason=Reason.TWILIO_CREATE_ERROR if is_refused else None,
            is_success=None if is_refused else not has_failed,
            error=result.reason[:LONGEST_REASON] or None,
            provider=self.kind,
            payload=self.payload,
        )

    def suppressed(self, reason: Reason, now_ms: int) -> LogEntry:
        """Return the log's entry if nothing is sent."""
        return logged(
            self.content.about,
            self.content.uid,
            self.channel,
            started_at_ms=now_ms,
            ended_at_ms=now_ms,
            is_triggered=False,
            reason=reason,
            provider=self.kind,
        )


class MailBundle:
    """An e-mail, for a gateway."""

    def __init__(self, content: MailContent, gateway: MailGateway) -> None:
        self._content = content
        self._gateway = gateway
        self._mail = Mail(
            content.data,
            content.email,
            content.unsubscribe_url,
            content.message_id,
            content.reply_tag,
        )
        payload = gateway.provider.render(self._mail) if gateway.provider else None
        self.parts = [Letter(content, EMAIL, gateway.kind, payload)]

    def narrow(self, _: Sequence[Letter]) -> MailContent:
        """Return what is stored of it: all."""
        return self._content

    async def send(self, _: Sequence[Letter]) -> Sequence[Result]:
        """Have the gateway send it, and return its answer."""
        provider = self._gateway.provider
        return [await provider.send(self._mail)] if provider else []


class SmsBundle:
    """An SMS, for a gateway."""

    def __init__(self, content: SmsContent, gateway: SmsGateway) -> None:
        self._content = content
        self._gateway = gateway
        self._sms = Sms(content.data, content.phone_number)
        payload = gateway.provider.render(self._sms) if gateway.provider else None
        self.parts = [Letter(content, SMS, gateway.kind, payload)]

    def narrow(self, _: Sequence[Letter]) -> SmsContent:
        """Return what is stored of it: all."""
        return self._content

    async def send(self, _: Sequence[Letter]) -> Sequence[Result]:
        """Have the gateway send it, and return its answer."""
        provider = self._gateway.provider
        return [await provider.send(self._sms)] if provider else []
