"""The management credentials of an installation: further pairs, and those that are revoked."""

from hubbub.domain.apps.manage import (
    ManagementCredentials,
    is_first_start,
    make_management_credentials,
)
from hubbub.kernel.errors import Conflict, NotFound
from hubbub.records.apps import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction


class CredentialsNotFound(NotFound):
    """There is no such pair of management credentials."""

    def __init__(self, number: int) -> None:
        super().__init__(f"There are no management credentials with the number {number}.")


class LastCredentials(Conflict):
    """The last pair can't be revoked, or is made by a node."""


async def create_credentials(runtime: Runtime) -> tuple[int, ManagementCredentials]:
    """Create a pair of management credentials beside the others; return it with its number.

    Raises:
        LastCredentials: there are none yet: the first start of a node makes them.
    """
    if await is_first_start(runtime):
        raise LastCredentials("The first credentials are made by hubbub serve, at its first start.")
    made = make_management_credentials(runtime.ids)
    hash_, secret_hash = runtime.sealer.hash(made.key), runtime.sealer.hash(made.secret)
    number = await runtime.database.write(
        INSTALLATION,
        lambda tx: store.insert_management_key(tx, hash_, secret_hash, runtime.clock.now()),
    )
    return number, made


async def list_credentials(runtime: Runtime) -> list[tuple[int, int]]:
    """Return the numbers of all pairs, and when each was made."""
    return await runtime.database.read(INSTALLATION, store.list_management_keys)


async def revoke_credentials(runtime: Runtime, number: int) -> None:
    """Revoke a pair: calls with it are refused from then on, by all nodes.

    Raises:
        CredentialsNotFound: there is no such pair.
        LastCredentials: it is the only one.
    """

    async def within(tx: Transaction) -> None:
        numbers = await store.lock_management_keys(tx)
        if number not in numbers:
            raise CredentialsNotFound(number)
        if len(numbers) == 1:
            raise LastCredentials("These are the only credentials. Make new ones before.")
        await store.delete_management_key(tx, number)

    await runtime.database.write(INSTALLATION, within)
