"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from hubbub.config import Settings, load_settings

Data = Annotated[
    Path | None,
    typer.Option("--data", help="The data folder.", show_default="./hubbub-data"),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--database", help="A postgresql:// address.", show_default="SQLite in --data"),
]
BusUrl = Annotated[
    str | None,
    typer.Option("--bus", help="A nats:// address, or several.", show_default="none"),
]
Files = Annotated[
    str | None,
    typer.Option("--files", help="The folder or address for files.", show_default="in --data"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def settings_of(data: Path | None, database_url: str | None) -> Settings:
    """Load the settings from the environment and the options.

    Raises:
        BadSetting: an environment variable has a value that is not valid.
    """
    return load_settings(data=data, database_url=database_url)
