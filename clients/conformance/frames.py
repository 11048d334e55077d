"""The frames of the server as it writes them, and the form of those of a client."""

import json
from typing import Any

Frame = dict[str, Any]
LARGEST_CONNECT, LARGEST_FRAME = 4 * 1024, 64 * 1024
LONGEST_REF = 100
CONNECT_FIELDS = {"op", "authToken", "appId", "since", "presence", "device"}
PERSON = {"uid": "anna", "name": "Anna Keller", "status": "available", "role": "default"}
AT = 1_790_000_000


def fault_of(text: str | bytes, refs: set[str], *, is_first: bool) -> str:
    """Return what is wrong with a client's frame, or nothing; `refs` are those of the socket."""
    if isinstance(text, bytes):
        return "a binary message instead of text"
    try:
        frame = json.loads(text)
    except ValueError:
        frame = None
    if not isinstance(frame, dict) or "op" not in frame:
        return f"no JSON object with `op`, but {text[:100]!r}"
    size = len(text.encode())
    if is_first:
        return _fault_of_connect(frame, size)
    if size > LARGEST_FRAME:
        return f"a frame of {size} bytes"
    match frame:
        case {"op": "ping" | "pong"}:
            return ""
        case {"op": "call", "ref": str(ref), "method": str()} if len(ref) <= LONGEST_REF:
            if ref in refs:
                return f"the ref {ref!r} for a second time on this socket"
            refs.add(ref)
            return ""
    return f"a frame that the server refuses: {text[:200]}"


def _fault_of_connect(frame: Frame, size: int) -> str:
    if frame["op"] != "connect":
        return f"`{frame['op']}` as the first frame, which is `connect`"
    if size > LARGEST_CONNECT:
        return f"a first frame of {size} bytes; it has at most {LARGEST_CONNECT}"
    if unknown := frame.keys() - CONNECT_FIELDS:
        return f"a first frame with {sorted(unknown)}"
    if not isinstance(frame.get("since", ""), str | None):
        return f"a `since` that is no text: {frame['since']!r}"
    return ""


def connected(cursor: str, *, resumed: bool, heartbeat: int) -> Frame:
    """Return the answer to `connect`."""
    user = {**PERSON, "createdAt": AT}
    return {
        "op": "connected",
        "sessionId": "5b1d2a0c6f3e4d7f8a9b0c1d",
        "user": user,
        "cursor": cursor,
        "resumed": resumed,
        "heartbeat": heartbeat,
    }


def message(id_: str, text: str = "Hello", **more: Any) -> Frame:
    """Return a message of Ben to Anna; `more` has other fields, or other values of them."""
    return {
        "id": id_,
        "conversationId": "anna_user_ben",
        "sender": "ben",
        "receiver": "anna",
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": text},
        "sentAt": AT + int(id_),
        "updatedAt": AT + int(id_),
        **more,
    }


def stored(call: Frame, id_: str) -> Frame:
    """Return the message that a call of `send_message` has sent, as it was stored."""
    return message(id_, sender="anna", **call["params"])


def event(id_: str, data: Frame, *, name: str = "message_sent", cursor: str = "") -> Frame:
    """Return an event of the log; its cursor is its id, unless it is given."""
    return {
        "op": "event",
        "id": id_,
        "cursor": cursor or id_,
        "event": name,
        "at": AT,
        "data": data,
    }


def list_answer(event_cursor: str) -> Frame:
    """Return the answer to a list that has no rows."""
    pagination = {"total": 0, "count": 0, "perPage": 100, "currentPage": 1, "totalPages": 0}
    return {"data": [], "meta": {"eventCursor": event_cursor, "pagination": pagination}}
