"""Ask the node that runs on a data folder: commands and answers as lines of JSON.

It is apart from what answers, so that a command need not load all that a node can do.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

LARGEST_ANSWER = 64 * 1024 * 1024
ANSWER_SECONDS = 30.0


class CommandRefused(Exception):
    """The installation refused a command; the message says why."""


class NodeNotReached(Exception):
    """The data folder is locked, but no node answers on its socket."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"The data folder {folder} is in use, but no node answers on its admin.sock."
        )


class CommandCall(msgspec.Struct):
    """A command and its arguments."""

    command: str
    arguments: dict[str, Any]


async def ask_node(
    folder: Path, command: str, arguments: Mapping[str, Any], *, seconds: float = ANSWER_SECONDS
) -> dict[str, Any]:
    """Send a command to the node that runs on `folder`; return its data.

    Raises:
        NodeNotReached: no node answers there.
        CommandRefused: the node refused it.
    """
    line = encode_request(command, arguments)
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_unix_connection(
                folder / "admin.sock", limit=LARGEST_ANSWER
            )
            writer.write(line)
            answer = await reader.readline()
            writer.close()
    except (OSError, TimeoutError) as failure:
        raise NodeNotReached(folder) from failure
    if not answer.endswith(b"\n"):
        raise NodeNotReached(folder)
    return read_answer(msgspec.json.decode(answer))


def encode_request(command: str, arguments: Mapping[str, Any]) -> bytes:
    """Return a command with its arguments as a line.

    Raises:
        CommandRefused: an argument is no text.
    """
    try:
        return msgspec.json.encode(CommandCall(command, dict(arguments))) + b"\n"
    except UnicodeEncodeError:
        raise CommandRefused("An argument of the command is not UTF-8.") from None


def read_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an answer.

    Raises:
        CommandRefused: it is a refusal.
    """
    if "error" in answer:
        raise CommandRefused(str(answer["error"]))
    data: dict[str, Any] = answer["data"]
    return data
