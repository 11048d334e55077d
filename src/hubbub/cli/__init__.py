"""The command line: one file per command."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Annotated

import structlog
import typer
from structlog.typing import EventDict

import hubbub
from hubbub.cli.columns import printable
from hubbub.cli.log_lines import format_traceback, shorten_texts

COMMANDS: Mapping[str, str] = {
    "serve": "serve:serve",
    "migrate": "migrate:migrate",
    "backup": "backup:backup",
    "restore": "restore:restore",
    "import": "imports:import_",
    "copy": "copy:copy",
    "export": "export:export",
    "erase": "erase:erase",
    "audit": "audit:audit",
    "doctor": "doctor:doctor",
    "openapi": "contract:openapi",
    "asyncapi": "contract:asyncapi",
    "app": "app:commands",
    "key": "key:commands",
    "credentials": "credentials:commands",
    "secrets": "secrets:commands",
    "operator": "operator:commands",
}
"""Where each command stands: a module of this package, and its function or group."""
OTHERS_MAY_NOT = 0o027
"""New files have mode 0640 at most: uploads and backups are no business of other accounts."""


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"hubbub {hubbub.__version__}")
        raise typer.Exit


def make_command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with some of the commands, whose modules are imported."""
    command_line = typer.Typer(
        name="hubbub",
        help="Hubbub, a self-hosted chat backend.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    command_line.callback()(_root)
    for name in names:
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"{__name__}.{module}"), attribute)
        if isinstance(found, typer.Typer):
            command_line.add_typer(found, name=name)
        else:
            command_line.command(name)(found)
    return command_line


def _root(
    version_: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def _run_named() -> None:
    """Run the command that is named first; the others need not be imported for it.

    What is no command gets the help of all.
    """
    named = sys.argv[1:2]
    is_plain = named == ["--version"] or (bool(named) and named[0] in COMMANDS)
    make_command_line([each for each in named if each in COMMANDS] if is_plain else COMMANDS)()


def main(run: Callable[[], None] = _run_named) -> None:
    """Run the command line; print an expected error as one sentence, not as a traceback."""
    _log_to_stderr()
    os.umask(OTHERS_MAY_NOT)
    # A command that is told to stop ends as with Ctrl-C: what it keeps for a while goes with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run()
    except Exception as problem:
        # Imported here, as it is for all commands, and most need little of it.
        from hubbub.cli.expected import EXPECTED, exit_code  # noqa: PLC0415

        if not isinstance(problem, EXPECTED):
            raise
        print(f"hubbub: {printable(_sentence(problem))}", file=sys.stderr)
        sys.exit(exit_code(problem))


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
