"""A node in this process: its runtime, its sockets, its server and its work in the background."""

import asyncio
import contextlib
import gc
import os
import signal
import sys

import structlog

from hubbub.admin.socket import answering_commands
from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.cli.demo.bot import run_bot
from hubbub.cli.demo.fill import DemoContent
from hubbub.cli.greet import APP_ID, greet, print_first_keys
from hubbub.config import Settings
from hubbub.console.site import add_console
from hubbub.http.app import HttpApplication, make_app
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.demo.page import add_demo
from hubbub.http.server.serve import Server, make_server, open_listeners
from hubbub.realtime.contract.page import add_realtime_contract
from hubbub.realtime.gateway import serving_sockets
from hubbub.rest.operations import OPERATIONS
from hubbub.telemetry.start import tracing

log = structlog.get_logger()

SWITCH_SECONDS = 0.0002
"""How long a thread waits for another one that runs Python code, a 25th of the default.

The event loop and the writer wait for each other, and for reading threads, several times a send.
"""


async def run_node(settings: Settings, *, is_demo: bool = False, is_worker: bool = False) -> None:
    """Run a node until it is stopped; a worker leaves to its parent what is there once."""
    async with contextlib.AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(settings))
        if not is_worker:
            await print_first_keys(runtime)
        traces = await stack.enter_async_context(tracing(runtime, os.environ))
        app = make_app(runtime, OPERATIONS)
        gateway = await stack.enter_async_context(serving_sockets(runtime, app))
        add_realtime_contract(app.routes, settings)
        add_console(app.routes, runtime)
        if is_demo:
            content = DemoContent(runtime, app, APP_ID)
            add_demo(app.routes, runtime, APP_ID, content.complete)
            if not is_worker:  # several would answer each question several times
                bot = asyncio.create_task(run_bot(content))
                stack.callback(bot.cancel)
        server = make_server(traces.trace_app(app), settings)
        _spare_garbage_collection()  # it takes a tenth of a second: nobody can connect yet
        sys.setswitchinterval(SWITCH_SECONDS)
        listeners = open_listeners(settings, shares_port=is_worker)
        await stack.enter_async_context(running_workers(runtime, gateway.watch_over_nodes()))
        server.install_signal_handlers()
        if is_worker:
            _follow_parent(server)
        else:
            await stack.enter_async_context(answering_commands(runtime))
            await greet(runtime, listeners[0].getsockname()[1], is_demo=is_demo)
        if is_demo:
            making = asyncio.create_task(_make_reference(app))
            stack.callback(making.cancel)
        await server.serve(listeners)
    if not is_worker:
        log.info("node_stopped")


def _follow_parent(server: Server) -> None:
    """Tell the parent that this worker is ready, and stop when the parent ends."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_reader(sys.stdin)
        server.handle_exit(signal.SIGTERM, None)

    loop.add_reader(sys.stdin, stop)
    print("ready", flush=True)


async def _make_reference(app: HttpApplication) -> None:
    """Make the page that people open first, so that its first reader need not wait for it."""
    route, _ = app.routes.find(b"/docs")
    page = route.endpoints["GET"] if route is not None else None
    if isinstance(page, CompressedContent):
        await page.prepare()


def _spare_garbage_collection() -> None:
    """Exclude the objects made at the start from garbage collection, and collect less often.

    Under load they would be traversed again and again, which makes the slowest percent of answers.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
