"""`admin.sock` in the data folder: a line of JSON asks a running node, a line answers."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import structlog

from hubbub.admin.commands import COMMANDS
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime

log = structlog.get_logger()

LARGEST_LINE = 1024 * 1024
LARGEST_ANSWER = 64 * 1024 * 1024
ANSWER_SECONDS = 30.0


class CommandRefused(Exception):
    """The installation said no; the message says why."""


class NodeNotReached(Exception):
    """The data folder is locked and nobody answers on its socket."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"The data folder {folder} is in use, but nothing answers on its admin.sock."
        )


class Asked(msgspec.Struct):
    """A command and its arguments."""

    command: str
    arguments: dict[str, Any]


@asynccontextmanager
async def answering_commands(runtime: Runtime) -> AsyncIterator[None]:
    """Answer on the data folder's socket, which only its owner can open."""
    path = runtime.settings.data / "admin.sock"
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
        server = await asyncio.start_unix_server(serve, path, limit=LARGEST_LINE)
    finally:
        os.umask(mask)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


async def _answer(runtime: Runtime, line: bytes) -> dict[str, Any]:
    try:
        asked = msgspec.json.decode(line, type=Asked)
        command = COMMANDS[asked.command]
        return {"data": await command(runtime, asked.arguments)}
    except Refusal as refusal:
        return {"error": _sentence(refusal)}
    except (msgspec.MsgspecError, KeyError) as fault:
        return {"error": f"The command was not understood: {fault}"}


def _sentence(refusal: Refusal) -> str:
    said = [sentence for sentences in (refusal.details or {}).values() for sentence in sentences]
    return " ".join([refusal.message, *said])


async def ask_node(folder: Path, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Have the node that runs on `folder` carry out a command.

    Raises:
        NodeNotReached: nobody answers there.
        CommandRefused: it said no.
    """
    asked = _line(command, arguments)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_unix_connection(
                folder / "admin.sock", limit=LARGEST_ANSWER
            )
            writer.write(asked)
            line = await reader.readline()
            writer.close()
    except (OSError, TimeoutError) as failure:
        raise NodeNotReached(folder) from failure
    if not line.endswith(b"\n"):
        raise NodeNotReached(folder)
    return read_answer(msgspec.json.decode(line))


def _line(command: str, arguments: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(Asked(command, dict(arguments))) + b"\n"
    except UnicodeEncodeError:
        raise CommandRefused("An argument of the command is not UTF-8.") from None


def read_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The data of an answer.

    Raises:
        CommandRefused: it is a refusal.
    """
    if "error" in answer:
        raise CommandRefused(str(answer["error"]))
    data: dict[str, Any] = answer["data"]
    return data


async def run_command(
    runtime: Runtime, command: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Carry out a command in this process.

    Raises:
        CommandRefused: the installation said no.
    """
    return read_answer(await _answer(runtime, _line(command, arguments)))
