"""All columns with sealed values, and how their rows are found and sealed anew."""

from dataclasses import dataclass

from hubbub.kernel.sealing import Sealer
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """A column with sealed values; a value opens with the names of app, table, column and row."""

    table: str
    column: str
    rows: Query
    """Rows after another one: the name of the row, and the value."""
    reseal: Query

    @property
    def name(self) -> str:
        """Return the name of the column, with that of its table."""
        return f"{self.table}.{self.column}"

    def place_of(self, app_id: str, row: str) -> tuple[str, ...]:
        """Return the location with which the value of a row was sealed."""
        return (app_id, self.table, self.column, *row.split("/"))


COLUMNS = (
    SealedColumn("api_keys", "sealed", SQL.list_api_keys, SQL.reseal_api_key),
    SealedColumn("auth_tokens", "sealed", SQL.list_auth_tokens, SQL.reseal_auth_token),
    SealedColumn(
        "identity_providers",
        "secret",
        SQL.list_identity_secrets,
        SQL.reseal_identity_secret,
    ),
    SealedColumn("idempotency_keys", "answer", SQL.list_answers, SQL.reseal_answer),
    SealedColumn(
        "moderation_secrets",
        "sealed",
        SQL.list_moderation_secrets,
        SQL.reseal_moderation_secret,
    ),
    SealedColumn("push_providers", "sealed", SQL.list_push_providers, SQL.reseal_push_provider),
    SealedColumn(
        "channel_providers", "sealed", SQL.list_channel_providers, SQL.reseal_channel_provider
    ),
    SealedColumn("webhooks", "password", SQL.list_webhook_passwords, SQL.reseal_webhook_password),
    SealedColumn("webhooks", "secret", SQL.list_webhook_secrets, SQL.reseal_webhook_secret),
    SealedColumn(
        "webhooks",
        "former_secret",
        SQL.list_former_webhook_secrets,
        SQL.reseal_former_webhook_secret,
    ),
    SealedColumn("operators", "totp", SQL.list_totp_secrets, SQL.reseal_totp_secret),
)
"""All of them, but the key for hashes, which `domain/secrets` seals."""
NAMED = {column.name: column for column in COLUMNS}


@dataclass(frozen=True, slots=True)
class SealedChunk:
    """Some rows of a column."""

    last: str | None
    """The name of the last row; None if there are no more rows."""
    rows: int
    stale: int
    """How many of the values were not sealed with the key that seals now."""


async def count_stale(
    snapshot: Snapshot, sealer: Sealer, column: SealedColumn, after: str, *, limit: int
) -> SealedChunk:
    """Look at some rows of a column, those after a row."""
    chunk, _ = await _list_stale(snapshot, sealer, column, after, limit)
    return chunk


async def reseal(
    tx: Transaction, sealer: Sealer, column: SealedColumn, after: str, *, limit: int
) -> SealedChunk:
    """Seal the values of some rows anew, those after a row that another key has sealed.

    Raises:
        NotOurSecret: one of them was sealed with a key that is not known.
    """
    chunk, stale = await _list_stale(tx, sealer, column, after, limit)
    for row, value in stale:
        place = column.place_of(tx.app_id, row)
        sealed = sealer.seal(sealer.open(value, *place), *place)
        await tx.run(column.reseal, row=row, former=value, sealed=sealed)
    return chunk


async def _list_stale(
    snapshot: Snapshot, sealer: Sealer, column: SealedColumn, after: str, limit: int
) -> tuple[SealedChunk, list[tuple[str, str]]]:
    found = await snapshot.fetch(column.rows, after=after, limit=limit)
    stale = [
        (row, value)
        for row, value in found
        if value and not sealer.is_current(value, *column.place_of(snapshot.app_id, row))
    ]
    last = found[-1][0] if len(found) == limit else None
    return SealedChunk(last, len(found), len(stale)), stale
