"""`admin.sock` in the data folder: a running node takes commands there, as lines of JSON."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import structlog

from hubbub.admin.client import LARGEST_ANSWER, CommandCall, encode_request, read_answer
from hubbub.admin.commands import COMMANDS
from hubbub.admin.erasing import ERASE_COMMANDS
from hubbub.admin.imports import IMPORT_COMMANDS
from hubbub.admin.operators import OPERATOR_COMMANDS
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime

log = structlog.get_logger()

COMMANDS_OF_ALL = COMMANDS | IMPORT_COMMANDS | ERASE_COMMANDS | OPERATOR_COMMANDS


@asynccontextmanager
async def answering_commands(runtime: Runtime) -> AsyncIterator[None]:
    """Answer commands inside the block, on a socket that only the folder's owner can open.

    Unless another node that runs on the folder does so.
    """
    path = runtime.settings.data / "admin.sock"
    if await _is_answered(path):  # nodes on PostgreSQL may share a folder
        yield
        return
    path.unlink(missing_ok=True)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer = await _answer(runtime, await reader.readline())
            writer.write(msgspec.json.encode(answer) + b"\n")
            await writer.drain()
        finally:
            writer.close()

    mask = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(serve, path, limit=LARGEST_ANSWER)
    finally:
        os.umask(mask)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _is_answered(path: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    return True


async def _answer(runtime: Runtime, line: bytes) -> dict[str, Any]:
    try:
        request = msgspec.json.decode(line, type=CommandCall)
        command = COMMANDS_OF_ALL[request.command]
        return {"data": await command(runtime, request.arguments)}
    except Refusal as refusal:
        return {"error": _describe(refusal)}
    except (msgspec.MsgspecError, KeyError) as fault:
        return {"error": f"The command is not valid: {fault}"}


def _describe(refusal: Refusal) -> str:
    details = (refusal.details or {}).values()
    return " ".join([refusal.message, *chain.from_iterable(details)])


async def run_command(
    runtime: Runtime, command: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a command in this process; return its data.

    Raises:
        CommandRefused: it was refused.
    """
    return read_answer(await _answer(runtime, encode_request(command, arguments)))
