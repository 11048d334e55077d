"""An app's settings, which stand in the row of its numbers: whoever has these has the settings."""

from hubbub.records.settings.model import AppSettings, settings_of
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_settings(snapshot: Snapshot) -> AppSettings:
    """The settings of the app."""
    row = await snapshot.fetch_one(SQL.find_settings)
    return settings_of(row[0] if row else None)


async def store_settings(tx: Transaction, text: str | None) -> None:
    """Store the app's settings; None: everything is as usual."""
    await tx.run(SQL.store_settings, settings=text)
