"""Codes, events and counts of submissions, and a check of refused ones."""

from typing import Any

from tests.api.messages.talk import stored
from tests.world import Json, Node, World

NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"
SUBMITTED, MARKED, COMPLETED = (
    ("interactive_form_submitted", "ben"),
    ("message_interacted", "ben"),
    ("interaction_goal_completed", "ben"),
)
ANSWERED: Json = {"name": "Ben"}


async def refuse(world: World, path: str, form_data: Any, **how: Any) -> list[str]:
    """Check that a submission by Ben is refused; return the named fields."""
    body = {"formData": form_data}
    details = await world.refused(
        "POST", f"{path}/submissions", body, **{"as_": "ben", "status": 400, "code": BAD, **how}
    )
    return list(details)


async def count(node: Node, world: World) -> int:
    """Return the number of stored submissions."""
    text = "SELECT number FROM submissions WHERE app_id = :app_id"
    return len(await stored(node, world, text))
