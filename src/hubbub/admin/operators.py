"""The commands about operators, and the one that reads the audit log."""

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from hubbub.domain.audit.find import list_audit
from hubbub.domain.operators import manage
from hubbub.records.audit.model import COMMAND_LINE, AuditFilter, AuditPosition, Doer
from hubbub.records.operators.model import Operator, OperatorRole
from hubbub.runtime import Runtime

Answer = dict[str, Any]
AT_ONCE = 1_000
BY_COMMAND = Doer(COMMAND_LINE)


async def add(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Add an operator: `name`, `role`, `app`, `password`."""
    made = await manage.add_operator(
        runtime,
        BY_COMMAND,
        arguments["name"],
        OperatorRole(arguments["role"]),
        arguments["app"],
        arguments["password"],
    )
    return _shown(made)


async def list_(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """List the operators."""
    return {"operators": [_shown(each) for each in await manage.list_operators(runtime)]}


async def remove(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Remove the operator `name`."""
    await manage.remove_operator(runtime, BY_COMMAND, arguments["name"])
    return {"success": True}


async def set_password(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Give the operator `name` another `password`."""
    await manage.reset_password(runtime, BY_COMMAND, arguments["name"], arguments["password"])
    return {"success": True}


async def read_audit(runtime: Runtime, arguments: Mapping[str, Any]) -> Answer:
    """Read entries of the audit log, the oldest first: of `app`, `since`, `after` another one."""
    after = arguments["after"]
    wanted = AuditFilter(
        app=arguments["app"],
        since=arguments["since"],
        after=AuditPosition(*after) if after else None,
    )
    found = await list_audit(runtime, wanted, limit=AT_ONCE, oldest_first=True)
    return {
        "entries": [to_builtins(each) for each in found],
        "next": [found[-1].at, found[-1].id] if len(found) == AT_ONCE else None,
    }


def _shown(operator: Operator) -> Answer:
    return {
        "name": operator.name,
        "role": str(operator.role),
        "app": operator.app or None,
        "createdAt": operator.created_at,
        "hasTotp": operator.has_totp,
    }


OPERATOR_COMMANDS = {
    "operator add": add,
    "operator list": list_,
    "operator remove": remove,
    "operator password": set_password,
    "audit read": read_audit,
}
