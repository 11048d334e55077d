"""Where conversations are not yet as the documents say; who mends one takes its mark away.

What stands in `NOT_YET` of `conversation_state.py` is named in the reason, and goes with it.
"""

import pytest
from tests.api.talk import group, import_past, past, say, texts, to_group, to_user
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

PIN_OF_BEN = "/users/ben/conversation/pin"


def not_yet(reason: str) -> pytest.MarkDecorator:
    """Marks a test of something that is to be mended."""
    return pytest.mark.xfail(strict=True, raises=(AssertionError, KeyError), reason=reason)


# Receipts of groups -----------------------------------------------------------------------------


@not_yet("alone: fewer than two members are left out of account")
async def test_the_only_member_left_has_had_it(world: World, clock: ManualClock) -> None:
    """What the app said to a group of one is read when that one has read it."""
    await world.users("anna")
    await group(world, "tea", "anna")
    said = await world.post("/messages", to_group("tea"))
    await world.post("/groups/tea/conversation/read", as_="anna")

    assert (await world.get(f"/messages/{said['id']}"))["readAt"] == clock.now()


@not_yet("reset: the next mark of anybody is waited for")
async def test_a_reset_may_be_what_was_missing(world: World, clock: ManualClock) -> None:
    """Who resets a group's conversation has had all of it, and may be the last to have had it."""
    await world.users("anna", "ben", "cleo")
    await group(world, "tea", "anna", "ben", "cleo")
    said = await say(world, "anna", to_group("tea"))
    await world.post("/groups/tea/conversation/read", as_="ben")
    clock.advance(10)
    await world.delete("/groups/tea/conversation", as_="cleo")

    assert (await world.get(f"/messages/{said['id']}"))["readAt"] == clock.now()


# Joining and leaving ----------------------------------------------------------------------------


@not_yet("history: the setting is read nowhere")
async def test_history_may_begin_with_the_membership(world: World) -> None:
    """With the setting off, a new member does not find what was said before."""
    await world.users("anna", "ben")
    await world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    await group(world, "tea", "anna")
    await say(world, "anna", to_group("tea"))
    await world.post("/groups/tea/members", as_="ben")

    assert await texts(world, "/groups/tea/messages?category=message", as_="ben") == []


@not_yet("tags: the table that lists go by keeps them")
async def test_who_comes_back_finds_nothing_by_his_former_tags(world: World) -> None:
    """The tags of a conversation end with the membership, in lists as well."""
    await world.users("anna")
    await group(world, "tea", "anna")
    await say(world, "anna", to_group("tea"))
    await world.put("/groups/tea/conversation", {"tags": ["work"]}, as_="anna")
    await world.delete("/groups/tea/members/anna", as_="anna")
    await world.post("/groups/tea/members", as_="anna")

    assert "tags" not in await world.get("/groups/tea/conversation", as_="anna")
    assert await world.get("/conversations?tags=work", as_="anna") == []


@not_yet("pins: the pin outlives the membership")
async def test_the_pin_of_a_left_group_takes_no_place(world: World) -> None:
    """Who has left the group that he pinned may pin another conversation in its place."""
    await world.users("anna", "ben")
    await world.put("/settings", {"settings": {"limits.pinnedConversations": 1}})
    await group(world, "tea", "anna")
    await say(world, "anna", to_group("tea"))
    await say(world, "anna", to_user("ben"))
    await world.post("/groups/tea/conversation/pin", as_="anna")
    await world.delete("/groups/tea/members/anna", as_="anna")

    assert "pinnedAt" in await world.post(PIN_OF_BEN, as_="anna")


@not_yet("the pin of a conversation that is out of sight counts, and can't be let go")
async def test_the_pin_of_a_reset_conversation_takes_no_place(world: World) -> None:
    """Who has removed the conversation that he pinned may pin another one in its place."""
    await world.users("anna", "ben", "cleo")
    await world.put("/settings", {"settings": {"limits.pinnedConversations": 1}})
    for other in ("ben", "cleo"):
        await say(world, "anna", to_user(other))
    await world.post("/users/cleo/conversation/pin", as_="anna")
    await world.delete("/users/cleo/conversation", as_="anna")

    assert "pinnedAt" in await world.post(PIN_OF_BEN, as_="anna")


# Lists ------------------------------------------------------------------------------------------


@not_yet("ties: the conversation that was made last comes first")
async def test_what_was_updated_at_once_is_listed_by_whom_it_is_with(world: World) -> None:
    """Conversations of the same second stand in the order of those whom they are with."""
    await world.users("anna", "ben", "cleo", "dora")
    for other in ("cleo", "dora", "ben"):
        await say(world, "anna", to_user(other))
    listed = await world.get("/conversations", as_="anna")

    assert [row["conversationWith"]["uid"] for row in listed] == ["ben", "cleo", "dora"]


@not_yet("updated: it is set to when the one before was sent, however long ago")
async def test_no_conversation_is_updated_before_it_is_created(
    world: World, clock: ManualClock
) -> None:
    """After its last message was deleted for good, a conversation stands where it stood before."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", updateConversation=False))
    await import_past(world, old=past("anna", to_user("ben"), clock.now() - 1000))
    before = await _with_ben(world)
    said = await say(world, "anna", to_user("ben"))
    await world.delete(f"/messages/{said['id']}", {"permanent": True}, as_="anna")

    assert (await _with_ben(world))["updatedAt"] == before["updatedAt"]


async def _with_ben(world: World) -> Json:
    found: Json = await world.get("/users/ben/conversation", as_="anna")
    return found


# Repeated muids ---------------------------------------------------------------------------------


@not_yet("muid: the answer is made without looking at the receipts")
async def test_a_repeated_muid_answers_with_the_receipts(world: World, clock: ManualClock) -> None:
    """The first message is returned as it is now: read."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", muid="m"))
    await world.post("/users/anna/conversation/read", as_="ben")

    assert (await say(world, "anna", to_user("ben", muid="m")))["readAt"] == clock.now()


@not_yet("an erasure that is not carried out yet hides nothing here")
async def test_a_repeated_muid_brings_nothing_back(world: World) -> None:
    """A message that was deleted with its conversation is not returned any more."""
    await world.users("anna", "ben")
    await group(world, "tea", "anna", "ben")
    said = await say(world, "anna", to_group("tea", "A secret", muid="m"))
    await world.delete("/conversations/group_tea", as_="anna")
    answer = await world.ask("POST", "/messages", to_group("tea", "Anew", muid="m"), as_="anna")

    assert answer.status == 404 or answer.data["id"] != said["id"]


# Conversations that are deleted for all ---------------------------------------------------------


@not_yet("who joins before the erasure is carried out is shown everything")
async def test_who_joins_finds_nothing_of_a_deleted_conversation(world: World) -> None:
    """What was said before the conversation was deleted for all is there for nobody any more."""
    await world.users("anna", "ben", "cleo")
    await group(world, "tea", "anna", "ben")
    await say(world, "anna", to_group("tea", "A secret"))
    await world.delete("/conversations/group_tea", as_="anna")
    await world.post("/groups/tea/members", as_="cleo")

    assert await texts(world, "/groups/tea/messages?category=message", as_="cleo") == []


@not_yet("what is erased later may become the lastMessage again, and is gone then")
async def test_no_deleted_conversation_shows_a_message(world: World, node: Node) -> None:
    """Deleting the only message that came later does not bring back what was before."""
    await world.users("anna", "ben", "cleo")
    await world.put("/settings", {"settings": {"core.conversations.updateOnGroupActions": False}})
    await group(world, "tea", "anna", "ben")
    await say(world, "anna", to_group("tea", "A secret"))
    await world.delete("/conversations/group_tea", as_="anna")
    said = await say(world, "anna", to_group("tea", "Something new"))
    await world.delete(f"/messages/{said['id']}", {"permanent": True}, as_="anna")
    await world.post("/groups/tea/members", as_="cleo")
    shown = await world.get("/groups/tea/conversation", as_="cleo")
    await erase_all(node.runtime)

    assert "lastMessage" not in shown
