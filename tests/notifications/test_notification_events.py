"""What people really do, read from the log with its records, on both engines."""

from typing import Any, get_args

import pytest
from tests.api.groups.clubs import BANS, HIKERS, MEMBERS, create_group, join_group
from tests.api.interactions.forms import form
from tests.api.messages.talk import say, to_group, to_user
from tests.api.payloads.rendered import list_entries
from tests.world import Json, Node, World

from hubbub.domain.notifications.happening import NOTIFIED, Happening, Trigger, find_happenings
from hubbub.domain.notifications.rendering.context import open_show
from hubbub.domain.notifications.rendering.fields import Fields, PushFields
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.growing.events import MessageGrown
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings
from hubbub.records.notifications.items import CALLS, MEMBER_ACTIONS, MESSAGES, Item

SETTINGS = NotificationSettings(push=PushSettings(include_message_object=True))


@pytest.fixture
async def hikers(world: World) -> World:
    """Anna, Ben and Carl are hikers; Dora is not."""
    await world.users("anna", "ben", "carl", "dora")
    await create_group(world, by="anna")
    await world.post(MEMBERS, {"participants": ["ben", "carl"]}, as_="anna")
    return world


def test_each_item_has_an_event() -> None:
    """Each item but those of calls is of one event, which has a message, a trigger and a text.

    A message that grows is told by the event of its end.
    """
    items = [each.item for event, each in NOTIFIED.items() if event is not MessageGrown]
    replies = {Item.REPLY, Item.QUOTED_REPLY}
    untold = [each.item for each in NOTIFIED.values() if each.says is None]
    triggers = {each.trigger for each in NOTIFIED.values()}

    assert sorted(items) == sorted(set(Item) - CALLS - replies)
    assert untold == [Item.MESSAGE, Item.MESSAGE]
    assert triggers <= set(get_args(Trigger))
    assert len(triggers) == len(items)
    assert [kind for kind in NOTIFIED if not hasattr(kind, "message")] == []


async def happenings(node: Node, world: World, *items: Item) -> list[Happening]:
    """Return what happened of some items; each must have the fields of a push."""
    entries = await list_entries(node, world, kinds=NOTIFIED)
    found = await node.runtime.database.read(
        world.app_id, lambda snapshot: find_happenings(snapshot, entries)
    )
    made = [each for each in found if each is not None and each.item in items]
    for each in made:
        for is_private in (True, False):
            fields = fields_of(node, world, each, "carl", is_private=is_private)
            assert fields["title"], each
            assert fields["body"], each
            assert fields["receiver"], each
    return made


def fields_of(
    node: Node, world: World, each: Happening, uid: str, *, is_private: bool = False
) -> Fields:
    """Return the fields of a push for a person."""
    show = open_show(node.runtime, world.app_id)
    return PushFields(SETTINGS, each, show).of(uid, is_private=is_private)


async def test_messages(node: Node, hikers: World) -> None:
    """Messages, replies and quoted replies are told apart, and so is whom they mention."""
    first = await say(hikers, "anna", to_group("hikers", "Hi <@uid:ben> <@uid:dora>"))
    await hikers.post(
        f"/messages/{first['id']}/thread", to_group("hikers", "Yes <@all>"), as_="ben"
    )
    await say(hikers, "carl", to_group("hikers", "No", quotedMessageId=first["id"]))
    await say(hikers, "ben", to_user("anna", "You"))

    told = await happenings(node, hikers, *MESSAGES)

    assert [
        (
            each.item,
            each.actor,
            each.author,
            sorted(each.view.mentions),
            each.view.mentions_all,
            each.is_group,
        )
        for each in told
    ] == [
        (Item.MESSAGE, "anna", "anna", ["ben"], False, True),
        (Item.REPLY, "ben", "ben", [], True, True),
        (Item.QUOTED_REPLY, "carl", "carl", [], False, True),
        (Item.MESSAGE, "ben", "ben", [], False, False),
    ]
    fields = fields_of(node, hikers, told[0], "ben")
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
    [told] = await happenings(node, hikers, *MESSAGES)
    edits = await happenings(node, hikers, Item.EDITED)

    assert told.is_silent == is_silent
    assert [each.is_silent for each in edits] == [is_silent] * is_editable


async def test_reactions(node: Node, hikers: World) -> None:
    """A reaction is about the message of its author, and comes from who reacted."""
    sent = await say(hikers, "anna", to_user("ben"))
    await hikers.post(f"/messages/{sent['id']}/reactions/👍", as_="ben")

    [reaction] = await happenings(node, hikers, Item.REACTION)

    assert (reaction.actor, reaction.author, reaction.is_group) == ("ben", "anna", False)
    fields = fields_of(node, hikers, reaction, "anna")
    assert fields["body"] == "Has reacted 👍 to your message"
    assert (fields["sender"], fields["receiver"], fields["tag"]) == ("ben", "anna", sent["id"])


@pytest.mark.parametrize("by", ["anna", "ben", None])
async def test_changes(node: Node, hikers: World, by: str | None) -> None:
    """Edits and deletions concern neither who made them nor the author of the message."""
    sent = await say(hikers, "ben", to_group("hikers", "Hello"))
    await hikers.put(f"/messages/{sent['id']}", {"data": {"text": "Bye"}}, as_=by)
    await hikers.delete(f"/messages/{sent['id']}", as_=by)
    actor = by or SYSTEM_UID

    [edit], [deletion] = [
        await happenings(node, hikers, item) for item in (Item.EDITED, Item.DELETED)
    ]

    assert (edit.item, edit.actor, edit.is_group) == (Item.EDITED, actor, True)
    assert (deletion.item, deletion.actor, deletion.is_group) == (Item.DELETED, actor, True)
    for each in (edit, deletion):
        fields = fields_of(node, hikers, each, "carl")
        assert fields["tag"] == sent["id"]
        assert fields["sender"] == (by or "ben")
        assert "Bye" not in str(fields)


async def test_deletion_of_a_silent_message(node: Node, hikers: World) -> None:
    """The deletion of a message that asked for no notifications is silent, too."""
    sent = await say(hikers, "anna", to_user("ben", sendNotification=False))
    await hikers.delete(f"/messages/{sent['id']}", as_="anna")

    [deletion] = await happenings(node, hikers, Item.DELETED)

    assert deletion.is_silent
    assert not deletion.may_concern("anna")
    fields = fields_of(node, hikers, deletion, "ben")
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
    for each in await happenings(node, hikers, *MEMBER_ACTIONS):
        fields = fields_of(node, hikers, each, "ben")
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
