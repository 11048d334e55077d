"""Messages of bots: receivers, files, and refusals."""

import pytest
from tests.api.messages.talk import group, texts, to_group, to_user
from tests.files.uploads import TO_BEN, TYPE, File, fetch, form, stored_files
from tests.world import Node, World

SAY = "/bots/robot/messages"


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben, and a robot; a group of Anna's."""
    await world.users("anna", "ben")
    await world.post("/bots", {"uid": "robot", "name": "Robot"})
    await group(world, "hikers", "anna")
    return world


async def test_a_bot_speaks(town: World) -> None:
    """A bot writes to users, and to groups of which it is not a member."""
    said = await town.post(SAY, to_user("ben", "Beep"))
    await town.post(SAY, to_group("hikers", "Boop"))

    assert said["data"]["entities"]["sender"]["entity"]["name"] == "Robot"
    assert await texts(town, "/users/robot/messages", as_="ben") == ["Beep"]
    assert await texts(town, "/groups/hikers/messages", as_="anna") == ["Boop"]


async def test_a_bot_sends_files(node: Node, town: World) -> None:
    """Messages of bots may have files like others, also with several receivers."""
    file = File("plan.txt", b"Hello")
    sent = await town.post(SAY, form(TO_BEN, file), headers=TYPE)
    several = {"type": "file", "multipleReceivers": {"uids": ["anna", "ben"]}}
    outcomes = (await town.post(SAY, form(several, file), headers=TYPE))["users"]

    for message in (sent, outcomes["anna"]["data"], outcomes["ben"]["data"]):
        assert message["sender"] == "robot"
        attached = message["data"]["attachments"][0]
        assert attached["name"] == "plan.txt"
        assert (await fetch(node.sender, attached["url"])).body == b"Hello"


@pytest.mark.parametrize("uid", ["anna", "nobody"])
async def test_only_bots_speak_so(node: Node, town: World, uid: str) -> None:
    """A user is not a bot; files uploaded in such a call are not kept."""
    before = stored_files(node)
    path = f"/bots/{uid}/messages"
    for body, headers in (
        (to_user("ben"), {}),
        (form(TO_BEN, File("a.txt", b"Hello")), TYPE),
    ):
        await town.refused(
            "POST", path, body, headers=headers, status=404, code="ERR_BOT_NOT_FOUND"
        )

    assert stored_files(node) == before
    assert await town.get("/messages?category=message") == []
