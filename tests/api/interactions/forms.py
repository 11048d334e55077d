"""Interactive messages to use in tests, and short ways to use them."""

import json
from typing import Any

from tests.api.messages.talk import events, say
from tests.world import Json, Node, World

COLORS = [{"value": "red", "label": "Red"}, {"value": "blue", "label": "Blue"}]
FIELDS: list[Json] = [
    {"elementType": "label", "elementId": "hello", "text": "Hello"},
    {"elementType": "textInput", "elementId": "name", "optional": False, "maxLines": 1},
    {"elementType": "textInput", "elementId": "note"},
    {"elementType": "dropdown", "elementId": "color", "options": COLORS},
    {"elementType": "checkbox", "elementId": "colors", "label": "Colors", "options": COLORS},
    {
        "elementType": "dateTime",
        "elementId": "day",
        "dateTimeFormat": "dd.MM.yyyy",
        "from": "2026-01-01",
        "to": "2026-12-31",
    },
]
FILLED: Json = {
    "name": "Ben\0",
    "color": "red",
    "colors": ["blue", "red"],
    "day": "31.01.2026",
    "note": "",
}
TOLD = {"message_interacted", "interaction_goal_completed", "interactive_form_submitted"}


def button(element_id: str, **fields: Any) -> Json:
    """Return a button."""
    return {"elementType": "button", "elementId": element_id, **fields}


def form(*, once: bool = False, fields: list[Json] = FIELDS, **data: Any) -> Json:
    """Return a form, which each user may submit once or often."""
    parts = {"formFields": fields, "submitElement": button("send", disableAfterInteracted=once)}
    return _interactive("form", {"interactiveData": parts, **data})


def card(*element_ids: str, **data: Any) -> Json:
    """Return a card with these buttons."""
    parts = {"text": "Yes?", "cardActions": [button(each) for each in element_ids]}
    return _interactive("card", {"interactiveData": parts, **data})


def custom(**data: Any) -> Json:
    """Return an interactive message of a type that the app defines."""
    return _interactive("customInteractive", {"interactiveData": {}, **data})


def _interactive(type_: str, data: Json) -> Json:
    return {"category": "interactive", "type": type_, "data": data}


def goal(type_: str, *element_ids: str) -> Json:
    """Return the part of a message's data that holds its goal."""
    return {"interactionGoal": {"type": type_, "elementIds": list(element_ids)}}


async def send(
    world: World, message: Json, *, sender: str = "anna", to: str = "ben", kind: str = "user"
) -> str:
    """Send a message and return its path."""
    said = await say(world, sender, {"receiver": to, "receiverType": kind, **message})
    return f"/messages/{said['id']}"


async def use(world: World, path: str, *element_ids: str, uid: str = "ben") -> list[str]:
    """Mark elements as used; return all that the user has used."""
    logged_events = await world.patch(
        f"{path}/interacted", {"interactions": list(element_ids)}, as_=uid
    )
    return used(logged_events)


def used(message: Json) -> list[str]:
    """Return the elements that a message shows as used."""
    return [each["elementId"] for each in message["data"].get("interactions", [])]


async def submit(world: World, path: str, form_data: Json, *, uid: str = "ben") -> Json:
    """Return the answer to a submission of a form."""
    submitted: Json = await world.post(f"{path}/submissions", {"formData": form_data}, as_=uid)
    return submitted


async def logged_events(node: Node, world: World) -> list[tuple[str, str]]:
    """Return the log's events about interactive messages: event and uid."""
    rows = [(row[2], json.loads(row[4])) for row in await events(node, world)]
    return [(name, body["uid"]) for name, body in rows if name in TOLD]
