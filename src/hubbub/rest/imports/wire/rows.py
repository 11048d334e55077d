"""Shapes of the rows of the data import, and what each row becomes."""

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from hubbub.domain.access.actor import Actor
from hubbub.domain.imports.groups import ImportedGroup
from hubbub.domain.imports.members import ImportedMember
from hubbub.domain.imports.messages import ImportedMessage
from hubbub.domain.imports.times import check_sent_at, check_time
from hubbub.domain.members.enter import Entrant
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.http.decoding.decode import convert_body, refuse_nul
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.groups.model import PASSWORD, GroupDraft
from hubbub.records.groups.passwords import EmptyGroupPassword
from hubbub.records.messages.model import Brought, ImportedPast
from hubbub.records.users.model import UserDraft
from hubbub.rest.imports.wire.past import (
    OtherMessage,
    Reactions,
    Seconds,
    id_of,
    read_reactions,
    reference_to,
    seconds,
)
from hubbub.rest.messages.wire.send import Data, Muid
from hubbub.rest.people.wire.users import ProfileFields
from hubbub.rest.wire.enums import GroupType, ReceiverType, Scope, SentCategory
from hubbub.rest.wire.shapes import Id, Json, Link, Name, Shape, ShortText, Tags

Read = TypeVar("Read")

_encode = msgspec.json.Encoder().encode


class UserFields(ProfileFields, kw_only=True):
    """A user with the times of their past."""

    uid: Id
    name: Name
    created_at: Seconds | None = None
    last_active_at: Seconds | None = None
    deactivated_at: Seconds | None = None

    def draft(self) -> UserDraft:
        return UserDraft(
            self.uid.lower(),
            self.profile(),
            created_at=seconds(self.created_at),
            last_active_at=seconds(self.last_active_at),
            deactivated_at=seconds(self.deactivated_at),
        )


class GroupFields(Shape):
    """A group with its past."""

    guid: Id
    name: Name
    type: GroupType
    password: Annotated[str, Meta(max_length=100)] | None = None
    icon: Link | None = None
    description: ShortText | None = None
    owner: Id | None = None
    created_at: Seconds | None = None
    metadata: Json | None = None
    tags: Tags | None = None
    group_owner_details: UserFields | None = None

    def row(self, owner_details: UserFields | None = None) -> ImportedGroup:
        if self.type == PASSWORD and not self.password:
            raise EmptyGroupPassword
        owner_details = owner_details or self.group_owner_details
        return ImportedGroup(
            GroupDraft(
                guid=self.guid.lower(),
                name=self.name,
                type=self.type,
                icon=self.icon,
                description=self.description,
                owner=self.owner.lower() if self.owner else None,
                metadata=self.metadata,
                tags=tuple(dict.fromkeys(self.tags or ())),
                created_at=seconds(self.created_at),
            ),
            self.password if self.type == PASSWORD else None,
            owner_details.draft() if owner_details else None,
        )


class MemberFields(Shape):
    """A membership with its past."""

    member_id: str
    guid: Id
    uid: Id
    joined_at: Seconds
    scope: Scope = "participant"
    is_banned: bool = False
    group_details: GroupFields | None = None
    user_details: UserFields | None = None


class MessageFields(Shape):
    """A message with its past."""

    muid: Muid
    sender: Id
    receiver_type: Annotated[str | None, documented_as(ReceiverType, required=True)] = None
    receiver: Annotated[str | None, documented_as(required=True, description="A uid or guid.")] = (
        None
    )
    sent_at: Seconds | None = None
    category: Annotated[str | None, documented_as(SentCategory)] = None
    type: str | None = None
    data: Data = None
    tags: Tags | None = None
    delivered_at: Seconds | None = None
    read_at: Seconds | None = None
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: ShortText | None = None
    sender_user_details: UserFields | None = None
    receiver_user_details: UserFields | None = None
    receiver_group_details: GroupFields | None = None
    receiver_group_owner_details: UserFields | None = None
    edited_at: Seconds | None = None
    parent_id: OtherMessage | None = None
    parent_sender: Id | None = None
    quoted_message_id: OtherMessage | None = None
    quoted_message_sender: Id | None = None
    reactions: Reactions | None = None

    def past(self, now: int) -> ImportedPast:
        """Return its times, and what it brings along.

        Raises:
            BadInput: a time is not possible.
        """
        sent_at = seconds(self.sent_at)
        if sent_at is None:
            raise BadInput.field("sentAt", "The sentAt field is required.")
        check_sent_at(sent_at, now)
        return ImportedPast(
            sent_at,
            seconds(self.delivered_at),
            seconds(self.read_at),
            self._brought(sent_at, now),
        )

    def _brought(self, sent_at: int, now: int) -> Brought | None:
        edited_at, others = seconds(self.edited_at), (self.parent_id, self.quoted_message_id)
        if edited_at is None and others == (None, None) and not self.reactions:
            return None
        check_time("editedAt", edited_at, sent_at=sent_at, now=now)
        return Brought(
            edited_at,
            reference_to(self.parent_id, self.parent_sender),
            reference_to(self.quoted_message_id, self.quoted_message_sender),
            read_reactions(self.reactions or (), sent_at=sent_at, now=now),
        )


def _convert(value: Any, type_: type[Read], wrapper: str, ignored: list[str]) -> Read:
    """Return the value of a row as a shape; add the names of unknown fields to `ignored`.

    Raises:
        BadInput: the value does not fit the shape.
    """
    fields: Read = convert_body(value, type_, ignored, f"{wrapper}.")
    if b"\\u0000" in _encode(value):
        refuse_nul(fields)
    return fields


def _check_key(key: str, value: str, name: str) -> None:
    if key != value:
        raise BadInput.field(name, f"The {name} {value!r} differs from the key {key!r} of the row.")


def read_user(key: str, value: Any, ignored: list[str]) -> UserDraft:
    """Validate and return a row of `users`."""
    fields = _convert(value, UserFields, "users", ignored)
    _check_key(key.lower(), fields.uid.lower(), "uid")
    return fields.draft()


def read_group(key: str, value: Any, ignored: list[str]) -> ImportedGroup:
    """Validate and return a row of `groups`."""
    fields = _convert(value, GroupFields, "groups", ignored)
    _check_key(key.lower(), fields.guid.lower(), "guid")
    return fields.row()


def read_member(key: str, value: Any, ignored: list[str]) -> ImportedMember:
    """Validate and return a row of `members`."""
    fields = _convert(value, MemberFields, "members", ignored)
    guid, uid = fields.guid.lower(), fields.uid.lower()
    _check_key(key.lower(), fields.member_id.lower(), "memberId")
    _check_key(f"{guid}_member_{uid}", fields.member_id.lower(), "memberId")
    joined_at = int(fields.joined_at)
    return ImportedMember(
        Entrant(guid, uid, fields.scope, joined_at=joined_at, is_banned=fields.is_banned),
        fields.user_details.draft() if fields.user_details else None,
        fields.group_details.row() if fields.group_details else None,
    )


def read_message(key: str, value: Any, ignored: list[str], now: int) -> ImportedMessage:
    """Validate and return a row of `messages`."""
    fields = _convert(value, MessageFields, "messages", ignored)
    _check_key(key, fields.muid, "muid")
    if isinstance(fields.data, dict) and "reactions" in fields.data:
        ignored.append("messages.data.reactions")
    past = fields.past(now)
    sending = MessageInput(
        receiver=fields.receiver,
        receiver_type=fields.receiver_type,
        category=fields.category,
        type=fields.type,
        data=fields.data,
        tags=fields.tags or (),
        muid=fields.muid,
        parent_id=id_of(fields.parent_id, "parentId"),
        quoted_id=id_of(fields.quoted_message_id, "quotedMessageId"),
        update_conversation=fields.update_conversation,
        send_notification=fields.send_notification,
        conversation_text=fields.conversation_text,
    )
    group = fields.receiver_group_details
    owner = fields.receiver_group_owner_details
    people = (fields.sender_user_details, fields.receiver_user_details, owner)
    return ImportedMessage(
        compose(Actor(normalise_id(fields.sender, "sender")), sending, past),
        [person.draft() for person in people if person is not None],
        group.row(owner) if group else None,
    )
