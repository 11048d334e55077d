"""`hubbub serve --workers`: several nodes of this machine on one port, and what they share.

This process makes the first keys, takes commands, and passes messages between the nodes.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace

import structlog

from hubbub.admin.socket import answering_commands
from hubbub.bootstrap import open_runtime
from hubbub.bus.addresses import HUB
from hubbub.bus.hub import running_hub
from hubbub.cli.greet import greet, print_first_keys
from hubbub.cli.supervise import Workers
from hubbub.config import BadSetting, Settings, environment_of, make_folder
from hubbub.http.app import make_app
from hubbub.http.server.serve import make_server, open_listeners
from hubbub.rest.operations import OPERATIONS

log = structlog.get_logger()

COMMAND = (sys.executable, "-m", "hubbub.cli.worker")
OWN_CONNECTIONS = 2
"""To the database: this process only carries out commands."""


def check_workers(settings: Settings) -> None:
    """Refuse a number of workers that can't be.

    Raises:
        BadSetting: there would be none, or several on SQLite.
    """
    if settings.workers < 1:
        raise BadSetting(f"--workers must be at least 1, not {settings.workers}.")
    if settings.workers > 1 and not settings.database_url:
        raise BadSetting("A node on SQLite is always alone: --workers needs PostgreSQL.")


async def serve_workers(settings: Settings, *, is_demo: bool) -> None:
    """Run the nodes until a signal stops them.

    Raises:
        BadSetting: a setting is not valid, or another process has the port.
        WorkerFailed: a node did not start.
    """
    async with AsyncExitStack() as stack:
        settings = await stack.enter_async_context(sharing_bus(settings))
        own = replace(settings, database_connections=OWN_CONNECTIONS)
        runtime = await stack.enter_async_context(open_runtime(own))
        await print_first_keys(runtime)
        make_server(make_app(runtime, OPERATIONS), settings)  # refuses what no node can use
        settings = replace(settings, port=stack.enter_context(reserving_port(settings)))
        await stack.enter_async_context(answering_commands(runtime))
        command = (*COMMAND, "--demo") if is_demo else COMMAND
        workers = Workers(settings.workers, command, environment_of(replace(settings, workers=1)))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, workers.stop)
        await stack.enter_async_context(workers.running())
        await greet(runtime, settings.port, is_demo=is_demo)
        await workers.wait_stopping()
    log.info("node_stopped")


@asynccontextmanager
async def sharing_bus(settings: Settings) -> AsyncIterator[Settings]:
    """Yield settings with a bus: without one of the operator, it is a hub in this process."""
    if settings.bus_url:
        yield settings
        return
    make_folder(settings.data)
    path = settings.data.resolve() / "bus.sock"
    async with running_hub(path):
        yield replace(settings, bus_url=f"{HUB}{path}")


@contextmanager
def reserving_port(settings: Settings) -> Iterator[int]:
    """Yield the port for the nodes; inside the block no other account can take it.

    Raises:
        BadSetting: the address is taken or not available.
    """
    listeners = open_listeners(settings)  # not shared: no other hubbub may have the port
    port = int(listeners[0].getsockname()[1])
    addresses = [(listener.family, listener.getsockname()[0]) for listener in listeners]
    for listener in listeners:
        listener.close()
    with ExitStack() as stack:
        for family, address in addresses:
            _reserve(stack.enter_context(socket.socket(family)), address, port)
        yield port


def _reserve(reserved: socket.socket, address: str, port: int) -> None:
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if reserved.family == socket.AF_INET6:
        reserved.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    reserved.bind((address, port))
