"""Find out what message a mail becomes: of whom, in which conversation, with which text."""

from dataclasses import dataclass
from functools import partial

from hubbub.domain.notifications.addresses import NoAddress, normalise_email
from hubbub.domain.notifications.replies.mail import IncomingMail
from hubbub.domain.notifications.replies.tag import LONGEST_ADDRESS, ReplyTag, read_tag
from hubbub.domain.notifications.replies.text import read_text
from hubbub.kernel.errors import NotFound
from hubbub.kernel.text import SYSTEM_UID, is_app_id
from hubbub.outbox.log import BEYOND
from hubbub.records.conversations.model import USER, Conversation
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.notifications.channels import find_by_replies_token
from hubbub.records.notifications.sending.people import list_members_after
from hubbub.records.notifications.setups import SendGridSetup
from hubbub.records.notifications.store import find_contact_details
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

PATH = "/v3/notifications/email/v1/sendgrid/replies"
"""The path to which SendGrid's Inbound Parse passes on replies."""
LONGEST_TOKEN = 200
MOST_MEMBERS = 1000
"""In a larger group nobody answers by mail: all members are compared with the tag."""
MUID_DIGITS = 40


class ReplyIgnored(Exception):
    """A mail that does not become a message; the text is a word for the log."""


@dataclass(frozen=True, slots=True)
class MailReply:
    """A message to send for a person."""

    uid: str
    receiver_type: str
    receiver: str
    text: str
    muid: str
    """The same whenever the mail arrives."""


async def find_app_of(runtime: Runtime, token: str) -> tuple[str, SendGridSetup]:
    """Return the app that a token for replies belongs to, and its setup of SendGrid.

    Raises:
        NotFound: the token is not known.
    """
    app_id = token.partition(".")[0]
    setup = None
    if is_app_id(app_id) and token.isascii() and len(token) <= LONGEST_TOKEN:
        reading = partial(find_by_replies_token, sealer=runtime.sealer, token=token)
        setup = await runtime.database.read(app_id, reading)
    if setup is None:
        raise NotFound("This URL is not valid: it may not have been copied whole.")
    return app_id, setup


async def read_reply(runtime: Runtime, app_id: str, mail: IncomingMail) -> MailReply:
    """Return the message that a mail becomes.

    Raises:
        ReplyIgnored: it becomes none.
    """
    if mail.is_automatic:
        raise ReplyIgnored("automatic")
    tag = next((tag for tag in map(read_tag, mail.to) if tag is not None), None)
    if tag is None:
        raise ReplyIgnored("no_tag")
    reading = partial(_find_owner, runtime=runtime, tag=tag, sender=_normal(mail.sender))
    conversation, uid = await runtime.database.read(app_id, reading)
    text = read_text(mail.text, mail.html, tag.proof)
    if not text:
        raise ReplyIgnored("empty")
    mark = mail.message_id or f"{mail.text}{mail.html}"
    hashed = runtime.sealer.hash(f"reply muid/{app_id}/{uid}/{conversation.number}/{mark}")
    return MailReply(
        uid, conversation.kind, conversation.other_than(uid), text, f"mail-{hashed[:MUID_DIGITS]}"
    )


async def _find_owner(
    snapshot: Snapshot, runtime: Runtime, tag: ReplyTag, sender: str
) -> tuple[Conversation, str]:
    """Return the conversation and the owner of a tag, who has the address of the sender."""
    found = await find_by_numbers(snapshot, [tag.conversation])
    people = await _list_people(snapshot, found[0]) if found else []
    uid = tag.find_owner(runtime.sealer, snapshot.app_id, people)
    if uid is None:
        raise ReplyIgnored("unknown_tag")
    stored = (await find_contact_details(snapshot, uid)).email or ""
    if not sender or _normal(stored) != sender:
        raise ReplyIgnored("other_address")
    return found[0], uid


async def _list_people(snapshot: Snapshot, conversation: Conversation) -> list[str]:
    if conversation.kind == USER:
        uids = {conversation.left_id, conversation.right_id}
        return [uid for uid in uids if uid != SYSTEM_UID]
    most = MOST_MEMBERS + 1
    members = await list_members_after(
        snapshot, conversation.number, BEYOND, BEYOND, "", limit=most
    )
    return members if len(members) <= MOST_MEMBERS else []


def _normal(address: str) -> str:
    """Return an address in the form in which it is compared; empty if it is none."""
    try:
        return normalise_email(address[:LONGEST_ADDRESS]).casefold()
    except NoAddress:
        return ""
