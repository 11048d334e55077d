"""The digest of a bundle, which has one: an e-mail or SMS about unread messages."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from hubbub.domain.notifications.logs import logged, refused
from hubbub.domain.notifications.planning.channels import Channels, read_channels
from hubbub.domain.notifications.planning.decide_digest import Verdict, judge_digest
from hubbub.domain.notifications.planning.due_digests import EXPIRY_SECONDS
from hubbub.domain.notifications.rendering.context import open_show
from hubbub.domain.notifications.rendering.digest import UnreadContent
from hubbub.domain.notifications.replies.tag import make_tag
from hubbub.domain.notifications.sending.pushes import LONGEST_REASON
from hubbub.domain.notifications.unsubscribe import Subscriber, unsubscribe_url
from hubbub.providers.interface import (
    Mail,
    MailProvider,
    Result,
    SendOutcome,
    Sms,
    SmsProvider,
)
from hubbub.records.messages.events import MessageSent
from hubbub.records.notifications.logs import NotificationEntry
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.sending.digests import list_sent
from hubbub.records.notifications.sending.model import EMAIL, SMS, About, DigestContent
from hubbub.records.notifications.sending.people import list_standing
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

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
class Digest:
    """A digest to one person."""

    about: About
    uid: str
    channel: str
    kind: str
    payload: Any
    send: Callable[[], Awaitable[Result]]
    log_id: str = ""
    """The id of the log's entry that says that it waits; empty if there is none."""

    def waiting(self, log_id: str) -> "Digest":
        """Return it with the id of the log's entry that says that it waits."""
        return replace(self, log_id=log_id)

    def entry(self, result: Result, began_ms: int, now_ms: int) -> NotificationEntry:
        """Return the log's entry of an answer."""
        has_failed = result.outcome is not SendOutcome.SENT
        is_refused = has_failed and self.kind == TWILIO
        return logged(
            self.about,
            self.uid,
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


@dataclass(frozen=True, slots=True)
class DigestBundle:
    """The digest of a bundle, if it is to be sent, or an entry about it."""

    content: DigestContent
    parts: Sequence[Digest] = ()
    dropped: Sequence[NotificationEntry] = ()

    @property
    def log_ids(self) -> set[str]:
        """Return the id of the log's entry that says that it waits, if there is one."""
        return {self.content.log_id} - {""}

    def narrow(self, parts: Sequence[Digest]) -> DigestContent:
        """Return what is stored of it: all."""
        return msgspec.structs.replace(self.content, log_id=parts[0].log_id)

    async def send(self) -> Sequence[Result]:
        """Have the gateway send it, and return its answer."""
        return [await each.send() for each in self.parts]


async def read_digest(
    runtime: Runtime,
    app_id: str,
    content: DigestContent,
    gateway: MailGateway | SmsGateway,
) -> DigestBundle:
    """Decide on a digest, as things are now; what is sent says what is true now."""
    channel = EMAIL if isinstance(gateway, MailGateway) else SMS
    now_ms = runtime.clock.milliseconds()

    def dropped(reason: Reason) -> DigestBundle:
        entry = refused(channel, content.uid, content.about, reason, now_ms, provider=gateway.kind)
        return DigestBundle(content, dropped=[entry])

    async def find(snapshot: Snapshot) -> tuple[Channels, list[MessageSent], bool, bool]:
        ids = content.messages or [content.about.message_id]
        return (
            await read_channels(runtime, snapshot),
            await list_sent(snapshot, ids),
            await _is_erased(snapshot, content.uid, content.number),
            await _is_erased(snapshot, content.about.sender, content.sender_number),
        )

    channels, sent, is_erased, is_sender_erased = await runtime.database.read(app_id, find)
    if is_erased:
        return DigestBundle(content)
    if gateway.provider is None:
        return dropped(Reason.NOT_FOUND)
    written_ms = 1000 * (content.expires_at - EXPIRY_SECONDS)
    if 1000 * content.expires_at + runtime.steps.find_ahead(written_ms) <= now_ms:
        return dropped(Reason.TIMED_OUT)
    verdict = await judge_digest(
        runtime, app_id, channels, channel, content.uid, sent, is_counted=True
    )
    if verdict is None:
        gone = DigestBundle(content)
        return gone if is_sender_erased else dropped(Reason.MESSAGE_DELETED)
    if verdict.reason is not None:
        return dropped(verdict.reason)
    return render_digest(runtime, app_id, channels, content, gateway, verdict)


async def _is_erased(snapshot: Snapshot, uid: str, number: int) -> bool:
    """Return whether the user who had a uid and a number was erased; 0 is no user."""
    found = (await list_standing(snapshot, [uid])).get(uid) if number else None
    return bool(number) and (found is None or found.number != number)


def render_digest(
    runtime: Runtime,
    app_id: str,
    channels: Channels,
    content: DigestContent,
    gateway: MailGateway | SmsGateway,
    verdict: Verdict,
) -> DigestBundle:
    """Return a digest with its text."""
    user, contact = verdict.reader.user, verdict.reader.contact
    unread = UnreadContent(
        channels.settings.templates,
        verdict.happenings,
        open_show(runtime, app_id),
        is_private=verdict.reader.addressee.preferences.uses_privacy_template,
    )
    to = {"uid": user.uid, "name": user.name}
    if isinstance(gateway, SmsGateway):
        number = contact.phone_number or ""
        to |= {"phno": number} if number else {}
        return _sms_bundle(content, gateway, Sms({"to": to, **unread.sms_data()}, number))
    email = contact.email or ""
    to |= {"email": email} if email else {}
    mail = Mail(
        data={"to": to, **unread.mail_data()},
        email=email,
        unsubscribe_url=unsubscribe_url(
            runtime, Subscriber(app_id, user.uid, EMAIL, verdict.reader.number)
        ),
        message_id=content.message_id,
        reply_tag=make_tag(runtime.sealer, app_id, user.uid, content.about.conversation),
    )
    return _mail_bundle(content, gateway, mail)


def _mail_bundle(content: DigestContent, gateway: MailGateway, mail: Mail) -> DigestBundle:
    provider = gateway.provider
    if provider is None:
        return DigestBundle(content)
    payload, send = provider.render(mail), partial(provider.send, mail)
    digest = Digest(content.about, content.uid, EMAIL, gateway.kind, payload, send, content.log_id)
    return DigestBundle(content, [digest])


def _sms_bundle(content: DigestContent, gateway: SmsGateway, sms: Sms) -> DigestBundle:
    provider = gateway.provider
    if provider is None:
        return DigestBundle(content)
    payload, send = provider.render(sms), partial(provider.send, sms)
    digest = Digest(content.about, content.uid, SMS, gateway.kind, payload, send, content.log_id)
    return DigestBundle(content, [digest])
