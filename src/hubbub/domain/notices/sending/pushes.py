"""The pushes of a bundle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.notices.entries import PUSH, logged
from hubbub.providers.interface import Device, Notice, Outcome, Push, PushProvider, Result
from hubbub.records.notices.model import About, PushContent, Recipient, Told
from hubbub.records.notifications.logs import LogEntry, shown_token
from hubbub.records.notifications.reasons import Reason

LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class PushGateway:
    """A push provider of an app, by the names that the log has for it."""

    provider: PushProvider | None
    """None if the app does not have it any more, or its credentials are not complete."""
    kind: str
    """`fcm`, `apns`, `webpush` or `custom`."""
    id: str | None


@dataclass(frozen=True, slots=True)
class PushPart:
    """A push to one device."""

    told: Told
    recipient: Recipient
    gateway: PushGateway
    push: Push

    @property
    def about(self) -> About:
        """Return the event that it is about."""
        return self.told.about

    @property
    def uid(self) -> str:
        """Return whom it is for."""
        return self.recipient.uid

    @property
    def expires_at(self) -> int:
        """Return when it is worth nothing any more, in seconds."""
        return self.told.expires_at

    def entry(self, result: Result, began_ms: int, now_ms: int) -> LogEntry:
        """Return the log's entry of an answer."""
        provider = self.gateway.provider
        return logged(
            self.told.about,
            self.recipient.uid,
            PUSH,
            started_at_ms=began_ms,
            ended_at_ms=now_ms,
            is_triggered=True,
            is_success=result.outcome is Outcome.SENT,
            error=result.reason[:LONGEST_REASON] or None,
            payload=provider.render(self.push) if provider else None,
            **self._device(),
        )

    def suppressed(self, reason: Reason, now_ms: int) -> LogEntry:
        """Return the log's entry if nothing is sent."""
        return logged(
            self.told.about,
            self.recipient.uid,
            PUSH,
            started_at_ms=now_ms,
            ended_at_ms=now_ms,
            is_triggered=False,
            reason=reason,
            **self._device(),
        )

    def _device(self) -> dict[str, Any]:
        return {
            "provider": self.gateway.kind,
            "provider_id": self.gateway.id,
            "token_type": self.recipient.platform or None,
            "push_token": shown_token(self.recipient.platform, self.recipient.token) or None,
        }


class PushBundle:
    """The pushes of a bundle, for a gateway."""

    def __init__(self, content: PushContent, gateway: PushGateway) -> None:
        self.content = content
        self._gateway = gateway
        self.parts = [self._part(each) for each in content.recipients]

    def narrow(self, parts: Sequence[PushPart]) -> PushContent:
        """Return what is stored of some pushes."""
        recipients = [part.recipient for part in parts]
        return msgspec.structs.replace(self.content, recipients=recipients, checks_read=False)

    async def send(self, parts: Sequence[PushPart]) -> Sequence[Result]:
        """Have the gateway send pushes, and return its answers in the same order."""
        provider = self._gateway.provider
        return await provider.send([part.push for part in parts]) if provider else []

    def _part(self, recipient: Recipient) -> PushPart:
        told = self.content.pushes[recipient.told]
        notice = Notice(
            told.fields, recipient.unread, told.collapse_id, told.expires_at, sound=told.sound
        )
        device = Device(recipient.uid, recipient.platform, recipient.token)
        return PushPart(told, recipient, self._gateway, Push(notice, device))
