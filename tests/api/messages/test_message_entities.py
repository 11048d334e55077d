"""The users and groups inside messages have their metadata, as other users see it."""

from typing import Any

from tests.api.messages.talk import say, to_group, to_user
from tests.world import Json, World

SHOWN = {"team": "red", "langs": ["de"]}
PRIVATE = {"@private": {"email": "anna@example.com"}}


def metadata_of(message: Json, which: str) -> Any:
    """Return the metadata of the sender or the receiver in a message."""
    return message["data"]["entities"][which]["entity"].get("metadata")


async def test_metadata_of_users_and_groups(world: World) -> None:
    """Messages show the present metadata of sender and receiver, and the private to nobody."""
    await world.user("anna", metadata={**SHOWN, **PRIVATE})
    await world.user("ben", metadata=PRIVATE)
    await world.user("cora")
    body = {"guid": "hut", "name": "Hut", "type": "public", "owner": "anna", "metadata": SHOWN}
    await world.post("/groups", body)

    to_ben = await say(world, "anna", to_user("ben"))
    to_hut = await say(world, "anna", to_group("hut"))
    await say(world, "anna", to_user("cora"))
    for as_ in ("anna", "ben", None):
        got = await world.get(f"/messages/{to_ben['id']}", as_=as_)
        path = "/users/anna/messages" if as_ == "ben" else "/users/ben/messages"
        listed = (await world.get(path, as_=as_))[-1] if as_ else got
        for message in (to_ben, got, listed):
            assert metadata_of(message, "sender") == SHOWN
            assert metadata_of(message, "receiver") in (None, {})
            assert "anna@example.com" not in str(message)
    assert metadata_of(to_hut, "receiver") == SHOWN

    await world.put("/users/anna", {"metadata": {"team": "blue"}})
    await world.put("/groups/hut", {"unset": ["metadata"]})
    [again] = await world.get("/groups/hut/messages?category=message", as_="anna")
    assert metadata_of(again, "sender") == {"team": "blue"}
    assert metadata_of(again, "receiver") is None
