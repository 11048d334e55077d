"""Give an installation another master key while its nodes run: in steps, each of them short.

`begin_rotation` marks the new key, nodes seal with it, `reseal_chunk` goes over all sealed values,
`end_rotation` makes it the store's. Cut off anywhere, all is done again: what is sealed with the
new key is left as it is.
"""

from functools import partial

import msgspec

from hubbub.domain.secrets.keys import (
    HASH_KEY,
    HASH_KEY_PLACE,
    KEY_MARK,
    KNOWN_BY,
    NEW_KEY_MARK,
    NodeKeys,
    complete_files,
    tell_keys,
)
from hubbub.kernel.errors import BadInput, Conflict, NotAuthenticated
from hubbub.kernel.sealing import (
    Sealer,
    load_or_make_key_file,
    new_key_path,
    parse_master_key,
)
from hubbub.outbox import lock_counters
from hubbub.records.apps import store as facts
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.records.presence.store import list_live
from hubbub.records.secrets import store
from hubbub.records.secrets.store import SealedChunk, SealedColumn
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

ROWS_AT_ONCE = 200


class KeysDiffer(Conflict):
    """Some nodes lack the new key, or values are still sealed with the former one."""


async def begin_rotation(runtime: Runtime) -> bool:
    """Have the nodes seal with the new key; return False if it is the store's already.

    Raises:
        BadInput: no new key was given.
        KeysDiffer: running nodes don't have it, or another change is under way.
    """
    mark = runtime.sealer.add(_find_new_key(runtime))
    await tell_keys(runtime)

    async def within(tx: Transaction) -> bool:
        if await facts.find_key_mark(tx) == mark:
            return False
        begun = await facts.find_fact(tx, NEW_KEY_MARK)
        if begun not in (None, mark):
            raise KeysDiffer("Another new key was given before. Complete the change to that first.")
        missing = [
            each
            for each, keys in (await _list_nodes(runtime, tx)).items()
            if mark not in keys.known
        ]
        if missing:
            raise KeysDiffer(
                f"{len(missing)} running nodes don't have the new key. Give them"
                " HUBBUB_NEW_SECRET_KEY, restart them one after the other, and try again."
            )
        await facts.put_fact(tx, NEW_KEY_MARK, mark)
        return True

    is_begun = await runtime.database.write(INSTALLATION, within)
    runtime.sealer.seal_with(mark)
    await tell_keys(runtime)
    return is_begun


def _find_new_key(runtime: Runtime) -> bytes:
    settings = runtime.settings
    if settings.new_secret_key:
        return parse_master_key(settings.new_secret_key)
    if settings.secret_key:
        raise BadInput(
            "The master key is in HUBBUB_SECRET_KEY: set HUBBUB_NEW_SECRET_KEY to the new one, here"
            " and at all nodes. A new one is made by: openssl rand -hex 32"
        )
    return load_or_make_key_file(new_key_path(settings.key_path))


async def count_waiting(runtime: Runtime) -> int:
    """Return how many running nodes don't seal with the new key yet."""
    mark = runtime.sealer.mark
    nodes = await runtime.database.read(INSTALLATION, partial(_list_nodes, runtime))
    return sum(keys.seals != mark for keys in nodes.values())


async def _list_nodes(runtime: Runtime, snapshot: Snapshot) -> dict[str, NodeKeys]:
    """Return what the running nodes say of their keys; a store of one node has no others."""
    if not runtime.database.is_shared:
        return {}
    told = await facts.list_facts(snapshot, KNOWN_BY)
    nothing = NodeKeys([], "")
    live = await list_live(snapshot, runtime.clock.now() - LATE_SECONDS)
    return {
        node: msgspec.json.decode(told[node], type=NodeKeys) if node in told else nothing
        for node in live
    }


async def reseal_chunk(
    runtime: Runtime, app_id: str, column: SealedColumn, after: str
) -> SealedChunk:
    """Seal the values of some rows of a column with the new key."""
    operation = partial(_reseal, sealer=runtime.sealer, column=column, after=after)
    return await runtime.database.write(app_id, operation)


async def _reseal(tx: Transaction, sealer: Sealer, column: SealedColumn, after: str) -> SealedChunk:
    if tx.app_id != INSTALLATION:
        try:
            await lock_counters(tx)  # nodes cache records with what they have opened
        except NotAuthenticated:
            return SealedChunk(None, 0, 0)  # the app was erased meanwhile
    return await store.reseal(tx, sealer, column, after, limit=ROWS_AT_ONCE)


async def check_chunk(
    runtime: Runtime, app_id: str, column: SealedColumn, after: str
) -> SealedChunk:
    """Count the values of some rows of a column that the new key has not sealed."""
    return await runtime.database.read(
        app_id,
        lambda snapshot: store.count_stale(
            snapshot, runtime.sealer, column, after, limit=ROWS_AT_ONCE
        ),
    )


async def end_rotation(runtime: Runtime) -> None:
    """Make the new key that of the store; the file of the former one is kept beside it."""
    sealer = runtime.sealer

    async def within(tx: Transaction) -> None:
        await facts.put_fact(tx, HASH_KEY, sealer.seal_hash_key(*HASH_KEY_PLACE))
        await facts.put_fact(tx, KEY_MARK, sealer.mark)
        await facts.delete_facts(tx, NEW_KEY_MARK)
        await facts.delete_facts(tx, KNOWN_BY)

    await runtime.database.write(INSTALLATION, within)
    complete_files(runtime, sealer.mark)
