"""How long conversations keep their messages: read the request, call the domain, write the answer.

A conversation with a user and one of a group have the same operations, under two paths.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from hubbub.domain.retention.set_rules import (
    GivenTimes,
    RuleInEffect,
    find_retention,
    set_retention,
)
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting, SecondPath
from hubbub.records.conversations.model import ConversationKey, group_key, user_key
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.members.model import BannedMember, GroupNotJoined, NoAdminScope
from hubbub.records.messages.model import ConversationNotAccessible
from hubbub.records.retention.model import RetentionNotAllowed
from hubbub.records.settings.model import LONGEST_DISAPPEARING, MOST_DAYS
from hubbub.records.users.model import UidNotFound
from hubbub.rest.apps.holds import TAG
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Shape

WITH_USER = "/users/{uid}/conversation/retention"
IN_GROUP = "/groups/{guid}/conversation/retention"
USER_ERRORS = (UidNotFound, ConversationNotAccessible)
GROUP_ERRORS = (*USER_ERRORS, GuidNotFound, BannedMember, GroupNotJoined)
Days = Annotated[
    int,
    Meta(ge=0, le=MOST_DAYS, description="After so many days messages are removed; 0: never."),
]
Seconds = Annotated[
    int,
    Meta(
        ge=0,
        le=LONGEST_DISAPPEARING,
        description="So many seconds after they were sent, or read, messages disappear; 0: never.",
    ),
]
DisappearFrom = Annotated[
    Literal["sent", "read"],
    Meta(
        title="DisappearFrom",
        description="Whether the time of a message begins when it was sent, or when everybody read"
        " it whom it was sent to.",
    ),
]


class SetRetention(Shape):
    """What is to be set; what is not given stays, and null is as the app's settings have it."""

    days: Days | UnsetType | None = UNSET
    disappear_after: Seconds | UnsetType | None = UNSET
    disappear_from: DisappearFrom | UnsetType | None = UNSET


class OwnRetention(Shape, kw_only=True):
    """What was set of the conversation; the rest is as the app's settings have it."""

    days: Days | None = None
    disappear_after: Seconds | None = None
    disappear_from: DisappearFrom | None = None


class RetentionShape(Shape, kw_only=True):
    """How long a conversation keeps its messages, as it is in effect; 0 is for ever."""

    days: Days
    disappear_after: Seconds
    disappear_from: DisappearFrom
    own: Annotated[OwnRetention, Meta(description="What of it was set of this conversation.")]


def _shape(found: RuleInEffect) -> RetentionShape:
    kept, own = found.kept, found.own
    return RetentionShape(
        days=kept.days,
        disappear_after=kept.disappear_after,
        disappear_from=kept.disappear_from,  # type: ignore[arg-type]  # one of the two, as stored
        own=OwnRetention(
            days=own.days,
            disappear_after=own.disappear_after,
            disappear_from=own.disappear_from,  # type: ignore[arg-type]  # likewise
        ),
    )


def _declaration(verb: str, **differences: Any) -> dict[str, Any]:
    """Return what the two paths of an operation have in common, and where they differ."""
    errors = differences.pop("errors", ())
    in_group = SecondPath(
        path=IN_GROUP,
        name=f"{verb}_group_retention",
        words={"place": "of a group"},
        differences={"errors": (*GROUP_ERRORS, *errors, *differences.pop("of_group", ()))},
    )
    return {
        "also": in_group,
        "tag": TAG,
        "name": f"{verb}_user_retention",
        "words": {"place": "with another user"},
        "acting": Acting.OPTIONAL,
        "is_own": True,
        "errors": (*USER_ERRORS, *errors),
    }


def _key(call: Call, uid: str, guid: str) -> ConversationKey:
    return group_key(guid) if guid else user_key(call.actor.name, uid)


@operation.get(WITH_USER, **_declaration("get"))
async def get_retention(call: Call, uid: path.Uid = "", guid: path.Guid = "") -> RetentionShape:
    """Get how long the conversation {place} keeps its messages.

    `own` has what was set of this conversation; the rest comes from the settings `retention.*` of
    the app.
    """
    key = _key(call, uid, guid)
    return _shape(await find_retention(call.runtime, call.app_id, call.actor, key))


@operation.put(
    WITH_USER, **_declaration("set", errors=(RetentionNotAllowed,), of_group=(NoAdminScope,))
)
async def change_retention(
    call: Call, body: SetRetention, uid: path.Uid = "", guid: path.Guid = ""
) -> RetentionShape:
    """Set how long the conversation {place} keeps its messages.

    Older messages than `days` are removed in the background, at most an hour later. With
    `disappearAfter` messages that are sent from now on are removed so many seconds after they were
    sent, or read by everybody: see `disappearFrom`. Users may set the latter if the app's setting
    `retention.participantsMaySet` is on, in a group its admins; only the app sets `days`.
    """
    given = GivenTimes(body.days, body.disappear_after, body.disappear_from)
    return _shape(
        await set_retention(
            call.runtime,
            call.app_id,
            call.actor,
            _key(call, uid, guid),
            given,
            is_by_token=call.is_by_token,
        )
    )
