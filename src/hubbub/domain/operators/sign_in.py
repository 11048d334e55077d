"""Sign operators in and out: their password, a one-time code if they use them, and a session."""

from contextlib import suppress
from functools import partial

from hubbub.domain.audit.record import Deed, record
from hubbub.domain.operators.totp import find_step
from hubbub.kernel.errors import NotAuthenticated, TooMany, Unavailable
from hubbub.kernel.passwords import hash_password, is_password_of
from hubbub.records.audit.model import Doer
from hubbub.records.operators import store
from hubbub.records.operators.model import Credentials, OperatorSession
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

TOKEN_LENGTH = 64
TRIES_BY_NAME, TRIES_BY_ADDRESS = 5, 20
"""The attempts to sign in within a minute, by each node."""
USE_NOTED_SECONDS = 60
"""A session that is used all the time is written so often."""
TOTP_PLACE = (INSTALLATION, "operators", "totp")


class SignInRefused(NotAuthenticated):
    """The name, the password or the code is wrong; which of them is not said."""

    def __init__(self) -> None:
        super().__init__("The name, the password or the one-time code is not right.")


class TooManySignIns(TooMany):
    """There were too many attempts by this name or from this address."""


def seal_totp(runtime: Runtime, name: str, secret: str) -> str:
    """Return the secret of an operator's one-time codes as it is stored."""
    return runtime.sealer.seal(secret, *TOTP_PLACE, name)


async def sign_in(runtime: Runtime, doer: Doer, password: str, code: str) -> str:
    """Sign an operator in; return the token of a new session, which only they learn.

    Raises:
        SignInRefused: the name, the password or the code is wrong.
        TooManySignIns: try again in a minute.
    """
    check_rate(runtime, doer)
    known = await _find_hash(runtime, doer.name)
    # An unknown name takes as long as a wrong password.
    check = partial(_check_password, known, password)
    if not await runtime.threads.run(INSTALLATION, check):
        raise SignInRefused
    token, now = runtime.ids.hexadecimal(TOKEN_LENGTH), runtime.clock.now()

    async def within(tx: Transaction) -> None:
        credentials = await store.find_credentials(tx, doer.name)
        if credentials is None or credentials.password_hash != known:
            raise SignInRefused
        await check_code(tx, runtime, doer.name, credentials, code)
        await store.insert_session(tx, runtime.sealer.hash(token), doer.name, now)
        await record(tx, runtime, doer, Deed(action="operator.sign-in", subject=doer.name))

    await runtime.database.write(INSTALLATION, within)
    return token


def check_rate(runtime: Runtime, doer: Doer) -> None:
    """Count an attempt to show a password or a code.

    Raises:
        TooManySignIns: there were too many by the name, or from the address, in this minute.
    """
    _count(runtime, ("sign-in", doer.name), TRIES_BY_NAME)
    check_rate_of_address(runtime, doer.address)


def check_rate_of_address(runtime: Runtime, address: str) -> None:
    """Count an attempt to sign in.

    Raises:
        TooManySignIns: there were too many from the address in this minute.
    """
    _count(runtime, ("sign-in from", address), TRIES_BY_ADDRESS)


def _count(runtime: Runtime, subject: tuple[str, str], most: int) -> None:
    if runtime.rates.count(subject) > most:
        raise TooManySignIns(
            f"There were more than {most} attempts within a minute. Wait for one, then try again.",
            retry_after_seconds=runtime.rates.seconds_left,
            resets_at=runtime.rates.resets_at,
        )


async def _find_hash(runtime: Runtime, name: str) -> str | None:
    return await runtime.database.read(
        INSTALLATION, lambda snapshot: store.find_password_hash(snapshot, name), is_short=True
    )


def _check_password(hash_: str | None, password: str) -> bool:
    if hash_ is None:
        hash_password(password)
        return False
    return is_password_of(hash_, password)


async def check_code(
    tx: Transaction, runtime: Runtime, name: str, credentials: Credentials, code: str
) -> None:
    """Take the one-time code of an operator who uses them.

    Raises:
        SignInRefused: it is wrong, or was taken before.
    """
    if credentials.totp is None:
        return
    secret = runtime.sealer.open(credentials.totp, *TOTP_PLACE, name)
    step = find_step(secret, code, runtime.clock.now())
    if step is None or not await store.take_totp_step(tx, name, step):
        raise SignInRefused


async def find_session(
    runtime: Runtime, token: str, *, is_by_person: bool = True
) -> OperatorSession | None:
    """Return the session of a token, unless it has ended; note that it is used `is_by_person`.

    It is looked up each time: a removed operator's session ends at once, on all nodes.
    """
    now = runtime.clock.now()
    found = await store.find_session(runtime.database, runtime.sealer.hash(token), now)
    if found is not None and is_by_person and now - found.used_at >= USE_NOTED_SECONDS:
        with suppress(Unavailable):  # a store that can't be written is a reason to look at it
            await runtime.database.write(
                INSTALLATION, lambda tx: store.use_session(tx, found.hash, now)
            )
    return found


async def sign_out(runtime: Runtime, doer: Doer, session: OperatorSession) -> None:
    """End a session."""

    async def within(tx: Transaction) -> None:
        await store.delete_session(tx, session.hash)
        await record(tx, runtime, doer, Deed(action="operator.sign-out", subject=doer.name))

    await runtime.database.write(INSTALLATION, within)
