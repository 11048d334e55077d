"""A story in which people are pushed for every item, and what the push providers are sent."""

from dataclasses import dataclass, field
from typing import Any

from tests.api.http.example_story import CARD, FORM, IMAGE, SCHEDULER
from tests.golden.recording import Recording
from tests.golden.stage import Stage
from tests.notifications.engine.office import Office
from tests.world import Json

from hubbub.records.notifications.items import Item

PROVIDERS = {"fcm", "apns", "webpush", "custom"}
CHATS = {
    "messagesSetting": 2,
    "repliesSetting": 2,
    "quotedRepliesSetting": 2,
    "reactionsSetting": 3,
    "messageEditedSetting": 2,
    "messageDeletedSetting": 2,
}
MEMBERS = ("Left", "Added", "Joined", "Kicked", "Banned", "Unbanned", "ScopeChanged")
EVERYTHING = {
    "oneOnOne": CHATS,
    "group": CHATS | {f"member{name}Setting": 2 for name in MEMBERS},
}
"""The preferences with all items on."""
SHOWN, HIDDEN = (
    {platform: {"chat": is_shown} for platform in ("ios", "android", "web")}
    for is_shown in (True, False)
)
WITHOUT_SOURCE = {item for item in Item if item.name.startswith("CALL_")}
"""Hubbub has no calls, so nobody is pushed for them."""
MEMBERSHIP, BANS = "/groups/hikers/members", "/groups/hikers/bannedusers"


@dataclass(slots=True)
class Pushing:
    """An app with all push providers; each step of its story is recorded with its pushes."""

    stage: Stage
    office: Office
    recording: Recording = field(default_factory=lambda: Recording("pushes"))
    told: set[str] = field(default_factory=set)
    """The providers that were called."""

    async def step(
        self, item: Item, name: str, call: tuple[str, str, Any], *, as_: str | None = "anna"
    ) -> Any:
        """Make a call, and record what is pushed for it; return its data."""
        method, path, body = call
        self.office.clock.advance(1)
        data = await self.office.world.call(method, path, body, as_=as_)
        await self.office.work()
        await self.office.work(after=60)
        sent = self.stage.take_sent()
        self.told |= {call.to for call in sent}
        self.recording.add(item, name, sent)
        return data

    async def send(
        self, name: str, message: Json, item: Item = Item.MESSAGE, *, to: str = "ben"
    ) -> str:
        """Send a message of Anna's to a user, or to the group of hikers; return its id."""
        kind = "group" if to == "hikers" else "user"
        body = {"receiver": to, "receiverType": kind, **message}
        return str((await self.step(item, name, ("POST", "/messages", body)))["id"])


def text(said: str, **fields: Any) -> Json:
    """Return a text message without its receiver."""
    return {"category": "message", "type": "text", "data": {"text": said}, **fields}


async def test_push_providers_are_sent_these_bytes(stage: Stage) -> None:
    """Push providers are sent the recorded bytes for every item, the same on both engines."""
    pushing = Pushing(stage, await stage.office("golden"))
    await set_up(pushing.office)
    for chapter in (
        tell_of_ben,
        tell_of_messages,
        tell_of_answers,
        tell_of_changes,
        tell_of_members,
        tell_in_private,
        tell_of_visibility,
        tell_of_reminders,
    ):
        await chapter(pushing)

    assert pushing.recording.kinds == set(Item) - WITHOUT_SOURCE
    assert pushing.told == PROVIDERS
    pushing.recording.check()


async def set_up(office: Office) -> None:
    """Add all push providers, a group of Anna's, and a device of Ben's for each shape of a push."""
    await office.add_fcm()
    await office.add_apns()
    await office.add_custom("push")
    await office.subscribe("ben", await office.add_webpush())
    for platform in ("fcm_android", "fcm_ios", "fcm_web"):
        await office.register("ben", f"{platform}-of-ben", platform)
    await office.register("ben", "ab" * 32, "apns_ios_device")
    await office.world.patch("/notifications/v1/settings", {"preferences": EVERYTHING})
    await office.group("hikers", "anna")


async def tell_of_ben(pushing: Pushing) -> None:
    """Have the app add Ben to the group."""
    added = {"participants": ["ben"]}
    await pushing.step(Item.MEMBER_ADDED, "Ben", ("POST", MEMBERSHIP, added), as_=None)


async def tell_of_messages(pushing: Pushing) -> None:
    """Send messages of each kind."""
    await pushing.send("a text", text("Grüße 👋", muid="m-1", data={"text": "Grüße 👋"}))
    await pushing.send("a text in a group", text("Hello"), to="hikers")
    await pushing.send("a mention", text("Hello <@uid:ben>"))
    await pushing.send("a mention in a group", text("Hello <@uid:ben>"), to="hikers")
    await pushing.send("a mention of all", text("Hello <@all>"), to="hikers")
    await pushing.send("a long text", text("Grüße 👋 " * 400))
    for kind in ("image", "audio", "video", "file"):
        await pushing.send(f"a message with {kind}", {**IMAGE, "type": kind})
    custom = {"category": "custom", "sendNotification": True}
    for kind, data in {
        "extension_poll": {"customData": {"question": "Which peak?"}},
        "extension_reminders": {"text": "Pack the bags", "customData": {}},
        "place": {"customData": {"lat": 52.5}},
    }.items():
        await pushing.send(f"a custom {kind}", {**custom, "type": kind, "data": data})
    for message in (FORM, CARD, SCHEDULER):
        await pushing.send(f"a {message['type']}", message)


async def tell_of_answers(pushing: Pushing) -> None:
    """Reply, quote and react."""
    sent = await pushing.send("a question", text("Who comes along?"), to="hikers")
    thread = ("POST", f"/messages/{sent}/thread", text("I do"))
    await pushing.step(Item.REPLY, "in a group", thread)
    to_ben = await pushing.send("another question", text("Are you there?"))
    thread = ("POST", f"/messages/{to_ben}/thread", text("Hello?"))
    await pushing.step(Item.REPLY, "to a user", thread)
    quote = text("All of us", quotedMessageId=sent)
    await pushing.send("in a group", quote, Item.QUOTED_REPLY, to="hikers")
    quote = text("Hello!", quotedMessageId=to_ben)
    await pushing.send("to a user", quote, Item.QUOTED_REPLY)
    reaction = ("POST", f"/messages/{sent}/reactions/👍", None)
    await pushing.step(Item.REACTION, "in a group", reaction)
    reaction = ("POST", f"/messages/{to_ben}/reactions/👍", None)
    await pushing.step(Item.REACTION, "by Ben", reaction, as_="ben")


async def tell_of_changes(pushing: Pushing) -> None:
    """Edit and delete messages."""
    for to in ("ben", "hikers"):
        sent = await pushing.send("a text with an error", text("Helo"), to=to)
        path = f"/messages/{sent}"
        edit = {"data": {"text": "Hello <@uid:ben>"}}
        await pushing.step(Item.EDITED, f"to {to}", ("PUT", path, edit))
        await pushing.step(Item.DELETED, f"to {to}", ("DELETE", path, None))


async def tell_of_members(pushing: Pushing) -> None:
    """Change the members of a group in each way."""
    cora, banned = f"{MEMBERSHIP}/cora", f"{BANS}/cora"
    added = {"participants": ["cora"]}
    await pushing.step(Item.MEMBER_JOINED, "Cora", ("POST", MEMBERSHIP, None), as_="cora")
    await pushing.step(Item.MEMBER_LEFT, "Cora", ("DELETE", cora, None), as_="cora")
    await pushing.step(Item.MEMBER_ADDED, "Cora", ("POST", MEMBERSHIP, added))
    scope = {"scope": "moderator"}
    await pushing.step(Item.MEMBER_SCOPE_CHANGED, "Cora", ("PUT", cora, scope))
    await pushing.step(Item.MEMBER_KICKED, "Cora", ("DELETE", cora, None))
    await pushing.step(Item.MEMBER_BANNED, "Cora", ("POST", banned, None))
    await pushing.step(Item.MEMBER_UNBANNED, "Cora", ("DELETE", banned, None))


async def tell_in_private(pushing: Pushing) -> None:
    """Send messages to Ben when they do not want their content in pushes."""
    choice = {"usePrivacyTemplate": True}
    await pushing.office.world.patch("/notifications/v1/preferences?uid=ben", choice)
    await pushing.send("a private text", text("Secret"))
    await pushing.send("a private mention", text("Secret <@uid:ben>"), to="hikers")
    await pushing.office.world.delete("/notifications/v1/preferences?uid=ben")


async def tell_of_visibility(pushing: Pushing) -> None:
    """Send a message while FCM shows everything, and while it shows nothing."""
    path = "/notifications/push/v1/providers/fcm"
    for name, platforms in {"shown": SHOWN, "hidden": HIDDEN}.items():
        change = {"providerId": "fcm-1", "notificationInPayload": platforms}
        await pushing.office.world.put(path, change)
        await pushing.send(f"a text that FCM has {name}", text("Hello"))


async def tell_of_reminders(pushing: Pushing) -> None:
    """Have Ben reminded of messages that were sent long before."""
    for to in ("ben", "hikers"):
        sent = await pushing.send("something for later", text("Water the plants"), to=to)
        at = {"at": pushing.office.clock.now() + 3_600}
        await pushing.office.world.post(f"/messages/{sent}/reminders", at, as_="ben")
        await pushing.office.do_scheduled(after=3_600)
        other = ("GET", "/reminders", None)
        await pushing.step(Item.REMINDER, f"of a message to {to}", other, as_="ben")
