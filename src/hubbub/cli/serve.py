"""`hubbub serve`: run a node."""

import asyncio
import contextlib
import gc
import os
from pathlib import Path
from typing import Annotated

import structlog
import typer
import uvloop

from hubbub.admin.lock import FolderLock
from hubbub.admin.socket import answering_commands
from hubbub.background import running_workers
from hubbub.bootstrap import make_first_keys, open_runtime
from hubbub.cli.demo import fill_demo
from hubbub.cli.options import Data, DatabaseUrl, Files
from hubbub.config import Settings, find_unknown, load_settings
from hubbub.http.app import make_app
from hubbub.http.server.serve import make_server, open_listeners
from hubbub.rest.operations import OPERATIONS

log = structlog.get_logger()


def serve(
    data: Data = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on.")] = None,
    database: DatabaseUrl = None,
    files: Files = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The TLS certificate file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key file of the certificate.")] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Create the app demo with a few users.")
    ] = False,
) -> None:
    """Run a node.

    With an empty database it creates a first app and management credentials, writes them to
    first-keys.txt in the data folder, and prints the path of that file.
    """
    settings = load_settings(
        data=data,
        host=host,
        port=port,
        database_url=database,
        files=files,
        tls_cert=str(tls_cert) if tls_cert else None,
        tls_key=str(tls_key) if tls_key else None,
    )
    lock = contextlib.nullcontext() if settings.database_url else FolderLock(settings.data)
    with lock, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, is_demo=demo))


async def _serve(settings: Settings, *, is_demo: bool) -> None:
    async with contextlib.AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(settings))
        keys_file = await make_first_keys(runtime)
        if keys_file is not None:
            print(f"First keys: {keys_file.resolve()}", flush=True)
        server = make_server(make_app(runtime, OPERATIONS), settings)
        listeners = open_listeners(settings)
        await stack.enter_async_context(running_workers(runtime))
        await stack.enter_async_context(answering_commands(runtime))
        server.install_signal_handlers()
        scheme = "https" if settings.tls_cert else "http"
        unknown = [" ".join(each) for each in find_unknown(os.environ)]
        for warning in [*settings.warnings, *unknown]:
            log.warning("doubtful_setting", warning=warning)
        address = f"{scheme}://{settings.host}:{listeners[0].getsockname()[1]}"
        print(f"Hubbub: {address}/v3\nReference: {address}/docs", flush=True)
        if is_demo:
            print(await fill_demo(runtime), flush=True)
        _spare_garbage_collection()
        await server.serve(listeners)
    log.info("node_stopped")


def _spare_garbage_collection() -> None:
    """Exclude the objects made at the start from garbage collection, and collect less often.

    Under load they would be traversed again and again, which makes the slowest percent of answers.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
