"""The counter row of an app. A transaction that locks it is the only writer of numbers in its app.

So ids and event numbers rise in commit order.
"""

from hubbub.kernel.errors import NotAuthenticated
from hubbub.storage.counters import Counters
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def lock_counters(tx: Transaction) -> Counters:
    """Lock the app's counter row until the commit, and return it.

    A write that takes ids or announces events calls this before any other query.

    Raises:
        NotAuthenticated: the app does not exist.
    """
    if tx.counters is None:
        row = await tx.fetch_one(SQL.lock_counters)
        if row is None:
            raise NotAuthenticated(f"There is no app {tx.app_id}.", code="AUTH_ERR_INVALID_APPID")
        tx.lock(Counters(*row))
    assert tx.counters is not None
    return tx.counters


async def insert_counters(tx: Transaction, epoch: int) -> None:
    """Store the counters of a new app, all zero, and lock them."""
    await tx.run(SQL.insert_counters, epoch=epoch)
    await lock_counters(tx)


def next_event_number(tx: Transaction) -> int:
    """Return the number of the next event that is announced; the counters are locked."""
    assert tx.counters is not None, "lock_counters comes first"
    return tx.counters.event + len(tx.announced) + 1
