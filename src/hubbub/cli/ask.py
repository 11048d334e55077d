"""Run an admin command: in the node that runs on the data folder, else in this process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.admin.socket import NodeNotReached, ask_node, run_command
from hubbub.bootstrap import NoStore, open_runtime
from hubbub.config import Settings


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
            runtime = await stack.enter_async_context(open_runtime(settings, makes_store=False))
            yield lambda command, **arguments: run_command(runtime, command, arguments)
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
    async with open_runtime(settings, makes_store=False) as runtime:
        return await run_command(runtime, command, arguments)
