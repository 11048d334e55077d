"""`hubbub doctor`: find out what is wrong, and how to mend it."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hubbub.cli.ask import ask
from hubbub.cli.columns import printable
from hubbub.cli.options import AsJson, BusUrl, Data, DatabaseUrl, Files
from hubbub.config import BadSetting, Settings, load_settings
from hubbub.doctor.examine import examine
from hubbub.doctor.finding import Finding, Severity, ok, wrong
from hubbub.kernel.clock import SystemClock


def doctor(
    data: Data = None,
    database: DatabaseUrl = None,
    files: Files = None,
    bus: BusUrl = None,
    host: Annotated[str | None, typer.Option(help="The address that the node listens on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port that the node listens on.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many nodes share the port.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The TLS certificate file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The key file of the certificate.")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Correct stored times that lie ahead, then check.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find out what is wrong with an installation, and how to mend it.

    Give it the options of serve. It checks the settings, TLS files, disks, the bus, the store and
    its schema, the master key, the clock, files, and recounts a sample of the kept numbers. A node
    may serve meanwhile or not; without --repair nothing is changed. Long checks stop after a
    minute.

    Each line says ok, warning or wrong. The exit code is 1 if something is wrong.
    """
    try:
        settings = load_settings(
            data=data,
            database_url=database,
            files=files,
            bus_url=bus,
            host=host,
            port=port,
            workers=workers,
            tls_cert=str(tls_cert) if tls_cert else None,
            tls_key=str(tls_key) if tls_key else None,
        )
        findings = [*_repair(settings, is_shown=not as_json)] if repair else []
        findings += asyncio.run(_examine(settings, is_shown=not as_json))
    except BadSetting as problem:
        findings = [wrong("configuration", str(problem), "Correct it; nothing else was checked.")]
        if not as_json:
            _show(findings[0])
    if as_json:
        print(json.dumps({"findings": [asdict(finding) for finding in findings]}))
    if any(finding.state == Severity.WRONG for finding in findings):
        raise typer.Exit(1)


def _repair(settings: Settings, *, is_shown: bool) -> Iterator[Finding]:
    """Correct stored times that lie ahead, app by app: in the node that runs, or else here."""
    for app_id in ask(settings, "repair list")["ids"]:
        rows = ask(settings, "repair times", app=app_id)["rows"]
        if rows:
            listed = ", ".join(f"{count:,} of {table}" for table, count in rows.items())
            finding = ok("repair", f"times that lay ahead in app {app_id}, rows: {listed}")
            if is_shown:
                _show(finding)
            yield finding


async def _examine(settings: Settings, *, is_shown: bool) -> list[Finding]:
    findings = []
    async for finding in examine(settings, os.environ, SystemClock()):
        findings.append(finding)
        if is_shown:
            _show(finding)
    return findings


def _show(finding: Finding) -> None:
    print(f"{finding.state:8} {finding.check:14} {printable(finding.sentence)}", flush=True)
    if finding.remedy:
        print(f"{'':23} {printable(finding.remedy)}", flush=True)
