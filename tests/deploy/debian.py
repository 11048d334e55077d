"""Debian bookworm in a folder, by `debootstrap`: the nearest to a new machine that a test gets."""

import os
import shutil
import ssl
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.deploy.release import run

PACKAGES = "ca-certificates,dbus,python3,python3-venv,systemd,systemd-sysv"
SOURCE = "http://deb.debian.org/debian"


def skip_without(programs: Sequence[str]) -> None:
    """Skip the test where these programs can't be run as root."""
    lacking = [name for name in programs if shutil.which(name) is None]
    if lacking or os.geteuid() != 0:
        pytest.skip(f"it needs root and {', '.join(programs)}; missing: {lacking or 'root'}")


def install_debian(folder: Path) -> None:
    """Install a small Debian into a new folder; its pip trusts what this machine trusts."""
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", folder, SOURCE)


def trusted_certificates() -> Path:
    """Return the file with the certificates that this machine trusts."""
    return Path(ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt")
