"""Messages of Anna's for tests of notifications, as webhooks get them."""

from typing import Any

from tests.world import Json

from hubbub.domain.notices.occasions import Occasion
from hubbub.domain.notices.wording import Wording, audience_of
from hubbub.records.notifications.templates import Templates
from hubbub.rest.payloads.samples.records import (
    GROUP_ENTITY,
    GUID,
    NOW,
    message,
    user_entity,
)

ALL_MENTIONED = {"all": {"type": "all"}}
BEN_MENTIONED = {"ben": {"uid": "ben", "name": "Ben"}}
REACTION: Json = {
    "id": "205",
    "messageId": "101",
    "reaction": "👍",
    "uid": "ben",
    "reactedAt": NOW + 20,
    "reactedBy": {"uid": "ben", "name": "Ben"},
}


def to_hikers(text: str = "Hello all", *, data: Json | None = None, **fields: Any) -> Json:
    """Return a message to the group of hikers."""
    group = {
        "conversationId": f"group_{GUID}",
        "receiverType": "group",
        "receiver": GUID,
        **fields,
    }
    entities = {"sender": user_entity("anna"), "receiver": GROUP_ENTITY}
    return message(text, data={"entities": entities, **(data or {})}, **group)


def texts(
    about: Occasion,
    uid: str = "ben",
    *,
    templates: Templates | None = None,
    is_private: bool = False,
) -> tuple[str, str]:
    """Return the title and body for a person."""
    wording = Wording(templates or Templates(), about)
    return wording.texts(audience_of(about, uid), is_private=is_private)
