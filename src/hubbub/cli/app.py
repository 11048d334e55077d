"""`hubbub app`: the apps of an installation."""

import json
from typing import Annotated, Any

import typer

from hubbub.cli.ask import ask
from hubbub.cli.columns import print_columns
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of

commands = typer.Typer(help="Create, list and delete apps.", no_args_is_help=True)


@commands.command("create")
def create(
    app_id: Annotated[
        str | None, typer.Option("--id", help="The id of the app; generated if omitted.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The name of the app; the id by default.")
    ] = None,
    region: Annotated[str, typer.Option("--region", help="The region: us, eu or in.")] = "us",
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Create an app, and print its id and API keys.

    Example: hubbub app create --id my-app --name "My app" --region us --json
    """
    if region not in {"us", "eu", "in"}:
        raise typer.BadParameter(f"it must be us, eu or in, not {region!r}", param_hint="--region")
    app = ask(
        settings_of(data, database),
        "app create",
        id=app_id,
        name=name if name is not None else app_id or "Unnamed app",
        region=region,
    )
    if as_json:
        print(json.dumps({field: app[field] for field in ("id", "region", "apiKeys")}))
        return
    _print_apps([app])


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
    app_id: Annotated[str, typer.Argument(help="The id of the app.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete an app: it is not accessible any more, and is erased after 30 days."""
    if not yes:
        typer.confirm(f"Delete the app {app_id} with all its data?", abort=True)
    done = ask(settings_of(data, database), "app delete", id=app_id)
    print(json.dumps(done) if as_json else f"App {app_id} is deleted.")


def _print_apps(apps: list[dict[str, Any]]) -> None:
    print_columns(
        ("APP", "REGION", "API KEY", "SCOPE", "KEY", "NAME"),
        *(
            (app["id"], app["region"], key["apiKey"], key["scope"], key["name"], app["name"])
            for app in apps
            for key in app["apiKeys"]
        ),
    )
