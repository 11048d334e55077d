"""Delete the auth tokens that have ended, with the devices that were registered with them.

Until then they are refused wherever they are shown: nothing waits for this.
"""

from collections import defaultdict
from functools import partial

from hubbub.domain.tokens.manage import delete_tokens, drop_cached
from hubbub.kernel.each_app import for_each_app
from hubbub.outbox import lock_counters
from hubbub.records.tokens import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

CHUNK = 100


async def end_tokens(runtime: Runtime) -> None:
    """Delete all tokens that have ended, in every app."""
    find = partial(store.list_apps_with_ended, now=runtime.clock.now())
    app_ids = await runtime.database.read(INSTALLATION, find, is_short=True)
    await for_each_app(app_ids, partial(end_app_tokens, runtime), name="end_tokens")


async def end_app_tokens(runtime: Runtime, app_id: str) -> None:
    """Delete the tokens of an app that have ended."""
    now = runtime.clock.now()

    async def within(tx: Transaction) -> list[str]:
        await lock_counters(tx)
        ended = await store.list_ended(tx, now, limit=CHUNK)
        by_user: defaultdict[str, list[str]] = defaultdict(list)
        for uid, hash_ in ended:
            by_user[uid].append(hash_)
        for uid, hashes in by_user.items():
            await delete_tokens(tx, runtime, uid, hashes, by=None)
        if len(ended) < CHUNK:
            await store.store_next_end(tx, now)
        return [hash_ for _, hash_ in ended]

    hashes = await runtime.database.write(app_id, within)
    while len(hashes) == CHUNK:
        drop_cached(runtime, app_id, hashes)
        hashes = await runtime.database.write(app_id, within)
    drop_cached(runtime, app_id, hashes)
