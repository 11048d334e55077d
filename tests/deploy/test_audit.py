"""The audit of the locked packages: which advisories fail it."""

from typing import Any

from tools.audit import Pin, name_faults, read_accepted, read_pins

PIN = Pin("ecdsa", "0.19.2")
ADVISORY: dict[str, Any] = {
    "id": "PYSEC-2026-1325",
    "aliases": ["CVE-2026-1"],
    "summary": "A signature is accepted twice",
    "fixed_in": [],
}


def test_an_advisory_is_a_fault() -> None:
    """An advisory that nobody has accepted is named with its package and the fixed versions."""
    (fault,) = name_faults(PIN, [ADVISORY], accepted=set())

    assert fault == (
        "ecdsa 0.19.2: PYSEC-2026-1325: A signature is accepted twice (fixed in: none yet)"
    )


def test_an_accepted_advisory_is_none() -> None:
    """An advisory is accepted by its id or by one of its other names."""
    for name in ("PYSEC-2026-1325", "CVE-2026-1"):
        assert not list(name_faults(PIN, [ADVISORY], accepted={name}))


def test_every_locked_package_is_asked_for() -> None:
    """The pins of all lock files are read, and each acceptance has a reason."""
    names = {pin.name for pin in read_pins()}

    assert {"msgspec", "pytest", "hatchling"} <= names
    assert all(reason for reason in read_accepted().values())
