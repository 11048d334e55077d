"""The command line: one file per command."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated

import structlog
import typer
from structlog.typing import EventDict

import hubbub
from hubbub.admin.lock import FolderLocked
from hubbub.admin.socket import CommandRefused, NodeNotReached
from hubbub.backup.manifest import BackupRefused
from hubbub.bootstrap import NoStore
from hubbub.cli import (
    app,
    audit,
    backup,
    contract,
    copy,
    credentials,
    doctor,
    erase,
    export,
    imports,
    key,
    migrate,
    operator,
    restore,
    secrets,
    serve,
)
from hubbub.cli.columns import printable
from hubbub.cli.exits import CommandEnded
from hubbub.cli.log_lines import format_traceback, shorten_texts
from hubbub.cli.supervise import WorkerFailed
from hubbub.config import BadSetting
from hubbub.files.places import PlaceInUse
from hubbub.kernel.errors import Refusal
from hubbub.kernel.sealing import BadMasterKey, MasterKeyMissing, NotOurSecret
from hubbub.storage.errors import SchemaTooNew, StoreAway, StoreUnusable

EXPECTED = (
    BackupRefused,
    BadMasterKey,
    BadSetting,
    CommandEnded,
    CommandRefused,
    FolderLocked,
    MasterKeyMissing,
    NodeNotReached,
    NoStore,
    NotOurSecret,
    OSError,
    PlaceInUse,
    Refusal,
    SchemaTooNew,
    StoreAway,
    StoreUnusable,
    WorkerFailed,
)

OTHERS_MAY_NOT = 0o027
"""New files have mode 0640 at most: uploads and backups are no business of other accounts."""

commands = typer.Typer(
    name="hubbub",
    help="Hubbub, a self-hosted chat backend.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"hubbub {hubbub.__version__}")
        raise typer.Exit


@commands.callback()
def _root(
    version_: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


commands.command("serve")(serve.serve)
commands.command("migrate")(migrate.migrate)
commands.command("backup")(backup.backup)
commands.command("restore")(restore.restore)
commands.command("import")(imports.import_)
commands.command("copy")(copy.copy)
commands.command("export")(export.export)
commands.command("erase")(erase.erase)
commands.command("audit")(audit.audit)
commands.command("doctor")(doctor.doctor)
commands.command("openapi")(contract.openapi)
commands.command("asyncapi")(contract.asyncapi)
commands.add_typer(app.commands, name="app")
commands.add_typer(key.commands, name="key")
commands.add_typer(credentials.commands, name="credentials")
commands.add_typer(secrets.commands, name="secrets")
commands.add_typer(operator.commands, name="operator")


def main(run: Callable[[], None] = commands) -> None:
    """Run the command line; print an expected error as one sentence, not as a traceback."""
    _log_to_stderr()
    os.umask(OTHERS_MAY_NOT)
    # A command that is told to stop ends as with Ctrl-C: what it keeps for a while goes with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run()
    except EXPECTED as problem:
        print(f"hubbub: {printable(_sentence(problem))}", file=sys.stderr)
        sys.exit(problem.code if isinstance(problem, CommandEnded) else 1)


def _sentence(problem: BaseException) -> str:
    match problem:
        case OSError(filename=str(path), strerror=str(reason)):
            return f"{path}: {reason}."
        case OSError(strerror=str(reason)):
            return f"{reason}."
    return str(problem)


_BEFORE_RENDERING = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
)


def _log_to_stderr() -> None:
    """Log lines of JSON to stderr, those of libraries too; stdout is for the output of commands."""
    structlog.configure(
        processors=[
            *_BEFORE_RENDERING,
            structlog.processors.ExceptionRenderer(format_traceback),
            shorten_texts,
            structlog.processors.JSONRenderer(),
        ],
        # It writes a line in one piece: workers share stderr.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )
    of_libraries = logging.StreamHandler()
    of_libraries.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=(structlog.stdlib.add_logger_name, *_BEFORE_RENDERING),
            processors=(
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _name_error,
                shorten_texts,
                structlog.processors.JSONRenderer(),
            ),
        )
    )
    logging.basicConfig(handlers=[of_libraries], level=logging.WARNING)
    for library in ("asyncpg", "nats"):  # engine and bus tell when their server goes
        logging.getLogger(library).setLevel(logging.CRITICAL)


def _name_error(_logger: object, _method: str, line: EventDict) -> EventDict:
    """Give the error of a library's line in place of its traceback."""
    failure = line.pop("exc_info", None)
    if failure:
        line["error"] = repr(failure[1])
    return line
