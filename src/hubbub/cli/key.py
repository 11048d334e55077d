"""`hubbub key`: the API keys of an app."""

import json
from typing import Annotated

import typer

from hubbub.cli.ask import ask
from hubbub.cli.columns import print_columns
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of

commands = typer.Typer(help="Create, list and delete API keys.", no_args_is_help=True)
App = Annotated[str, typer.Option("--app", help="The id of the app.")]


@commands.command("create")
def create(
    app: App,
    name: Annotated[str, typer.Option("--name", help="A name that says what the key is for.")],
    scope: Annotated[
        str, typer.Option("--scope", help="The scope: fullAccess or authOnly.")
    ] = "authOnly",
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and print it."""
    if scope not in {"fullAccess", "authOnly"}:
        raise typer.BadParameter(
            f"it must be fullAccess or authOnly, not {scope!r}", param_hint="--scope"
        )
    key = ask(settings_of(data, database), "key create", app=app, name=name, scope=scope)
    print(json.dumps(key) if as_json else key["apiKey"])


@commands.command("list")
def list_(
    app: App, data: Data = None, database: DatabaseUrl = None, as_json: AsJson = False
) -> None:
    """List the API keys of an app."""
    found = ask(settings_of(data, database), "key list", app=app)
    if as_json:
        print(json.dumps(found))
        return
    rows = ((key["apiKey"], key["scope"], key["name"]) for key in found["apiKeys"])
    print_columns(("API KEY", "SCOPE", "NAME"), *rows)


@commands.command("delete")
def delete(
    app: App,
    api_key: Annotated[str, typer.Argument(help="The API key.")],
    data: Data = None,
    database: DatabaseUrl = None,
) -> None:
    """Delete an API key; calls with it are refused from then on."""
    ask(settings_of(data, database), "key delete", app=app, key=api_key)
    print("The API key is deleted.")
