"""The command line: one file per command."""

import sys

import typer

from hubbub.admin.lock import FolderLocked
from hubbub.admin.socket import CommandRefused, NodeNotReached
from hubbub.cli import app, contract, key, migrate, serve
from hubbub.config import BadSetting
from hubbub.kernel.errors import Refusal
from hubbub.kernel.sealing import BadMasterKey, NotOurSecret
from hubbub.storage.errors import SchemaTooNew

EXPECTED = (
    BadMasterKey,
    BadSetting,
    CommandRefused,
    FolderLocked,
    NodeNotReached,
    NotOurSecret,
    Refusal,
    SchemaTooNew,
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
    """Run the command line; what goes wrong in an expected way is one sentence, not a trace."""
    try:
        commands()
    except EXPECTED as problem:
        print(f"hubbub: {problem}", file=sys.stderr)
        sys.exit(1)
