"""Random histories: whoever gets a notification may have it when it leaves, by a plain model."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from tests.notifications.engine.office import Office

from hubbub.domain.erasure.erase import erase_all

SEED = 24
FEW, MANY = 8, 2_000
STEPS = 30
INTERVAL = 60
PEOPLE = ("anna", "ben", "cora", "dora")
HIKERS = "#hikers"
CLOSED = {
    day: {"from": 0, "to": 2359, "dnd": True}
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
}
OPEN = {day: {"from": 0, "to": 2359, "dnd": False} for day in CLOSED}


@dataclass(slots=True)
class Person:
    """What the model knows of a person."""

    uid: str
    life: int = 0
    """How often the uid was erased before them."""
    log_in: int = 0
    """The number of the present log-in; the phone is theirs while it lasts."""
    auth_token: str = ""
    has_phone: bool = False
    is_active: bool = True
    is_undisturbed: bool = False
    is_closed: bool = False
    is_muting: bool = False
    is_unsubscribed: bool = False
    blocked: set[str] = field(default_factory=set)
    address: str = ""


@dataclass(slots=True)
class Planned:
    """Somebody who is to be told of a message, if they may have it then."""

    message: int
    to: str
    life: int
    log_in: int
    spell: int
    """The number of their membership of the group."""
    was_barred: bool = False
    """Whether something was in the way while it waited: then it may be dropped for ever."""


@dataclass(slots=True)
class Said:
    """A message."""

    id: int
    by: str
    by_life: int
    to: str
    text: str
    to_life: int = 0
    is_deleted: bool = False


class Model:
    """A plain model of the app, and of what waits for a gateway."""

    def __init__(self) -> None:
        self.people = {uid: Person(uid) for uid in PEOPLE}
        self.members: dict[str, int] = {}
        """The members of the group, by uid the number of their membership."""
        self.spells = 0
        self.said: dict[int, Said] = {}
        self.pushes: list[Planned] = []
        self.mails: list[Planned] = []
        self.is_down = False

    def join(self, uid: str) -> None:
        """Make a user a member."""
        self.spells += 1
        self.members[uid] = self.spells

    def may_have(self, planned: Planned, *, by_mail: bool = False) -> bool:
        """Return whether a person may be told of a message now."""
        person, said = self.people[planned.to], self.said[planned.message]
        if person.life != planned.life or not person.is_active or said.is_deleted:
            return False
        if self.people[said.by].life != said.by_life or said.by in person.blocked:
            return False
        if said.to == HIKERS:
            spell = self.members.get(planned.to)
            if spell is None or (spell != planned.spell and not by_mail):
                return False
            if person.is_muting:
                return False
        if not by_mail and not (person.has_phone and person.log_in == planned.log_in):
            return False
        if by_mail and person.is_unsubscribed:
            return False
        return not (person.is_undisturbed or person.is_closed)


@dataclass(slots=True)
class History:
    """A random history of one office, beside its model."""

    office: Office
    chance: Random
    model: Model
    texts: int = 0
    pushed: int = 0
    mailed: int = 0

    async def run(self, steps: int) -> None:
        """Do random things, and check whatever arrives."""
        doings: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (8, self.say),
            (3, self.edit),
            (2, self.delete),
            (2, self.leave_or_join),
            (1, self.ban),
            (2, self.block),
            (2, self.log_out_or_in),
            (1, self.deactivate),
            (1, self.erase),
            (2, self.mute),
            (2, self.be_quiet),
            (2, self.disturb_not),
            (1, self.move),
            (3, self.fall_or_rise),
        ]
        weights = [weight for weight, _ in doings]
        for _ in range(steps):
            [(_, do)] = self.chance.choices(doings, weights)
            await do()
            await self.settle(after=self.chance.choice((0, 0, 1, INTERVAL)))
        if self.model.is_down:
            await self.fall_or_rise()
        for pause in (100, INTERVAL, 100):
            await self.settle(after=pause)
        assert self.model.pushes == []
        await self.check_logs()

    def active(self) -> list[str]:
        """Return who may do something."""
        return [uid for uid, each in self.model.people.items() if each.is_active]

    async def settle(self, *, after: float) -> None:
        """Plan and send, and check what has arrived against the model."""
        office, model = self.office, self.model
        await office.work(after=after)
        new = office.pushed[self.pushed :]
        pushed = [each for each in new if each["data"]["body"].startswith("Text")]
        self.pushed = len(office.pushed)
        got = Counter((int(each["data"]["tag"]), each["token"]) for each in pushed)
        for each in pushed:
            said = model.said[int(each["data"]["tag"])]
            assert each["data"]["body"] == said.text, "as edited"
        if not model.is_down:
            # What may be had is had, once; the rest is dropped for ever.
            may = [each for each in model.pushes if model.may_have(each)]
            must = [each for each in may if not each.was_barred]
            assert got <= count_of(may), "nothing to the wrong person"
            assert got >= count_of(must), "nothing lost"
            model.pushes = []
        else:
            assert not got
            for waiting in model.pushes:
                waiting.was_barred = waiting.was_barred or not model.may_have(waiting)
        self.check_mails()

    def check_mails(self) -> None:
        """Check that e-mails hold only what their readers may have, as it is now."""
        model, received = self.model, self.office.gateways.sendgrid.received
        for mail in received[self.mailed :]:
            [person] = mail["personalizations"]
            data = person["dynamic_template_data"]
            uid = data["to"]["uid"]
            assert person["to"][0]["email"] == model.people[uid].address
            texts = [each["message"] for each in data["messages"]]
            planned = [each for each in model.mails if each.to == uid]
            allowed = {
                model.said[each.message].text
                for each in planned
                if model.may_have(each, by_mail=True)
            }
            assert texts
            assert set(texts) <= allowed
            gone = set(texts)
            model.mails = [
                each
                for each in model.mails
                if each.to != uid or model.said[each.message].text not in gone
            ]
        self.mailed = len(received)

    async def check_logs(self) -> None:
        """Check that the log has nothing of people who were erased."""
        if self.model.people:
            await erase_all(self.office.runtime)
        for entry in await self.office.logs():
            said = self.model.said.get(int(entry.get("messageId", 0)))
            assert said is None or self.model.people[said.by].life == said.by_life

    async def say(self) -> None:
        """Send a message to a user or to the group."""
        model = self.model
        by = self.chance.choice(self.active())
        others = [uid for uid in PEOPLE if uid != by and self.may_write(by, uid)]
        to = self.chance.choice(
            [*others, *([HIKERS, HIKERS] if by in model.members else [])] or [""]
        )
        if not to:
            return
        self.texts += 1
        text = f"Text {self.texts}"
        id_ = await self.office.say(text, to, by=by)
        to_life = 0 if to == HIKERS else model.people[to].life
        model.said[id_] = Said(id_, by, model.people[by].life, to, text, to_life)
        for uid in model.members if to == HIKERS else [to]:
            self.plan(id_, uid)
        # It is planned at once; later steps change what waits.
        await self.settle(after=0)

    def plan(self, message: int, uid: str) -> None:
        """Note that a user is to be told of a message, if nothing is in the way at once."""
        model = self.model
        person, said = model.people[uid], model.said[message]
        if uid == said.by or not person.is_active or said.by in person.blocked:
            return
        spell = model.members.get(uid, 0)
        planned = Planned(message, uid, person.life, person.log_in, spell)
        model.mails.append(planned)
        if person.has_phone and model.may_have(planned):
            model.pushes.append(planned)

    def may_write(self, by: str, to: str) -> bool:
        """Return whether a user may write to another."""
        people = self.model.people
        return (
            people[to].is_active and to not in people[by].blocked and by not in people[to].blocked
        )

    async def edit(self) -> None:
        """Edit a message."""
        said = self.present()
        if said is None:
            return
        self.texts += 1
        said.text = f"Text {self.texts}"
        path = f"/messages/{said.id}"
        await self.office.world.put(path, {"data": {"text": said.text}}, as_=said.by)

    async def delete(self) -> None:
        """Delete a message, softly or for good."""
        said = self.present()
        if said is None:
            return
        said.is_deleted = True
        is_permanent = self.chance.random() < 0.5
        body = {"permanent": True} if is_permanent else None
        by = None if is_permanent else said.by
        await self.office.world.delete(f"/messages/{said.id}", body, as_=by)

    def present(self) -> Said | None:
        """Return one of the last messages whose sender may change it."""
        model = self.model
        found = [
            each
            for each in list(model.said.values())[-6:]
            if not each.is_deleted
            and model.people[each.by].life == each.by_life
            and model.people[each.by].is_active
            and (each.to == HIKERS or model.people[each.to].life == each.to_life)
            and (each.to == HIKERS or self.may_write(each.by, each.to))
            and (each.to != HIKERS or each.by in model.members)
        ]
        return self.chance.choice(found) if found else None

    async def leave_or_join(self) -> None:
        """Kick a member other than the owner, or add one who is none."""
        uid = self.chance.choice(("ben", "cora", "dora"))
        world, model = self.office.world, self.model
        if model.members.pop(uid, None) is not None:
            await world.delete(f"/groups/hikers/members/{uid}")
        elif model.people[uid].is_active:
            await world.post("/groups/hikers/members", {"participants": [uid]})
            model.join(uid)

    async def ban(self) -> None:
        """Ban a member, and lift the ban, so that they may be added later."""
        uid = self.chance.choice(("ben", "cora", "dora"))
        if self.model.members.pop(uid, None) is not None:
            await self.office.world.post(f"/groups/hikers/bannedusers/{uid}")
            await self.office.world.delete(f"/groups/hikers/bannedusers/{uid}")

    async def block(self) -> None:
        """Block a user, or unblock them."""
        active = self.active()
        if len(active) < 2:
            return
        uid, other = self.chance.sample(active, 2)
        blocked, path = self.model.people[uid].blocked, f"/users/{uid}/blockedusers"
        body = {"blockedUids": [other]}
        if other in blocked:
            blocked.remove(other)
            await self.office.world.delete(path, body)
            return
        blocked.add(other)
        await self.office.world.post(path, body)

    async def log_out_or_in(self) -> None:
        """Log a user out, or in again on the same phone."""
        person = self.model.people[self.chance.choice(self.active())]
        if person.has_phone:
            path = f"/users/{person.uid}/auth_tokens/{person.auth_token}"
            await self.office.world.delete(path)
            person.has_phone = False
            return
        await self.log_in(person)

    async def log_in(self, person: Person) -> None:
        """Log a user in on their phone."""
        person.log_in += 1
        person.has_phone = True
        person.auth_token = await self.office.register(person.uid, f"phone-of-{person.uid}")

    async def deactivate(self) -> None:
        """Deactivate a user other than the owner, or reactivate them."""
        person = self.model.people[self.chance.choice(("ben", "cora", "dora"))]
        if person.is_active:
            person.is_active = person.has_phone = False
            await self.office.world.delete("/users", {"uidsToDeactivate": [person.uid]})
            return
        person.is_active = True
        await self.office.world.put("/users", {"uidsToActivate": [person.uid]})

    async def erase(self) -> None:
        """Erase a user other than the owner; another takes the uid."""
        uid = self.chance.choice(("ben", "cora", "dora"))
        model, world = self.model, self.office.world
        await world.delete(f"/users/{uid}", {"permanent": True})
        if self.chance.random() < 0.5:
            await erase_all(self.office.runtime)
        model.members.pop(uid, None)
        for each in model.people.values():
            each.blocked.discard(uid)
        await world.user(uid)
        model.people[uid] = Person(uid, model.people[uid].life + 1, model.people[uid].log_in)
        await self.settle_in(model.people[uid])

    async def settle_in(self, person: Person) -> None:
        """Log a new user in, and store an address."""
        await self.log_in(person)
        await self.move_to(person, f"{person.uid}-{person.life}@example.com")

    async def move(self) -> None:
        """Change the address of a user."""
        person = self.model.people[self.chance.choice(self.active())]
        self.texts += 1
        await self.move_to(person, f"{person.uid}-{self.texts}@example.com")

    async def move_to(self, person: Person, address: str) -> None:
        """Store an address of a user."""
        person.address = address
        details = {"email": address}
        path = "/notifications/v1/contact-details"
        await self.office.world.patch(path, details, as_=person.uid)

    async def mute(self) -> None:
        """Mute the group for a user, or end that."""
        person = self.model.people[self.chance.choice(self.active())]
        person.is_muting = not person.is_muting
        path = f"/notifications/v1/preferences/mute?uid={person.uid}"
        until = 1000 * (self.office.clock.now() + 10_000_000)
        one = {"id": "hikers", "type": "group"}
        if person.is_muting:
            await self.office.world.put(path, {"conversations": [{**one, "until": until}]})
            return
        await self.office.world.delete(path, {"conversations": [one]})

    async def be_quiet(self) -> None:
        """Begin or end the quiet hours of a user."""
        person = self.model.people[self.chance.choice(self.active())]
        person.is_closed = not person.is_closed
        await self.choose(person, {"schedule": CLOSED if person.is_closed else OPEN})

    async def disturb_not(self) -> None:
        """Switch do-not-disturb of a user."""
        person = self.model.people[self.chance.choice(self.active())]
        person.is_undisturbed = not person.is_undisturbed
        await self.choose(person, {"dnd": 2 if person.is_undisturbed else 1})

    async def choose(self, person: Person, chosen: dict[str, object]) -> None:
        """Store what a user has chosen."""
        path = f"/notifications/v1/preferences?uid={person.uid}"
        await self.office.world.patch(path, {"mutePreferences": chosen})

    async def fall_or_rise(self) -> None:
        """Take both gateways down, or up again; then all that waits is due."""
        self.model.is_down = not self.model.is_down
        gateways = self.office.gateways
        gateways.fcm.faults.answer_always("UNAVAILABLE" if self.model.is_down else "")
        gateways.sendgrid.faults.answer_always("500" if self.model.is_down else "")
        if not self.model.is_down:
            self.office.clock.advance(100)


def count_of(planned: list[Planned]) -> Counter[tuple[int, str]]:
    """Return how often each message is to reach each phone."""
    return Counter((each.message, f"phone-of-{each.to}") for each in planned)


async def begin(office: Office, seed: int) -> History:
    """Set up the app and its people."""
    await office.add_fcm()
    await office.add_sendgrid()
    limits = {"intervalInSeconds": INTERVAL, "maxPerDayPerConversation": 500, "maxPerDay": 500}
    await office.world.patch("/notifications/v1/settings", {"preferences": {"email": limits}})
    await office.world.users("dora")
    await office.group("hikers", "anna", "ben", "cora")
    history = History(office, Random(seed), Model())
    for uid in ("anna", "ben", "cora"):
        history.model.join(uid)
    for person in history.model.people.values():
        await history.settle_in(person)
    return history


async def run_histories(office: Office, count: int, first: int) -> None:
    """Run histories in one app, one after the other: each begins with what the last left."""
    history = await begin(office, first)
    for number in range(count):
        history.chance = Random(first + number)
        await history.run(STEPS)


async def test_random_histories(office: Office) -> None:
    """In some random histories, each notification is one that its reader may have then."""
    await run_histories(office, FEW, SEED)


@pytest.mark.campaign
async def test_many_random_histories(office: Office) -> None:
    """In thousands of random histories, each notification is one that its reader may have then."""
    await run_histories(office, MANY, 1_000 * SEED)
