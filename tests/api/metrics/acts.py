"""What makes Anna active, one act each, and what does not."""

from collections.abc import Awaitable, Callable

from tests.api.groups.clubs import create_group
from tests.api.messages.talk import import_past, past, say, to_group, to_user
from tests.world import World

Act = Callable[[World], Awaitable[object]]
BEN = "/users/ben/conversation"
HIKERS = "/groups/hikers"
FORM = {
    "category": "interactive",
    "type": "form",
    "receiver": "anna",
    "receiverType": "user",
    "data": {
        "interactiveData": {
            "title": "Your stay",
            "formFields": [
                {
                    "elementType": "textInput",
                    "elementId": "name",
                    "label": "Name",
                    "optional": True,
                }
            ],
            "submitElement": {
                "elementType": "button",
                "elementId": "submit",
                "buttonText": "Book",
                "action": {"actionType": "customAction"},
            },
        },
        "interactionGoal": {"type": "anyOf", "elementIds": ["submit"]},
    },
}


async def message_of(world: World, sender: str) -> str:
    """Return the path of the newest message that a user sent."""
    rows = await world.get(f"/messages?sender={sender}&affix=prepend&limit=1")
    return f"/messages/{rows[-1]['id']}"


async def react(world: World) -> None:
    """Add a reaction to Ben's message."""
    await world.post(f"{await message_of(world, 'ben')}/reactions/👍", as_="anna")


async def edit(world: World) -> None:
    """Edit her message."""
    path = await message_of(world, "anna")
    await world.put(path, {"data": {"text": "Hm"}}, as_="anna")


async def delete(world: World) -> None:
    """Delete her message."""
    await world.delete(await message_of(world, "anna"), as_="anna")


async def pin(world: World) -> None:
    """Pin Ben's message."""
    await world.post(f"{await message_of(world, 'ben')}/pin", as_="anna")


async def interact(world: World) -> None:
    """Use a button of Ben's form."""
    path = await message_of(world, "ben")
    await world.patch(f"{path}/interacted", {"interactions": ["submit"]}, as_="anna")


async def submit(world: World) -> None:
    """Submit Ben's form."""
    path = await message_of(world, "ben")
    await world.post(f"{path}/submissions", {"formData": {"name": "Anna"}}, as_="anna")


async def mark_unread(world: World) -> None:
    """Read the group, and mark its last message as unread."""
    await world.post(f"{HIKERS}/conversation/read", as_="anna")
    await world.delete(f"{HIKERS}/conversation/read", as_="anna")


async def log_out(world: World) -> None:
    """Revoke the token that she calls with."""
    token = await world.token("anna")
    await world.delete(f"/users/anna/auth_tokens/{token}", token=token)


async def log_out_everywhere(world: World) -> None:
    """Revoke all her tokens."""
    await world.delete("/users/anna/auth_tokens", token=await world.token("anna"))


async def send_by_token(world: World) -> None:
    """Write to Ben with her token."""
    await world.post("/messages", to_user("ben"), token=await world.token("anna"))


ACTS: dict[str, Act] = {
    "send": lambda world: say(world, "anna", to_user("ben")),
    "send by token": send_by_token,
    "send to a group": lambda world: say(world, "anna", to_group("hikers")),
    "edit": edit,
    "delete": delete,
    "react": react,
    "pin": pin,
    "interact": interact,
    "submit": submit,
    "deliver": lambda world: world.post(f"{BEN}/delivered", as_="anna"),
    "read": lambda world: world.post(f"{BEN}/read", as_="anna"),
    "mark as unread in a group": mark_unread,
    "tag a conversation": lambda world: world.put(BEN, {"tags": ["work"]}, as_="anna"),
    "pin a conversation": lambda world: world.post(f"{BEN}/pin", as_="anna"),
    "reset a conversation": lambda world: world.delete(BEN, as_="anna"),
    "delete a conversation": lambda world: world.delete("/conversations/anna_user_ben", as_="anna"),
    "create a group": lambda world: create_group(world, "divers", by="anna"),
    "update a group": lambda world: world.put(HIKERS, {"name": "Hike"}, as_="anna"),
    "kick": lambda world: world.delete(f"{HIKERS}/members/ben", as_="anna"),
    "ban": lambda world: world.post(f"{HIKERS}/bannedusers/cleo", as_="anna"),
    "leave": lambda world: world.delete(f"{HIKERS}/members/anna", as_="anna"),
    "block": lambda world: world.post(
        "/users/anna/blockedusers", {"blockedUids": ["ben"]}, as_="anna"
    ),
    "unblock": lambda world: world.delete(
        "/users/anna/blockedusers", {"blockedUids": ["cleo"]}, as_="anna"
    ),
    "log out": log_out,
    "log out everywhere": log_out_everywhere,
}
"""What Anna does herself, each in its own way."""


async def flush_tokens(world: World) -> None:
    """Revoke Anna's tokens as the app."""
    await world.token("anna")
    await world.delete("/users/anna/auth_tokens")


async def list_by_token(world: World) -> None:
    """List messages with her token."""
    await world.get("/messages", token=await world.token("anna"))


async def import_messages(world: World) -> None:
    """Import a message of hers."""
    await import_past(world, old=past("anna", to_user("ben"), 1_600_000_000))


async def add_cleo(world: World) -> None:
    """Add Cleo to the group, as the app."""
    await world.post(f"{HIKERS}/members", {"participants": ["cleo"]})


QUIET: dict[str, Act] = {
    "nothing": lambda world: world.get("/users/anna"),
    "the app writes to her": lambda world: world.post("/messages", to_user("anna")),
    "the app is the sender": lambda world: world.post("/messages", to_group("hikers")),
    "the app changes her": lambda world: world.put("/users/anna", {"name": "Anna K."}),
    "the app adds a user": add_cleo,
    "the app kicks her": lambda world: world.delete(f"{HIKERS}/members/anna"),
    "the app blocks for her": lambda world: world.post(
        "/users/anna/blockedusers", {"blockedUids": ["ben"]}
    ),
    "the app revokes her tokens": flush_tokens,
    "the app befriends her": lambda world: world.post(
        "/users/anna/friends", {"accepted": ["cleo"]}
    ),
    "the app pins a conversation": lambda world: world.post(f"{HIKERS}/conversation/pin"),
    "she reads by token": list_by_token,
    "an import": import_messages,
    "she is deactivated": lambda world: world.delete("/users", {"uidsToDeactivate": ["anna"]}),
}
"""What makes nobody active."""
