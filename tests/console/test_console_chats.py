"""Groups, conversations and messages at the console: read, searched, changed, and only text."""

import re
from html import unescape
from typing import Any

import pytest
from tests.console.conftest import SignIn
from tests.console.test_console_frame import EVIL, Elements
from tests.console.visitors import Visitor
from tests.files.uploads import File, fetch, picture, send_files
from tests.world import Json, Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.records.audit.model import AuditFilter
from hubbub.records.operators.model import OperatorRole

MODERATOR = OperatorRole.MODERATOR
PICTURE = picture(40, 30)


@pytest.fixture
async def chat(world: World) -> World:
    """Anna and Ben are in a group; Carla is not."""
    await world.users("anna", "ben", "carla")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    await world.post("/groups/hikers/members", {"participants": ["anna", "ben"]})
    return world


async def say(world: World, text: str, by: str = "anna", **further: Any) -> Json:
    """Send a text to the group, or what `further` says in place of it."""
    body = {"receiver": "hikers", "receiverType": "group", "category": "message", "type": "text"}
    sent: Json = await world.post("/messages", {**body, "data": {"text": text}, **further}, as_=by)
    return sent


async def deeds(node: Node, world: World) -> list[tuple[str, str]]:
    """Return the actions and subjects in the audit log, sorted."""
    found = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=100)
    return sorted((each.action, each.subject) for each in found)


async def test_a_conversation_is_read_as_a_chat(chat: World, node: Node, signed_in: SignIn) -> None:
    """A moderator reads who said what and what was done, page by page; each look is recorded."""
    for number in range(60):
        await say(chat, f"word-{number:02}", by="anna" if number % 2 else "ben")
    await chat.put("/groups/hikers/members/ben", {"scope": "moderator"})
    moderator = await signed_in(MODERATOR, chat.app_id)
    address = f"/apps/{chat.app_id}/conversations/group_hikers"

    last = await moderator.get(address)
    assert ("word-59" in last, "word-05" in last) == (True, False)
    assert re.search(r"scopeChanged\s+<strong><bdi>Ben</bdi>", last)
    earlier = re.search(r'rel="prev" href="/console([^"]+)"', last)
    assert earlier is not None
    first = await moderator.get(unescape(earlier[1]))
    assert ("word-59" in first, "word-05" in first) == (False, True)
    later = re.search(r'rel="next" href="/console([^"]+)"', first)
    assert later is not None
    assert "word-59" in await moderator.get(unescape(later[1]))

    assert await deeds(node, chat) == [("conversation.read", "group_hikers")] * 3


async def test_conversations_are_listed(chat: World, node: Node, signed_in: SignIn) -> None:
    """The latest conversations are listed, or those of a user, without a word of what was said."""
    await say(chat, "secret word")
    await say(chat, "secret word", receiver="carla", receiverType="user")
    moderator = await signed_in(MODERATOR)
    address = f"/apps/{chat.app_id}/conversations"

    latest, of_ben = await moderator.get(address), await moderator.get(f"{address}?user=BEN")
    nobody = await moderator.get(f"{address}?user=nobody")

    assert "anna_user_carla" in latest
    assert "group_hikers" in latest
    assert "group_hikers" in of_ben
    assert "anna_user_carla" not in of_ben
    assert "No active user has this uid" in nobody
    assert "secret word" not in latest + of_ben
    assert await deeds(node, chat) == []


async def test_a_message_is_shown_with_its_thread(
    chat: World, node: Node, signed_in: SignIn
) -> None:
    """The page of a message has its data and the replies to it; a reply leads to the thread."""
    parent = await say(chat, "Who comes?", data={"text": "Who comes?", "metadata": {"k": "v-17"}})
    reply = {"receiver": "hikers", "receiverType": "group", "type": "text"}
    data = {"data": {"text": "I do"}}
    await chat.post(f"/messages/{parent['id']}/thread", {**reply, **data}, as_="ben")
    moderator = await signed_in(MODERATOR)
    base = f"/apps/{chat.app_id}"

    page = await moderator.get(f"{base}/messages/{parent['id']}")
    assert "Who comes?" in page
    assert "v-17" in page
    assert "I do" in page.partition('id="thread"')[2]
    conversation = await moderator.get(f"{base}/conversations/group_hikers")
    assert f'In the thread of <a href="/console{base}/messages/{parent["id"]}"' in conversation
    assert ("message.read", parent["id"]) in await deeds(node, chat)
    for wrong, status in (("999999", 404), ("x", 400), ("0", 400)):
        await moderator.get(f"{base}/messages/{wrong}", status=status)


async def test_messages_are_searched(chat: World, node: Node, signed_in: SignIn) -> None:
    """Messages are found by text, sender and deletion; the search is recorded with its words."""
    await say(chat, "The blue tent")
    gone = await say(chat, "The red tent", by="ben")
    await chat.delete(f"/messages/{gone['id']}")
    moderator = await signed_in(MODERATOR)
    address = f"/apps/{chat.app_id}/messages"

    async def found(query: str) -> tuple[bool, bool]:
        page = await moderator.get(f"{address}?{query}")
        return "The blue tent" in page, "The red tent" in page

    assert await found("search=tent") == (True, True)
    assert await found("search=blue") == (True, False)
    assert await found("sender=Ben") == (False, True)
    assert await found("deleted=no") == (True, False)
    assert await found("deleted=only") == (False, True)
    assert "No message fits" in await moderator.get(f"{address}?search=canoe")
    await moderator.get(f"{address}?before=soon", status=400)
    assert {action for action, _ in await deeds(node, chat)} == {"message.search"}


async def test_messages_are_deleted(chat: World, node: Node, signed_in: SignIn) -> None:
    """Deleted softly, a message is seen by the app and the console alone; erased, by nobody."""
    rude, worse = await say(chat, "rude words"), await say(chat, "worse words")
    moderator = await signed_in(MODERATOR)
    address = f"/apps/{chat.app_id}/messages"

    await moderator.post(f"{address}/{rude['id']}/delete", {"how": "soft"})
    to = await moderator.post(f"{address}/{worse['id']}/delete", {"how": "hard"})

    assert to == f"/console/apps/{chat.app_id}/conversations/group_hikers"
    shown = await chat.get("/groups/hikers/messages", as_="ben")
    assert "words" not in str(shown)
    assert "rude words" in await moderator.get(f"{address}/{rude['id']}")
    conversation = await moderator.get(f"/apps/{chat.app_id}/conversations/group_hikers")
    assert ("rude words" in conversation, "worse words" in conversation) == (True, False)
    assert [each for each in await deeds(node, chat) if "read" not in each[0]] == [
        ("message.delete", rude["id"]),
        ("message.erase", worse["id"]),
    ]
    again = await moderator.post(f"{address}/{rude['id']}/delete", {"how": "soft"}, status=403)
    assert "can&#39;t be changed" in again


async def test_groups_are_looked_after(chat: World, node: Node, signed_in: SignIn) -> None:
    """Members get scopes, are kicked and banned, bans are lifted; each has its entry."""
    moderator = await signed_in(MODERATOR)
    group = f"/apps/{chat.app_id}/groups/hikers"
    await chat.post("/groups/hikers/members", {"participants": ["carla"]})

    await moderator.post(f"{group}/members/ben/scope", {"scope": "moderator"})
    await moderator.post(f"{group}/members/carla/kick")
    await moderator.post(f"{group}/members/anna/ban")
    page = await moderator.get(group)
    bans = page.partition('id="bans"')[2]

    assert "<code>anna</code>" in bans
    assert "<code>ben</code>" not in bans
    assert await chat.uids("/groups/hikers/bannedusers") == ["anna"]
    (ben,) = [each for each in await chat.get("/groups/hikers/members") if each["uid"] == "ben"]
    assert ben["scope"] == "moderator"

    await moderator.post(f"{group}/bans/anna/lift")
    assert await chat.uids("/groups/hikers/bannedusers") == []
    again = await moderator.post(f"{group}/bans/anna/lift", status=404)
    assert "is not banned" in again
    assert [each for each in await deeds(node, chat) if each[0] != "group.show"] == [
        ("member.ban", "hikers/anna"),
        ("member.kick", "hikers/carla"),
        ("member.scope", "hikers/ben"),
        ("member.unban", "hikers/anna"),
    ]


async def test_groups_are_found_and_deleted(chat: World, node: Node, signed_in: SignIn) -> None:
    """A group is found by name and type, and deleted only if its guid is typed."""
    moderator = await signed_in(MODERATOR, chat.app_id)
    groups = f"/apps/{chat.app_id}/groups"

    assert "Hikers" in await moderator.get(f"{groups}?search=hik&type=public")
    assert "No group fits" in await moderator.get(f"{groups}?type=private")
    await moderator.get(f"{groups}/nobody", status=404)
    refused = await moderator.post(f"{groups}/hikers/delete", {"guid": "hiker"}, status=400)
    assert "To confirm, type: hikers" in refused
    await moderator.post(f"{groups}/hikers/delete", {"guid": "hikers"})

    await chat.get("/groups/hikers", status=404)
    assert "There is no group yet" in await moderator.get(groups)
    assert ("group.delete", "hikers") in await deeds(node, chat)


async def test_nothing_of_another_app_is_shown_or_changed(
    chat: World, node: Node, signed_in: SignIn
) -> None:
    """A moderator of another app reads nothing, changes nothing, and leaves no entry."""
    other = await node.world()
    sent = await say(chat, "secret word")
    stranger = await signed_in(MODERATOR, other.app_id)
    base = f"/apps/{chat.app_id}"

    for path in (
        "/groups",
        "/groups/hikers",
        "/conversations",
        "/conversations/group_hikers",
        "/messages?search=secret",
        f"/messages/{sent['id']}",
    ):
        page = await stranger.get(base + path, status=404)
        assert "secret word" not in page
        assert "Hikers" not in page
        # The same path in the own app leads to nothing of the other one.
        await stranger.ask("GET", f"/console/apps/{other.app_id}{path}")
        assert "secret word" not in stranger.answer.body.decode()
    for path, fields in (
        (f"/messages/{sent['id']}/delete", {"how": "hard"}),
        ("/groups/hikers/delete", {"guid": "hikers"}),
        ("/groups/hikers/members/ben/ban", {}),
    ):
        await stranger.post(base + path, fields, status=404)

    assert (await chat.get(f"/messages/{sent['id']}"))["data"]["text"] == "secret word"
    assert "ben" in await chat.uids("/groups/hikers/members")
    assert await deeds(node, chat) == []


async def test_files_are_shown_of_this_node_only(
    chat: World, node: Node, signed_in: SignIn
) -> None:
    """A file that was uploaded is linked and shown; an address elsewhere is only text."""
    await send_files(chat, File("tent.png", PICTURE), type="image")
    attachment = {"name": "x.png", "extension": "png", "mimeType": "image/png", "size": 7}
    elsewhere = {**attachment, "url": "https://tracker.example/x.png"}
    await say(
        chat,
        "",
        by="anna",
        receiver="ben",
        receiverType="user",
        type="image",
        data={"attachments": [elsewhere]},
    )
    moderator = await signed_in(MODERATOR)

    page = await moderator.get(f"/apps/{chat.app_id}/conversations/anna_user_ben")

    elements = Elements(page).found
    links = [given["href"] or "" for tag, given in elements if tag == "a"]
    pictures = [given["src"] or "" for tag, given in elements if tag == "img"]
    (link,) = [each for each in links if each.startswith("/files/")]
    assert (await fetch(node.sender, link)).body == PICTURE
    assert len(pictures) == 1
    assert pictures[0].startswith("/files/")
    assert "https://tracker.example/x.png" in page
    assert not any("tracker" in each for each in links + pictures)


async def test_what_people_write_in_chats_is_only_text(
    chat: World, node: Node, signed_in: SignIn
) -> None:
    """Markup in names, texts, file names, metadata, tags, types and custom data is only text."""
    await chat.user("eve", name=EVIL)
    evil = {"name": EVIL, "description": EVIL, "tags": [EVIL], "metadata": {EVIL: EVIL}}
    await chat.post("/groups", {"guid": "evil", "type": "public", "owner": "eve", **evil})
    to = {"receiver": "evil", "receiverType": "group"}
    data = {"text": EVIL, "metadata": {"a": EVIL}}
    sent = await say(chat, "", "eve", **to, tags=[EVIL], data=data)
    await say(
        chat,
        "",
        "eve",
        **to,
        category="custom",
        type="evil",
        data={
            "customData": {EVIL: [EVIL]},
            "attachments": [
                {"url": f"javascript:{EVIL}", "name": EVIL, "mimeType": EVIL, "size": EVIL},
                {"url": [EVIL], "thumbnail": {"url": "javascript:alert(1)"}},
                EVIL,
            ],
        },
    )
    file = File("<img src=x onerror=alert(1)>.txt", b"words")
    await chat.post("/groups/evil/members", {"participants": ["anna"]})
    await send_files(chat, file, **to)
    await chat.post(f"/messages/{sent['id']}/reactions/<img>", as_="eve")
    visitor: Visitor = await signed_in()
    base = f"/apps/{chat.app_id}"

    for path in (
        "/groups",
        "/groups/evil",
        "/conversations",
        "/conversations/group_evil",
        "/conversations?user=%3Cscript%3Ealert(1)",
        "/messages",
        "/messages?search=%3Cscript%3Ealert(1)",
        f"/messages/{sent['id']}",
    ):
        page = await visitor.get(base + path)
        for tag, given in Elements(page).found:
            assert tag != "script" or given, path
            assert tag != "img", path
            assert not {"onerror", "onclick", "style"} & set(given), path
            assert not (given.get("href") or "").startswith("javascript:"), path
    assert "&lt;script&gt;alert(1)" in page
