"""Change an operator's own password and their one-time codes; both need the password so far."""

from functools import partial

from hubbub.domain.audit.record import Deed, record
from hubbub.domain.operators.sign_in import TOTP_PLACE, check_rate, seal_totp
from hubbub.domain.operators.totp import find_step, make_secret_key
from hubbub.kernel.errors import BadInput
from hubbub.kernel.passwords import hash_password, is_password_of
from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.audit.model import Doer
from hubbub.records.operators import store
from hubbub.records.operators.model import OperatorNotFound, OperatorSession, check_password
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction


async def change_password(
    runtime: Runtime, doer: Doer, session: OperatorSession, current: str, password: str
) -> None:
    """Change an operator's password; their sessions end, but the one that they use.

    Raises:
        BadInput: the password so far is wrong, or the other one too short or too long.
        TooManySignIns: there were too many attempts.
    """
    check_password(password)
    await _check_current(runtime, doer, current)
    hash_ = await runtime.threads.run(INSTALLATION, partial(hash_password, password))

    async def within(tx: Transaction) -> None:
        await store.set_password(tx, doer.name, hash_)
        await store.delete_other_sessions(tx, doer.name, session.hash)
        await record(tx, runtime, doer, Deed(action="operator.password", subject=doer.name))

    await runtime.database.write(INSTALLATION, within)


def begin_totp(runtime: Runtime, doer: Doer) -> tuple[str, str]:
    """Return a new secret of one-time codes, and the same sealed, to be confirmed by a code."""
    secret = make_secret_key(runtime.ids)
    return secret, seal_totp(runtime, doer.name, secret)


async def set_totp(runtime: Runtime, doer: Doer, current: str, sealed: str, code: str) -> None:
    """Store a secret of one-time codes that an operator's authenticator app has.

    Raises:
        BadInput: the password is wrong, the code is not one of the secret, or that is not theirs.
        TooManySignIns: there were too many attempts.
    """
    await _check_current(runtime, doer, current)
    try:
        secret = runtime.sealer.open(sealed, *TOTP_PLACE, doer.name)
    except NotOurSecret:
        raise BadInput.field("code", "Reload the page: it shows a new secret.") from None
    step = find_step(secret, code.replace(" ", ""), runtime.clock.now())
    if step is None:
        raise BadInput.field(
            "code", "That is not the code which the app shows now. Is the phone's time right?"
        )

    async def within(tx: Transaction) -> None:
        await store.set_totp(tx, doer.name, sealed)
        await store.take_totp_step(tx, doer.name, step)
        await record(tx, runtime, doer, Deed(action="operator.codes", subject=doer.name))

    await runtime.database.write(INSTALLATION, within)


async def end_totp(runtime: Runtime, doer: Doer, current: str) -> None:
    """Delete the secret of an operator's one-time codes.

    Raises:
        BadInput: the password is wrong.
        TooManySignIns: there were too many attempts.
    """
    await _check_current(runtime, doer, current)

    async def within(tx: Transaction) -> None:
        await store.set_totp(tx, doer.name, None)
        await record(tx, runtime, doer, Deed(action="operator.no-codes", subject=doer.name))

    await runtime.database.write(INSTALLATION, within)


async def _check_current(runtime: Runtime, doer: Doer, current: str) -> None:
    check_rate(runtime, doer)
    hash_ = await runtime.database.read(
        INSTALLATION, lambda snapshot: store.find_password_hash(snapshot, doer.name)
    )
    if hash_ is None:
        raise OperatorNotFound(doer.name)
    if not await runtime.threads.run(INSTALLATION, partial(is_password_of, hash_, current)):
        raise BadInput.field("current", "That is not your password.")
