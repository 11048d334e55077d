"""Find out which of the keys that a node has is the store's, and tell others which it has.

The store has the mark of its master key, and, while it gets a new one, that of the new one: then
nodes seal with the new one, and open with either. The key for hashes is that of the first master
key: hashes are the keys of rows, and some secrets are stored as hashes alone.
"""

import msgspec
import structlog

from hubbub.kernel.sealing import (
    NotOurSecret,
    Sealer,
    load_key_file,
    new_key_path,
    replace_key_file,
)
from hubbub.records.apps import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

log = structlog.get_logger()

KEY_MARK, NEW_KEY_MARK, HASH_KEY = "key_mark", "new_key_mark", "hash_key"
KNOWN_BY = "keys_known_by/"
"""Begins the names of what each node with several keys says of them."""
HASH_KEY_PLACE = ("", "installation", "value", HASH_KEY)


class NodeKeys(msgspec.Struct, frozen=True):
    """The keys that a node has, by their marks, and the one that it seals with."""

    known: list[str]
    seals: str


async def settle_keys(runtime: Runtime) -> None:
    """Use the keys of the store; a store without a mark gets that of the node's key.

    Raises:
        NotOurSecret: the store has another master key, or a new one that the node has not.
    """
    sealer = runtime.sealer

    async def within(tx: Transaction) -> tuple[str, str | None, str | None]:
        mark = await store.settle_key_mark(tx, sealer.mark)
        return mark, await store.find_fact(tx, NEW_KEY_MARK), await store.find_fact(tx, HASH_KEY)

    mark, new_mark, hash_key = await runtime.database.write(INSTALLATION, within)
    if mark not in sealer.marks:
        raise NotOurSecret(
            "The store was made with another master key. Put its file secret.key back into the "
            "data folder, or set HUBBUB_SECRET_KEY to it."
        )
    if new_mark is not None and new_mark not in sealer.marks:
        raise NotOurSecret(
            "The store gets a new master key, which this node has not. Set HUBBUB_NEW_SECRET_KEY"
            " to it, or put its file secret.key.new into the data folder."
        )
    sealer.seal_with(mark)
    sealer.hash_with(mark)
    if hash_key is not None:
        sealer.open_hash_key(hash_key, *HASH_KEY_PLACE)
    if new_mark is not None:
        sealer.seal_with(new_mark)
    complete_files(runtime, mark)


def complete_files(runtime: Runtime, mark: str) -> None:
    """Give the file of the new key its place, once the key with that mark is the store's."""
    path = new_key_path(runtime.settings.key_path)
    if runtime.settings.secret_key or not path.exists():
        return
    if Sealer(load_key_file(path)).mark == mark:
        replace_key_file(runtime.settings.key_path)


async def watch_keys(runtime: Runtime) -> None:
    """Take up a new key, seal with it once the store says so, and tell that this node does.

    Raises:
        Unavailable: the database can't be reached.
    """
    sealer, path = runtime.sealer, new_key_path(runtime.settings.key_path)
    if not runtime.settings.new_secret_key and path.exists():
        sealer.add(load_key_file(path))
    found = await runtime.database.point(INSTALLATION, store.SQL.find_fact, name=NEW_KEY_MARK)
    if found is not None and found[0] in sealer.marks:
        sealer.seal_with(found[0])
    if len(sealer.marks) > 1:
        await tell_keys(runtime)


async def tell_keys(runtime: Runtime) -> None:
    """Store which keys this node has, unless that is known."""
    keys = NodeKeys(sorted(runtime.sealer.marks), runtime.sealer.mark)
    value = msgspec.json.encode(keys).decode()
    name = KNOWN_BY + runtime.node
    found = await runtime.database.point(INSTALLATION, store.SQL.find_fact, name=name)
    if found is None or found[0] != value:
        await runtime.database.write(INSTALLATION, lambda tx: store.put_fact(tx, name, value))
