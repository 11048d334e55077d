"""Find roles: one by its id, or a page of them all."""

from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.roles import store
from hubbub.records.roles.model import Role, RoleNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def access_role(snapshot: Snapshot, role: str) -> Role:
    """The role of that id.

    Raises:
        RoleNotFound: the app has none such.
    """
    found = await store.find_role(snapshot, role)
    if found is None:
        raise RoleNotFound(role)
    return found


async def get_role(runtime: Runtime, app_id: str, role: str) -> Role:
    """The role of that id.

    Raises:
        RoleNotFound: the app has none such.
    """
    return await runtime.database.read(app_id, lambda snapshot: access_role(snapshot, role))


async def list_roles(runtime: Runtime, app_id: str, request: PageRequest) -> Page[Role]:
    """A page of the app's roles, newest first."""

    async def within(snapshot: Snapshot) -> Page[Role]:
        total = await store.count_roles(snapshot)
        return Page(await store.list_roles(snapshot, request), total, request)

    return await runtime.database.read(app_id, within)
