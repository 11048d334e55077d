"""The command line: one file per command."""

import sys

import structlog
import typer

from hubbub.admin.lock import FolderLocked
from hubbub.admin.socket import CommandRefused, NodeNotReached
from hubbub.cli import app, contract, key, migrate, serve
from hubbub.config import BadSetting
from hubbub.kernel.errors import Refusal
from hubbub.kernel.sealing import BadMasterKey, NotOurSecret
from hubbub.storage.errors import SchemaTooNew, StoreUnusable

EXPECTED = (
    BadMasterKey,
    BadSetting,
    CommandRefused,
    FolderLocked,
    NodeNotReached,
    NotOurSecret,
    OSError,
    Refusal,
    SchemaTooNew,
    StoreUnusable,
)

commands = typer.Typer(
    name="hubbub",
    help="Hubbub, a self-hosted chat backend.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
commands.command("serve")(serve.serve)
commands.command("migrate")(migrate.migrate)
commands.command("openapi")(contract.openapi)
commands.add_typer(app.commands, name="app")
commands.add_typer(key.commands, name="key")


def main() -> None:
    """Run the command line; print an expected error as one sentence, not as a traceback."""
    _log_to_stderr()
    try:
        commands()
    except EXPECTED as problem:
        print(f"hubbub: {problem}", file=sys.stderr)
        sys.exit(1)


def _log_to_stderr() -> None:
    """Log lines of JSON to stderr; stdout is for the output of commands."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
