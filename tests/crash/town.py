"""An app whose people write to each other, and change what may reach whom, while it is killed."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.crash.facts import Lives, Moment, Track
from tests.crash.post_office import Note, PostOffice, text_of
from tests.crash.talk import LOST, Talk

PEOPLE = [f"person-{number}" for number in range(6)]
STAYING = PEOPLE[:2]
"""The members of the group who write to it, and are never kicked."""
PHONES = [f"phone-{number}" for number in range(len(PEOPLE))]
GROUP = "club"
NOBODY = ""
LATEST = 8
"""What is edited or deleted is one of so many messages."""
MOST = {"maxPerDay": 10_000, "maxPerDayPerConversation": 10_000}
MAIL = {"notifyForUnreadOnly": False, "intervalInSeconds": 1, **MOST}


@dataclass(slots=True)
class Said:
    """A message; it is `answered` when it is stored for certain."""

    number: int
    by: str
    to: str
    """A user or the group."""
    asked: Moment
    text: Track[int]
    """The number of its edit."""
    is_there: Track[bool]
    id: str = ""

    @property
    def readers(self) -> list[str]:
        """Return whom it may be for."""
        return [self.to] if self.to != GROUP else [uid for uid in PEOPLE if uid != self.by]


@dataclass(slots=True)
class Town:
    """An app, and what is known of it."""

    name: str
    key: str
    port: int
    lives: Lives
    chance: Random
    said: dict[int, Said] = field(default_factory=dict)
    owners: dict[str, Track[str]] = field(default_factory=dict)
    """Whose a phone is."""
    log_ins: dict[str, str] = field(default_factory=dict)
    """The auth token by which a phone was registered."""
    members: dict[str, Track[bool]] = field(default_factory=dict)
    addresses: dict[str, Track[str]] = field(default_factory=dict)
    answered: int = 0
    changes: int = 0
    repeated: int = 0
    """The requests that were made again, because the answer was lost."""
    _serial: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def ask(
        self, method: str, target: str, body: Any = None, *, as_: str | None = None
    ) -> Any:
        """Make a request until it is answered; a repeat is answered as the first one was."""
        key = f"{self.name}-{next(self._serial)}"
        while True:
            try:
                async with Talk(self.port, self.key) as talk:
                    status, answer = await talk.ask(method, target, body, as_=as_, key=key)
            except LOST:
                self.repeated += 1
                await asyncio.sleep(0.05)  # the node is starting again
                continue
            if status != 503:
                assert status == 200, f"{method} {target}: {status} {answer}"
                return answer["data"]

    def track(self, value: Any) -> Track[Any]:
        """Return a thing that has had a value from the beginning."""
        track: Track[Any] = Track(self.lives)
        with track.changing(value):
            return track

    async def settle(self, office: PostOffice) -> None:
        """Add the providers and a webhook, and have everybody log in on a phone."""
        await self.ask("POST", "/notifications/push/v1/providers/fcm", office.fcm())
        await self.ask("POST", "/notifications/email/v1/providers/smtp", office.mail_server())
        limits = {"preferences": {"email": MAIL}}
        await self.ask("PATCH", "/notifications/v1/settings", limits)
        hook = {"id": "hook", "name": "Hook", "webhookURL": office.receiver.url(f"/{self.name}")}
        await self.ask("POST", "/webhooks", {**hook, "retryOnFailure": True})
        await self.ask("POST", "/webhooks/hook/triggers", {"triggerIds": ["message_sent"]})
        group = {"guid": GROUP, "name": "Club", "type": "public", "owner": PEOPLE[0]}
        await self.ask("POST", "/groups", group)
        await self.ask("POST", f"/groups/{GROUP}/members", {"participants": PEOPLE[1:]})
        for uid, phone in zip(PEOPLE, PHONES, strict=True):
            self.members[uid] = self.track(value=True)
            self.owners[phone] = self.track(NOBODY)
            self.addresses[uid] = self.track("")
            await self._register(phone, uid)
            await self.move(uid)

    async def write(self, messages: int) -> None:
        """Send some messages, one after the other."""
        for _ in range(messages):
            await self._send()

    async def _send(self) -> None:
        by, to = self.chance.sample(PEOPLE, 2)
        if self.chance.random() < 0.5:
            by, to = self.chance.choice(STAYING), GROUP
        number = next(self._serial)
        asked = self.lives.now()
        text, is_there = self.track(0), self.track(value=True)
        said = self.said[number] = Said(number, by, to, asked, text, is_there)
        body = {
            "muid": f"muid-{number}",
            "receiver": to,
            "receiverType": "group" if to == GROUP else "user",
            "category": "message",
            "type": "text",
            "data": {"text": text_of(Note(number, 0))},
        }
        said.id = (await self.ask("POST", "/messages", body, as_=by))["id"]
        self.answered += 1

    async def change(self, changes: int) -> None:
        """Change at random who may have what, one thing after the other."""
        doings: list[Callable[[], Awaitable[None]]] = [
            self._hand_over, self._log_out_or_in, self._kick_or_add,
            lambda: self.move(self.chance.choice(PEOPLE)), self._edit, self._delete,
        ]  # fmt: skip
        for _ in range(changes):
            await asyncio.sleep(self.chance.random() / 2)  # what is sent meanwhile is on its way
            await self.chance.choice(doings)()
            self.changes += 1

    async def _hand_over(self) -> None:
        phone = self.chance.choice(PHONES)
        others = [uid for uid in PEOPLE if uid != self.owners[phone].value]
        await self._register(phone, self.chance.choice(others))

    async def _log_out_or_in(self) -> None:
        phone = self.chance.choice(PHONES)
        owner = self.owners[phone].value
        if owner == NOBODY:
            await self._register(phone, self.chance.choice(PEOPLE))
            return
        with self.owners[phone].changing(NOBODY):
            await self.ask("DELETE", f"/users/{owner}/auth_tokens/{self.log_ins[phone]}")

    async def _register(self, phone: str, uid: str) -> None:
        """Log a user in, and have their app register a phone, whose ever it was."""
        log_in = await self.ask("POST", f"/users/{uid}/auth_tokens", {"force": True})
        self.log_ins[phone] = log_in["authToken"]
        device = {"authToken": log_in["authToken"], "platform": "fcm_android"}
        body = {**device, "fcmToken": f"{self.name}/{phone}"}
        with self.owners[phone].changing(uid):
            await self.ask("POST", "/notifications/push/v1/tokens", body)

    async def _kick_or_add(self) -> None:
        uid = self.chance.choice([each for each in PEOPLE if each not in STAYING])
        member = self.members[uid]
        if member.value:
            with member.changing(value=False):
                await self.ask("DELETE", f"/groups/{GROUP}/members/{uid}")
            return
        with member.changing(value=True):
            await self.ask("POST", f"/groups/{GROUP}/members", {"participants": [uid]})

    async def move(self, uid: str) -> None:
        """Store another address of a user."""
        address = f"{uid}-{next(self._serial)}@{self.name}.example.com"
        with self.addresses[uid].changing(address):
            path = "/notifications/v1/contact-details"
            await self.ask("PATCH", path, {"email": address}, as_=uid)

    async def _edit(self) -> None:
        said = self._choose_said()
        if said is None:
            return
        edit = said.text.value + 1
        with said.text.changing(edit):
            data = {"data": {"text": text_of(Note(said.number, edit))}}
            await self.ask("PUT", f"/messages/{said.id}", data, as_=said.by)

    async def _delete(self) -> None:
        said = self._choose_said()
        if said is None:
            return
        with said.is_there.changing(value=False):
            await self.ask("DELETE", f"/messages/{said.id}", as_=said.by)

    def _choose_said(self) -> Said | None:
        """Return one of the latest messages that are stored, if there is one that is left."""
        latest = list(self.said.values())[-LATEST:]
        left = [each for each in latest if each.id and each.is_there.value]
        return self.chance.choice(left) if left else None
