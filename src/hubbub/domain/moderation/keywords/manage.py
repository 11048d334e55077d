"""Create, change and delete lists; rules use the newest revision of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.access.credentials import find_app
from hubbub.domain.moderation.built_in.lists import BUILT_IN_LISTS
from hubbub.domain.moderation.keywords.find import access_list
from hubbub.domain.moderation.keywords.terms import check_terms
from hubbub.domain.moderation.known import forget_rules
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.moderation.events import ModerationChanged
from hubbub.records.moderation.keywords import store
from hubbub.records.moderation.keywords.model import (
    MOST_CHARACTERS,
    MOST_LISTS,
    KeywordAlreadyExists,
    KeywordDeleteDenied,
    KeywordInUse,
    KeywordList,
    KeywordNotFound,
    ListsTooLong,
    TooManyLists,
    encode_terms,
)
from hubbub.records.moderation.rules.store import list_rules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class GivenTerms:
    """The terms of a list, read once its category is known."""

    field: str
    """Where they stand in the request."""
    read: Callable[[str], list[str]]
    """Returns them for a category; raises `BadInput` if they can't be read."""
    is_csv: bool = False


@dataclass(frozen=True, slots=True)
class ListChange:
    """The fields of a list that are given; None for what stays."""

    category: str | None
    name: str | None
    description: str | None
    terms: GivenTerms | None


async def create_list(
    runtime: Runtime, app_id: str, list_id: str | None, change: ListChange
) -> KeywordList:
    """Create a list.

    Raises:
        BadInput: terms are missing or not valid.
        KeywordAlreadyExists: the id is taken.
        TooManyLists, ListsTooLong: the app has 25 lists, or too much in them.
    """
    if change.category is None:
        raise BadInput.field("category", "The category field is required.")
    if change.terms is None:
        raise BadInput.field("searchTerms", "The searchTerms field is required.")
    id_, now = list_id or runtime.ids.hexadecimal(16), runtime.clock.now()
    terms = await _read(runtime, app_id, change.terms, change.category)
    created = KeywordList(
        id=id_,
        revision=1,
        number=0,
        category=change.category,
        name=change.name or id_,
        description=change.description,
        is_csv=change.terms.is_csv,
        terms=encode_terms(terms),
        length=sum(map(len, terms)),
        created_at=now,
        updated_at=now,
    )

    async def within(tx: Transaction) -> KeywordList:
        await lock_counters(tx)  # one at a time: lists are counted, then added
        present = {each.id for each in await store.list_summaries(tx)}
        if id_ in present | BUILT_IN_LISTS:
            raise KeywordAlreadyExists(id_)
        if len(present - BUILT_IN_LISTS) >= MOST_LISTS:
            raise TooManyLists
        return await _store(tx, created)

    stored = await runtime.database.write(app_id, within)
    forget_rules(runtime, app_id)
    return stored


async def update_list(
    runtime: Runtime, app_id: str, list_id: str, change: ListChange
) -> KeywordList:
    """Make a revision of a list, also of a built-in one; fields that are not given stay.

    Raises:
        KeywordNotFound: the app has none with that id.
        BadInput: terms are not valid, or rules need it to have its category.
        ListsTooLong: there would be too much in the lists of the app.
    """
    now, created_at = runtime.clock.now(), (await find_app(runtime, app_id)).created_at
    seen = await runtime.database.read(
        app_id, lambda snapshot: access_list(snapshot, list_id, created_at)
    )
    category = change.category or seen.category
    given = change.terms or GivenTerms("category", lambda _: seen.read(), is_csv=seen.is_csv)
    is_read = change.terms is not None or category != seen.category
    terms = await _read(runtime, app_id, given, category) if is_read else None

    async def within(tx: Transaction) -> KeywordList:
        await lock_counters(tx)
        before = await access_list(tx, list_id, created_at)
        if category != before.category:
            await _refuse_if_used(tx, list_id)
        after = msgspec.structs.replace(
            before,
            revision=before.revision + 1,
            category=before.category if terms is None else category,
            name=before.name if change.name is None else change.name,
            description=before.description if change.description is None else change.description,
            updated_at=now,
        )
        if terms is not None:
            after = msgspec.structs.replace(
                after,
                is_csv=given.is_csv,
                terms=encode_terms(terms),
                length=sum(map(len, terms)),
            )
        return await _store(tx, after)

    stored = await runtime.database.write(app_id, within)
    forget_rules(runtime, app_id)
    return stored


async def delete_list(runtime: Runtime, app_id: str, list_id: str) -> None:
    """Delete a list.

    Raises:
        KeywordNotFound: the app has none with that id.
        KeywordInUse: a rule refers to it.
        KeywordDeleteDenied: it is a built-in one.
    """
    if list_id in BUILT_IN_LISTS:
        raise KeywordDeleteDenied(list_id)
    now = runtime.clock.now()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        if await store.find_list(tx, list_id) is None:
            raise KeywordNotFound(list_id)
        await _refuse_if_used(tx, list_id)
        await store.delete_list(tx, list_id)
        tx.announce(ModerationChanged(now))

    await runtime.database.write(app_id, within)


async def _read(runtime: Runtime, app_id: str, given: GivenTerms, category: str) -> list[str]:
    """Read and check terms on a thread: ten thousand of them take their time."""

    def read() -> Sequence[str]:
        return check_terms(given.read(category), category, given.field)

    return list(await runtime.threads.run(app_id, read))


async def _refuse_if_used(tx: Transaction, list_id: str) -> None:
    using = [each.id for each in await list_rules(tx) if list_id in each.read().lists]
    if using:
        raise KeywordInUse(list_id, using)


async def _store(tx: Transaction, stored: KeywordList) -> KeywordList:
    others = [each for each in await store.list_summaries(tx) if each.id != stored.id]
    if sum(each.length for each in others) + stored.length > MOST_CHARACTERS:
        raise ListsTooLong
    numbered = msgspec.structs.replace(stored, number=next_event_number(tx))
    await store.store_list(tx, numbered)
    tx.announce(ModerationChanged(stored.updated_at))
    return numbered
