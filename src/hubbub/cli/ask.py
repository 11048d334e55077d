"""Run an admin command: in the node that has locked the data folder, else in this process."""

import asyncio
from typing import Any

from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.admin.socket import ask_node, run_command
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings


def ask(settings: Settings, command: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer to a command.

    Raises:
        CommandRefused: the command was refused.
        NodeNotReached: the folder is locked, but no node answers.
    """
    return asyncio.run(_ask(settings, command, arguments))


async def _ask(settings: Settings, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if settings.database_url:
        return await _run(settings, command, arguments)
    try:
        with FolderLock(settings.data):
            return await _run(settings, command, arguments)
    except FolderLocked:
        return await ask_node(settings.data, command, arguments)


async def _run(settings: Settings, command: str, arguments: dict[str, Any]) -> dict[str, Any]:
    async with open_runtime(settings) as runtime:
        return await run_command(runtime, command, arguments)
