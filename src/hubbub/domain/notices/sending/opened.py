"""Open a stored bundle for its gateway, and leave out what is not worth sending any more."""

from collections.abc import Sequence

import msgspec

from hubbub.domain.notices.sending.contents import Content, Part
from hubbub.domain.notices.sending.gateways import Gateway
from hubbub.domain.notices.sending.letters import MailBundle, MailGateway, SmsBundle, SmsGateway
from hubbub.domain.notices.sending.pushes import PushBundle
from hubbub.records.notices.model import About, Bundle, MailContent, PushContent, SmsContent
from hubbub.records.notices.people import list_present, list_readers
from hubbub.records.notifications.logs import LogEntry
from hubbub.records.notifications.reasons import Reason
from hubbub.storage.interface import Snapshot

DELETION = "message_deleted"
Left = tuple[list[Part], list[LogEntry]]
"""The parts to send, and the log's entries of the others."""

_decode_push = msgspec.json.Decoder(PushContent).decode
_decode_mail = msgspec.json.Decoder(MailContent).decode
_decode_sms = msgspec.json.Decoder(SmsContent).decode


def open_bundle(bundle: Bundle, gateway: Gateway) -> Content:
    """Return the content of a bundle."""
    if isinstance(gateway, MailGateway):
        return MailBundle(_decode_mail(bundle.content), gateway)
    if isinstance(gateway, SmsGateway):
        return SmsBundle(_decode_sms(bundle.content), gateway)
    return PushBundle(_decode_push(bundle.content), gateway)


async def leave_out(
    snapshot: Snapshot, content: Content, gateway: Gateway, now_ms: int, *, is_late: bool
) -> Left:
    """Return the parts of a bundle that are to be sent, and entries about the others.

    Of a bundle that `is_late`, messages may have been deleted, and read, since it was planned.
    """
    parts = content.parts
    if gateway.provider is None:
        is_push = isinstance(content, PushBundle)
        reason = Reason.INVALID_PUSH_PROVIDER_ID if is_push else Reason.NOT_FOUND
        return [], [part.suppressed(reason, now_ms) for part in parts]
    readers: set[tuple[int, str]] = set()
    if isinstance(content, PushBundle) and content.content.checks_read:
        readers = await _list_readers(snapshot, content)
        is_late = True
    present = await list_present(snapshot, _message_ids(parts)) if is_late else set()
    kept: list[Part] = []
    dropped: list[LogEntry] = []
    for part in parts:
        about = part.about
        if 1000 * part.expires_at <= now_ms:
            dropped.append(part.suppressed(Reason.TIMED_OUT, now_ms))
        elif is_late and _needs_message(about) and about.message_id not in present:
            dropped.append(part.suppressed(Reason.NOT_FOUND, now_ms))
        elif (about.message_id, part.uid) in readers:
            dropped.append(part.suppressed(Reason.ALREADY_READ, now_ms))
        else:
            kept.append(part)
    return kept, dropped


def _needs_message(about: About) -> bool:
    """Return whether something is told of the content of a message."""
    return bool(about.message_id) and about.trigger != DELETION


def _message_ids(parts: Sequence[Part]) -> set[int]:
    return {part.about.message_id for part in parts if _needs_message(part.about)}


async def _list_readers(snapshot: Snapshot, content: PushBundle) -> set[tuple[int, str]]:
    """Return who has read what they would be told of: the message, and the uid."""
    found: set[tuple[int, str]] = set()
    uids: dict[tuple[int, int], set[str]] = {}
    for part in content.parts:
        key = part.about.conversation, part.about.message_id
        uids.setdefault(key, set()).add(part.uid)
    for (conversation, message_id), readers in uids.items():
        read = await list_readers(snapshot, conversation, message_id, readers)
        found |= {(message_id, uid) for uid in read}
    return found
