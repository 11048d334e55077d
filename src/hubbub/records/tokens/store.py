"""The table `auth_tokens`."""

from collections.abc import Collection, Sequence

from hubbub.kernel.sealing import Sealer
from hubbub.records.keys.store import TOKEN, delete_credential, insert_credential
from hubbub.records.settings.model import LARGEST_LIMIT
from hubbub.records.tokens.model import AuthToken, TokenSession
from hubbub.storage.cached import CachedKind
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__)


async def find_issued(snapshot: Snapshot, hashes: Collection[str]) -> set[str]:
    """Return the keyed hashes among these that belong to tokens."""
    return set(await _ISSUED.find(snapshot, hashes, _fetch_issued))


_ISSUED = CachedKind[str, bool](SQL.find_issued)


def ask_issued(hashes: Collection[str]) -> Asked:
    """Return what `find_issued` asks."""
    return Asked(SQL.find_issued, {"hashes": list(hashes)})


async def _fetch_issued(snapshot: Snapshot, hashes: Collection[str]) -> dict[str, bool]:
    asked = ask_issued(hashes)
    rows = await snapshot.fetch(asked.query, **asked.args)
    return {row[0]: True for row in rows}


async def insert_token(tx: Transaction, sealer: Sealer, token: AuthToken) -> None:
    """Insert a token and its credential."""
    hash_ = sealer.hash(token.auth_token)
    await tx.run(
        SQL.insert_token,
        uid=token.uid,
        hash=hash_,
        sealed=sealer.seal(token.auth_token, tx.app_id, "auth_tokens", "sealed", hash_),
        created_at=token.created_at,
        expires_at=token.expires_at,
        device=token.device,
    )
    await insert_credential(tx, hash_, TOKEN)
    if token.expires_at is not None:
        await tx.run(SQL.note_end, at=token.expires_at)


async def list_tokens(
    snapshot: Snapshot, sealer: Sealer, uid: str, *, limit: int, offset: int = 0
) -> list[AuthToken]:
    """Return tokens of a user, newest first."""
    rows = await snapshot.fetch(SQL.list_tokens, uid=uid, limit=limit, offset=offset)
    return [_open_row(snapshot, sealer, row) for row in rows]


async def list_older_hashes(snapshot: Snapshot, uid: str, keep: int) -> list[str]:
    """Return the keyed hashes of all tokens of a user except the newest `keep`."""
    rows = await snapshot.fetch(SQL.list_older_hashes, uid=uid, keep=keep, limit=LARGEST_LIMIT)
    return [row[0] for row in rows]


async def count_tokens(snapshot: Snapshot, uid: str) -> int:
    """Return the number of tokens of a user."""
    rows = await snapshot.fetch(SQL.count_tokens, uid=uid)
    return int(rows[0][0])


async def find_token(snapshot: Snapshot, sealer: Sealer, auth_token: str) -> AuthToken | None:
    """Return the token with that text, of any user."""
    row = await snapshot.fetch_one(SQL.find_token, hash=sealer.hash(auth_token))
    return _open_row(snapshot, sealer, row) if row else None


async def find_session(snapshot: Snapshot, uid: str, session_id: str) -> str | None:
    """Return the keyed hash of the token of a user's session."""
    row = await snapshot.fetch_one(SQL.find_session, uid=uid, id=session_id)
    return row[0] if row else None


async def list_sessions(
    snapshot: Snapshot, uid: str, *, now: int, limit: int, offset: int
) -> list[TokenSession]:
    """Return sessions of a user that have not ended, newest first."""
    rows = await snapshot.fetch(SQL.list_sessions, uid=uid, now=now, limit=limit, offset=offset)
    return [TokenSession(*row) for row in rows]


async def count_sessions(snapshot: Snapshot, uid: str, *, now: int) -> int:
    """Return the number of sessions of a user that have not ended."""
    rows = await snapshot.fetch(SQL.count_sessions, uid=uid, now=now)
    return int(rows[0][0])


async def list_apps_with_ended(snapshot: Snapshot, now: int) -> list[str]:
    """Return the apps that may have tokens that have ended and are still stored."""
    return [row[0] for row in await snapshot.fetch(SQL.list_apps_with_ended, now=now)]


async def store_next_end(tx: Transaction, now: int) -> None:
    """Store when a token of the app ends next, after those that had ended were deleted."""
    await tx.run(SQL.move_end)
    await tx.run(SQL.delete_end, now=now)


async def list_ended(snapshot: Snapshot, now: int, *, limit: int) -> list[tuple[str, str]]:
    """Return the users and keyed hashes of tokens that have ended."""
    rows = await snapshot.fetch(SQL.list_ended, now=now, limit=limit)
    return [(uid, hash_) for uid, hash_ in rows]


async def open_tokens(
    snapshot: Snapshot, sealer: Sealer, hashes: Collection[str]
) -> dict[str, str]:
    """Return tokens in plaintext by their keyed hashes."""
    rows = await snapshot.fetch(SQL.list_sealed, hashes=list(hashes))
    return {hash_: _open(snapshot, sealer, sealed, hash_) for hash_, sealed in rows}


async def update_token(tx: Transaction, sealer: Sealer, token: AuthToken) -> None:
    """Store the device of a token."""
    await tx.run(
        SQL.update_token,
        hash=sealer.hash(token.auth_token),
        platform=token.platform,
        user_agent=token.user_agent,
        app_info=token.app_info,
    )


async def delete_tokens(tx: Transaction, hashes: Sequence[str]) -> None:
    """Delete tokens and their credentials."""
    for hash_ in hashes:
        await tx.run(SQL.delete_token, hash=hash_)
        await delete_credential(tx, hash_)


def _open_row(snapshot: Snapshot, sealer: Sealer, row: Row) -> AuthToken:
    uid, sealed, created_at, *rest, hash_ = row
    return AuthToken(uid, _open(snapshot, sealer, sealed, hash_), created_at, *rest)


def _open(snapshot: Snapshot, sealer: Sealer, sealed: str, hash_: str) -> str:
    return sealer.open(sealed, snapshot.app_id, "auth_tokens", "sealed", hash_)
