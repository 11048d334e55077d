"""Random sends, reviews, edits, deletions and marks, compared with a model of what must hold."""

import random
from dataclasses import dataclass, field

import pytest
from tests.api.messages.talk import group, say, to_group, to_user
from tests.world import Json, World

UIDS = ("anna", "ben", "clara")
BLOCKED = "/moderation/blocked-messages"
STEPS = 40


@dataclass(slots=True)
class Said:
    """A message of the model."""

    id: int
    sender: str
    text: str
    state: str
    """`sent`, `held`, `rejected` or `deleted`."""


@dataclass(slots=True)
class Model:
    """One conversation: what was said, up to where each has read, and what is unread to them."""

    world: World
    receivers: tuple[str, ...]
    is_group: bool
    chance: random.Random
    said: dict[int, Said] = field(default_factory=dict)
    reached: dict[str, int] = field(default_factory=lambda: dict.fromkeys(UIDS, 0))
    unread: dict[str, set[int]] = field(default_factory=lambda: {uid: set() for uid in UIDS})

    def body(self, sender: str, text: str) -> Json:
        """Return a message of a user to the others."""
        if self.is_group:
            return to_group("hikers", text)
        return to_user("ben" if sender == "anna" else "anna", text)

    def path(self, uid: str) -> str:
        """Return the path of the conversation for a user."""
        other = "ben" if uid == "anna" else "anna"
        return "/groups/hikers" if self.is_group else f"/users/{other}"

    def those(self, *states: str) -> list[Said]:
        """Return the messages in some states."""
        return [each for each in self.said.values() if each.state in states]

    async def send(self) -> None:
        """Send a message that passes, or one that is held."""
        sender = self.chance.choice(self.receivers)
        is_held = self.chance.random() < 0.4
        text = f"{len(self.said)} is {'blocked' if is_held else 'fine'}"
        sent = await say(self.world, sender, self.body(sender, text))
        said = Said(int(sent["id"]), sender, text, "held" if is_held else "sent")
        self.said[said.id] = said
        expected = "pending" if is_held else "approved"
        assert sent["data"]["moderation"]["status"] == expected
        if not is_held:
            self.deliver(said)

    def deliver(self, said: Said) -> None:
        """Make a message unread to the others; who had read beyond it reads on from there."""
        for uid in self.receivers:
            if uid != said.sender:
                self.unread[uid].add(said.id)
                self.reached[uid] = min(self.reached[uid], said.id - 1)

    async def review(self) -> None:
        """Approve or reject a held message; a second review is refused."""
        reviewed = self.chance.choice(self.those("held", "rejected") or [None])
        if reviewed is None:
            return
        status = self.chance.choice(["approved", "rejected"])
        answer = await self.world.ask("PATCH", f"{BLOCKED}/{reviewed.id}", {"status": status})
        assert answer.status == (200 if reviewed.state == "held" else 409)
        if reviewed.state == "held":
            reviewed.state = "sent" if status == "approved" else "rejected"
            if status == "approved":
                self.deliver(reviewed)

    async def change(self) -> None:
        """Edit or delete a message; it works for those that were delivered."""
        if not self.said:
            return
        said = self.chance.choice(list(self.said.values()))
        path = f"/messages/{said.id}"
        is_sent = said.state == "sent"
        if self.chance.random() < 0.5:
            answer = await self.world.ask("DELETE", path, as_=said.sender)
            said.state = "deleted" if is_sent else said.state
        else:
            word = self.chance.choice(["fine", "blocked"])
            edit = {"data": {"text": f"edited, {word}"}}
            answer = await self.world.ask("PUT", path, edit, as_=said.sender)
            is_sent = is_sent and word == "fine"
            said.text = edit["data"]["text"] if is_sent else said.text
        assert (answer.status == 200) == is_sent
        if said.state in ("held", "rejected"):
            assert answer.status == 404

    async def read(self) -> None:
        """Mark up to a message, or all, as a user."""
        uid = self.chance.choice(self.receivers)
        path, body, upto = f"{self.path(uid)}/conversation/read", None, 10**9
        if self.chance.random() < 0.7 and (shown := self.those("sent", "deleted")):
            upto = self.chance.choice(shown).id
            body = {"messageId": str(upto)}
        if not self.those("sent", "deleted"):
            return
        await self.world.post(path, body, as_=uid)
        rows = await self.world.get(f"{self.path(uid)}/messages?limit=1000", as_=uid)
        upto = min(upto, max(int(row["id"]) for row in rows))
        if upto > self.reached[uid]:
            self.reached[uid] = upto
            self.unread[uid] -= {id_ for id_ in self.unread[uid] if id_ <= upto}

    async def check(self) -> None:
        """Compare histories, counts, and the lists of reviews with the model."""
        expected = sorted(each.id for each in self.those("sent", "deleted"))
        for uid in self.receivers:
            rows = await self.world.get(f"{self.path(uid)}/messages?category=message", as_=uid)
            assert [int(row["id"]) for row in rows] == expected
            for row in rows:
                said = self.said[int(row["id"])]
                assert row["data"].get("text") == (said.text if said.state == "sent" else None)
            conversations = await self.world.get("/conversations", as_=uid)
            counts = [int(row.get("unreadMessageCount", 0)) for row in conversations]
            assert counts == ([len(self.unread[uid])] if expected else [])
            for said in self.those("held", "rejected"):
                answer = await self.world.ask("GET", f"/messages/{said.id}", as_=uid)
                assert answer.status == (200 if uid == said.sender else 404)
        waiting = {int(row["message"]["id"]) for row in await self.world.get(BLOCKED)}
        assert waiting == {each.id for each in self.those("held")}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_group", [False, True])
async def test_states_agree_with_the_model(ruled: World, seed: int, *, is_group: bool) -> None:
    """After each step everybody sees what the model says, and has as much unread."""
    await ruled.users(*UIDS)
    receivers = UIDS if is_group else UIDS[:2]
    model = Model(ruled, receivers, is_group, random.Random(seed))
    if is_group:
        await group(ruled, "hikers", *UIDS)
    steps = [model.send, model.send, model.review, model.change, model.read]
    for _ in range(STEPS):
        await model.chance.choice(steps)()
        await model.check()
