"""Declare an operation for both doors: the app's own, and that of the installation's manager.

An app calls `/webhooks` with its API key, a manager calls `/apps/{appId}/webhooks` with `key` and
`secret`. A handler that is declared here serves both; `call.app_id` is the app in either case.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any, get_type_hints

from hubbub.domain.apps.manage import check_app
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import MANAGEMENT, Handler, SecondPath
from hubbub.kernel.errors import Refusal
from hubbub.records.apps.model import AppNotFound
from hubbub.rest.wire import path

APP = "/apps/{appId}"


def _declare(
    declare: Callable[..., Callable[[Handler], Handler]],
    at: str,
    *,
    errors: tuple[type[Refusal], ...] = (),
    **declaration: Any,
) -> Callable[[Handler], Handler]:
    """Return a decorator that declares a handler under a path, and below that of an app."""
    managed = SecondPath(
        path=APP + at,
        name="{name}_of_app",
        note="of any app",
        wrap=_for_app,
        differences={"key": MANAGEMENT, "errors": (*errors, AppNotFound)},
    )
    return declare(at, also=managed, errors=errors, **declaration)


def _for_app(handler: Handler) -> Handler:
    """Return a handler for the app in the path."""

    @wraps(handler)
    async def handle(call: Call, app_id: str, **arguments: Any) -> Any:
        await check_app(call.runtime, app_id)
        return await handler(replace(call, app_id=app_id), **arguments)

    hints = get_type_hints(handler, include_extras=True)
    handle.__annotations__ = {**hints, "app_id": path.AppId}
    return handle


get = partial(_declare, operation.get)
post = partial(_declare, operation.post)
put = partial(_declare, operation.put)
delete = partial(_declare, operation.delete)
