"""Occasions of what people really do, from the payloads of its events, on both engines."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.api.groups.clubs import BANS, HIKERS, MEMBERS, create_group, join_group
from tests.api.interactions.forms import form
from tests.api.messages.talk import say, to_group, to_user
from tests.api.payloads.rendered import list_rendered
from tests.world import Json, Node, World

from hubbub.domain.notices.fields import PushFields
from hubbub.domain.notices.occasions import (
    Item,
    Occasion,
    of_change,
    of_member,
    of_message,
    of_reaction,
)
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings

SETTINGS = NotificationSettings(push=PushSettings(include_message_object=True))


@pytest.fixture
async def hikers(world: World) -> World:
    """Anna, Ben and Carl are hikers; Dora is not."""
    await world.users("anna", "ben", "carl", "dora")
    await create_group(world, by="anna")
    await world.post(MEMBERS, {"participants": ["ben", "carl"]}, as_="anna")
    return world


async def occasions(
    node: Node, world: World, trigger: str, make: Callable[[Json], Occasion]
) -> list[Occasion]:
    """Return the occasions of all events of a kind; each must have the fields of a push."""
    rendered = await list_rendered(node, world)
    made = [make(data) for name, data in rendered if name == trigger]
    for each in made:
        for is_private in (True, False):
            fields = PushFields(SETTINGS, each).of("carl", is_private=is_private)
            assert fields["title"], each
            assert fields["body"], each
            assert fields["receiver"], each
    return made


async def messages(node: Node, world: World) -> list[Occasion]:
    """Return the occasions of all messages."""
    return await occasions(node, world, "message_sent", lambda data: of_message(data["message"]))


async def test_messages(node: Node, hikers: World) -> None:
    """Messages, replies and quoted replies are told apart, and so is whom they mention."""
    first = await say(hikers, "anna", to_group("hikers", "Hi <@uid:ben> <@uid:dora>"))
    await hikers.post(
        f"/messages/{first['id']}/thread", to_group("hikers", "Yes <@all>"), as_="ben"
    )
    await say(hikers, "carl", to_group("hikers", "No", quotedMessageId=first["id"]))
    await say(hikers, "ben", to_user("anna", "You"))

    told = await messages(node, hikers)

    assert [
        (
            each.item,
            each.actor,
            each.author,
            sorted(each.mentioned),
            each.mentions_all,
            each.is_group,
        )
        for each in told
    ] == [
        (Item.MESSAGE, "anna", "anna", ["ben"], False, True),
        (Item.REPLY, "ben", "ben", [], True, True),
        (Item.QUOTED_REPLY, "carl", "carl", [], False, True),
        (Item.MESSAGE, "ben", "ben", [], False, False),
    ]
    fields = PushFields(SETTINGS, told[0]).of("ben", is_private=False)
    assert fields["body"] == "Has mentioned you: Hi @Ben @dora"
    assert fields["title"] == "Anna @ Hikers"
    assert fields["sentAt"] == f"{first['sentAt']}000"
    assert fields["tag"] == first["id"]


@pytest.mark.parametrize(
    ("body", "is_silent"),
    [
        ({}, False),
        ({"sendNotification": False}, True),
        ({"category": "custom", "type": "place", "data": {"customData": {}}}, True),
        (
            {
                "category": "custom",
                "type": "place",
                "data": {"customData": {}},
                "sendNotification": False,
            },
            True,
        ),
        (
            {
                "category": "custom",
                "type": "place",
                "data": {"customData": {}},
                "sendNotification": True,
            },
            False,
        ),
        (form(), False),
    ],
    ids=["message", "silenced", "custom", "custom, silenced", "custom, asking", "form"],
)
async def test_silent_messages(node: Node, hikers: World, body: Json, is_silent: bool) -> None:
    """Custom messages notify only if they ask for it, others unless they ask not to."""
    sent = await say(hikers, "anna", to_user("ben") | body)
    is_editable = body.get("category") != "interactive"
    if is_editable:
        await hikers.put(f"/messages/{sent['id']}", {"data": {"metadata": {"a": 1}}}, as_="anna")
    [told] = await messages(node, hikers)
    edits = await occasions(node, hikers, "message_edited", lambda data: of_change(data["message"]))

    assert told.is_silent == is_silent
    assert [each.is_silent for each in edits] == [is_silent] * is_editable


async def test_reactions(node: Node, hikers: World) -> None:
    """A reaction is about the message of its author, and comes from who reacted."""
    sent = await say(hikers, "anna", to_user("ben"))
    await hikers.post(f"/messages/{sent['id']}/reactions/👍", as_="ben")
    [told] = await messages(node, hikers)

    [reaction] = await occasions(
        node,
        hikers,
        "message_reaction_added",
        lambda data: of_reaction(data["reaction"], told.message),
    )

    assert (reaction.actor, reaction.author, reaction.is_group) == ("ben", "anna", False)
    fields = PushFields(SETTINGS, reaction).of("anna", is_private=False)
    assert fields["body"] == "Has reacted 👍 to your message"
    assert (fields["sender"], fields["receiver"], fields["tag"]) == ("ben", "anna", sent["id"])


@pytest.mark.parametrize("by", ["anna", "ben", None])
async def test_changes(node: Node, hikers: World, by: str | None) -> None:
    """Edits and deletions concern neither who made them nor the author of the message."""
    sent = await say(hikers, "ben", to_group("hikers", "Hello"))
    await hikers.put(f"/messages/{sent['id']}", {"data": {"text": "Bye"}}, as_=by)
    await hikers.delete(f"/messages/{sent['id']}", as_=by)
    actor = by or "app_system"

    [edit], [deletion] = [
        await occasions(node, hikers, trigger, lambda data: of_change(data["message"]))
        for trigger in ("message_edited", "message_deleted")
    ]

    assert (edit.item, edit.actor, edit.is_group) == (Item.EDITED, actor, True)
    assert (deletion.item, deletion.actor, deletion.is_group) == (Item.DELETED, actor, True)
    for each in (edit, deletion):
        fields = PushFields(SETTINGS, each).of("carl", is_private=False)
        assert fields["tag"] == sent["id"]
        assert "Bye" not in str(fields)


async def test_deletion_of_a_silent_message(node: Node, hikers: World) -> None:
    """With the deleted message at hand, as users see it, its deletion is silent, too."""
    sent = await say(hikers, "anna", to_user("ben", sendNotification=False))
    await hikers.delete(f"/messages/{sent['id']}", as_="anna")
    seen = await hikers.get(f"/messages/{sent['id']}", as_="ben")

    [deletion] = await occasions(
        node, hikers, "message_deleted", lambda data: of_change(data["message"], seen)
    )

    assert deletion.is_silent
    assert not deletion.may_concern("anna")
    fields = PushFields(SETTINGS, deletion).of("ben", is_private=False)
    assert (fields["sender"], fields["receiver"], fields["tag"]) == ("anna", "ben", sent["id"])
    assert "Hello" not in str(fields)


async def test_member_actions(node: Node, hikers: World) -> None:
    """Each change of members is an item of its own."""
    await join_group(hikers, "dora")
    await hikers.put(f"{MEMBERS}/dora", {"scope": "moderator"}, as_="anna")
    await hikers.delete(f"{MEMBERS}/dora", as_="anna")
    await hikers.post(f"{BANS}/dora", as_="anna")
    await hikers.delete(f"{BANS}/dora", as_="anna")
    await hikers.delete(f"{MEMBERS}/carl", as_="carl")

    bodies: dict[Item, Any] = {}
    for name in ("joined", "scope_changed", "kicked", "banned", "unbanned", "left", "added"):
        for each in await occasions(
            node, hikers, f"group_member_{name}", lambda data: of_member(data["message"])
        ):
            fields = PushFields(SETTINGS, each).of("ben", is_private=False)
            bodies.setdefault(each.item, []).append((fields["title"], fields["body"]))
            assert (fields["tag"], fields["conversationId"]) == ("hikers", "group_hikers")

    assert bodies == {
        Item.MEMBER_JOINED: [("Dora @ Hikers", "Has joined the group")],
        Item.MEMBER_SCOPE_CHANGED: [("Anna @ Hikers", "Has made Dora a moderator")],
        Item.MEMBER_KICKED: [("Anna @ Hikers", "Has removed Dora")],
        Item.MEMBER_BANNED: [("Anna @ Hikers", "Has banned Dora")],
        Item.MEMBER_UNBANNED: [("Anna @ Hikers", "Has lifted the ban of Dora")],
        Item.MEMBER_LEFT: [("Carl @ Hikers", "Has left the group")],
        Item.MEMBER_ADDED: [
            ("Anna @ Hikers", "Has added Ben"),
            ("Anna @ Hikers", "Has added Carl"),
        ],
    }
    assert await hikers.get(HIKERS)
