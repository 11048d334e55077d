"""The settings of an app, a column of `counters`: locking the counters reads them, too."""

from hubbub.records.settings.model import AppSettings, settings_of
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_settings(snapshot: Snapshot) -> AppSettings:
    """Return the settings of the app."""
    row = await snapshot.fetch_one(SQL.find_settings)
    return settings_of(row[0] if row else None)


async def update_settings(tx: Transaction, text: str | None) -> None:
    """Store the settings of the app as JSON; None resets all of them. The counters are locked."""
    await tx.run(SQL.update_settings, settings=text)
    assert tx.counters is not None, "lock_counters comes first"
    tx.counters.settings = text  # the node's next write may begin with these counters
