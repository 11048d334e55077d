"""`hubbub serve`: run a node."""

import asyncio
import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from hubbub.admin.lock import FolderLock
from hubbub.cli.options import BusUrl, Data, DatabaseUrl, Files
from hubbub.config import LOOPBACK, load_settings


def serve(
    data: Data = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on.")] = None,
    database: DatabaseUrl = None,
    bus: BusUrl = None,
    files: Files = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The TLS certificate file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key file of the certificate.")] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="How many nodes share the port; needs PostgreSQL.", show_default="1"),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Create the app demo with a few users.")
    ] = False,
) -> None:
    """Run a node.

    With an empty database it creates a first app and management credentials, writes them to
    first-keys.txt in the data folder, and prints the path of that file.
    """
    # Imported here, since that takes half a second, which other commands need not wait for.
    from hubbub.cli.node import run_node  # noqa: PLC0415
    from hubbub.cli.workers import check_workers, serve_workers  # noqa: PLC0415

    settings = load_settings(
        data=data,
        host=host,
        port=port,
        database_url=database,
        bus_url=bus,
        files=files,
        tls_cert=str(tls_cert) if tls_cert else None,
        tls_key=str(tls_key) if tls_key else None,
        workers=workers,
    )
    if demo and not settings.realtime_origins:
        settings = replace(settings, realtime_origins=LOOPBACK)
    check_workers(settings)
    if settings.workers > 1:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve_workers(settings, is_demo=demo))
        return
    lock = contextlib.nullcontext() if settings.database_url else FolderLock(settings.data)
    with lock, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run_node(settings, is_demo=demo))
