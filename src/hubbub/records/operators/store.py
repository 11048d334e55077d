"""The tables `operators`, `operator_sessions` and `operator_sign_ins`."""

from collections.abc import Sequence

from hubbub.records.operators.model import (
    IDLE_SECONDS,
    SESSION_SECONDS,
    Credentials,
    Operator,
    OperatorRole,
    OperatorSession,
)
from hubbub.storage.interface import INSTALLATION, Database, Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def has_operators(snapshot: Snapshot) -> bool:
    """Return whether there is an operator."""
    return await snapshot.fetch_one(SQL.has_operators) is not None


async def list_operators(snapshot: Snapshot) -> Sequence[Operator]:
    """Return all operators, by name."""
    return [_operator(row) for row in await snapshot.fetch(SQL.list_operators)]


async def find_operator(snapshot: Snapshot, name: str) -> Operator | None:
    """Return an operator."""
    row = await snapshot.fetch_one(SQL.find_operator, name=name)
    return _operator(row) if row else None


async def find_credentials(tx: Transaction, name: str) -> Credentials | None:
    """Return what an operator signs in with; it stays so until the end of the transaction."""
    row = await tx.fetch_one(SQL.find_credentials, name=name)
    return Credentials(*row) if row else None


async def find_password_hash(snapshot: Snapshot, name: str) -> str | None:
    """Return the hash of an operator's password."""
    row = await snapshot.fetch_one(SQL.find_password_hash, name=name)
    return str(row[0]) if row else None


async def insert_operator(tx: Transaction, operator: Operator, password_hash: str) -> bool:
    """Insert an operator; return False if the name is taken."""
    inserted = await tx.run(
        SQL.insert_operator,
        name=operator.name,
        role=str(operator.role),
        app=operator.app,
        password_hash=password_hash,
        created_at=operator.created_at,
    )
    return inserted == 1


async def delete_operator(tx: Transaction, name: str) -> None:
    """Delete an operator and end their sessions."""
    await delete_sessions_of(tx, name)
    await tx.run(SQL.delete_operator, name=name)


async def delete_operators_of_app(tx: Transaction, app_id: str) -> None:
    """Delete the operators of one app; their sessions end with them."""
    await tx.run(SQL.delete_operators_of_app, app=app_id)


async def set_password(tx: Transaction, name: str, password_hash: str) -> None:
    """Store another password."""
    await tx.run(SQL.set_password, name=name, password_hash=password_hash)


async def set_totp(tx: Transaction, name: str, totp: str | None) -> None:
    """Store the sealed secret of one-time codes, or None."""
    await tx.run(SQL.set_totp, name=name, totp=totp)


async def take_totp_step(tx: Transaction, name: str, step: int) -> bool:
    """Note the step of a code; return False if one of it, or of a later step, was taken before."""
    return await tx.run(SQL.take_totp_step, name=name, step=step) == 1


async def find_session(database: Database, hash_: str, now: int) -> OperatorSession | None:
    """Return a session that has not ended."""
    row = await database.point(
        INSTALLATION,
        SQL.find_session,
        hash=hash_,
        created_after=now - SESSION_SECONDS,
        used_after=now - IDLE_SECONDS,
    )
    return OperatorSession(hash_, _operator(row[1:]), row[0]) if row else None


async def insert_session(tx: Transaction, hash_: str, operator: str, at: int) -> None:
    """Insert a session, and delete those that have ended."""
    await tx.run(
        SQL.delete_ended_sessions,
        created_upto=at - SESSION_SECONDS,
        used_upto=at - IDLE_SECONDS,
    )
    await tx.run(SQL.insert_session, hash=hash_, operator=operator, at=at)


async def take_sign_in(tx: Transaction, hash_: str, now: int, ends_at: int) -> bool:
    """Note that what a provider has proven is used; return False if it was used before."""
    await tx.run(SQL.delete_ended_sign_ins, now=now)
    return await tx.run(SQL.take_sign_in, hash=hash_, ends_at=ends_at) == 1


async def use_session(tx: Transaction, hash_: str, at: int) -> None:
    """Note that a session is used."""
    await tx.run(SQL.use_session, hash=hash_, at=at)


async def delete_session(tx: Transaction, hash_: str) -> None:
    """End a session."""
    await tx.run(SQL.delete_session, hash=hash_)


async def delete_other_sessions(tx: Transaction, operator: str, hash_: str) -> None:
    """End all sessions of an operator but one."""
    await tx.run(SQL.delete_other_sessions, operator=operator, hash=hash_)


async def delete_sessions_of(tx: Transaction, operator: str) -> None:
    """End all sessions of an operator."""
    await tx.run(SQL.delete_sessions_of, operator=operator)


def _operator(row: Row) -> Operator:
    name, role, app, created_at, has_totp = row
    return Operator(name, OperatorRole(role), app, created_at, bool(has_totp))
