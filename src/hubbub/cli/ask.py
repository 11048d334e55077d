"""Run an admin command: in the node that runs on the data folder, else in this process.

All that runs a command is imported where that is done: a command that a node runs need not load it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

from hubbub.admin.client import NodeNotReached, ask_node
from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.config import Settings
from hubbub.storage.errors import NoStore


def ask(settings: Settings, command: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer to a command.

    Raises:
        CommandRefused: the command was refused.
        NodeNotReached: the folder is locked, but no node answers.
        NoStore: there is no store; only `hubbub serve` makes one.
    """
    return asyncio.run(_ask(settings, command, arguments))


Call = Callable[..., Awaitable[dict[str, Any]]]
"""Gives a command, with its arguments by name; returns the answer."""


@asynccontextmanager
async def asking(settings: Settings) -> AsyncIterator[Call]:
    """Yield what gives one command after the other, as `ask` does.

    Raises:
        NoStore: there is no store.
    """
    async with AsyncExitStack() as stack:
        is_ours = bool(settings.database_url)
        if not is_ours and settings.sqlite_path.exists():
            with suppress(FolderLocked):
                stack.enter_context(FolderLock(settings.data))
                is_ours = True
        if is_ours:
            run = await stack.enter_async_context(_opening(settings))
            yield lambda command, **arguments: run(command, arguments)
            return
        if not (settings.data / "admin.sock").exists():
            raise NoStore(settings.data)
        yield lambda command, **arguments: ask_node(settings.data, command, arguments)


async def _ask(settings: Settings, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if settings.database_url:
        return await _run(settings, command, arguments)
    if not settings.sqlite_path.exists():  # a node on PostgreSQL, or none at all
        with suppress(NodeNotReached):
            return await ask_node(settings.data, command, arguments)
        raise NoStore(settings.data)
    try:
        with FolderLock(settings.data):
            return await _run(settings, command, arguments)
    except FolderLocked:
        return await ask_node(settings.data, command, arguments)


async def _run(settings: Settings, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
    async with _opening(settings) as run:
        return await run(command, arguments)


Run = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


@asynccontextmanager
async def _opening(settings: Settings) -> AsyncIterator[Run]:
    """Open the store, and yield what runs a command in this process."""
    from hubbub.admin.socket import run_command  # noqa: PLC0415
    from hubbub.bootstrap import open_runtime  # noqa: PLC0415

    async with open_runtime(settings, makes_store=False) as runtime:
        yield partial(run_command, runtime)
