"""The methods of sockets that are operations of REST: a call becomes a request of the interface.

So they have the same rules, limits and answers, and there is one implementation of each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from hubbub.domain.access.rates import Rate
from hubbub.http.operation import Operation
from hubbub.http.request import Request
from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import check_form
from hubbub.records.conversations.model import GROUP, USER
from hubbub.rest.operations import OPERATIONS

Params = dict[str, Any]
BY_NAME: Mapping[str, Operation] = {each.name: each for each in OPERATIONS}
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode
MOST_IN_LIST = 1_000
"""The most values of a list that goes into a query."""
HEADERS = (b"host", b"appid", b"authtoken", b"x-forwarded-proto")
"""The headers of the handshake that the requests of a session have."""
MOST_KEPT_BYTES = 4096
"""The bytes of these headers; they stay in memory for as long as the socket is open."""
LONGEST_TOKEN = 3_500
"""The characters of a token with which a session goes on: the first frame has no room for more."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An operation, and which parameter of the call is which of its path."""

    operation: str
    path: Mapping[str, str]
    receiver_type: str = ""
    """The value of `receiverType` that chooses it, if that is how it is chosen."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method, which is one of several operations by the parameters of the call."""

    text: str
    choose: Callable[[Params], Chosen]
    choices: Sequence[Chosen]


def _always(text: str, operation: str, *path: str) -> Method:
    chosen = Chosen(operation, {name: name for name in path})
    return Method(text, lambda params: chosen, [chosen])


def _by_receiver(text: str, of_user: str, of_group: str) -> Method:
    """Return a method about a user's or a group's conversation, by `receiverType`."""
    choices = {
        USER: Chosen(of_user, {"uid": "receiver"}, USER),
        GROUP: Chosen(of_group, {"guid": "receiver"}, GROUP),
    }

    def choose(params: Params) -> Chosen:
        kind = params.pop("receiverType", None)
        if kind not in (USER, GROUP):
            raise BadInput.field("receiverType", "This is user or group.")
        return choices[kind]

    return Method(text, choose, list(choices.values()))


def _by_name(text: str, parameter: str, with_it: Chosen, without: Chosen) -> Method:
    """Return a method that is another operation if a parameter is there."""
    return Method(
        text, lambda params: with_it if parameter in params else without, [without, with_it]
    )


METHODS: Mapping[str, Method] = {
    "send_message": _by_name(
        "Send a message; with `parentId`, a reply in the thread of that message.",
        "parentId",
        Chosen("send_thread_message", {"id": "parentId"}),
        Chosen("send_message", {}),
    ),
    "edit_message": _always("Edit a message.", "update_message", "id"),
    "delete_message": _always("Delete a message.", "delete_message", "id"),
    "append_message": _always("Append a text to a message that grows.", "append_message", "id"),
    "append_messages": _always("Append texts to several messages that grow.", "append_messages"),
    "finish_message": _always("End a message that grows.", "finish_message", "id"),
    "stop_message": _always(
        "Ask the sender of a message that grows to end it.", "stop_message", "id"
    ),
    "add_reaction": _always(
        "Add a reaction to a message.", "add_message_reactions", "id", "reaction"
    ),
    "remove_reaction": _always(
        "Remove a reaction from a message.", "remove_message_reactions", "id", "reaction"
    ),
    "vote": _always("Vote in a poll.", "vote_in_poll", "id"),
    "take_votes_back": _always("Take back all votes in a poll.", "take_votes_back", "id"),
    "mark_delivered": _by_receiver(
        "Mark the messages of a conversation as delivered: up to a message, or all.",
        "mark_conversation_as_delivered",
        "mark_group_conversation_as_delivered",
    ),
    "mark_read": _by_receiver(
        "Mark the messages of a conversation as read: up to a message, or all.",
        "mark_conversation_as_read",
        "mark_group_conversation_as_read",
    ),
    "mark_interacted": _always(
        "Mark elements of an interactive message as used.", "mark_interacted", "id"
    ),
    "list_messages": _by_name(
        "List the messages with a user (`uid`), or of a group (`guid`).",
        "guid",
        Chosen("list_group_messages", {"guid": "guid"}),
        Chosen("list_user_messages", {"uid": "uid"}),
    ),
    "list_conversations": _always("List the user's conversations.", "list_all_conversations"),
}


def only_reads(name: str) -> bool:
    """Return whether a method is a reading, which nobody needs once the client is gone."""
    method = METHODS.get(name)
    return method is not None and all(
        BY_NAME[choice.operation].method == "GET" for choice in method.choices
    )


def rate_of(method: Method) -> Rate:
    """Return the limit that a call counts towards, which is the same for all that it may be."""
    return BY_NAME[method.choices[0].operation].rate


def decode_params(raw: msgspec.Raw) -> Params:
    """Return the parameters of a call.

    Raises:
        BadInput: they are no object, or their form is beyond the limits of all JSON.
    """
    check_form(bytes(raw))
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadInput.field("params", "This is an object.") from None


def make_request(method: Method, params: Params, handshake: Request) -> Request:
    """Return the request that a call stands for, by the user of a session.

    Raises:
        BadInput: a parameter that is needed is missing or of a wrong type.
    """
    chosen = method.choose(params)
    operation = BY_NAME[chosen.operation]
    path = "/v3" + operation.path
    for name, param in chosen.path.items():
        path = path.replace(f"{{{name}}}", quote(_text(params, param), safe=""))
    headers = headers_of(handshake)
    body, query = b"", ""
    if operation.method == "GET":
        given = {name: value for name, value in params.items() if value is not None}
        query = urlencode({name: _query_value(name, each) for name, each in given.items()})
    else:
        body = _encode(params) if params else b""
        headers |= {b"content-type": b"application/json", b"content-length": b"%d" % len(body)}
    return Request(
        operation.method,
        path.encode(),
        query.encode(),
        headers,
        header_bytes=0,
        client=handshake.client,
        is_secure=handshake.is_secure,
        body=body,
    )


def keep_handshake(request: Request) -> Request:
    """Return what a session keeps of its handshake, which may have many other headers.

    Raises:
        BadInput: even that is too much.
    """
    headers = headers_of(request)
    if sum(map(len, headers.values())) > MOST_KEPT_BYTES:
        names = ", ".join(name.decode() for name in headers)
        raise BadInput(f"The headers {names} may have at most {MOST_KEPT_BYTES:,} bytes together.")
    return Request(
        request.method,
        request.path,
        b"",
        headers,
        header_bytes=0,
        client=request.client,
        is_secure=request.is_secure,
    )


def headers_of(handshake: Request) -> dict[bytes, bytes]:
    """Return the headers that every call of a session has."""
    return {name: handshake.headers[name] for name in HEADERS if name in handshake.headers}


def _text(params: Params, name: str) -> str:
    value = params.pop(name, None)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadInput.field(name, "This is required: a text.")
    return str(value)


def _query_value(name: str, value: object) -> str:
    if isinstance(value, list) and len(value) <= MOST_IN_LIST:
        return ",".join(_query_item(name, each) for each in value)
    return _query_item(name, value)


def _query_item(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int):
        raise BadInput.field(
            name, f"This is a text, a whole number, true, false, or a list of {MOST_IN_LIST:,}."
        )
    return str(value)
