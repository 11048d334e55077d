"""`hubbub credentials`: the credentials of management calls."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from hubbub.cli.ask import ask
from hubbub.cli.columns import print_columns
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of

commands = typer.Typer(
    help="Create, list and revoke the credentials of management calls.", no_args_is_help=True
)


@commands.command("new")
def new(data: Data = None, database: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """Create a further pair of credentials and print it, once: only hashes are stored.

    The first pair is in first-keys.txt. All pairs are valid until they are revoked.
    """
    made = ask(settings_of(data, database), "credentials new")
    if as_json:
        print(json.dumps(made))
        return
    print(f"number: {made['number']}\nkey: {made['key']}\nsecret: {made['secret']}")


@commands.command("list")
def list_(data: Data = None, database: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """List the pairs by their numbers, with the times at which they were made."""
    found = ask(settings_of(data, database), "credentials list")
    if as_json:
        print(json.dumps(found))
        return
    rows = (
        (str(each["number"]), datetime.fromtimestamp(each["createdAt"], UTC).isoformat())
        for each in found["credentials"]
    )
    print_columns(("NUMBER", "CREATED"), *rows)


@commands.command("revoke")
def revoke(
    number: Annotated[int, typer.Argument(help="The number of the pair.", min=1, max=2**53)],
    data: Data = None,
    database: DatabaseUrl = None,
) -> None:
    """Revoke a pair of credentials; calls with it are refused from then on."""
    ask(settings_of(data, database), "credentials revoke", number=number)
    print("The credentials are revoked.")
