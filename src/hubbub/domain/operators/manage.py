"""Add, list and remove operators, and give them another password."""

from collections.abc import Sequence
from functools import partial

from hubbub.domain.access.credentials import find_app
from hubbub.domain.audit.record import Deed, record
from hubbub.kernel.passwords import hash_password
from hubbub.records.audit.model import Doer
from hubbub.records.operators import store
from hubbub.records.operators.model import (
    ALL_APPS,
    Operator,
    OperatorAlreadyExists,
    OperatorNotFound,
    OperatorRole,
    check_name,
    check_password,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction


async def add_operator(
    runtime: Runtime, doer: Doer, name: str, role: OperatorRole, app: str, password: str
) -> Operator:
    """Add an operator of one app, or of `ALL_APPS`.

    Raises:
        BadInput: the name can't be one, or the password is too short or too long.
        InvalidApp: there is no such app.
        OperatorAlreadyExists: the name is taken.
    """
    operator = Operator(check_name(name), role, app, runtime.clock.now(), has_totp=False)
    check_password(password)
    if app != ALL_APPS:
        await find_app(runtime, app)
    hash_ = await runtime.threads.run(INSTALLATION, partial(hash_password, password))
    after = {"role": str(role), "app": app}

    async def within(tx: Transaction) -> None:
        if not await store.insert_operator(tx, operator, hash_):
            raise OperatorAlreadyExists(operator.name)
        deed = Deed(action="operator.add", subject=operator.name, after=after)
        await record(tx, runtime, doer, deed)

    await runtime.database.write(INSTALLATION, within)
    return operator


async def list_operators(runtime: Runtime) -> Sequence[Operator]:
    """Return all operators, by name."""
    return await runtime.database.read(INSTALLATION, store.list_operators)


async def has_operators(runtime: Runtime) -> bool:
    """Return whether there is anybody to use the console."""
    return await runtime.database.read(INSTALLATION, store.has_operators, is_short=True)


async def remove_operator(runtime: Runtime, doer: Doer, name: str) -> None:
    """Remove an operator; their sessions end at once, on all nodes.

    Raises:
        OperatorNotFound: there is none with that name.
    """

    async def within(tx: Transaction) -> None:
        operator = await _access_operator(tx, name)
        await store.delete_operator(tx, operator.name)
        before = {"role": str(operator.role), "app": operator.app}
        deed = Deed(action="operator.remove", subject=operator.name, before=before)
        await record(tx, runtime, doer, deed)

    await runtime.database.write(INSTALLATION, within)


async def reset_password(runtime: Runtime, doer: Doer, name: str, password: str) -> None:
    """Give an operator another password, without one-time codes; their sessions end at once.

    Raises:
        OperatorNotFound: there is none with that name.
        BadInput: the password is too short or too long.
    """
    check_password(password)
    hash_ = await runtime.threads.run(INSTALLATION, partial(hash_password, password))

    async def within(tx: Transaction) -> None:
        operator = await _access_operator(tx, name)
        await store.set_password(tx, operator.name, hash_)
        await store.set_totp(tx, operator.name, None)
        await store.delete_sessions_of(tx, operator.name)
        await record(tx, runtime, doer, Deed(action="operator.password", subject=operator.name))

    await runtime.database.write(INSTALLATION, within)


async def _access_operator(tx: Transaction, name: str) -> Operator:
    found = await store.find_operator(tx, name.lower())
    if found is None:
        raise OperatorNotFound(name)
    return found
