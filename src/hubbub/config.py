"""The settings of a node, each with a default, its environment variable and a description."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import structlog

log = structlog.get_logger()


class BadSetting(Exception):
    """A setting from the environment or the command line that is not valid."""


LONGEST_SECONDS = 366 * 86400
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
ANY, LOOPBACK = ANY_ORIGINS = ("*", "loopback")
"""Words for pages of any host, and for those of this machine."""
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#@\s]+")
RESTORING = "restoring"
"""A folder in the data folder: there only while a backup is being restored."""
OUR_FILES = frozenset({"hubbub.db", "secret.key", "first-keys.txt", "files", RESTORING})
"""What tells a data folder from another one."""
OTHERS = 0o077
"""The rights of accounts that are not the owner."""
_FOR_OPENID = ("public_url", "openid_client_id", "openid_client_secret", "openid_claim")
_FILES_NOT_SHARED = (
    "Files are in a folder of this node. If there are other nodes on the same database, they do not"
    " see them. Name a place that all share with --files."
)


def _setting(default: Any, environment: str, sentence: str, *, is_secret: bool = False) -> Any:
    metadata = {"environment": environment, "sentence": sentence}
    return field(default=default, metadata=metadata, repr=not is_secret)


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
    bus_url: str = _setting(
        "",
        "HUBBUB_BUS_URL",
        "NATS servers, separated by commas, through which nodes on PostgreSQL tell each other of "
        "events at once; empty for none.",
    )
    secret_key: str = _setting(
        "",
        "HUBBUB_SECRET_KEY",
        "The master key; empty for the file secret.key in the data folder.",
        is_secret=True,
    )
    new_secret_key: str = _setting(
        "",
        "HUBBUB_NEW_SECRET_KEY",
        "A master key that takes the place of the other one, while `hubbub secrets rotate` runs.",
        is_secret=True,
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
    fcm_url: str = _setting(
        "https://fcm.googleapis.com", "HUBBUB_FCM_URL", "The base address of FCM."
    )
    google_token_url: str = _setting(
        "https://oauth2.googleapis.com/token",
        "HUBBUB_GOOGLE_TOKEN_URL",
        "Where access tokens for FCM come from: the whole address.",
    )
    apns_url: str = _setting(
        "https://api.push.apple.com", "HUBBUB_APNS_URL", "The base address of APNs."
    )
    apns_sandbox_url: str = _setting(
        "https://api.sandbox.push.apple.com",
        "HUBBUB_APNS_SANDBOX_URL",
        "The base address of APNs for apps in development.",
    )
    sendgrid_url: str = _setting(
        "https://api.sendgrid.com", "HUBBUB_SENDGRID_URL", "The base address of SendGrid."
    )
    twilio_url: str = _setting(
        "https://api.twilio.com", "HUBBUB_TWILIO_URL", "The base address of Twilio."
    )
    openid_issuer: str = _setting(
        "",
        "HUBBUB_OPENID_ISSUER",
        "The OpenID provider by which operators may sign in at the console, as it names itself in "
        "`iss`; empty for none.",
    )
    openid_client_id: str = _setting(
        "", "HUBBUB_OPENID_CLIENT_ID", "By which id that provider knows the console."
    )
    openid_client_secret: str = _setting(
        "",
        "HUBBUB_OPENID_CLIENT_SECRET",
        "The secret that belongs to this id.",
        is_secret=True,
    )
    openid_claim: str = _setting(
        "email",
        "HUBBUB_OPENID_CLAIM",
        "The claim of an ID token that is the name of an operator; `email` only if it is verified.",
    )
    webhook_timeout: float = _setting(
        2.0, "HUBBUB_WEBHOOK_TIMEOUT_SECONDS", "What one attempt to call a webhook may take in all."
    )
    webhook_retries: tuple[float, ...] = _setting(
        (10.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0, 86400.0),
        "HUBBUB_WEBHOOK_RETRY_SECONDS",
        "The pauses between attempts, separated by commas, for webhooks that retry.",
    )
    notification_retries: tuple[float, ...] = _setting(
        (1.0, 5.0, 15.0, 60.0, 300.0, 900.0),
        "HUBBUB_NOTIFICATION_RETRY_SECONDS",
        "The pauses between attempts to send a notification, by commas; the last one repeats.",
    )
    webhook_pause: float = _setting(
        86400.0,
        "HUBBUB_WEBHOOK_PAUSE_SECONDS",
        "A webhook is paused when every attempt has failed for so long.",
    )
    webhook_keep: float = _setting(
        14.0 * 86400,
        "HUBBUB_WEBHOOK_KEEP_SECONDS",
        "How long deliveries to webhooks are kept.",
    )
    notification_min_interval: float = _setting(
        60.0,
        "HUBBUB_NOTIFICATION_MIN_INTERVAL_SECONDS",
        "The least time that apps may choose to wait before an e-mail or SMS.",
    )
    events_keep: float = _setting(
        7.0 * 86400,
        "HUBBUB_EVENTS_KEEP_SECONDS",
        "How long events are kept, for clients that were away and for the change feed.",
    )
    receipts_exact: float = _setting(
        90.0 * 86400,
        "HUBBUB_RECEIPTS_EXACT_SECONDS",
        "How long the times of receipts are exact; older ones of a day are merged into the last.",
    )
    metrics_allow: str = _setting(
        "",
        "HUBBUB_METRICS_ALLOW",
        "Networks, separated by commas, that may read /metrics besides this machine.",
    )
    metrics_token: str = _setting(
        "",
        "HUBBUB_METRICS_TOKEN",
        "The bearer token that /metrics asks for; empty for none, and none through a proxy.",
        is_secret=True,
    )
    realtime_origins: str = _setting(
        "",
        "HUBBUB_REALTIME_ORIGINS",
        "Origins of pages, separated by commas, that may open sockets, or *; loopback for pages "
        "of this machine at any port, as with --demo; empty for pages of the same host.",
    )
    realtime_heartbeat: int = _setting(
        25,
        "HUBBUB_REALTIME_HEARTBEAT_SECONDS",
        "A socket whose client is silent for twice as long is closed.",
    )
    realtime_frames_per_second: int = _setting(
        50,
        "HUBBUB_REALTIME_FRAMES_PER_SECOND",
        "How many frames a second a socket may send in the long run.",
    )
    realtime_frames_at_once: int = _setting(
        200, "HUBBUB_REALTIME_FRAMES_AT_ONCE", "How many frames a socket may send at once."
    )
    realtime_frame_bytes: int = _setting(
        65536, "HUBBUB_REALTIME_FRAME_BYTES", "How many bytes a frame of a client may have."
    )
    realtime_queue_frames: int = _setting(
        1000,
        "HUBBUB_REALTIME_QUEUE_FRAMES",
        "How many frames wait for a client that reads slowly; beyond that it is cut.",
    )
    realtime_queue_bytes: int = _setting(
        4194304, "HUBBUB_REALTIME_QUEUE_BYTES", "How many bytes these frames may have."
    )
    database_connections: int = _setting(
        16, "HUBBUB_DATABASE_CONNECTIONS", "How many connections to PostgreSQL a node opens."
    )
    workers: int = _setting(
        1,
        "HUBBUB_WORKERS",
        "How many nodes of this machine share the port; more than one needs PostgreSQL.",
    )
    log_requests: bool = _setting(True, "HUBBUB_LOG_REQUESTS", "Whether each request is logged.")

    @property
    def key_path(self) -> Path:
        """Return the path of the file with the master key, if that is not in the environment."""
        return self.data / "secret.key"

    @property
    def sqlite_path(self) -> Path:
        """Return the path of the database file of a node with SQLite."""
        return self.data / "hubbub.db"

    @property
    def warnings(self) -> list[str]:
        """Return what may be a mistake in these settings, in sentences."""
        if self.database_url and not self.files:
            return [_FILES_NOT_SHARED]
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


def find_unusable(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield a sentence and a remedy for each address in the settings that can never fit."""
    for proxy in split_list(settings.trusted_proxies):
        if not _is_address(proxy):
            yield (
                f"HUBBUB_TRUSTED_PROXIES has {proxy!r}, which is not an IP address: it never fits.",
                "Name each proxy by its IP address.",
            )
    for origin in split_list(settings.realtime_origins):
        if origin.lower() not in ANY_ORIGINS and not _ORIGIN.fullmatch(origin):
            yield (
                f"HUBBUB_REALTIME_ORIGINS has {origin!r}, which is not an origin: it never fits.",
                "An origin is a scheme and a host, such as https://chat.example.com.",
            )
    if settings.public_url and not settings.public_url.startswith(("http://", "https://")):
        yield (
            f"HUBBUB_PUBLIC_URL is {settings.public_url!r}: links to files do not work.",
            "It begins with https://.",
        )
    if settings.openid_issuer:
        yield from _find_missing_for_openid(settings)


def _find_missing_for_openid(settings: Settings) -> Iterator[tuple[str, str]]:
    for setting in fields(Settings):
        if setting.name in _FOR_OPENID and not getattr(settings, setting.name):
            yield (
                f"HUBBUB_OPENID_ISSUER is set, but {setting.metadata['environment']} is empty.",
                "Nobody can sign in by a provider without it.",
            )


def check_addresses(settings: Settings) -> None:
    """Refuse settings with an address that can never fit.

    Raises:
        BadSetting: there is one.
    """
    for sentence, remedy in find_unusable(settings):
        raise BadSetting(f"{sentence} {remedy}")


def split_list(text: str) -> list[str]:
    """Return the parts of a setting that is a list separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment from which another process loads the same settings."""
    return {
        setting.metadata["environment"]: _write(getattr(settings, setting.name))
        for setting in fields(Settings)
    }


def _write(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_write, value))
    if isinstance(value, float):
        return f"{value:f}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse(text: str, default: Any, name: str) -> Any:
    if isinstance(default, bool):
        if text.lower() not in {"true", "false", "1", "0"}:
            raise BadSetting(f"{name} must be true or false, not {text!r}.")
        return text.lower() in {"true", "1"}
    if isinstance(default, int):
        if not text.isdigit():
            raise BadSetting(f"{name} must be a number, not {text!r}.")
        return int(text)
    if isinstance(default, float):
        return _parse_seconds(text, name)
    if isinstance(default, tuple):
        return tuple(_parse_seconds(part, name) for part in text.split(",") if part.strip())
    return Path(text) if isinstance(default, Path) else text


def _parse_seconds(text: str, name: str) -> float:
    if not _SECONDS.fullmatch(text.strip()) or float(text) > LONGEST_SECONDS:
        raise BadSetting(f"{name} must be seconds, such as 2 or 0.5, not {text!r}.")
    return float(text)


def find_unknown(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a sentence and a remedy for each name in the environment that may be a mistake."""
    known = [setting.metadata["environment"] for setting in fields(Settings)]
    for name in sorted(environment):
        if name.startswith("HUBBUB_") and name not in known:
            close = get_close_matches(name, known, 1)
            meant = f"Is {close[0]} meant?" if close else "Remove it."
            yield f"{name} is set, but there is no such setting.", meant


def make_folder(folder: Path) -> None:
    """Make the data folder if it does not exist; close one that other accounts may read.

    Raises:
        BadSetting: it can't be made, or it is open to others and not ours to close.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise BadSetting(f"The data folder {folder} is a file.") from None
    except OSError as failure:
        raise BadSetting(f"The data folder {folder} can't be made: {failure.strerror}.") from None
    if folder.stat().st_mode & OTHERS:
        _close_folder(folder)


def _close_folder(folder: Path) -> None:
    """Take the rights of other accounts at the data folder: it holds keys and people's messages.

    A folder with other things in it is left as it is: that may be /tmp, or somebody's home.
    """
    names = {each.name for each in folder.iterdir()}
    try:
        if names and not names & OUR_FILES:
            raise BadSetting(
                f"Other accounts may read {folder}, and it holds other things. Give --data a folder"
                " for Hubbub alone."
            )
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~OTHERS)
    except PermissionError:
        raise BadSetting(
            f"Other accounts may read the data folder {folder}, and this account may not change"
            f" that. Let its owner do it: chmod 700 {folder}"
        ) from None
    log.warning("data_folder_closed", folder=str(folder), reason="Other accounts could read it.")
