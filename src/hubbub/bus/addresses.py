"""The addresses of NATS servers, as the operator writes them."""

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from hubbub.config import BadSetting

SETTING = "HUBBUB_BUS_URL"
PORT = 4222
NO_BUS = "A node on SQLite is always alone: a bus (--bus) needs PostgreSQL."
HUB = "unix:"
"""How the address of a hub begins, which `hubbub serve --workers` gives to its nodes."""
SCHEMES = ("nats", "tls")


@dataclass(frozen=True, slots=True)
class NatsServer:
    """Where a server is, and what a node logs in with; a user without a password is a token."""

    host: str
    port: int
    is_encrypted: bool
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return the server without secrets, for the log."""
        return f"{self._host}:{self.port}"

    @property
    def url(self) -> str:
        """Return the URL without user and password."""
        return f"nats://{self._host}:{self.port}"

    @property
    def _host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_servers(text: str) -> list[NatsServer]:
    """Return the servers of a setting, separated by commas.

    Raises:
        BadSetting: one of them is no address of a NATS server; the message shows no password.
    """
    addresses = [part.strip() for part in text.split(",") if part.strip()]
    servers = [server for server in map(_parse, addresses) if server is not None]
    if not servers or len(servers) < len(addresses):
        # Shown would be what may be a part of a password, such as one with a comma.
        raise BadSetting(
            f"{SETTING} must be addresses like nats://user:password@host:4222 or tls://host:4222,"
            " separated by commas; special characters of a password must be percent-encoded."
        )
    return servers


def _parse(address: str) -> NatsServer | None:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    is_plain = not (parts.path.strip("/") or parts.query or parts.fragment)
    if parts.scheme not in SCHEMES or not host or not is_plain or any(map(str.isspace, address)):
        return None
    is_encrypted = parts.scheme == "tls"
    user, password = _unquote(parts.username), _unquote(parts.password)
    return NatsServer(host, port or PORT, is_encrypted, user, password)


def _unquote(text: str | None) -> str | None:
    return unquote(text) if text else None
