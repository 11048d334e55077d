"""The app's counter row: whoever holds it writes alone in its app, so numbers follow commits."""

from hubbub.kernel.errors import NotAuthenticated
from hubbub.storage.interface import Numbers, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def take_numbers(tx: Transaction) -> Numbers:
    """Lock the app's counter row until the commit; a write that makes numbers does this first.

    Raises:
        NotAuthenticated: the app is gone.
    """
    if tx.numbers is None:
        row = await tx.fetch_one(SQL.lock_numbers)
        if row is None:
            raise NotAuthenticated(f"There is no app {tx.app_id}.", code="AUTH_ERR_INVALID_APPID")
        tx.numbers = Numbers(*row)
    return tx.numbers


async def insert_numbers(tx: Transaction, epoch: int) -> None:
    """Begin the counters of a new app at zero."""
    await tx.run(SQL.insert_numbers, epoch=epoch)


def next_event(tx: Transaction) -> int:
    """The number that the event which is announced next will get; the numbers are taken."""
    assert tx.numbers is not None, "the app's numbers are taken first"
    return tx.numbers.event + len(tx.announced) + 1
