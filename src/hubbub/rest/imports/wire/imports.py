"""The shapes of data import: wrappers whose keys are ids, and one outcome for each key.

A wrapper's rows are read one by one, so that a bad one fails alone.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from hubbub.domain.access.actor import Actor
from hubbub.domain.imports.groups import GroupRow
from hubbub.domain.imports.members import MemberRow
from hubbub.domain.imports.messages import MessageRow
from hubbub.domain.imports.outcome import LARGEST_IMPORT, OnConflict, Row
from hubbub.domain.members.enter import Entry
from hubbub.domain.messages.compose import Sending, compose
from hubbub.http.decode import invalid, refuse_nul
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import normalise_id
from hubbub.records.groups.model import PASSWORD, GroupDraft
from hubbub.records.groups.passwords import EmptyGroupPassword
from hubbub.records.messages.model import Import
from hubbub.records.users.model import UserDraft
from hubbub.rest.messages.wire.messages import Muid
from hubbub.rest.wire.shapes import Free, Id, Link, Name, Shape, ShortText, Tags, Timestamp

Item = TypeVar("Item")
Made = TypeVar("Made")

SecondsText = Annotated[str, Meta(pattern=r"^[0-9]{1,11}(?!\n)$")]
Seconds = Timestamp | SecondsText
LATEST_AHEAD_SECONDS = 300


def seconds(value: int | str | None) -> int | None:
    """A timestamp that may be written as digits."""
    return None if value is None else int(value)


class ImportQuery(Shape):
    """What is done with rows whose entity exists."""

    on_conflict: Literal["skip", "update"] | None = None

    def rule(self) -> OnConflict:
        return OnConflict(self.on_conflict) if self.on_conflict else OnConflict.REFUSE


class ImportRowsQuery(Shape):
    """What is done with rows whose entity exists."""

    on_conflict: Literal["skip"] | None = None

    def rule(self) -> OnConflict:
        return OnConflict.SKIP if self.on_conflict else OnConflict.REFUSE


def rows_of(shape: str) -> Meta:
    """What the document says of a wrapper, whose rows are read one by one."""
    row = {"$ref": f"#/components/schemas/{shape}"}
    schema = {"type": "object", "maxProperties": LARGEST_IMPORT, "additionalProperties": row}
    return Meta(extra_json_schema=schema)


class ImportUsers(Shape):
    """Users by uid, 50 at most."""

    users: Annotated[Any, rows_of("UserRow")] = None


class ImportGroups(Shape):
    """Groups by guid, 50 at most."""

    groups: Annotated[Any, rows_of("GroupFields")] = None


class ImportMembers(Shape):
    """Members by `<guid>_member_<uid>`, 50 at most."""

    members: Annotated[Any, rows_of("MemberFields")] = None


class ImportMessages(Shape):
    """Messages by muid, 50 at most."""

    messages: Annotated[Any, rows_of("MessageFields")] = None


class Outcome(Shape, Generic[Item]):
    """What became of one row."""

    success: bool
    skipped: bool = False
    data: Item | None = None
    error: Problem | None = None


class ImportedMemberShape(Shape):
    """A membership."""

    guid: str
    uid: str
    scope: str
    joined_at: int


def check_wrapper(rows: Any, name: str, code: str) -> Mapping[str, Any]:
    """The rows of a wrapper.

    Raises:
        BadInput: it is no object, or has more than 50 rows.
    """
    if not isinstance(rows, dict):
        raise BadInput.field(
            name, f"The {name} must be an object whose keys are the ids.", code=code
        )
    if len(rows) > LARGEST_IMPORT:
        raise BadInput.field(
            name, f"There are {len(rows)} rows; {LARGEST_IMPORT} may be in a request."
        )
    return rows


def read_rows(
    rows: Mapping[str, Any], read: Callable[[str, Any], Made]
) -> tuple[dict[str, Made], dict[str, Refusal]]:
    """The rows that are well-formed, and why the others are not, by key."""
    good: dict[str, Made] = {}
    bad: dict[str, Refusal] = {}
    for key, value in rows.items():
        try:
            good[key] = read(key, value)
        except BadInput as refusal:
            bad[key] = refusal
    return good, bad


def outcomes(
    keys: Sequence[str],
    done: Mapping[str, Row[Made]],
    bad: Mapping[str, Refusal],
    shape: Callable[[Made], Item],
) -> dict[str, Outcome[Item]]:
    """The answer: one outcome for every key that was sent, in order."""
    told: dict[str, Outcome[Item]] = {}
    for key in keys:
        row: Row[Made] = done.get(key) or Row(refusal=bad[key])
        if row.refusal is not None:
            told[key] = Outcome(success=False, error=body_of(row.refusal).error)
        elif row.entity is not None:
            told[key] = Outcome(success=True, skipped=row.is_skipped, data=shape(row.entity))
    return told


class UserRow(Shape):
    """A user with his past."""

    uid: Id
    name: Name
    avatar: Link | None = None
    link: Link | None = None
    role: Id | None = None
    status_message: ShortText | None = None
    created_at: Seconds | None = None
    last_active_at: Seconds | None = None
    deactivated_at: Seconds | None = None
    metadata: Free | None = None
    tags: Tags | None = None

    def draft(self) -> UserDraft:
        return UserDraft(
            uid=self.uid.lower(),
            name=self.name,
            avatar=self.avatar,
            link=self.link,
            role=self.role.lower() if self.role else None,
            status_message=self.status_message,
            metadata=self.metadata,
            tags=tuple(dict.fromkeys(self.tags or ())),
            created_at=seconds(self.created_at),
            last_active_at=seconds(self.last_active_at),
            deactivated_at=seconds(self.deactivated_at),
        )


class GroupFields(Shape):
    """A group with its past."""

    guid: Id
    name: Name
    type: Literal["public", "private", "password"]
    password: Annotated[str, Meta(max_length=100)] | None = None
    icon: Link | None = None
    description: ShortText | None = None
    owner: Id | None = None
    created_at: Seconds | None = None
    metadata: Free | None = None
    tags: Tags | None = None
    group_owner_details: UserRow | None = None

    def row(self, owner_details: UserRow | None = None) -> GroupRow:
        if self.type == PASSWORD and not self.password:
            raise EmptyGroupPassword
        owner_details = owner_details or self.group_owner_details
        return GroupRow(
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
    scope: Literal["admin", "moderator", "participant"] = "participant"
    is_banned: bool = False
    group_details: GroupFields | None = None
    user_details: UserRow | None = None


class MessageFields(Shape):
    """A message with its past."""

    muid: Muid
    sender: Id
    receiver_type: str | None = None
    receiver: str | None = None
    sent_at: Seconds | None = None
    category: str | None = None
    type: str | None = None
    data: Any = None
    tags: Tags | None = None
    delivered_at: Seconds | None = None
    read_at: Seconds | None = None
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: ShortText | None = None
    sender_user_details: UserRow | None = None
    receiver_user_details: UserRow | None = None
    receiver_group_details: GroupFields | None = None
    receiver_group_owner_details: UserRow | None = None


def _fields(value: Any, type_: type[Made]) -> Made:
    """A row's value as a shape.

    Raises:
        BadInput: it does not fit.
    """
    try:
        fields = msgspec.convert(value, type_)
    except msgspec.ValidationError as fault:
        raise invalid(fault) from None
    refuse_nul(fields)
    return fields


def _check_key(key: str, value: str, name: str) -> None:
    if key != value:
        raise BadInput.field(name, f"The {name} {value!r} differs from its key {key!r}.")


def read_user(key: str, value: Any) -> UserDraft:
    """A row of `users`."""
    fields = _fields(value, UserRow)
    _check_key(key.lower(), fields.uid.lower(), "uid")
    return fields.draft()


def read_group(key: str, value: Any) -> GroupRow:
    """A row of `groups`."""
    fields = _fields(value, GroupFields)
    _check_key(key.lower(), fields.guid.lower(), "guid")
    return fields.row()


def read_member(key: str, value: Any) -> MemberRow:
    """A row of `members`."""
    fields = _fields(value, MemberFields)
    guid, uid = fields.guid.lower(), fields.uid.lower()
    _check_key(key.lower(), fields.member_id.lower(), "memberId")
    _check_key(f"{guid}_member_{uid}", fields.member_id.lower(), "memberId")
    joined_at = int(fields.joined_at)
    return MemberRow(
        Entry(guid, uid, fields.scope, joined_at=joined_at, is_banned=fields.is_banned),
        fields.user_details.draft() if fields.user_details else None,
        fields.group_details.row() if fields.group_details else None,
    )


def read_message(key: str, value: Any, now: int) -> MessageRow:
    """A row of `messages`."""
    fields = _fields(value, MessageFields)
    _check_key(key, fields.muid, "muid")
    sent_at = seconds(fields.sent_at)
    if sent_at is None:
        raise BadInput.field("sentAt", "The sentAt field is required.")
    if sent_at > now + LATEST_AHEAD_SECONDS:
        raise BadInput.field("sentAt", "The sentAt lies more than five minutes ahead.")
    sending = Sending(
        receiver=fields.receiver,
        receiver_type=fields.receiver_type,
        category=fields.category,
        type=fields.type,
        data=fields.data,
        tags=fields.tags or (),
        muid=fields.muid,
        update_conversation=fields.update_conversation,
        send_notification=fields.send_notification,
        conversation_text=fields.conversation_text,
    )
    past = Import(sent_at, seconds(fields.delivered_at), seconds(fields.read_at))
    group = fields.receiver_group_details
    owner = fields.receiver_group_owner_details
    people = (fields.sender_user_details, fields.receiver_user_details, owner)
    return MessageRow(
        compose(Actor(normalise_id(fields.sender, "sender")), sending, past),
        [person.draft() for person in people if person is not None],
        group.row(owner) if group else None,
    )
