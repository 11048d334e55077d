"""Find the lists of an app: those that it has stored, and those that every app has."""

from hubbub.domain.access.credentials import find_app
from hubbub.domain.moderation.built_in.lists import BUILT_IN_LISTS, built_in_lists
from hubbub.records.moderation.keywords import store
from hubbub.records.moderation.keywords.model import KeywordList, KeywordNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def access_list(snapshot: Snapshot, list_id: str, app_created_at: int) -> KeywordList:
    """Return a list as it holds.

    Raises:
        KeywordNotFound: the app has none with that id.
    """
    found = await store.find_list(snapshot, list_id)
    if found is None:
        found = built_in_lists(app_created_at).get(list_id)
    if found is None:
        raise KeywordNotFound(list_id)
    return found


async def list_categories(snapshot: Snapshot) -> dict[str, str]:
    """Return the categories of all lists of an app by id."""
    stored = {each.id: each.category for each in await store.list_summaries(snapshot)}
    return {each.id: each.category for each in built_in_lists(0).values()} | stored


async def get_list(runtime: Runtime, app_id: str, list_id: str) -> KeywordList:
    """Return a list as it holds.

    Raises:
        KeywordNotFound: the app has none with that id.
    """
    created_at = (await find_app(runtime, app_id)).created_at
    return await runtime.database.read(
        app_id, lambda snapshot: access_list(snapshot, list_id, created_at)
    )


async def list_lists(runtime: Runtime, app_id: str) -> list[KeywordList]:
    """Return all lists of an app as they hold: its own, newest first, then the built-in ones."""
    created_at = (await find_app(runtime, app_id)).created_at

    async def within(snapshot: Snapshot) -> list[KeywordList]:
        stored = await store.list_lists(snapshot)
        changed = {each.id: each for each in stored if each.id in BUILT_IN_LISTS}
        built_in = built_in_lists(created_at)
        return [
            *(each for each in stored if each.id not in BUILT_IN_LISTS),
            *(changed.get(list_id, each) for list_id, each in built_in.items()),
        ]

    return await runtime.database.read(app_id, within)
