"""A store full of users, groups and members.

They are the same each time, as far as the size allows: skewed as in real apps, in several scripts.
They are written with the functions that production uses, in large batches.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TypeVar

from hubbub.domain.apps.manage import create_app
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.groups.model import PASSWORD, PRIVATE, PUBLIC, GroupDraft
from hubbub.records.groups.store import add_members_count, insert_groups
from hubbub.records.keys.model import FULL_ACCESS
from hubbub.records.members.model import ADMIN, MODERATOR, PARTICIPANT, Member
from hubbub.records.members.store import insert_members
from hubbub.records.roles.model import Role
from hubbub.records.roles.store import insert_role
from hubbub.records.users.model import Profile, UserDraft
from hubbub.records.users.store import insert_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

Item = TypeVar("Item")
Advance = Callable[[int], None]

FROM, UPTO = 1_600_000_000, 1_760_000_000
BATCH = 5_000
RARE_NAME, RARE_UID, RARE = "Quillfeather", "vip-", 40
"""A name that few users have, the prefix of their uids, and their number."""
ROLES = {"default": 80, "member": 12, "customer": 5, "moderator": 2, "staff": 1}
AVAILABLE_SHARE, DEACTIVATED_SHARE, TAGGED_SHARE = 0.03, 0.02, 0.1
TOWN_TYPES = {PUBLIC: 60, PRIVATE: 30, PASSWORD: 10}
CLUB_TYPES = {PRIVATE: 99, PUBLIC: 1}
JOINED, JOINED_IN_CLUB = 200, 20
SCOPES = {PARTICIPANT: 989, MODERATOR: 10, ADMIN: 1}
TAGS = {f"tag-{number}": 1_000 // number for number in range(1, 51)}
FIRST_NAMES, LAST_NAMES = 3_000, 5_000
SYLLABLES = {
    "an be chi da e fa gio ha i jo ka lu ma ni o pa ro sa ti u vi wa xe ya zo mo ma mi al ka jo an "
    "sa le ben mar": 70,
    "ан бо ва да ев жа за ив ка ле ма ни ол пе ро са та ха": 10,
    "αν βα γε δη ελ ζω θα ιω κα λε μα νι πε σο τα φι": 5,
    "अ आ इ क का खा गा चा जा ता दा ना पा मा या रा": 5,
    "ا ب ج د ر س ع ف ق ك ل م ن ه و ي": 5,
    "山 田 中 川 木 村 太 郎 子 美 王 李 明 小 林 高": 5,
}
"""The syllables of names, and the percentage of each script."""

_set_available = Query(
    "set_available",
    "UPDATE users SET status = 'available' WHERE app_id = :app_id AND uid = ANY(:uids)",
)


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of rows; `members` are those of the largest group."""

    users: int
    groups: int
    members: int

    @property
    def rows(self) -> int:
        """Return the number of rows that the progress counts."""
        return self.users + 2 * self.groups + self.members


@dataclass(frozen=True, slots=True)
class Crowd:
    """Two apps: a town, and a club with as many groups, nearly all of them private."""

    size: Size
    town: str
    club: str
    keys: Mapping[str, str]
    """The API keys by app."""
    viewer: str = "viewer"
    """A user of both: in 200 groups of the town, in 20 of the club."""
    large: str = "group-0"
    """The town's largest group; the viewer is in it."""


async def fill(runtime: Runtime, size: Size, advance: Advance) -> Crowd:
    """Fill an empty store; call `advance` with the number of rows written."""
    town, town_key = await make_app(runtime, "Town")
    club, club_key = await make_app(runtime, "Club")
    crowd = Crowd(size, town, club, {town: town_key, club: club_key})
    for app_id in (town, club):
        await write_users(
            runtime, app_id, [UserDraft(crowd.viewer, Profile("Viewer", role="default"))]
        )
    uids = []
    for batch in batches(people(random.Random(1), size.users - 1)):
        await write_users(runtime, town, batch)
        uids += [draft.uid for draft in batch]
        advance(len(batch))
    for app_id, types, joined in (
        (town, TOWN_TYPES, JOINED),
        (club, CLUB_TYPES, JOINED_IN_CLUB),
    ):
        for some in batches(_groups(random.Random(2), crowd, types, joined, uids)):
            await _write_groups(runtime, app_id, some)
            advance(len(some))
    for members in batches(_crowded(random.Random(3), uids, size.members)):
        await _write_members(runtime, crowd, members)
        advance(len(members))
    return crowd


async def make_app(runtime: Runtime, name: str) -> tuple[str, str]:
    """Create an app with all roles; return its id and key."""
    app, keys = await create_app(runtime, name=name, region="us")

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        for role in list(ROLES)[1:]:  # the first is there already
            await insert_role(tx, Role(role, role.title(), FROM))

    await runtime.database.write(app.id, within)
    return app.id, next(key.api_key for key in keys if key.scope == FULL_ACCESS)


def people(chance: random.Random, count: int) -> Iterator[UserDraft]:
    """Yield drafts of users; one in fifty is deactivated."""
    firsts, lasts = _names(chance, FIRST_NAMES), _names(chance, LAST_NAMES)
    rare = spread(RARE, count)
    for place in range(count):
        first, last = next(firsts), next(lasts)
        uid = f"{chance.getrandbits(64):016x}"
        if place in rare:
            uid, last = RARE_UID + uid, RARE_NAME
        yield UserDraft(
            uid,
            Profile(
                name=f"{first} {last}",
                role=_one_of(chance, ROLES),
                avatar=f"https://example.com/avatars/{uid}.png" if place % 2 else None,
                metadata={"city": first, "level": place % 90} if place % 3 else None,
                tags=_tags(chance),
            ),
            created_at=_time(chance, place / count),
            deactivated_at=UPTO if chance.random() < DEACTIVATED_SHARE else None,
        )


async def write_users(runtime: Runtime, app_id: str, drafts: Sequence[UserDraft]) -> None:
    """Write users; some of them are available."""
    chance = random.Random(drafts[0].uid)

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        await insert_users(tx, drafts, UPTO, next_event_number(tx))
        numbers.users += sum(draft.deactivated_at is None for draft in drafts)
        available = [draft.uid for draft in drafts if chance.random() < AVAILABLE_SHARE]
        await tx.run(_set_available, uids=available)

    await runtime.database.write(app_id, within)


Group = tuple[GroupDraft, Sequence[str]]
"""A group and the uids of its members."""


def _groups(
    chance: random.Random, crowd: Crowd, types: dict[str, int], joined: int, uids: Sequence[str]
) -> Iterator[Group]:
    """Yield groups of three, which the app owns; the viewer is in some, and in the first."""
    count = crowd.size.groups
    firsts, lasts = _names(chance, FIRST_NAMES), _names(chance, LAST_NAMES)
    rare, of_viewer = spread(RARE, count), spread(joined, count)
    for place in range(count):
        last = RARE_NAME if place in rare else next(lasts)
        draft = GroupDraft(
            guid=f"{chance.getrandbits(64):016x}" if place else crowd.large,
            name=f"{next(firsts)} {last}",
            type=_one_of(chance, types),
            description="What we talk about here" if place % 2 else None,
            tags=_tags(chance),
            created_at=_time(chance, place / count),
        )
        yield draft, chance.sample(uids, 3) if place not in of_viewer else [crowd.viewer]


async def _write_groups(runtime: Runtime, app_id: str, groups: Sequence[Group]) -> None:
    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        first = numbers.conversation + 1
        await insert_groups(tx, [(draft, first + n) for n, (draft, _) in enumerate(groups)], UPTO)
        numbers.conversation += len(groups)
        numbers.groups += len(groups)
        members = [
            Member(first + place, uid, PARTICIPANT, draft.created_at or FROM)
            for place, (draft, uids) in enumerate(groups)
            for uid in uids
        ]
        await insert_members(tx, members, [1] * len(members))
        await add_members_count(tx, {draft.guid: len(uids) for draft, uids in groups})

    await runtime.database.write(app_id, within)


def _crowded(chance: random.Random, uids: Sequence[str], count: int) -> Iterator[Member]:
    """Yield the other members of the town's first group, which has conversation 1."""
    for place, uid in enumerate(chance.sample(uids, count - 1)):
        yield Member(1, uid, _one_of(chance, SCOPES), _time(chance, place / count))


async def _write_members(runtime: Runtime, crowd: Crowd, members: Sequence[Member]) -> None:
    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await insert_members(tx, members, [1] * len(members))
        await add_members_count(tx, {crowd.large: len(members)})

    await runtime.database.write(crowd.town, within)


def _names(chance: random.Random, count: int) -> Iterator[str]:
    """Yield names without end out of `count`, the first much more often than the last."""
    made = list(islice(invented(chance), count))
    weights = list(accumulate(1 / (rank + 20) for rank in range(count)))
    while True:
        yield from chance.choices(made, cum_weights=weights, k=BATCH)


def invented(chance: random.Random) -> Iterator[str]:
    """Yield names, each once."""
    known = set[str]()
    while True:
        syllables = _one_of(chance, SYLLABLES).split()
        name = "".join(chance.choices(syllables, k=chance.randint(2, 3))).title()
        if name not in known:
            known.add(name)
            yield name


def _one_of(chance: random.Random, weights: Mapping[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]


def _tags(chance: random.Random) -> tuple[str, ...]:
    """Return tags: one user in ten has one or two."""
    if chance.random() >= TAGGED_SHARE:
        return ()
    return tuple(dict.fromkeys(_one_of(chance, TAGS) for _ in range(chance.randint(1, 2))))


def _time(chance: random.Random, place: float) -> int:
    """Return a time that rises with the place; one in five is later, as after a change."""
    if chance.random() < 0.2:
        place += (1 - place) * chance.random()
    return FROM + int((UPTO - FROM) * place)


def spread(some: int, count: int) -> set[int]:
    """Return `some` of `count` places, evenly spread, including the first."""
    return {number * count // some for number in range(some)}


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[list[Item]]:
    """Yield lists of up to `size` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
