"""`hubbub app`: the apps of an installation."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hubbub.cli.ask import ask
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of

commands = typer.Typer(help="Make, list and delete apps.", no_args_is_help=True)


@commands.command("create")
def create(
    app_id: Annotated[str | None, typer.Option("--id", help="Its id; made when left out.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Its name; the id by default.")] = None,
    region: Annotated[str, typer.Option("--region", help="us, eu or in.")] = "us",
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Make an app, and print its id and API keys.

    Example: hubbub app create --id my-app --name "My app" --region us --json
    """
    if region not in {"us", "eu", "in"}:
        raise typer.BadParameter("it is one of us, eu and in", param_hint="--region")
    made = ask(
        settings_of(data, database),
        "app create",
        id=app_id,
        name=name or app_id or "Unnamed app",
        region=region,
    )
    if as_json:
        print(json.dumps({name: made[name] for name in ("id", "region", "apiKeys")}))
        return
    _print_apps([made])


@commands.command("list")
def list_(data: Data = None, database: DatabaseUrl = None, as_json: AsJson = False) -> None:
    """List the apps with their API keys."""
    found = ask(settings_of(data, database), "app list")
    if as_json:
        print(json.dumps(found))
        return
    _print_apps(found["apps"])


@commands.command("delete")
def delete(
    app_id: Annotated[str, typer.Argument(help="The app's id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete an app: nobody reaches it any more, and after 30 days it is erased."""
    if not yes:
        typer.confirm(f"Delete the app {app_id} with all that it holds?", abort=True)
    done = ask(settings_of(data, database), "app delete", id=app_id)
    print(json.dumps(done) if as_json else f"The app {app_id} is deleted.")


def _print_apps(apps: list[dict[str, Any]]) -> None:
    table = Table("app", "name", "region", "key", "scope", "API key")
    for app in apps:
        told = (app["id"], app["name"], app["region"])
        for key in app["apiKeys"]:
            table.add_row(*told, key["name"], key["scope"], key["apiKey"])
            told = ("", "", "")
    Console().print(table)
