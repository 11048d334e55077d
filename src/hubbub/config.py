"""Every setting of a node, each with a sentence, a default and its environment name."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any


class BadSetting(Exception):
    """A setting from the environment or the command line that can't be used."""


def _setting(default: Any, environment: str, sentence: str) -> Any:
    return field(default=default, metadata={"environment": environment, "sentence": sentence})


@dataclass(frozen=True, slots=True)
class Settings:
    """How a node runs. Made once, at the start, and handed down."""

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
    database_connections: int = _setting(
        16, "HUBBUB_DATABASE_CONNECTIONS", "How many connections to PostgreSQL a node opens."
    )
    log_requests: bool = _setting(True, "HUBBUB_LOG_REQUESTS", "Whether each request is logged.")

    @property
    def sqlite_path(self) -> Path:
        """The database file of an embedded node."""
        return self.data / "hubbub.db"


def load_settings(environment: Mapping[str, str] = os.environ, **given: Any) -> Settings:
    """Settings from the environment; what is `given` and not None wins.

    Raises:
        BadSetting: an environment value can't be read.
    """
    values: dict[str, Any] = {}
    for setting in fields(Settings):
        text = environment.get(setting.metadata["environment"])
        if text is not None:
            values[setting.name] = _read(text, setting.default, setting.metadata["environment"])
    values.update({name: value for name, value in given.items() if value is not None})
    return Settings(**values)


def _read(text: str, default: Any, name: str) -> Any:
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            raise BadSetting(f"{name} must be true or false, not {text!r}.")
        return text.lower() in {"true", "1"}
    if isinstance(default, int):
        if not text.isdigit():
            raise BadSetting(f"{name} must be a number, not {text!r}.")
        return int(text)
    return Path(text) if isinstance(default, Path) else text
