"""Who may be told of an event: all who take part in its conversation, but not who caused it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.notices.planning.happening import Happening, message_of
from hubbub.records.groups.store import find_groups
from hubbub.records.notices.people import list_members_after
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Served:
    """How people may be told of an event."""

    by_push: bool
    by_letters: tuple[str, ...]
    """E-mail and SMS, if they may be sent about it."""
    to_choosers: bool
    """Whether nobody is told but those who have chosen so: by default the item is off."""

    def __bool__(self) -> bool:
        return self.by_push or bool(self.by_letters)


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the people who may be told of an event, in the order of their uids."""

    happening: Happening
    served: Served
    uids: Sequence[str]
    next_after: str | None
    """The uid after which there are more; None if these are the last."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The people who may be told of an event."""

    uids: tuple[str, ...] = ()
    """The users of a one-to-one conversation; empty for a group."""
    size: int = 2
    """The number of a group's members; 0 if the group is gone."""


async def find_audience(snapshot: Snapshot, happening: Happening) -> Audience:
    """Return who may be told of an event."""
    guid = happening.guid
    if guid is None:
        message = happening.occasion.message
        two = {message["sender"], message["receiver"]}
        return Audience(tuple(sorted(filter(happening.occasion.may_concern, two))))
    group = (await find_groups(snapshot, [guid])).get(guid)
    is_present = group is not None and group.conversation == happening.event.conversation
    return Audience(size=group.members_count if group and is_present else 0)


async def read_page(
    snapshot: Snapshot,
    happening: Happening,
    audience: Audience,
    served: Served,
    after: str,
    *,
    limit: int,
) -> Page:
    """Return the next people who may be told of an event."""
    if happening.guid is None:
        return Page(happening, served, audience.uids, None)
    event = happening.event
    uids = await list_members_after(
        snapshot,
        event.conversation,
        happening.entry.number,
        message_of(event),
        after,
        limit=limit,
        only_choosers=served.to_choosers,
    )
    told = list(filter(happening.occasion.may_concern, uids))
    return Page(happening, served, told, uids[-1] if len(uids) == limit else None)
