"""The tables `webhooks` and `webhook_periods`."""

from collections.abc import Collection
from typing import Any

from msgspec import defstruct
from msgspec.structs import asdict, replace

from hubbub.kernel.fields import FieldMark, fields_of
from hubbub.kernel.sealing import Sealer
from hubbub.records.webhooks.model import Period, Webhook, WebhookQueue
from hubbub.storage.cached import CachedKind
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

_FIELDS = fields_of(Webhook)
SQL = load_queries(
    __package__,
    webhook_columns=Webhook,
    changed_columns=defstruct(
        "Changed", [each.name for each in _FIELDS if FieldMark.FIXED not in each.marks]
    ),
    period_columns=Period,
    queue_columns=WebhookQueue,
)

_SEALED = [each.name for each in _FIELDS if each.is_secret]
_TRUTHS = [each.name for each in _FIELDS if each.plain_type is bool]


async def list_webhooks(snapshot: Snapshot, sealer: Sealer) -> list[Webhook]:
    """Return the webhooks of the app, oldest first."""
    return [_opened(snapshot, sealer, row) for row in await snapshot.fetch(SQL.list_webhooks)]


async def find_webhook(snapshot: Snapshot, sealer: Sealer, webhook_id: str) -> Webhook | None:
    """Return the webhook with that id."""
    row = await snapshot.fetch_one(SQL.find_webhook, id=webhook_id)
    return _opened(snapshot, sealer, row) if row is not None else None


async def get_webhook(snapshot: Snapshot, sealer: Sealer, number: int) -> Webhook | None:
    """Return the webhook with that number."""
    row = await snapshot.fetch_one(SQL.get_webhook, number=number)
    return _opened(snapshot, sealer, row) if row is not None else None


async def list_webhook_ids(snapshot: Snapshot) -> dict[int, str]:
    """Return the ids of the app's webhooks by number."""
    return {row[0]: row[1] for row in await snapshot.fetch(SQL.list_webhook_ids)}


async def list_names(snapshot: Snapshot) -> dict[str, str]:
    """Return the names of all webhooks of the app, by id."""
    return dict(map(tuple, await snapshot.fetch(SQL.list_names)))


async def insert_webhook(tx: Transaction, sealer: Sealer, webhook: Webhook) -> None:
    """Insert a webhook; its queue and its periods are inserted apart."""
    await tx.run(SQL.insert_webhook, **_sealed(tx, sealer, webhook))


async def update_webhook(tx: Transaction, sealer: Sealer, webhook: Webhook) -> None:
    """Store the changed fields of a webhook."""
    values = _sealed(tx, sealer, webhook)
    await tx.run(SQL.update_webhook, **{name: values[name] for name in SQL.update_webhook.columns})


async def delete_webhook(tx: Transaction, webhook: int) -> None:
    """Delete a webhook with its periods and its queue; its deliveries are pruned later."""
    await tx.run(SQL.delete_webhook, webhook=webhook)
    await tx.run(SQL.delete_periods, webhook=webhook)
    await tx.run(SQL.delete_queue, webhook=webhook)


async def list_periods(snapshot: Snapshot) -> list[Period]:
    """Return the periods of all webhooks of the app."""
    return [Period(*row) for row in await snapshot.fetch(SQL.list_periods)]


async def list_attached(snapshot: Snapshot, webhook: int) -> set[str]:
    """Return the ids of the triggers that a webhook is attached to."""
    return {row[0] for row in await snapshot.fetch(SQL.list_attached, webhook=webhook)}


async def is_heard(snapshot: Snapshot, trigger_id: str) -> bool:
    """Return whether an enabled webhook is attached to a trigger."""
    return bool(await _HEARD.find(snapshot, [trigger_id], _fetch_heard))


_HEARD = CachedKind[str, bool](SQL.find_heard, caches_absence=True)


async def _fetch_heard(snapshot: Snapshot, trigger_ids: Collection[str]) -> dict[str, bool]:
    rows = await snapshot.fetch(SQL.find_heard, trigger_ids=list(trigger_ids))
    return {row[0]: True for row in rows}


async def open_periods(
    tx: Transaction, webhook: int, trigger_ids: Collection[str], *, after: int
) -> None:
    """Begin periods of triggers, none of which has an open one, after an event."""
    rows = [
        {"webhook": webhook, "trigger_id": each, "from_event": after} for each in set(trigger_ids)
    ]
    await tx.run_many(SQL.open_period, rows)


async def close_periods(
    tx: Transaction, webhook: int, trigger_ids: Collection[str], *, upto: int
) -> None:
    """End the open periods of triggers with an event."""
    await tx.run(SQL.close_periods, webhook=webhook, trigger_ids=list(trigger_ids), event=upto)


async def delete_past_periods(tx: Transaction, webhook: int, *, planned: int) -> None:
    """Delete periods all of whose events are planned."""
    await tx.run(SQL.delete_past_periods, webhook=webhook, event=planned)


def _sealed(tx: Transaction, sealer: Sealer, webhook: Webhook) -> dict[str, Any]:
    values = asdict(webhook)
    for column in _SEALED:
        if values[column] is not None:
            values[column] = sealer.seal(values[column], tx.app_id, "webhooks", column, webhook.id)
    return values


def _opened(snapshot: Snapshot, sealer: Sealer, row: Row) -> Webhook:
    stored = Webhook(*row)
    truths: dict[str, Any] = {
        name: bool(getattr(stored, name)) for name in _TRUTHS
    }  # SQLite has 0 and 1
    opened: dict[str, Any] = {
        column: sealer.open(value, snapshot.app_id, "webhooks", column, stored.id)
        for column in _SEALED
        if (value := getattr(stored, column)) is not None
    }
    return replace(stored, **opened, **truths)
