"""The settings of a node, each with a default, its environment variable and a description."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class BadSetting(Exception):
    """A setting from the environment or the command line that is not valid."""


RESTORING = "restoring"
"""A folder in the data folder: there only while a backup is being restored."""
_FILES_NOT_SHARED = (
    "If there are other nodes on the same database, they do not see the files in {folder}."
    " Name a place that all share with --files."
)


def _setting(default: Any, environment: str, sentence: str) -> Any:
    return field(default=default, metadata={"environment": environment, "sentence": sentence})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a node, loaded once at the start."""

    data: Path = _setting(
        Path("hubbub-data"), "HUBBUB_DATA", "The folder of the database, keys and files."
    )
    host: str = _setting("127.0.0.1", "HUBBUB_HOST", "The address to listen on.")
    port: int = _setting(8080, "HUBBUB_PORT", "The port to listen on.")
    database_url: str = _setting(
        "", "HUBBUB_DATABASE_URL", "A postgresql:// address; empty for SQLite in the data folder."
    )
    files: str = _setting(
        "",
        "HUBBUB_FILES_URL",
        "Where uploaded files go: a folder, or an s3://, gcs:// or azblob:// address; "
        "empty for a folder in the data folder.",
    )
    public_url: str = _setting(
        "",
        "HUBBUB_PUBLIC_URL",
        "The address that links to files begin with; empty for the one that a request came to.",
    )
    tls_cert: str = _setting("", "HUBBUB_TLS_CERT", "The certificate file, to end TLS here.")
    tls_key: str = _setting("", "HUBBUB_TLS_KEY", "The key file of the certificate.")
    secret_key: str = _setting(
        "", "HUBBUB_SECRET_KEY", "The master key; empty for the file secret.key in the data folder."
    )
    trusted_proxies: str = _setting(
        "",
        "HUBBUB_TRUSTED_PROXIES",
        "Addresses, separated by commas, whose X-Forwarded-Proto is believed.",
    )
    allow_loopback_http: bool = _setting(
        True, "HUBBUB_ALLOW_LOOPBACK_HTTP", "Whether a client on this machine may use plain HTTP."
    )
    outbound_allow: str = _setting(
        "",
        "HUBBUB_OUTBOUND_ALLOW",
        "Networks, separated by commas, that may be called although they are not public; "
        "to these alone, plain HTTP too.",
    )
    outbound_ca: str = _setting(
        "",
        "HUBBUB_OUTBOUND_CA",
        "A PEM file with authorities to trust in calls to other servers, besides the usual ones.",
    )
    database_connections: int = _setting(
        16, "HUBBUB_DATABASE_CONNECTIONS", "How many connections to PostgreSQL a node opens."
    )
    log_requests: bool = _setting(True, "HUBBUB_LOG_REQUESTS", "Whether each request is logged.")

    @property
    def sqlite_path(self) -> Path:
        """Return the path of the database file of a node with SQLite."""
        return self.data / "hubbub.db"

    @property
    def warnings(self) -> list[str]:
        """Return what may be a mistake in these settings, in sentences."""
        if self.database_url and not self.files:
            return [_FILES_NOT_SHARED.format(folder=self.data / "files")]
        return []


def load_settings(environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """Load settings from the environment; values in `given` that are not None take precedence.

    Raises:
        BadSetting: an environment variable has a value that is not valid.
    """
    values: dict[str, Any] = {}
    for setting in fields(Settings):
        text = environment.get(setting.metadata["environment"])
        if text is not None:
            values[setting.name] = _parse(text, setting.default, setting.metadata["environment"])
    values.update({name: value for name, value in given.items() if value is not None})
    return Settings(**values)


def _parse(text: str, default: Any, name: str) -> Any:
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            raise BadSetting(f"{name} must be true or false, not {text!r}.")
        return text.lower() in {"true", "1"}
    if isinstance(default, int):
        if not text.isdigit():
            raise BadSetting(f"{name} must be a number, not {text!r}.")
        return int(text)
    return Path(text) if isinstance(default, Path) else text


def find_unknown(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a sentence and a remedy for each name in the environment that may be a mistake."""
    known = [setting.metadata["environment"] for setting in fields(Settings)]
    for name in sorted(environment):
        if name.startswith("HUBBUB_") and name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"Is {close[0]} meant?" if close else "Remove it."
            yield f"{name} is set, but there is no such setting.", meant


def make_folder(folder: Path) -> None:
    """Make the data folder if it does not exist.

    Raises:
        BadSetting: it can't be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise BadSetting(f"The data folder {folder} is a file.") from None
    except OSError as failure:
        raise BadSetting(f"The data folder {folder} can't be made: {failure.strerror}.") from None
