"""The tables `moderation_rules` and `moderation_rule_revisions`."""

from typing import Any

import msgspec

from hubbub.records.moderation.rules.model import KEPT_REVISIONS, Rule
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_rule(snapshot: Snapshot, rule_id: str) -> Rule | None:
    """Return a rule of the app as it holds."""
    row = await snapshot.fetch_one(SQL.find_rule, id=rule_id)
    return _rule(row) if row else None


async def list_rules(snapshot: Snapshot) -> list[Rule]:
    """Return the rules of the app as they hold, newest first."""
    return [_rule(row) for row in await snapshot.fetch(SQL.list_rules)]


async def list_enabled(snapshot: Snapshot) -> tuple[tuple[str, int], ...]:
    """Return the ids of the enabled rules with the numbers of their newest revisions."""
    return tuple((row[0], row[1]) for row in await snapshot.fetch(SQL.list_enabled))


async def list_revisions(snapshot: Snapshot, rule_id: str) -> list[Rule]:
    """Return the revisions of a rule, newest first."""
    found = [_rule(row) for row in await snapshot.fetch(SQL.list_revisions, id=rule_id)]
    return [msgspec.structs.replace(each, is_newest=not i) for i, each in enumerate(found)]


async def store_rule(tx: Transaction, rule: Rule) -> None:
    """Store a new revision of a rule, which may be its first; the oldest ones are deleted."""
    values: dict[str, Any] = msgspec.structs.asdict(rule)
    await tx.run(SQL.store_rule, **{name: values[name] for name in SQL.store_rule.columns})
    await store_revision(tx, rule)
    await tx.run(SQL.prune_revisions, id=rule.id, upto=rule.revision - KEPT_REVISIONS)


async def store_revision(tx: Transaction, rule: Rule) -> None:
    """Store a revision of a rule alone."""
    values: dict[str, Any] = msgspec.structs.asdict(rule)
    names = SQL.insert_revision.columns
    await tx.run(SQL.insert_revision, **{name: values[name] for name in names})


async def delete_rule(tx: Transaction, rule_id: str) -> None:
    """Delete a rule with its revisions."""
    await tx.run(SQL.delete_rule, id=rule_id)
    await tx.run(SQL.delete_revisions, id=rule_id)


def _rule(row: Row) -> Rule:
    rule = Rule(*row)
    return msgspec.structs.replace(rule, is_enabled=bool(rule.is_enabled))  # SQLite has 0 and 1
