"""What is due to whom: which notifications must have arrived, and which may not."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.crash.facts import Moment
from tests.crash.post_office import Arrival, Arrivals, Note, PostOffice
from tests.crash.town import GROUP, PEOPLE, PHONES, Said, Town
from tests.soon import until

ARRIVING_SECONDS = 120.0
"""The lease of a node that was killed ends after half a minute, and another of its queues may have
been claimed by the next node."""


@dataclass(slots=True)
class Book:
    """What has arrived of the notifications of a town.

    A notification is due if its reader could have it when the message was stored, and ever since.
    What has changed before it arrived withdraws it: another owner of the phone, a log-out, a kick,
    or the deletion of the message. A text goes out as edited, and an e-mail to the present address.
    """

    town: Town
    office: PostOffice
    pushed: set[tuple[str, int]] = field(default_factory=set)
    """Phones, and the messages that they were pushed."""
    mailed: set[tuple[str, int]] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    """The ids of the messages that the webhook was told of."""
    pushes: list[Arrival] = field(default_factory=list)
    mails: list[Arrival] = field(default_factory=list)
    calls: list[Arrival] = field(default_factory=list)
    due: int = 0
    withdrawn: int = 0
    _seen: dict[int, int] = field(default_factory=dict)
    _settled: int = 0
    """The number of the last message that is not waited for."""

    async def settle(self) -> None:
        """Wait until all that is due has arrived."""
        try:
            await until(lambda: not self._missing(), ARRIVING_SECONDS)
        except TimeoutError:
            raise AssertionError(f"{self.town.name} misses {self._missing()}") from None
        for said in self._open():
            self.due += len(list(_due(self.town, said)))
            self.withdrawn += len(_planned(self.town, said)) - len(list(_due(self.town, said)))
            self._settled = said.number

    def check(self) -> None:
        """Check that nothing went to anybody who might not have it, and that nothing doubled."""
        self._read()
        for push in self.pushes:
            assert _may_push(self.town, push), f"{self.town.name}: {push}"
        for mail in self.mails:
            assert _may_mail(self.town, mail), f"{self.town.name}: {mail}"
        _check_written_once(self.mails)
        for arrivals in (self.pushes, self.mails, self.calls):
            _check_repeats(arrivals)
        for call in self.calls:
            assert len(self.office.bodies[call.id]) == 1, "a repeat has the same body"

    def doubles(self) -> dict[str, int]:
        """Return how many calls were repeats of an accepted one."""
        every = {"pushes": self.pushes, "mails": self.mails, "calls": self.calls}
        return {name: len(some) - len(_by_id(some)) for name, some in every.items()}

    def _open(self) -> list[Said]:
        return [each for number, each in self.town.said.items() if number > self._settled]

    def _missing(self) -> list[str]:
        self._read()
        missing = []
        for said in self._open():
            missing += [] if said.id in self.told else [f"call {said.number}"]
            for channel, to in _due(self.town, said):
                arrived = self.pushed if channel == "push" else self.mailed
                if (to, said.number) not in arrived:
                    missing.append(f"{channel} {said.number} to {to}")
        return missing

    def _read(self) -> None:
        """Take note of what has arrived since."""
        for push in self._new(self.office.pushes, f"{self.town.name}/"):
            self.pushes.append(push)
            phone = push.to.partition("/")[2]
            self.pushed |= {(phone, each.message) for each in push.notes}
        for mail in self._new(self.office.mails, f"@{self.town.name}."):
            self.mails.append(mail)
            self.mailed |= {(_uid_of(mail), each.message) for each in mail.notes}
        for call in self._new(self.office.calls, f"/{self.town.name}"):
            self.calls.append(call)
            self.told.add(call.text)

    def _new(self, arrivals: Arrivals, name: str) -> list[Arrival]:
        since = self._seen.get(id(arrivals), 0)
        self._seen[id(arrivals)] = len(arrivals.noted)
        return [each for each in arrivals.noted[since:] if name in each.to]


def _due(town: Town, said: Said) -> list[tuple[str, str]]:
    """Return where a message must arrive: by push at a phone, and by e-mail at a user."""
    if not said.is_there.value:
        return []
    readers = [uid for uid in said.readers if _is_reader(town, said, uid)]
    phones = [
        phone
        for phone in PHONES
        if any(town.owners[phone].has_been(uid, said.asked) for uid in readers)
    ]
    return [("push", phone) for phone in phones] + [("mail", uid) for uid in readers]


def _is_reader(town: Town, said: Said, uid: str) -> bool:
    return said.to != GROUP or town.members[uid].has_been(True, said.asked)


def _planned(town: Town, said: Said) -> set[tuple[str, str]]:
    """Return where a message may have been planned to arrive, when it was sent."""
    readers = [
        uid
        for uid in said.readers
        if said.to != GROUP or town.members[uid].may_be(True, said.asked)
    ]
    phones = [
        phone
        for phone in PHONES
        if any(town.owners[phone].may_be(uid, said.asked) for uid in readers)
    ]
    return {("push", phone) for phone in phones} | {("mail", uid) for uid in readers}


def _may_push(town: Town, push: Arrival) -> bool:
    """Return whether the owner of a phone may have had a push when it left."""
    owner = town.owners[push.to.partition("/")[2]]
    if not push.notes:  # of a message that was deleted
        return any(owner.may_be(uid, push.moment) for uid in PEOPLE)
    [note] = push.notes
    return any(
        owner.may_be(uid, push.moment) and _may_have(town, note, uid, push.moment) for uid in PEOPLE
    )


def _may_mail(town: Town, mail: Arrival) -> bool:
    """Return whether a user had an address when an e-mail left, and might have all of it."""
    uid = _uid_of(mail)
    is_theirs = town.addresses[uid].may_be(mail.to, mail.moment)
    return is_theirs and all(_may_have(town, note, uid, mail.moment) for note in mail.notes)


def _may_have(town: Town, note: Note, uid: str, call: Moment) -> bool:
    """Return whether a user might have a message as it is told, at the time of a call."""
    said = town.said[note.message]
    if not said.is_there.may_be(True, call) or not said.text.may_be(note.edit, call):
        return False
    return uid in said.readers and (said.to != GROUP or town.members[uid].may_be(True, call))


def _uid_of(mail: Arrival) -> str:
    return mail.to.partition("@")[0].rpartition("-")[0]


def _by_id(arrivals: Iterable[Arrival]) -> dict[tuple[str, str], list[Arrival]]:
    found = defaultdict(list)
    for each in arrivals:
        to = _uid_of(each) if "@" in each.to else each.to
        found[to, each.id].append(each)
    return found


def _check_written_once(mails: Iterable[Arrival]) -> None:
    """Check that all e-mails about one message are one, which is sent again."""
    ids = defaultdict(set)
    for mail in mails:
        for note in mail.notes:
            ids[_uid_of(mail), note.message].add(mail.id)
    assert {len(some) for some in ids.values()} <= {1}


def _check_repeats(arrivals: Iterable[Arrival]) -> None:
    """Check that what was accepted is repeated only by a server that was started after that."""
    for repeats in _by_id(arrivals).values():
        lives = [each.moment.life for each in repeats if each.moment.life % 2 == 0]
        assert len(lives) == len(set(lives)), f"{repeats}"
