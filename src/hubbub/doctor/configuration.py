"""Check the settings and the data folder."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from hubbub.bus.addresses import NO_BUS, parse_servers
from hubbub.config import OTHERS, BadSetting, Settings, find_unknown, find_unusable
from hubbub.doctor.finding import Finding, ok, warning, wrong
from hubbub.files.store import without_secrets
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.bases import check_bases

CHECK = "configuration"
_SINGLE_NODE = "With a single node, name this folder with --files: then nothing is doubtful."


def check_configuration(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check what can be seen in the settings alone, and who may read the data folder."""
    found = [
        *(warning(CHECK, *each) for each in find_unknown(environment)),
        *_check_addresses(settings),
        *_check_networks(settings),
        *_check_bases(settings),
        *_check_bus(settings),
        *(warning(CHECK, sentence, _SINGLE_NODE) for sentence in settings.warnings),
        *_check_folder(settings),
    ]
    yield from found or [ok(CHECK, _describe(settings))]


def _describe(settings: Settings) -> str:
    files = without_secrets(settings.files) if "://" in settings.files else settings.files
    return f"data in {settings.data.resolve()}, files in {files or 'the same folder'}"


def _check_addresses(settings: Settings) -> Iterator[Finding]:
    is_reachable = settings.host not in {"127.0.0.1", "localhost", "::1"}
    if is_reachable and not settings.tls_cert and not settings.trusted_proxies:
        yield warning(
            CHECK,
            f"The node listens on {settings.host} without TLS: clients on other machines get 403.",
            "Give --tls-cert and --tls-key, or name the proxy in HUBBUB_TRUSTED_PROXIES.",
        )
    for sentence, remedy in find_unusable(settings):
        yield wrong(CHECK, sentence, f"{remedy} No node starts with this.")


def _check_networks(settings: Settings) -> Iterator[Finding]:
    networks = {
        "HUBBUB_OUTBOUND_ALLOW": settings.outbound_allow,
        "HUBBUB_METRICS_ALLOW": settings.metrics_allow,
    }
    for name, text in networks.items():
        try:
            parse_rule(text, name)
        except BadSetting as problem:
            yield wrong(CHECK, str(problem), "Correct it: no node starts with this.")


def _check_bases(settings: Settings) -> Iterator[Finding]:
    try:
        rule = parse_rule(settings.outbound_allow)
    except BadSetting:  # named with the networks
        return
    try:
        check_bases(settings, rule)
    except BadSetting as problem:
        yield wrong(CHECK, str(problem), "Correct it: no node starts with this.")


def _check_bus(settings: Settings) -> Iterator[Finding]:
    try:
        servers = parse_servers(settings.bus_url) if settings.bus_url else []
    except BadSetting as problem:
        yield wrong(CHECK, str(problem), "Correct it: no node starts with this.")
        return
    if servers and not settings.database_url:
        yield wrong(CHECK, NO_BUS, "Remove HUBBUB_BUS_URL, or set HUBBUB_DATABASE_URL.")


def _check_folder(settings: Settings) -> Iterator[Finding]:
    if settings.data.is_file():
        yield wrong(CHECK, f"The data folder {settings.data} is a file.", "Give --data a folder.")
    for path in (settings.data, settings.data / "secret.key", settings.data / "first-keys.txt"):
        if path.exists() and path.stat().st_mode & OTHERS:
            yield warning(
                CHECK,
                f"Other accounts of this machine may read {path}.",
                f"chmod {'700' if path.is_dir() else '600'} {path}",
            )


def existing_part(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())
