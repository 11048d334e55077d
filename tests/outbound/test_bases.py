"""Base addresses of providers are checked before a node starts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hubbub.bootstrap import open_runtime
from hubbub.config import BadSetting, Settings
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.bases import BASES, WHOLE, check_bases

LOCAL = "127.0.0.0/8"


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://gateway.example", ""),
        ("https://gateway.example:8443", ""),
        ("https://127.0.0.1:8443", LOCAL),
        ("http://127.0.0.1:8080", LOCAL),
    ],
)
def test_addresses_that_are_accepted(name: str, url: str, allowed: str) -> None:
    """A scheme, a host and a port will do; without TLS only where the operator allows it."""
    given: Any = {name: url}
    check_bases(replace(Settings(), **given), parse_rule(allowed))


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "must begin with"),
        ("gateway.example", "must begin with"),
        ("ftp://gateway.example", "must begin with"),
        ("http://gateway.example", "only over TLS"),
        ("http://127.0.0.1:8080", "only over TLS"),
        ("https://127.0.0.1:8443", "is not public"),
        ("https://user:word@gateway.example", "user name"),
        ("https://gateway.example/", "nothing after it"),
        ("https://gateway.example/v3", "nothing after it"),
        ("https://gateway.example?a=b", "nothing after it"),
    ],
)
def test_addresses_that_are_refused(name: str, url: str, why: str) -> None:
    """Anything else is named with its setting."""
    given: Any = {name: url}
    with pytest.raises(BadSetting, match=f"^HUBBUB_{name.upper()} .*{why}"):
        check_bases(replace(Settings(), **given), parse_rule(""))


@pytest.mark.parametrize("name", WHOLE)
def test_whole_addresses_have_a_path(name: str) -> None:
    """An address that is no base may have a path; it must be one that may be called, too."""
    path: Any = {name: "https://gateway.example/v1/token"}
    check_bases(replace(Settings(), **path), parse_rule(""))

    private: Any = {name: "https://127.0.0.1/token"}
    with pytest.raises(BadSetting, match=f"^HUBBUB_{name.upper()} .*is not public"):
        check_bases(replace(Settings(), **private), parse_rule(""))


async def test_no_node_starts(tmp_path: Path) -> None:
    """A node does not start with a base address that it can't call."""
    settings = Settings(data=tmp_path / "data", twilio_url="http://twilio.example")
    with pytest.raises(BadSetting, match="HUBBUB_TWILIO_URL"):
        async with open_runtime(settings):
            pass
