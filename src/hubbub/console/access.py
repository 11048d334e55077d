"""Who may see which page: the only place that decides it, for pages, forms and menus."""

from collections.abc import Mapping

from hubbub.console.page import ConsolePage
from hubbub.domain.apps.manage import check_app
from hubbub.kernel.errors import Forbidden
from hubbub.records.apps.model import AppNotFound
from hubbub.records.operators.model import ALL_APPS, Operator
from hubbub.runtime import Runtime


class RoleNotEnough(Forbidden):
    """The role of the operator does not include the page."""

    def __init__(self, operator: Operator) -> None:
        super().__init__(f"Operators with the role {operator.role} may not do this.")


def may_visit(operator: Operator, page: ConsolePage, values: Mapping[str, str]) -> bool:
    """Return whether an operator may see a page, if its app exists."""
    return _has_role(operator, page) and _is_theirs(operator, page, values)


async def check_visit(
    runtime: Runtime, operator: Operator, page: ConsolePage, values: Mapping[str, str]
) -> None:
    """Check that an operator may see a page.

    Raises:
        RoleNotEnough: their role, or that they may see one app only, forbids it.
        AppNotFound: the app does not exist, or is not theirs: they can't tell.
    """
    if page.is_of_app:
        if not _is_theirs(operator, page, values):
            raise AppNotFound(values["app"])
        await check_app(runtime, values["app"])
    if not may_visit(operator, page, values):
        raise RoleNotEnough(operator)


def _has_role(operator: Operator, page: ConsolePage) -> bool:
    return operator.role in page.roles and not (page.for_all_apps and operator.app != ALL_APPS)


def _is_theirs(operator: Operator, page: ConsolePage, values: Mapping[str, str]) -> bool:
    return not page.is_of_app or operator.may_see(values.get("app", ""))
