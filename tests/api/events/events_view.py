"""The visible state: fetched through the interface, or taken from a client's copy.

Both are rows with the same names, so that they can be compared.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.api.events.events_copy import KINDS, SYSTEM, Copy, Message, Talk
from tests.world import Json, World

UIDS = ("anna", "ben", "cleo", "dora")
GUIDS = ("tea", "jazz")
VIEWERS = (*UIDS, SYSTEM)

View = dict[str, dict[Any, Json]]
"""Rows by their ids, by what is shown and to whom."""

LATEST = 6
"""The number of latest messages whose receipts are compared one by one."""
HIDDEN_WITH_THE_CONTENT: Json = {"text": None, "tags": [], "mentions": [], "reactions": []}


# Fetched ----------------------------------------------------------------------------------------


def content_of(row: Json) -> Json:
    """Return the content of an answered message: the part that events do not include."""
    data = row["data"]
    return {
        "sender": row["sender"],
        "receiver": row["receiver"],
        "category": row["category"],
        "type": row["type"],
        "parentId": row.get("parentId"),
        "text": data.get("text"),
        "tags": row.get("tags", []),
        "mentions": sorted(data.get("mentions", {})),
        "action": _action_of(data),
    }


def _action_of(data: Json) -> Json | None:
    """Return the fields of an action message: its user or message, and the scopes."""
    if "action" not in data:
        return None
    on = data["entities"]["on"]["entity"]
    found = {"action": data["action"], "on": on.get("uid", on.get("id"))}
    return {**found, "scope": on.get("scope"), "oldScope": on.get("oldScope")}


def group_of(row: Json) -> Json:
    """Return the profile of an answered group: the part that events do not include."""
    return {"name": row["name"], "type": row["type"], "owner": row["owner"]}


def _message_row(row: Json) -> Json:
    names = ("conversationId", "sentAt", "editedAt", "editedBy", "deletedAt", "deletedBy")
    reactions = row["data"].get("reactions", [])
    return {
        **content_of(row),
        **{name: row.get(name) for name in (*names, "deliveredAt", "readAt", "pinnedAt")},
        "reactions": [
            (each["reaction"], each["count"], each.get("reactedByMe", False)) for each in reactions
        ],
    }


def _messages(rows: Iterable[Json]) -> dict[Any, Json]:
    """Return messages by id, each with the one before it, so that their order is compared, too."""
    found: dict[Any, Json] = {}
    before = 0
    for row in rows:
        found[int(row["id"])] = {**_message_row(row), "after": before}
        before = int(row["id"])
    return found


async def fetch(world: World) -> View:
    """Fetch everything that the users and the app see."""
    view: View = {}
    for uid in VIEWERS:
        await _fetch_messages(world, uid, view)
    for uid in UIDS:
        await _fetch_own(world, uid, view)
    await _fetch_groups(world, view)
    return view


async def _fetch_messages(world: World, uid: str, view: View) -> None:
    """Fetch the histories of a user's conversations, and the threads that the app finds."""
    as_ = None if uid == SYSTEM else uid
    query = "messages?limit=1000&withTags=true"
    everything = await world.get(f"/{query}", as_=as_)
    view[f"{uid}: messages"] = _messages(everything)
    if as_ is not None:
        ids = {row["conversationId"] for row in everything}
        for id_ in sorted(ids):
            rows = await world.get(f"{_path_of(id_, uid)}/{query}", as_=uid)
            view[f"{uid}: messages of {id_}"] = _messages(rows)
        return
    there = {row["id"] for row in everything}
    for parent in sorted({row.get("parentId") for row in everything} & there):
        rows = await world.get(f"/messages/{parent}/thread?limit=1000&withTags=true")
        view[f"thread of {parent}"] = _messages(rows)
    between_two = [row for row in everything if row["receiverType"] == "user"]
    for row in between_two[-LATEST:]:
        receipts = await world.get(f"/messages/{row['id']}/receipts")
        view[f"receipts of {row['id']}"] = {
            each["uid"]: {name: each.get(name) for name in ("deliveredAt", "readAt")}
            for each in receipts
        }
        view[f"message {row['id']}"] = _messages([await world.get(f"/messages/{row['id']}")])


def _path_of(id_: str, uid: str) -> str:
    """Return the path of a user's conversation with this id."""
    if id_.startswith("group_"):
        return f"/groups/{id_.removeprefix('group_')}"
    left, right = id_.split("_user_")
    return f"/users/{left if right == uid else right}"


async def _fetch_own(world: World, uid: str, view: View) -> None:
    """Fetch a user's conversations, groups and blocks."""
    listed = await world.get("/conversations?perPage=1000&includeBlockedUsers=true", as_=uid)
    view[f"{uid}: conversations"] = {
        row["conversationId"]: {
            "unread": int(row["unreadMessageCount"]),
            "last": int(row["lastMessage"]["id"]) if "lastMessage" in row else None,
        }
        for row in listed
    }
    groups = await world.get("/groups?hasJoined=true", as_=uid)
    view[f"{uid}: groups"] = {
        row["guid"]: {"scope": row["scope"], "joinedAt": row["joinedAt"]} for row in groups
    }
    view[f"{uid}: blocked"] = {
        other: {} for other in await world.uids(f"/users/{uid}/blockedusers", as_=uid)
    }


async def _fetch_groups(world: World, view: View) -> None:
    """Fetch all groups with members and bans, as the app sees them."""
    names = ("name", "type", "owner", "membersCount", "createdAt", "updatedAt", "updatedBy")
    groups = await world.get("/groups")
    view["groups"] = {row["guid"]: {name: row.get(name) for name in names} for row in groups}
    for guid in view["groups"]:
        members = await world.get(f"/groups/{guid}/members")
        view[f"members of {guid}"] = {
            row["uid"]: {"scope": row["scope"], "joinedAt": row["joinedAt"]} for row in members
        }
        bans = await world.get(f"/groups/{guid}/bannedusers")
        view[f"bans of {guid}"] = {
            row["uid"]: {name: row.get(name) for name in ("scope", "joinedAt", "bannedAt")}
            for row in bans
        }


# Copied -----------------------------------------------------------------------------------------


def view_of(copy: Copy) -> View:
    """Return everything that the users and the app see according to a copy."""
    view: View = {}
    for uid in VIEWERS:
        _view_messages(copy, uid, view)
    for uid in UIDS:
        _view_own(copy, uid, view)
    _view_groups(copy, view)
    return view


def _view_messages(copy: Copy, uid: str, view: View) -> None:
    talks = [each for each in copy.talks.values() if uid == SYSTEM or uid in each.seats]
    everything: list[Message] = []
    for talk in talks:
        found = copy.seen_in(talk, uid)
        everything += found
        if found and uid != SYSTEM:
            view[f"{uid}: messages of {talk.id}"] = _copied(copy, found, uid)
    everything.sort(key=lambda each: (each.sent_at, each.id))
    view[f"{uid}: messages"] = _copied(copy, everything, uid)
    if uid != SYSTEM:
        return
    for message in everything:
        replies = [each for each in everything if each.content.get("parentId") == str(message.id)]
        if replies:
            view[f"thread of {message.id}"] = _copied(copy, replies, uid)
    between_two = [each for each in everything if copy.talks[each.talk].group is None]
    for message in between_two[-LATEST:]:
        view[f"receipts of {message.id}"] = {
            by: _times_of(message, by) for by in message.had if by != message.content.get("sender")
        }
        view[f"message {message.id}"] = _copied(copy, [message], uid)


def _times_of(message: Message, uid: str) -> Json:
    """Return the times at which a user, or everybody, had a message."""
    had = message.had.get(uid, {})
    return {f"{kind}At": had.get(kind) for kind in KINDS}


def _copied(copy: Copy, messages: Sequence[Message], uid: str) -> dict[Any, Json]:
    befores = [0, *(each.id for each in messages)]
    return {
        message.id: {**_copied_row(copy, message, uid), "after": before}
        for message, before in zip(messages, befores, strict=False)
    }


def _copied_row(copy: Copy, message: Message, uid: str) -> Json:
    edited, deleted = message.edited or (None, None), message.deleted or (None, None)
    talk = copy.talks[message.talk]
    whose = message.content.get("receiver", "") if talk.group is None else SYSTEM
    hidden = HIDDEN_WITH_THE_CONTENT if message.deleted and uid != SYSTEM else {}
    return {
        **message.content,
        "conversationId": talk.id,
        "sentAt": message.sent_at,
        "editedAt": edited[0],
        "editedBy": edited[1],
        "deletedAt": deleted[0],
        "deletedBy": deleted[1],
        **_times_of(message, whose),
        "pinnedAt": message.pinned_at,
        "reactions": _counted(message, uid),
        **hidden,
    }


def _counted(message: Message, uid: str) -> list[tuple[str, int, bool]]:
    """Return the reactions to a message with their counts, in the order of their first use."""
    given = [message.reactions[id_] for id_ in sorted(message.reactions)]
    givers = {reaction: [by for each, by in given if each == reaction] for reaction, _ in given}
    return [(reaction, len(uids), uid in uids) for reaction, uids in givers.items()]


def _view_own(copy: Copy, uid: str, view: View) -> None:
    talks = [each for each in copy.talks.values() if uid in each.seats]
    view[f"{uid}: conversations"] = {
        talk.id: {"unread": _unread_of(talk, uid), "last": copy.last_shown(talk, uid)}
        for talk in talks
        if talk.last > talk.seats[uid].hidden
    }
    view[f"{uid}: groups"] = {
        talk.group.guid: _seat_row(talk, uid) for talk in talks if talk.group is not None
    }
    view[f"{uid}: blocked"] = {other: {} for one, other in copy.blocks if one == uid}


def _unread_of(talk: Talk, uid: str) -> int | None:
    """Return the number of unread messages; None if the events do not determine it."""
    return talk.unread_of(uid) if talk.seats[uid].is_counted else None


def _seat_row(talk: Talk, uid: str) -> Json:
    return {"scope": talk.seats[uid].scope, "joinedAt": talk.seats[uid].joined_at}


def _view_groups(copy: Copy, view: View) -> None:
    view["groups"] = {}
    for guid, talk in copy.groups().items():
        group = talk.group
        assert group is not None
        updated_at, updated_by = group.updated or (None, None)
        view["groups"][guid] = {
            "name": group.shown.get("name"),
            "type": group.shown.get("type"),
            "owner": group.owner,
            "membersCount": group.members_count,
            "createdAt": group.created_at,
            "updatedAt": updated_at,
            "updatedBy": updated_by,
        }
        view[f"members of {guid}"] = {uid: _seat_row(talk, uid) for uid in talk.seats}
        view[f"bans of {guid}"] = group.bans


# Comparison -------------------------------------------------------------------------------------


def differences(fetched: View, copy: Copy) -> list[str]:
    """Return the differences between fetched and copied state."""
    copied = view_of(copy)
    lines = []
    for name in sorted(fetched.keys() | copied.keys()):
        there, kept = fetched.get(name, {}), copied.get(name, {})
        for id_ in sorted(there.keys() | kept.keys(), key=str):
            if id_ not in there or id_ not in kept:
                lines.append(f"{name}, {id_}: only {'fetched' if id_ in there else 'copied'}")
                continue
            lines += [
                f"{name}, {id_}: {field} is {there[id_][field]!r}, copied {kept[id_][field]!r}"
                for field in there[id_]
                if there[id_][field] != kept[id_].get(field)
                and not (field == "unread" and kept[id_][field] is None)
            ]
    return lines
