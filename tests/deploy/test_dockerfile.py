"""The Dockerfile and the compose file, as far as they can be checked without an engine."""

import os
import re
import shutil
import subprocess
from dataclasses import fields
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.release import ROOT

from hubbub.config import Settings

DOCKERFILE = (ROOT / "Dockerfile").read_text()
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
_VARIABLE = re.compile(r"\$\{(\w+)")
_ASSIGNED = re.compile(r"^(\w+)=", re.MULTILINE)


def test_a_linter_has_no_complaint() -> None:
    """`hadolint` finds nothing in the Dockerfile."""
    linter = shutil.which("hadolint")
    if linter is None:
        assert os.environ.get("CI") != "true", "CI needs hadolint"
        pytest.skip("hadolint is not installed")

    done = subprocess.run(
        [linter, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_what_is_copied_is_not_ignored() -> None:
    """Every file that the Dockerfile copies exists and is let through by .dockerignore."""
    lets_through = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]

    assert set(copied) == lets_through
    assert all((ROOT / source).exists() for source in copied)


@pytest.mark.parametrize(
    "path",
    [ROOT / "Dockerfile", *sorted(path for path in DEPLOY.iterdir() if path.is_file())],
    ids=lambda path: path.name,
)
def test_settings_have_the_names_that_the_node_reads(path: Path) -> None:
    """A misspelt setting would be ignored in silence."""
    known = {setting.metadata["environment"] for setting in fields(Settings)}

    assert set(re.findall(r"HUBBUB_\w+", path.read_text())) <= known


def test_the_example_has_every_variable() -> None:
    """.env.example has all variables of the compose file and no others."""
    used = set(_VARIABLE.findall((DEPLOY / "compose.yaml").read_text()))

    assert used == set(_ASSIGNED.findall((DEPLOY / ".env.example").read_text()))


def test_the_compose_file_has_no_secret() -> None:
    """Passwords and keys are taken from .env; a missing password stops the start."""
    text = (DEPLOY / "compose.yaml").read_text()
    secrets = re.findall(r"(?:PASSWORD|KEY): (.*)|://\w+:([^@]*)@", text)

    assert len(secrets) > 2
    assert all(either.startswith("${") for pair in secrets for either in pair if either)
    assert "${POSTGRES_PASSWORD:?" in text


def test_what_a_service_names_is_declared() -> None:
    """Volumes and networks are declared; services are waited for until they are healthy."""
    volumes = {
        mount.partition(":")[0]
        for service in SERVICES.values()
        for mount in service["volumes"]
        if not mount.startswith("./")
    }
    networks = {name for service in SERVICES.values() for name in service["networks"]}
    waited_for = [wait for service in SERVICES.values() for wait in service.get("depends_on", [])]

    assert volumes == set(COMPOSE["volumes"])
    assert networks == set(COMPOSE["networks"])
    assert sorted(waited_for) == ["database", "hubbub"]
    assert "healthcheck" in SERVICES["database"]
    assert "\nHEALTHCHECK " in DOCKERFILE, "Hubbub's own is in its image"


def test_the_address_of_the_proxy_is_not_given_to_another() -> None:
    """It is in the subnet, but not among the addresses that Docker hands out."""
    address = ip_address(SERVICES["proxy"]["networks"]["front"]["ipv4_address"])
    (config,) = COMPOSE["networks"]["front"]["ipam"]["config"]

    assert address in ip_network(config["subnet"])
    assert address not in ip_network(config["ip_range"])
    assert str(address) != config["gateway"]


def test_hubbub_trusts_the_proxy_alone() -> None:
    """The address whose X-Forwarded-Proto is believed is the proxy's fixed one."""
    address = SERVICES["proxy"]["networks"]["front"]["ipv4_address"]

    assert SERVICES["hubbub"]["environment"]["HUBBUB_TRUSTED_PROXIES"] == address
    assert "ports" not in SERVICES["hubbub"]
    assert "ports" not in SERVICES["database"]
