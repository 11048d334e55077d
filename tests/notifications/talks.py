"""What Anna and Ben do, as it is stored, for tests of notifications."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import msgspec
from tests.world import Json

from hubbub.domain.notifications.happening import Happening, make_happening
from hubbub.domain.notifications.rendering.context import context_of
from hubbub.domain.notifications.rendering.wording import Wording, variant_of
from hubbub.outbox.log import LogEntry
from hubbub.records.groups.model import Group
from hubbub.records.messages.events import MessageSent
from hubbub.records.messages.model import ACTION, GROUP_MEMBER, OF_MESSAGE, Message, MessageView
from hubbub.records.notifications.items import CHANGES, MEMBER_ACTIONS, Item
from hubbub.records.notifications.templates import Templates
from hubbub.records.reactions.events import MessageReactionAdded
from hubbub.records.users.model import User
from hubbub.rest.payloads import render

NOW = 1_790_000_000
"""The time of what is said, in seconds."""
PAIR = "anna_user_ben"


def user(uid: str, **fields: Any) -> User:
    """Return a user."""
    avatar = f"https://example.com/{uid}.png"
    return User(**{"uid": uid, "name": uid.capitalize(), "avatar": avatar, **fields})


ANNA, BEN = user("anna"), user("ben")
HIKERS = Group(
    guid="hikers",
    name="Hikers",
    type="public",
    icon="https://example.com/hikers.png",
    description=None,
    owner="anna",
    metadata=None,
    tags="[]",
    members_count=2,
    conversation=2,
    created_at=NOW,
    updated_at=None,
    updated_by=None,
    permissions=None,
)
_SENT = {
    "id": 101,
    "conversation": 1,
    "muid": None,
    "category": "message",
    "type": "text",
    "parent_id": None,
    "quoted_id": None,
    "tags": "[]",
    "options": None,
    "sent_at": NOW,
    "updated_at": NOW,
    "edited_at": None,
    "edited_by": None,
    "deleted_at": None,
    "deleted_by": None,
    "delivered_at": None,
    "read_at": None,
    "counts": True,
    "shows": True,
    "ordinal": 1,
    "is_erased": False,
    "traits": 0,
}


def view(
    text: str | None = "Hello Ben",
    *,
    sender: User = ANNA,
    to: User | Group = BEN,
    data: Json | None = None,
    options: Json | None = None,
    mentions: Collection[User] = (),
    mentions_all: bool = False,
    **fields: Any,
) -> MessageView:
    """Return a message of Anna's to Ben; `data` has further fields of its data."""
    is_group = isinstance(to, Group)
    written = {"text": text, **(data or {})} if text is not None else data or {}
    message = Message(
        **{
            **_SENT,
            "sender": sender.uid,
            "receiver_type": "group" if is_group else "user",
            "receiver": to.guid if isinstance(to, Group) else to.uid,
            "data": json.dumps(written),
            "options": None if options is None else json.dumps(options),
            **fields,
        }
    )
    return MessageView(
        message=message,
        sender=sender,
        receiver=to,
        mentions={each.uid: each for each in mentions},
        mentions_all=mentions_all,
    )


def happening(item: Item, about: MessageView, **fields: Any) -> Happening:
    """Return what Anna, or who sent a message, has done to it."""
    return replace(make_happening(_entry_of(about), about), item=item, **fields)


def said(text: str | None = "Hello Ben", **fields: Any) -> Happening:
    """Return that Anna sends Ben, or another one, a message."""
    about = view(text, **fields)
    return make_happening(_entry_of(about), about)


def said_in_group(text: str | None = "Hello all", **fields: Any) -> Happening:
    """Return that Anna sends the hikers a message."""
    return said(text, to=HIKERS, **fields)


def reacted(about: MessageView, by: User = BEN, reaction: str = "👍") -> Happening:
    """Return that Ben, or another one, reacts to a message."""
    event = MessageReactionAdded(
        id=205,
        message=about.message.id,
        conversation=1,
        reaction=reaction,
        uid=by.uid,
        reacted_at=NOW + 20,
        at=NOW + 20,
    )
    entry = LogEntry(7, "", event)
    return happening(Item.REACTION, about, entry=entry, actor=by.uid, by=by, at=NOW + 20)


def changed(item: Item, about: MessageView, by: User | None = None) -> Happening:
    """Return that the sender of a message, or another one, edits or deletes it."""
    assert item in CHANGES
    by = by or about.sender
    action = view(
        None,
        sender=by,
        to=about.receiver,
        id=102,
        category=ACTION,
        type=OF_MESSAGE,
        sent_at=NOW + 30,
        data={"action": item.removeprefix("message_"), "on": about.message.id},
    )
    action = msgspec.structs.replace(action, about=about)
    return happening(item, about, actor=by.uid, by=by, at=NOW + 30, action=action)


def changed_member(item: Item, by: User, member: User = BEN, scope: str | None = None) -> Happening:
    """Return that somebody changes what Ben, or another one, is in the group of hikers."""
    assert item in MEMBER_ACTIONS
    action = item.removeprefix("member_")
    data = {"action": action, "on": member.uid, **({"scope": scope} if scope else {})}
    about = view(None, sender=by, to=HIKERS, category=ACTION, type=GROUP_MEMBER, data=data)
    return happening(item, msgspec.structs.replace(about, on=member))


def show(what: MessageView | User) -> Json:
    """Return a message or a user as users are shown them."""
    found: Json = json.loads(render.show(what))
    return found


def texts(
    about: Happening,
    uid: str = "ben",
    *,
    templates: Templates | None = None,
    is_private: bool = False,
) -> tuple[str, str]:
    """Return the title and body for a person."""
    context = context_of(about, show(about.view), show)
    wording = Wording(templates or Templates(), about, context)
    return wording.texts(variant_of(about, uid), is_private=is_private)


def _entry_of(about: MessageView) -> LogEntry:
    sent = about.message
    event = MessageSent(
        sent.id, 1, sent.sender, sent.receiver_type, sent.receiver, True, True, 1, sent.sent_at
    )
    return LogEntry(7, "", event)
