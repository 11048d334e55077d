"""Calls about conversations on the wire: requests and answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.api.conversations.conversation_model import Call, Model
from tests.api.conversations.conversation_state import GUIDS, Row
from tests.wire import Answer
from tests.world import Json

# Requests ---------------------------------------------------------------------------------------

Request = tuple[str, str, Json | None]


def request_of(model: Model, call: Call) -> Request:
    """Return method, path and body of a call whose message is resolved."""
    method, path, body_of = REQUESTS[call.verb]
    names = {name: str(value).lower() for name, value in call.args.items()}
    names |= {"by": call.by, "message": names.get("on", "")}
    if "at" in call.args:
        names["conversation"] = path_of(call.args["at"])
    if call.verb == "end":
        names["id"] = model.id_of(call.by, call.args["at"])
    if call.verb == "mark":
        method = "DELETE" if call.args["kind"] == "unread" else "POST"
        names["kind"] = call.args["kind"].removeprefix("un")
    return method, path.format(**names), body_of(model, **call.args)


def path_of(at: str) -> str:
    """Return the path of a user's conversation with another user or in a group."""
    return f"/groups/{at}" if at in GUIDS else f"/users/{at}"


def _to(at: str) -> Json:
    return {"receiver": at, "receiverType": "group" if at in GUIDS else "user"}


def _content(category: str) -> Json:
    if category == "custom":
        return {"category": "custom", "type": "card", "data": {"customData": {"n": 1}}}
    return {"data": {"text": "Hello"}}


def _said(_: Model, at: str, category: str, muid: str | None, *, updates: bool) -> Json:
    given = {} if muid is None else {"muid": muid}
    return {**_to(at), **_content(category), **given, "updateConversation": updates}


def _said_to_many(_: Model, ats: Sequence[str]) -> Json:
    several = {
        "uids": [at for at in ats if at not in GUIDS],
        "guids": [at for at in ats if at in GUIDS],
    }
    return {"multipleReceivers": several, **_content("message")}


def _brought(model: Model, rows: Sequence[Json]) -> Json:
    return {"messages": {row["muid"]: _brought_row(model.now, **row) for row in rows}}


def _brought_row(
    now: int, muid: str, sender: str, at: str, ago: int, past: Json, *, updates: bool
) -> Json:
    times = {f"{kind}At": now - ago + after for kind, after in past.items()}
    given = {"muid": muid, "sender": sender, "sentAt": now - ago, "updateConversation": updates}
    return {**given, **_to(at), **_content("message"), **times}


def _marked(_: Model, on: int | None = None, **__: Any) -> Json | None:
    return None if on is None else {"messageId": on}


def _nothing(_: Model, **__: Any) -> None:
    return None


TALKS = (
    "/conversations?perPage=1000&withTags=true&tags={tag}&unread={unread}&pinned={pinned}"
    "&includeBlockedUsers={with_blocked}"
)
REQUESTS: Mapping[str, tuple[str, str, Callable[..., Json | None]]] = {
    "create_user": ("POST", "/users", lambda _, uid: {"uid": uid, "name": uid.capitalize()}),
    "create_group": (
        "POST",
        "/groups",
        lambda _, guid, is_private, admins: {
            "guid": guid,
            "name": guid.capitalize(),
            "type": "private" if is_private else "public",
            "members": {"admins": admins},
        },
    ),
    "join": ("POST", "/groups/{guid}/members", _nothing),
    "add": ("POST", "/groups/{guid}/members", lambda _, guid, uid: {"participants": [uid]}),
    "leave": ("DELETE", "/groups/{guid}/members/{by}", _nothing),
    "kick": ("DELETE", "/groups/{guid}/members/{uid}", _nothing),
    "ban": ("POST", "/groups/{guid}/bannedusers/{uid}", _nothing),
    "unban": ("DELETE", "/groups/{guid}/bannedusers/{uid}", _nothing),
    "block": ("POST", "/users/{by}/blockedusers", lambda _, uid: {"blockedUids": [uid]}),
    "unblock": ("DELETE", "/users/{by}/blockedusers", lambda _, uid: {"blockedUids": [uid]}),
    "set": ("PUT", "/settings", lambda _, key, value: {"settings": {key: value}}),
    "say": ("POST", "/messages", _said),
    "say_to_many": ("POST", "/messages", _said_to_many),
    "reply": (
        "POST",
        "/messages/{message}/thread",
        lambda _, on, updates: {**_content("message"), "updateConversation": updates},
    ),
    "bring": ("POST", "/data_import/messages", _brought),
    "edit": ("PUT", "/messages/{message}", lambda _, on: {"data": {"text": "Hello!"}}),
    "delete": ("DELETE", "/messages/{message}", lambda _, on, permanent: {"permanent": permanent}),
    "mark": ("", "{conversation}/conversation/{kind}", _marked),
    "reset": ("DELETE", "{conversation}/conversation", _nothing),
    "wipe": (
        "DELETE",
        "{conversation}/conversation",
        lambda *_, **__: {"deleteMessagesPermanently": True},
    ),
    "end": ("DELETE", "/conversations/{id}", _nothing),
    "tag": ("PUT", "{conversation}/conversation", lambda _, at, tags: {"tags": tags}),
    "pin": ("POST", "{conversation}/conversation/pin", _nothing),
    "unpin": ("DELETE", "{conversation}/conversation/pin", _nothing),
    "get": ("GET", "{conversation}/conversation", _nothing),
    "list_talks": (
        "GET",
        TALKS,
        _nothing,
    ),
    "list_messages": (
        "GET",
        "/messages?limit=1000&unread={unread}&undelivered={undelivered}",
        _nothing,
    ),
    "list_receipts": ("GET", "/messages/{message}/receipts", _nothing),
    "list_messages_at": ("GET", "{conversation}/messages?limit=1000", _nothing),
}


# Answers ----------------------------------------------------------------------------------------


def data_of(call: Call, answer: Answer) -> Any:
    """Return the data of an answer, in the model's form."""
    reader = READERS.get(call.verb)
    return reader(answer.data) if reader else None


def message_row(row: Json) -> Row:
    """Return the row of a message."""
    parent = row.get("parentId")
    return (
        int(row["id"]),
        row["conversationId"],
        row["sender"],
        row["receiver"],
        row["category"],
        None if parent is None else int(parent),
        row["sentAt"],
        row.get("deliveredAt"),
        row.get("readAt"),
        row.get("editedAt"),
        row.get("deletedAt"),
        bool({"text", "customData"} & row["data"].keys()),
    )


def talk_row(row: Json) -> Row:
    """Return the row of a conversation."""
    other = row["conversationWith"]
    return (
        row["conversationId"],
        other.get("guid") or other["uid"],
        int(row["unreadMessageCount"]),
        message_row(row["lastMessage"]) if "lastMessage" in row else None,
        row.get("pinnedAt"),
        row.get("tags", []),
        row["createdAt"],
        row["updatedAt"],
    )


def _rows(read: Callable[[Json], Any]) -> Callable[[Sequence[Json]], list[Any]]:
    return lambda rows: [read(row) for row in rows]


def _outcomes(data: dict[str, Json], read: Callable[[Json], Any]) -> dict[str, Any]:
    return {
        key: read(each["data"]) if each["success"] else each["error"]["code"]
        for key, each in data.items()
    }


def _of_many(data: dict[str, Json]) -> dict[str, Any]:
    outcomes = {**data.get("users", {}), **data.get("groups", {})}
    return _outcomes(outcomes, lambda row: int(row["id"]))


def _code(data: dict[str, dict[str, Json]]) -> str:
    ((outcome,),) = (each.values() for each in data.values())
    return "" if outcome["success"] else str(outcome["error"]["code"])


READERS: Mapping[str, Callable[[Any], Any]] = {
    "add": _code,
    "say": message_row,
    "say_to_many": _of_many,
    "reply": message_row,
    "bring": lambda data: _outcomes(data, message_row),
    "edit": message_row,
    "delete": message_row,
    "tag": talk_row,
    "pin": talk_row,
    "unpin": talk_row,
    "get": talk_row,
    "list_receipts": _rows(lambda row: (row["uid"], row.get("deliveredAt"), row.get("readAt"))),
    "list_talks": _rows(talk_row),
    "list_messages": _rows(message_row),
    "list_messages_at": _rows(message_row),
}
"""How to read the answer of each verb; without an entry, only success matters."""
