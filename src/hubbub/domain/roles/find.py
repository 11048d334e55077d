"""Find roles: one by id, or a page of all."""

from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.roles import store
from hubbub.records.roles.model import Role, RoleNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def access_role(snapshot: Snapshot, role: str) -> Role:
    """Return the role with an id.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    found = await store.find_role(snapshot, role)
    if found is None:
        raise RoleNotFound(role)
    return found


async def get_role(runtime: Runtime, app_id: str, role: str) -> Role:
    """Return the role with an id.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    return await runtime.database.read(app_id, lambda snapshot: access_role(snapshot, role))


async def list_roles(runtime: Runtime, app_id: str, request: PageRequest) -> Page[Role]:
    """Return a page of the app's roles, newest first."""

    async def within(snapshot: Snapshot) -> Page[Role]:
        total = await store.count_roles(snapshot)
        return Page(await store.list_roles(snapshot, request), total, request)

    return await runtime.database.read(app_id, within)
