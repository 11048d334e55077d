"""A story in which every trigger of webhooks occurs, and what the webhooks are sent."""

from dataclasses import dataclass, field
from typing import Any

from tests.api.http.example_story import CARD, FORM, IMAGE, SCHEDULER
from tests.api.moderation.ruling import make_rule
from tests.api.presence.sessions import connect, disconnect
from tests.api.webhooks.deliveries.conftest import Teller
from tests.golden.recording import Recording, Sent
from tests.golden.stage import Stage
from tests.notifications.engine.office import Office
from tests.receiver import Received, Receiver
from tests.world import Json

from hubbub.records.webhooks.triggers import BEFORE_MESSAGE, TRIGGERS

MOST_ROUNDS = 200
DAY = 86_400
ANNA_BEN = {"receiver": "ben", "receiverType": "user"}
HIKERS = {"receiver": "hikers", "receiverType": "group"}
PLACE = {"category": "custom", "type": "place", "data": {"customData": {"lat": 52.5}}}


def text(said: str) -> Json:
    """Return a text message without its receiver."""
    return {"category": "message", "type": "text", "data": {"text": said}}


@dataclass(slots=True)
class Telling:
    """An app with webhooks for everything; each step of its story is recorded with its calls."""

    office: Office
    receiver: Receiver
    secrets: dict[str, str] = field(default_factory=dict)
    recording: Recording = field(default_factory=lambda: Recording("webhooks"))

    async def attach(self, id_: str, *triggers: str, **fields: Any) -> None:
        """Create a webhook."""
        body = {"id": id_, "name": id_, "webhookURL": self.receiver.url(f"/{id_}"), **fields}
        self.secrets[id_] = (await self.office.world.post("/webhooks", body))["secret"]
        await self.office.world.post(f"/webhooks/{id_}/triggers", {"triggerIds": list(triggers)})

    async def step(
        self, name: str, method: str, path: str, body: Any = None, *, as_: str | None = None
    ) -> Any:
        """Make a call, and record what the webhooks are sent for it; return its data."""
        self.office.clock.advance(1)
        data = await self.office.world.call(method, path, body, as_=as_)
        await self.record(name)
        return data

    async def send(self, name: str, *parts: Json, as_: str = "anna") -> str:
        """Send a message that is put together from parts; return its id."""
        message = {key: value for part in parts for key, value in part.items()}
        return str((await self.step(name, "POST", "/messages", message, as_=as_))["id"])

    async def record(self, name: str) -> None:
        """Deliver all that is due, and record it."""
        teller = Teller(self.office.runtime, self.office.clock)
        for _ in range(MOST_ROUNDS):
            before = len(self.receiver.received)
            await teller.tell()
            if len(self.receiver.received) == before:
                break
        calls, self.receiver.received[:] = list(self.receiver.received), []
        for call in calls:
            self._record(name, call)

    def _record(self, name: str, call: Received) -> None:
        content, webhook = call.content, call.path.removeprefix("/")
        call.check_signature(self.secrets[webhook])
        if webhook != "down":
            sent = Sent(webhook, call.path, call.headers, call.body)
            self.recording.add(content["trigger"], name, [sent])


async def test_webhooks_are_sent_these_bytes(stage: Stage, receiver: Receiver) -> None:
    """Webhooks are sent the recorded bytes for every trigger, the same on both engines."""
    receiver.answer = b'{"action":"allow"}'
    receiver.reply = lambda call: 500 if call.path == "/down" else 200
    telling = Telling(await stage.office("golden"), receiver)
    await telling.attach("hook", *(each for each in TRIGGERS if each != BEFORE_MESSAGE))
    await telling.attach(
        "before", BEFORE_MESSAGE, useBasicAuth=True, username="hubbub", password="secret"
    )
    for chapter in (
        tell_of_messages,
        tell_of_answers,
        tell_of_receipts,
        tell_of_groups,
        tell_of_members,
        tell_of_people,
        tell_of_a_failing_webhook,
        tell_of_growth,
        tell_of_moderation,
        tell_of_polls,
        tell_of_what_is_not_sent,
    ):
        await chapter(telling)
    assert telling.recording.kinds == {id_ for id_ in TRIGGERS if occurs(id_)}
    await telling.step("a sample", "POST", "/webhooks/hook/test")

    assert telling.recording.kinds == set(TRIGGERS)
    telling.recording.check()


async def tell_of_messages(telling: Telling) -> None:
    """Send, edit and delete messages of each kind."""
    extras = {"muid": "m-1", "tags": ["news"], "data": {"text": "Grüße 👋", "metadata": {"a": [1]}}}
    sent = await telling.send("a text", text(""), ANNA_BEN, extras)
    await telling.send("a text of Cora", text("From Cora"), ANNA_BEN, as_="cora")
    await telling.send("a mention", text("Hi <@uid:ben>"), ANNA_BEN)
    await telling.send("an image", IMAGE, {"category": "message"}, ANNA_BEN)
    await telling.send("a custom message", PLACE, ANNA_BEN)
    for message in (FORM, CARD, SCHEDULER):
        await telling.send(f"a {message['type']}", message, ANNA_BEN)
    edit = {"data": {"text": "Hello again <@uid:ben>"}}
    await telling.step("an edit", "PUT", f"/messages/{sent}", edit, as_="anna")
    await telling.step("an edit by the app", "PUT", f"/messages/{sent}", {"tags": ["old"]})
    await telling.step("a deletion", "DELETE", f"/messages/{sent}", as_="anna")
    gone = await telling.send("a text", text("Gone"), ANNA_BEN)
    body = {"permanent": True}
    await telling.step("a permanent deletion", "DELETE", f"/messages/{gone}", body)


async def tell_of_polls(telling: Telling) -> None:
    """Vote in a poll that says who votes, and in one that does not."""
    await telling.office.world.user("quentin")
    to_quentin: Json = {"receiver": "quentin", "receiverType": "user"}
    for is_anonymous in (False, True):
        about = "an anonymous poll" if is_anonymous else "a poll"
        data = {"question": "Tea?", "options": ["Yes", "No"], "anonymous": is_anonymous}
        poll = {"category": "interactive", "type": "poll", "data": data}
        path = f"/messages/{await telling.send(about, poll, to_quentin, as_='emil')}/votes"
        await telling.step(f"a vote in {about}", "POST", path, {"options": [1]}, as_="quentin")
        await telling.step(f"no vote in {about}", "DELETE", path, as_="quentin")
        await telling.step(f"the end of {about}", "POST", f"{path}/close", as_="emil")


async def tell_of_growth(telling: Telling) -> None:
    """Send messages that grow, of which webhooks are told at the beginning, and at the end."""
    await telling.office.world.user("emil")
    await telling.office.world.post("/bots", {"uid": "dora", "name": "Dora"})
    to_emil: Json = {"receiver": "emil", "receiverType": "user"}
    for notify in ({}, {"notify": "finished"}):
        growing = {"growing": True, "data": {}, **notify}
        about = "a quiet message" if notify else "a message"
        sent = await telling.step(
            f"{about} that grows", "POST", "/bots/dora/messages", {**growing, **to_emil}
        )
        begun = sent["id"]
        path = f"/messages/{begun}"
        await telling.step(f"a request to stop {about}", "POST", f"{path}/stop", as_="emil")
        body: Json = {"text": "Hi <@uid:emil>", "sequence": 1}
        await telling.step(f"an append to {about}", "POST", f"{path}/append", body)
        await telling.step(f"the end of {about}", "POST", f"{path}/finish", {})


async def tell_of_moderation(telling: Telling) -> None:
    """Send what rules let pass and what they block, and approve that."""
    await telling.office.world.user("gina")
    to_emil = {"receiver": "emil", "receiverType": "user"}
    await make_rule(telling.office.world, "blocked", "blockMessage")
    await telling.send("a message that passes", text("Fine"), to_emil, as_="gina")
    held = await telling.send("a message that is held", text("It is blocked"), to_emil, as_="gina")
    path = f"/moderation/blocked-messages/{held}"
    await telling.step("an approval", "PATCH", path, {"status": "approved"})
    condition = {"operand": "custom", "category": "custom-api"}
    world = telling.office.world
    await world.post("/moderation/rules", {"id": "smart", "conditions": [condition]})
    await telling.send("a message without its engine", text("Hello"), to_emil, as_="gina")
    await world.delete("/moderation/rules/smart")


async def tell_of_what_is_not_sent(telling: Telling) -> None:
    """Schedule a message to a group that is deleted before it is sent."""
    world, club = telling.office.world, {"guid": "brief", "name": "Brief", "type": "public"}
    await telling.step("a brief group", "POST", "/groups", club)
    to_club: Json = {"receiver": "brief", "receiverType": "group"}
    at = telling.office.clock.now() + 3600
    await world.post("/messages", {**text("Later"), **to_club, "sendAt": at})
    await telling.step("a scheduled message to a group that is deleted", "DELETE", "/groups/brief")


async def tell_of_answers(telling: Telling) -> None:
    """Reply, quote and react."""
    sent = await telling.send("a question", text("Who comes along?"), ANNA_BEN)
    path = f"/messages/{sent}"
    reply = text("I do")
    await telling.step("a reply", "POST", f"{path}/thread", reply, as_="ben")
    quote = {"receiver": "anna", "receiverType": "user", "quotedMessageId": sent}
    quoting = await telling.send("a quote", text("Me, too"), quote, as_="ben")
    await telling.step("a reaction", "POST", f"{path}/reactions/👍", as_="ben")
    await telling.step("a removed reaction", "DELETE", f"{path}/reactions/👍", as_="ben")
    body = {"data": {"text": "Me neither"}}
    await telling.step("an edited quote", "PUT", f"/messages/{quoting}", body, as_="ben")


async def tell_of_receipts(telling: Telling) -> None:
    """Receive and read messages."""
    sent = await telling.send("a text", text("Read me"), ANNA_BEN)
    for kind in ("delivered", "read"):
        body = {"messageId": sent}
        path = f"/users/anna/conversation/{kind}"
        await telling.step(f"{kind} by Ben", "POST", path, body, as_="ben")


async def tell_of_groups(telling: Telling) -> None:
    """Create, change, hand over and delete groups, and speak in them."""
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "metadata": {"peak": 1}}
    await telling.step("by Anna", "POST", "/groups", group, as_="anna")
    made = {"guid": "walkers", "name": "Walkers", "type": "password", "password": "secret"}
    await telling.step("by the app", "POST", "/groups", {**made, "owner": "anna"})
    await telling.step("by Anna", "PUT", "/groups/hikers", {"name": "Northerners"}, as_="anna")
    members = {"participants": ["ben"], "admins": ["cora"]}
    await telling.step("by Anna", "POST", "/groups/hikers/members", members, as_="anna")
    sent = await telling.send("to a group", text("Hello <@all>"), HIKERS)
    for kind in ("delivered", "read"):
        for uid in ("ben", "cora"):
            path, body = f"/groups/hikers/conversation/{kind}", {"messageId": sent}
            await telling.step(f"{kind} by {uid} in a group", "POST", path, body, as_=uid)
    await telling.step("a reaction in a group", "POST", f"/messages/{sent}/reactions/👍", as_="ben")
    await telling.step("in a group", "DELETE", f"/messages/{sent}", as_="cora")
    await telling.step("to Cora", "PUT", "/groups/hikers", {"owner": "cora"})
    await telling.step("by Anna", "DELETE", "/groups/walkers", as_="anna")


async def tell_of_members(telling: Telling) -> None:
    """Add, rescope, kick and ban members of a group; have others join and leave."""
    members, banned = "/groups/hikers/members", "/groups/hikers/bannedusers"
    await telling.step("to moderator", "PUT", f"{members}/ben", {"scope": "moderator"}, as_="cora")
    await telling.step("by Cora", "DELETE", f"{members}/ben", as_="cora")
    await telling.step("by Ben", "POST", members, as_="ben")
    await telling.step("by Ben", "DELETE", f"{members}/ben", as_="ben")
    await telling.step("by the app", "POST", members, {"participants": ["ben"]})
    await telling.step("by Cora", "POST", f"{banned}/ben", as_="cora")
    await telling.step("by Cora", "DELETE", f"{banned}/ben", as_="cora")
    await telling.step("by the app", "POST", f"{banned}/ben")
    await telling.step("by the app", "DELETE", f"{banned}/ben")


async def tell_of_people(telling: Telling) -> None:
    """Block, unblock, connect, disconnect and delete people."""
    office = telling.office
    body = {"blockedUids": ["ben", "cora"]}
    await telling.step("by Anna", "POST", "/users/anna/blockedusers", body)
    await telling.step("by Anna", "DELETE", "/users/anna/blockedusers", body)
    await connect(office.runtime, office.world, "ben", "session")
    await telling.record("Ben connects")
    office.clock.advance(60)
    await disconnect(office.runtime, office.world, "ben", "session")
    await telling.record("Ben disconnects")
    await telling.step("with Ben", "DELETE", "/users/ben", {"permanent": True})


def occurs(id_: str) -> bool:
    """Return whether a trigger has a source in Hubbub; of others there are samples only."""
    return "has no source" not in TRIGGERS[id_].description


async def tell_of_a_failing_webhook(telling: Telling) -> None:
    """Have a webhook fail until it is paused."""
    await telling.attach("down", "message_sent", retryOnFailure=True)
    to_cora = {"receiver": "cora", "receiverType": "user"}
    await telling.send("a text to Cora", text("Hello"), to_cora)
    telling.office.clock.advance(DAY)
    await telling.record("after a day")
