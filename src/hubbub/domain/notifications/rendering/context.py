"""The values that templates show: `message`, `sender`, `senderDetails` and `groupDetails`.

Templates name fields of messages, users and groups as clients get them. So this is the one place
of notifications that needs the JSON of the interface, which `Runtime.show` renders.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.templates import Context
from hubbub.files.links import Links, has_marks
from hubbub.records.mentions.model import replace_mentions
from hubbub.records.messages.model import MessageView
from hubbub.records.notifications.items import MEMBER_ACTIONS, Item
from hubbub.records.users.model import User
from hubbub.runtime import Runtime

Json: TypeAlias = Mapping[str, Any]
Show: TypeAlias = Callable[[MessageView | User], Json]
"""Returns a message, or a user, as users are shown them."""
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def open_show(runtime: Runtime, app_id: str) -> Show:
    """Return what shows messages of an app, with links to their files."""
    address = runtime.settings.public_url.rstrip("/")
    links = Links(runtime.sealer, app_id, address, runtime.clock.now())

    def show(what: MessageView | User) -> Json:
        shown = runtime.show(what)
        return _decode(links.link(shown) if has_marks(shown) else shown)

    return show


def context_of(happening: Happening, message: Json, show: Show) -> Context:
    """Return the values for the texts about an event, whose message is shown as `message`.

    `sender` in them is who did it: of a reaction it is the one who reacted.
    """
    by, receiver = _find_parties(happening, message, show)
    named: dict[str, Json] = {
        "message": _with_parties(message, by, receiver),
        "sender": by,
        "senderDetails": by,
    }
    if happening.is_group:
        named["groupDetails"] = receiver
    return named


def _find_parties(happening: Happening, message: Json, show: Show) -> tuple[Json, Json]:
    """Return who did it, and the group or other user, as the messages have them."""
    entities = message["data"]["entities"]
    if happening.item in MEMBER_ACTIONS:
        return entities["by"]["entity"], entities["for"]["entity"]
    receiver = entities["sender" if happening.is_turned else "receiver"]["entity"]
    if happening.item is Item.REACTION:
        return show(happening.by), receiver
    if happening.action is not None and happening.by.uid != happening.author:
        entities = show(happening.action)["data"]["entities"]
        return entities["by"]["entity"], receiver
    return entities["sender"]["entity"], receiver


def _with_parties(message: Json, by: Json, receiver: Json) -> Json:
    """Return a message with a text for reading, and with the parties of the event."""
    data: Json = message["data"]
    parties = {"sender": {"entity": by}, "receiver": {"entity": receiver}}
    shown = {**data, "entities": {**data["entities"], **parties}}
    text = data.get("text", message.get("conversationText"))
    if isinstance(text, str):
        mentions: Mapping[str, Json] = data.get("mentions", {})
        names = {uid: each["name"] for uid, each in mentions.items() if "name" in each}
        shown["text"] = replace_mentions(text, names)
    return {**message, "data": shown}
