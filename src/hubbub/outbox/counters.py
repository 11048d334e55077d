"""The app's counter row: whoever holds it writes alone in its app, so numbers follow commits."""

from hubbub.kernel.errors import NotAuthenticated
from hubbub.storage.interface import Counters, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def lock_counters(tx: Transaction) -> Counters:
    """Lock the app's counter row until the commit; a write that makes numbers does this first.

    Raises:
        NotAuthenticated: the app is gone.
    """
    if tx.counters is None:
        row = await tx.fetch_one(SQL.lock_counters)
        if row is None:
            raise NotAuthenticated(f"There is no app {tx.app_id}.", code="AUTH_ERR_INVALID_APPID")
        tx.counters = Counters(*row)
    return tx.counters


async def insert_counters(tx: Transaction, epoch: int) -> None:
    """Begin the counters of a new app at zero."""
    await tx.run(SQL.insert_counters, epoch=epoch)


def next_event_number(tx: Transaction) -> int:
    """The number that the event which is announced next will get; the numbers are taken."""
    assert tx.counters is not None, "the app's numbers are taken first"
    return tx.counters.event + len(tx.announced) + 1
