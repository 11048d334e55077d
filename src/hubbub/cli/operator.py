"""`hubbub operator`: the people who use the console."""

import json
import sys
from typing import Annotated

import typer

from hubbub.cli.ask import ask
from hubbub.cli.columns import print_columns
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of
from hubbub.records.operators.model import OperatorRole

commands = typer.Typer(
    help="Add, list and remove the people who use the console.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the operator.")]


@commands.command("add")
def add(
    name: Name,
    role: Annotated[
        OperatorRole,
        typer.Option("--role", help="The role; the console's guide says what each may do."),
    ] = OperatorRole.OWNER,
    app: Annotated[
        str, typer.Option("--app", help="The only app they may see.", show_default="all")
    ] = "",
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Add an operator; the first one switches the console on.

    The password is asked for, or is the first line of the standard input.

    Example: hubbub operator add anna --role moderator --app my-app
    """
    password = _read_password()
    made = ask(
        settings_of(data, database),
        "operator add",
        name=name,
        role=str(role),
        app=app,
        password=password,
    )
    print(json.dumps(made) if as_json else f"{made['name']} may sign in at /console.")


@commands.command("list")
def list_(data: Data = None, database: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """List the operators."""
    found = ask(settings_of(data, database), "operator list")
    if as_json:
        print(json.dumps(found))
        return
    rows = (
        (each["name"], each["role"], each["app"] or "all", "yes" if each["hasTotp"] else "no")
        for each in found["operators"]
    )
    print_columns(("NAME", "ROLE", "APPS", "ONE-TIME CODES"), *rows)


@commands.command("remove")
def remove(name: Name, data: Data = None, database: DatabaseUrl = None) -> None:
    """Remove an operator; their sessions end at once."""
    ask(settings_of(data, database), "operator remove", name=name)
    print(f"{name} may not sign in any more.")


@commands.command("password")
def password(name: Name, data: Data = None, database: DatabaseUrl = None) -> None:
    """Give an operator another password, without one-time codes; their sessions end at once.

    The password is asked for, or is the first line of the standard input.
    """
    given = _read_password()
    ask(settings_of(data, database), "operator password", name=name, password=given)
    print(f"{name} has another password.")


def _read_password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
