"""An app that has something of everything that lines carry, and of what they do not."""

from dataclasses import replace
from typing import Any

from tests.api.growing.stream import append, begin, finish
from tests.api.interactions.forms import FILLED, form
from tests.clock import ManualClock
from tests.files.uploads import TYPE, File, picture
from tests.files.uploads import form as upload_form
from tests.wire import InProcess
from tests.world import Json, Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

BEGINNING = 1_700_000_000
"""In the past of the machine's clock, which commands go by."""
PICTURE = picture(320, 200)
LONG = "A long answer. " * 1200


async def fill(settings: Settings) -> str:
    """Make an app with everything in a store, and return its id."""
    clock = ManualClock(BEGINNING)
    async with open_runtime(replace(settings, log_requests=False), clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await _fill_people(world, clock)
        await _fill_groups(world, clock)
        await _fill_talk(world, clock)
        await _fill_club(world, clock)
        return world.app_id


async def _fill_people(world: World, clock: ManualClock) -> None:
    await world.post("/roles", {"role": "guide", "name": "Guide", "description": "Leads"})
    permissions = {"sendMessage.allowedReceiverTypes": ["user", "group"]}
    await world.put("/roles/guide/permissions", {"permissions": permissions})
    await world.post("/roles/guide/restrictedfeatures", {"featuresToRestrict": ["u.createCall"]})
    await world.put("/roles/default/permissions", {"permissions": {"initiateCall": "deny"}})
    clock.advance(60)
    await world.user(
        "anna",
        avatar="https://example.com/anna.png",
        link="https://example.com/anna",
        statusMessage="Hello 👋",
        metadata={"a": [1, None, {"é": "ß"}]},
        tags=["vip", "berlin"],
        role="guide",
    )
    await world.users("ben", "cora", "dora", "emil", "gone", "erased")
    await world.post("/bots", {"uid": "robo", "name": "Robo"})
    await world.post("/users/anna/friends", {"accepted": ["ben", "cora"]})
    await world.post("/users/ben/blockedusers", {"blockedUids": ["dora"]}, as_="ben")
    contact = {"email": "anna@example.com", "phno": "+14155552671"}
    await world.patch("/notifications/v1/contact-details", contact, as_="anna")
    await world.token("anna")


async def _fill_groups(world: World, clock: ManualClock) -> None:
    clock.advance(60)
    groups: dict[str, Json] = {
        "club": {"type": "public", "tags": ["x"], "metadata": {"n": 1}, "description": "A club"},
        "vault": {"type": "password", "password": "secret", "icon": "https://example.com/i.png"},
        "team": {"type": "private"},
    }
    for guid, fields in groups.items():
        await world.post("/groups", {"guid": guid, "name": guid.upper(), **fields}, as_="anna")
    await world.post("/groups", {"guid": "apps", "name": "The app's", "type": "public"})
    clock.advance(5)
    members = {"moderators": ["ben"], "participants": ["cora", "dora", "gone", "erased", "robo"]}
    await world.post("/groups/club/members", members, as_="anna")
    await world.post("/groups/vault/members", {"password": "secret"}, as_="ben")
    await world.post("/groups/team/members", {"admins": ["ben"]}, as_="anna")
    await world.post("/groups/club/members", None, as_="emil")
    denied = {"permissions": {"addReaction": "deny"}}
    await world.put("/groups/team/scopes/participant/permissions", denied)


async def _fill_talk(world: World, clock: ManualClock) -> None:
    """Send what two people may say to each other."""
    first = await say(world, clock, "anna", "ben", text="One", muid="one")
    await say(world, clock, "ben", "anna", text="A reply")
    quoting = await say(world, clock, "anna", "ben", text="Q1", quotedMessageId=first["id"])
    deeper = await say(world, clock, "ben", "anna", text="Q2", quotedMessageId=quoting["id"])
    await say(world, clock, "anna", "ben", text="Q3", quotedMessageId=deeper["id"], tags=["t"])
    edited = await say(world, clock, "anna", "ben", text="Befor")
    await world.put(f"/messages/{edited['id']}", {"data": {"text": "After"}}, as_="anna")
    deleted = await say(world, clock, "ben", "anna", text="Deleted")
    await in_thread(world, clock, deleted, "anna", "To what is deleted then")
    await world.delete(f"/messages/{deleted['id']}", as_="ben")
    erased = await say(world, clock, "ben", "anna", text="Erased", muid="erased")
    await in_thread(world, clock, erased, "anna", "To what is erased then")
    await world.delete(f"/messages/{erased['id']}", {"permanent": True}, as_="ben")
    await _send_files(world, clock)
    await say(world, clock, "robo", "anna", category="custom", type="poll", customData={"q": 1})
    sent = await say(world, clock, "robo", "ben", **form())
    answer = {"formData": FILLED}
    await world.post(f"/messages/{sent['id']}/submissions", answer, as_="ben")
    growing = await begin(world, "", sender="robo", receiver="anna", muid="grown")
    await append(world, growing, LONG, 1, sender="robo")
    await finish(world, growing, sender="robo")
    await world.post(f"/messages/{first['id']}/reactions/👍", as_="ben")
    await world.post("/users/ben/conversation/read", {"messageId": quoting["id"]}, as_="anna")
    clock.advance(7)
    await world.post("/users/anna/conversation/read", {"messageId": deeper["id"]}, as_="ben")
    await say(world, clock, "anna", "ben", text="Unread", conversationText="news")
    await world.delete("/users/gone")
    await say(world, clock, None, "anna", text="From the app")


async def _send_files(world: World, clock: ManualClock) -> None:
    clock.advance(3)
    fields = {"receiver": "ben", "receiverType": "user", "type": "image"}
    sent = await world.post(
        "/messages",
        upload_form(fields, File("a hill.png", PICTURE), File("two.png", picture(20, 20))),
        as_="anna",
        headers=TYPE,
    )
    clock.advance(3)
    attachments = [{**each, "alt": "Green"} for each in sent["data"]["attachments"][:1]]
    data = {"data": {"attachments": attachments, "text": "With a caption"}}
    await world.put(f"/messages/{sent['id']}", data, as_="anna")


async def _fill_club(world: World, clock: ManualClock) -> None:
    parent = await say_in(world, clock, "anna", "club", "Hello <@uid:ben> and <@all>")
    await in_thread(world, clock, parent, "ben", "In the thread")
    pinned = await say_in(world, clock, "ben", "club", "Pinned")
    await world.post(f"/messages/{pinned['id']}/pin", as_="ben")
    for uid, emoji in (("ben", "🎉"), ("cora", "🎉"), ("cora", "é")):
        clock.advance(1)
        await world.post(f"/messages/{parent['id']}/reactions/{emoji}", as_=uid)
    await say_in(world, clock, "erased", "club", "To be erased")
    await say_in(world, clock, "emil", "club", "I leave")
    await world.delete("/groups/club/members/emil", as_="emil")
    clock.advance(1)
    await world.post("/groups/club/bannedusers/dora", as_="anna")
    await world.put("/groups/club/members/cora", {"scope": "moderator"}, as_="anna")
    await world.post("/groups/club/conversation/read", {"messageId": parent["id"]}, as_="cora")
    clock.advance(9)
    last = await say_in(world, clock, "anna", "club", "The last one")
    await world.post("/groups/club/conversation/read", {"messageId": last["id"]}, as_="ben")
    await world.delete("/users/erased", {"permanent": True})
    await world.delete("/users", {"uidsToDeactivate": ["emil"]})


async def say(world: World, clock: ManualClock, sender: str | None, to: str, **fields: Any) -> Json:
    """Send a message to a user some seconds after the last one."""
    clock.advance(3)
    top = {"category", "type", "muid", "tags", "quotedMessageId", "conversationText", "data"}
    body = {name: value for name, value in fields.items() if name in top}
    data = {name: value for name, value in fields.items() if name not in top}
    if data:
        body["data"] = data
    body |= {"receiver": to, "receiverType": "user"}
    said: Json = await world.post("/messages", body, as_=sender)
    return said


async def say_in(world: World, clock: ManualClock, sender: str, guid: str, text: str) -> Json:
    """Send a text to a group some seconds after the last one."""
    clock.advance(3)
    body = {"receiver": guid, "receiverType": "group", "data": {"text": text}}
    said: Json = await world.post("/messages", body, as_=sender)
    return said


async def in_thread(world: World, clock: ManualClock, parent: Json, sender: str, text: str) -> None:
    """Reply in the thread of a message."""
    clock.advance(3)
    await world.post(f"/messages/{parent['id']}/thread", {"data": {"text": text}}, as_=sender)
