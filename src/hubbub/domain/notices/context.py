"""The values that templates show: `message`, `sender`, `senderDetails` and `groupDetails`."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.notices.occasions import Json, Occasion
from hubbub.domain.notices.templates import Context
from hubbub.records.mentions.model import replace_mentions


def context_of(occasion: Occasion) -> Context:
    """Return the values for the texts about an occasion.

    `sender` in them is who did it: of a reaction it is the one who reacted.
    """
    named: dict[str, Json] = {
        "message": _shown_message(occasion.message, occasion.by, occasion.receiver),
        "sender": occasion.by,
        "senderDetails": occasion.by,
    }
    if occasion.is_group:
        named["groupDetails"] = occasion.receiver
    return named


def _shown_message(message: Json, by: Json, receiver: Json) -> Json:
    """Return a message with a text for reading, and with the parties of the occasion."""
    data: Mapping[str, Any] = message.get("data", {})
    parties = {"sender": {"entity": by}, "receiver": {"entity": receiver}}
    shown = {**data, "entities": {**data.get("entities", {}), **parties}}
    text = data.get("text", message.get("conversationText"))
    if isinstance(text, str):
        mentions: Mapping[str, Json] = data.get("mentions", {})
        names = {uid: each["name"] for uid, each in mentions.items() if "name" in each}
        shown["text"] = replace_mentions(text, names)
    return {**message, "data": shown}
