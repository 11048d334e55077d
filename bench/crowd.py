"""A store full of people: who they are, which groups there are, who is in which.

The same crowd each time, as far as its size allows: skewed as crowds are, in several scripts. It is
written with the functions that write users, groups and members in production, in large batches.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TypeVar

from hubbub.domain.apps.manage import create_app
from hubbub.domain.groups.model import PASSWORD, PRIVATE, PUBLIC, GroupDraft
from hubbub.domain.groups.store import add_members_count, insert_groups
from hubbub.domain.members.model import ADMIN, MODERATOR, PARTICIPANT, Member
from hubbub.domain.members.store import insert_members
from hubbub.domain.users.model import UserDraft
from hubbub.domain.users.store import insert_users
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

Item = TypeVar("Item")
Advance = Callable[[int], None]

FROM, UPTO = 1_600_000_000, 1_760_000_000
BATCH = 5_000
RARE_NAME, RARE_UID, RARE = "Quillfeather", "vip-", 40
"""A name that few have, and how few; as many have uids that begin alike."""
JOINED, JOINED_IN_CLUB = 200, 20
ROLES = {"default": 80, "member": 12, "customer": 5, "moderator": 2, "staff": 1}
GROUP_TYPES = {PUBLIC: 60, PRIVATE: 30, PASSWORD: 10}
CLUB_TYPES = {PRIVATE: 99, PUBLIC: 1}
TAGS = [f"tag-{number}" for number in range(1, 51)]
SYLLABLES = {
    "an be chi da e fa gio ha i jo ka lu ma ni o pa ro sa ti u vi wa xe ya zo mo ma mi al ka jo an "
    "sa le ben mar": 70,
    "ан бо ва да ев жа за ив ка ле ма ни ол пе ро са та ха": 10,
    "αν βα γε δη ελ ζω θα ιω κα λε μα νι πε σο τα φι": 5,
    "अ आ इ क का खा गा चा जा ता दा ना पा मा या रा": 5,
    "ا ب ج د ر س ع ف ق ك ل م ن ه و ي": 5,
    "山 田 中 川 木 村 太 郎 子 美 王 李 明 小 林 高": 5,
}
FIRST_NAMES, LAST_NAMES = 3_000, 5_000

_set_available = Query(
    "set_available",
    "UPDATE users SET status = 'available' WHERE app_id = :app_id AND uid = ANY(:uids)",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How many there are."""

    users: int
    groups: int
    members: int
    """Of the largest group."""

    @property
    def rows(self) -> int:
        """What is written, as far as progress is concerned."""
        return self.users + 2 * self.groups + self.members


@dataclass(frozen=True, slots=True)
class Crowd:
    """Two apps: a town, and a club where nearly all groups are private."""

    size: Size
    town: str
    club: str
    viewer: str = "vip-viewer"
    """A user of both: in 200 groups of the town, in 20 of the club."""
    large: str = "group-0"
    """The town's largest group; the viewer is in it."""


async def fill(runtime: Runtime, size: Size, advance: Advance) -> Crowd:
    """Fill an empty store."""
    town, _ = await create_app(runtime, name="Town", region="us")
    club, _ = await create_app(runtime, name="Club", region="us")
    crowd = Crowd(size, town.id, club.id)
    chance = random.Random(1)
    uids = [crowd.viewer]
    await _write_users(runtime, town.id, [UserDraft(crowd.viewer, "The Viewer", role="default")])
    await _write_users(runtime, club.id, [UserDraft(crowd.viewer, "The Viewer", role="default")])
    for batch in _batches(_people(chance, size.users - 1)):
        await _write_users(runtime, town.id, batch, chance)
        uids.extend(draft.uid for draft in batch)
        advance(len(batch))
    await _add_groups(runtime, crowd, GROUP_TYPES, uids, advance)
    await _add_club(runtime, crowd, advance)
    await _fill_large(runtime, crowd, uids, advance)
    return crowd


def _people(chance: random.Random, count: int) -> Iterator[UserDraft]:
    names = _names(chance, FIRST_NAMES), _names(chance, LAST_NAMES)
    rare = {(count - 1) * number // RARE for number in range(RARE)}
    for place in range(count):
        first, last = next(names[0]), next(names[1])
        is_rare = place in rare
        yield UserDraft(
            uid=f"{RARE_UID if is_rare else ''}{chance.getrandbits(64):016x}",
            name=f"{first} {RARE_NAME if is_rare else last}",
            role=_one_of(chance, ROLES),
            avatar=f"https://example.com/avatars/{place}.png" if chance.random() < 0.5 else None,
            metadata={"city": first, "level": place % 90} if chance.random() < 0.3 else None,
            tags=_tags(chance),
            created_at=_time(chance, place / count),
            deactivated_at=UPTO if chance.random() < 0.02 else None,
        )


async def _write_users(
    runtime: Runtime, app_id: str, drafts: Sequence[UserDraft], chance: random.Random | None = None
) -> None:
    async def within(tx: Transaction) -> None:
        numbers = await take_numbers(tx)
        await insert_users(tx, drafts, UPTO)
        numbers.users += sum(draft.deactivated_at is None for draft in drafts)
        available = [draft.uid for draft in drafts if chance and chance.random() < 0.03]
        await tx.run(_set_available, uids=available)

    await runtime.database.write(app_id, within)


async def _add_groups(
    runtime: Runtime, crowd: Crowd, types: dict[str, int], uids: Sequence[str], advance: Advance
) -> None:
    """Groups of three; of the first ones, the viewer is the owner."""
    chance = random.Random(2)
    every = crowd.size.groups // JOINED
    drafts = _groups(chance, crowd.size.groups, types)
    for number, batch in enumerate(_batches(drafts)):
        first = number * BATCH
        people = [
            [crowd.viewer if (first + place) % every == 0 else chance.choice(uids)]
            + [chance.choice(uids) for _ in range(2)]
            for place in range(len(batch))
        ]
        await _write_groups(runtime, crowd.town, batch, people)
        advance(len(batch))


async def _add_club(runtime: Runtime, crowd: Crowd, advance: Advance) -> None:
    every = crowd.size.groups // JOINED_IN_CLUB
    drafts = _groups(random.Random(3), crowd.size.groups, CLUB_TYPES)
    for number, batch in enumerate(_batches(drafts)):
        first = number * BATCH
        people = [
            [crowd.viewer] if (first + place) % every == 0 else [f"somebody-{place}"]
            for place in range(len(batch))
        ]
        await _write_groups(runtime, crowd.club, batch, people)
        advance(len(batch))


def _groups(chance: random.Random, count: int, types: dict[str, int]) -> Iterator[GroupDraft]:
    firsts, lasts = _names(chance, FIRST_NAMES), _names(chance, LAST_NAMES)
    rare = {(count - 1) * number // RARE for number in range(RARE)}
    for place in range(count):
        last = RARE_NAME if place in rare else next(lasts)
        yield GroupDraft(
            guid=f"group-{place}" if place == 0 else f"{chance.getrandbits(64):016x}",
            name=f"{next(firsts)} {last}",
            type=_one_of(chance, types),
            owner="",
            description="What we talk about here" if chance.random() < 0.5 else None,
            tags=_tags(chance),
            created_at=_time(chance, place / count),
        )


async def _write_groups(
    runtime: Runtime, app_id: str, drafts: Sequence[GroupDraft], people: Sequence[Sequence[str]]
) -> None:
    async def within(tx: Transaction) -> None:
        numbers = await take_numbers(tx)
        numbered = [(draft, numbers.conversation + n) for n, draft in enumerate(drafts, 1)]
        await insert_groups(tx, numbered, UPTO)
        numbers.conversation += len(drafts)
        numbers.groups += len(drafts)
        members = [
            Member(number, uid, PARTICIPANT if place else ADMIN, draft.created_at or UPTO)
            for (draft, number), uids in zip(numbered, people, strict=True)
            for place, uid in enumerate(dict.fromkeys(uids))
        ]
        await insert_members(tx, members, [1] * len(members))
        await add_members_count(
            tx, {draft.guid: len(set(uids)) for draft, uids in zip(drafts, people, strict=True)}
        )

    await runtime.database.write(app_id, within)


async def _fill_large(
    runtime: Runtime, crowd: Crowd, uids: Sequence[str], advance: Advance
) -> None:
    """The town's first group has conversation 1, and three members already."""
    chance = random.Random(4)
    people = chance.sample(uids[1:], crowd.size.members)
    scopes = {PARTICIPANT: 989, MODERATOR: 10, ADMIN: 1}
    members = (
        Member(1, uid, _one_of(chance, scopes), _time(chance, place / len(people)))
        for place, uid in enumerate(people)
    )
    for batch in _batches(members):

        async def within(tx: Transaction, batch: Sequence[Member] = batch) -> None:
            await take_numbers(tx)
            await insert_members(tx, batch, [1] * len(batch))
            await add_members_count(tx, {crowd.large: len(batch)})

        await runtime.database.write(crowd.town, within)
        advance(len(batch))


def _names(chance: random.Random, count: int) -> Iterator[str]:
    """Endless names out of so many, the first of them much more often than the last."""
    made = list(islice(_invented(chance), count))
    weights = list(accumulate(1 / (rank + 20) for rank in range(count)))
    while True:
        yield from chance.choices(made, cum_weights=weights, k=1_000)


def _invented(chance: random.Random) -> Iterator[str]:
    known = set[str]()
    while True:
        syllables = _one_of(chance, SYLLABLES).split()
        name = "".join(chance.choices(syllables, k=chance.randint(2, 3))).title()
        if name not in known:
            known.add(name)
            yield name


def _one_of(chance: random.Random, weights: dict[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


def _tags(chance: random.Random) -> tuple[str, ...]:
    """One in ten has one or two."""
    if chance.random() >= 0.1:
        return ()
    found = chance.choices(TAGS, [1 / place for place in range(1, len(TAGS) + 1)], k=2)
    return tuple(dict.fromkeys(found[: chance.randint(1, 2)]))


def _time(chance: random.Random, place: float) -> int:
    """Rising with the place; one in five is out of order, as after a change."""
    if chance.random() < 0.2:
        place += (1 - place) * chance.random()
    return FROM + int((UPTO - FROM) * place)


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
