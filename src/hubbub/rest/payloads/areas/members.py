"""The payloads of triggers about members of groups."""

from dataclasses import replace
from typing import Annotated

import msgspec

from hubbub.http.documented import documented_as
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    GroupMemberScopeChanged,
    GroupMemberUnbanned,
    MemberEvent,
    MemberEventBy,
)
from hubbub.rest.payloads.areas.groups import PayloadGroup, payload_group
from hubbub.rest.payloads.areas.messages import MessageJson
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload, message_json
from hubbub.rest.payloads.samples import ANNA, BEN, member_action, sample_group
from hubbub.rest.wire.enums import Scope
from hubbub.rest.wire.shapes import Json, Shape


class RescopedMember(PayloadUser, kw_only=True):
    """A member with the scope that they have now, and the one that they had."""

    scope: Annotated[str, documented_as(Scope)]
    old_scope: Annotated[str, documented_as(Scope)]


class MemberPayload(Shape, kw_only=True):
    """The data of `group_member_joined` and `group_member_left`.

    `message` is the entry in the group's conversation, if that has not been deleted.
    """

    group: PayloadGroup
    members: dict[str, PayloadUser]
    message: MessageJson | None = None


class MemberByPayload(MemberPayload, kw_only=True):
    """The data of `group_member_added`, `_kicked`, `_banned` and `_unbanned`; `by` did it."""

    by: PayloadUser


class RescopedMemberPayload(Shape, kw_only=True):
    """The data of `group_member_scope_changed`; `by` did it."""

    group: PayloadGroup
    members: dict[str, RescopedMember]
    by: PayloadUser
    message: MessageJson | None = None


def moved(facts: Facts, event: MemberEvent) -> MemberPayload | None:
    """Return the data of who joined or left; None if the group is gone."""
    group = _group(facts, event)
    if group is None:
        return None
    return MemberPayload(
        group=group, members=_members(facts, event), message=_message(facts, event)
    )


def done(facts: Facts, event: MemberEventBy) -> MemberByPayload | None:
    """Return the data of who was added, kicked, banned or unbanned; None if the group is gone."""
    group = _group(facts, event)
    if group is None:
        return None
    return MemberByPayload(
        group=group,
        members=_members(facts, event),
        message=_message(facts, event),
        by=payload_user(facts.user(event.by)),
    )


def rescoped(facts: Facts, event: GroupMemberScopeChanged) -> RescopedMemberPayload | None:
    """Return the data of `group_member_scope_changed`; None if the group is gone."""
    group = _group(facts, event)
    if group is None:
        return None
    member = RescopedMember(
        **msgspec.structs.asdict(payload_user(facts.user(event.uid))),
        scope=event.scope,
        old_scope=event.old_scope,
    )
    return RescopedMemberPayload(
        group=group,
        members={event.uid: member},
        by=payload_user(facts.user(event.by)),
        message=_message(facts, event),
    )


def _group(facts: Facts, event: MemberEvent) -> PayloadGroup | None:
    """Return the group with the number of members after the event."""
    group = facts.group(event.guid, event.conversation)
    if group is None:
        return None
    return payload_group(replace(group, members_count=event.members_count))


def _members(facts: Facts, event: MemberEvent) -> dict[str, PayloadUser]:
    return {event.uid: payload_user(facts.user(event.uid))}


def _message(facts: Facts, event: MemberEvent) -> MessageJson | None:
    view = facts.action(event.message)
    return message_json(view) if view is not None else None


def _add_ids(named: Named, event: MemberEvent) -> None:
    named.shown.add(event.message)
    named.guids.add(event.guid)
    named.uids.add(event.uid)


def _add_ids_and_actor(named: Named, event: MemberEventBy) -> None:
    _add_ids(named, event)
    named.uids.add(event.by)


PAYLOADS = (
    Payload((GroupMemberAdded,), MemberByPayload, done, _add_ids_and_actor),
    Payload((GroupMemberJoined, GroupMemberLeft), MemberPayload, moved, _add_ids),
    Payload(
        (GroupMemberKicked, GroupMemberBanned, GroupMemberUnbanned),
        MemberByPayload,
        done,
        _add_ids_and_actor,
    ),
    Payload((GroupMemberScopeChanged,), RescopedMemberPayload, rescoped, _add_ids_and_actor),
)


def _sample(action: str, *, by: str = "anna", **scopes: str) -> Json:
    """Return the data of what was done to Ben in the group; without `by` if Ben did it."""
    data: Json = {
        "group": sample_group(),
        "members": {"ben": {**BEN, **scopes}},
        "message": member_action(action, by, **scopes),
    }
    return data if by == "ben" else {**data, "by": ANNA}


SAMPLES: dict[str, Json] = {
    "group_member_added": _sample("added"),
    "group_member_joined": _sample("joined", by="ben"),
    "group_member_left": _sample("left", by="ben"),
    "group_member_kicked": _sample("kicked"),
    "group_member_banned": _sample("banned"),
    "group_member_unbanned": _sample("unbanned"),
    "group_member_scope_changed": _sample(
        "scopeChanged", scope="moderator", oldScope="participant"
    ),
    "group_member_removed": _sample("kicked"),
}
