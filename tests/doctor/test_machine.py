"""What the doctor says of settings, TLS files and disks."""

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.certificate import make_certificate
from tests.clock import ManualClock
from tests.doctor.conftest import faults_of, findings_of
from tests.pem import rsa_key_with_password

from hubbub.config import Settings
from hubbub.doctor.certificate import check_certificate
from hubbub.doctor.configuration import check_configuration
from hubbub.doctor.disk import GIB, judge_space
from hubbub.doctor.finding import Finding, Severity

DAY = 86_400


def fault_in(settings: Settings, **environment: str) -> Finding:
    """Return the only fault of settings."""
    [fault] = check_configuration(settings, environment)
    assert fault.check == "configuration"
    assert fault.remedy
    return fault


def test_a_misspelt_setting(tmp_path: Path) -> None:
    """A name that is no setting is a warning, with the name that is meant."""
    fault = fault_in(Settings(data=tmp_path / "d"), HUBBUB_PROT="80", HOME="/", HUBBUB_PORT="80")

    assert (fault.state, fault.remedy) == (Severity.WARNING, "Is HUBBUB_PORT meant?")
    assert "HUBBUB_PROT" in fault.sentence


@pytest.mark.parametrize("database", ["", "postgresql://host/name"])
def test_a_bus_that_no_node_can_use(tmp_path: Path, database: str) -> None:
    """An address that is none, and a bus without PostgreSQL, are faults."""
    url = "nats://host" if not database else "nats://hubbub:hush@"
    settings = Settings(data=tmp_path / "d", database_url=database, files="/f", bus_url=url)
    fault = fault_in(settings)

    assert fault.state == Severity.WRONG
    assert "bus" in fault.sentence.lower()
    assert "hush" not in fault.sentence


@pytest.mark.parametrize(
    ("changes", "state", "said"),
    [
        ({"host": "0.0.0.0"}, Severity.WARNING, "clients on other machines get 403"),
        (
            {"host": "0.0.0.0", "trusted_proxies": "10.0.0.1, 10.0.0.0/8"},
            Severity.WRONG,
            "'10.0.0.0/8', which is not an IP address",
        ),
        ({"realtime_origins": "chat.example"}, Severity.WRONG, "which is not an origin"),
        ({"public_url": "chat.example"}, Severity.WRONG, "links to files do not work"),
        ({"metrics_allow": "10.0.0.5/8"}, Severity.WRONG, "HUBBUB_METRICS_ALLOW must be networks"),
        ({"outbound_allow": "all"}, Severity.WRONG, "HUBBUB_OUTBOUND_ALLOW must be networks"),
        ({"twilio_url": "http://x.example"}, Severity.WRONG, "HUBBUB_TWILIO_URL can't be"),
        ({"database_url": "postgresql://x"}, Severity.WARNING, "they do not see them"),
    ],
)
def test_a_doubtful_setting(
    tmp_path: Path, changes: dict[str, Any], state: Severity, said: str
) -> None:
    """A setting that does not do what it seems to is named."""
    fault = fault_in(replace(Settings(data=tmp_path / "data"), **changes))

    assert fault.state == state
    assert said in fault.sentence


def test_folders_that_others_may_read(tmp_path: Path) -> None:
    """A data folder, key or file of first keys that others may read is a warning."""
    settings = Settings(data=tmp_path / "data")
    settings.data.mkdir()
    for name in ("secret.key", "first-keys.txt"):
        (settings.data / name).touch()
    for path in (settings.data, *settings.data.iterdir()):
        path.chmod(0o700)
    assert [each.state for each in check_configuration(settings, {})] == [Severity.OK]

    for path in (settings.data, *settings.data.iterdir()):
        path.chmod(0o744)
        fault = fault_in(settings)
        assert fault.sentence == f"Other accounts of this machine may read {path}."
        assert fault.remedy.endswith(f" {path}")
        path.chmod(0o700)


async def test_a_data_folder_that_is_a_file(tmp_path: Path) -> None:
    """A data folder that is a file is a fault."""
    (tmp_path / "file").write_text("")
    faults = await faults_of(Settings(data=tmp_path / "file"))

    assert f"The data folder {tmp_path / 'file'} is a file." in [each.sentence for each in faults]


def judge(cert: Path | str, key: Path | str, *, days: float = 0) -> Finding:
    """Return what is said of TLS files, as seen some days from now."""
    settings = Settings(tls_cert=str(cert), tls_key=str(key))
    finding = check_certificate(settings, round(time.time() + days * DAY))
    assert finding.check == "certificate"
    assert finding.remedy or finding.state == Severity.OK
    return finding


@pytest.mark.parametrize(
    ("days", "state", "said"),
    [
        (0, Severity.OK, "is valid until"),
        (80, Severity.WARNING, "It expires on"),
        (91, Severity.WRONG, "It has expired on"),
        (-1, Severity.WRONG, "It is not valid before"),
    ],
)
def test_the_validity_of_a_certificate(
    tmp_path: Path, days: float, state: Severity, said: str
) -> None:
    """A certificate of 90 days is ok, then a warning, then a fault; also before it begins."""
    made = make_certificate(tmp_path, days=90)
    finding = judge(made.cert, made.key, days=days)

    assert finding.state == state
    assert said in finding.sentence


def test_files_that_are_no_certificate_and_key(tmp_path: Path) -> None:
    """Files that can't be read, are no PEM, or don't belong together are faults that name them."""
    (tmp_path / "other").mkdir()
    made, other = make_certificate(tmp_path), make_certificate(tmp_path / "other")
    (tmp_path / "text").write_text("Dear Anna")
    (tmp_path / "locked").write_text(rsa_key_with_password())
    said = {
        "can't be read: No such file": judge(tmp_path / "no", made.key),
        "/no can't be read": judge(made.cert, tmp_path / "no"),
        f"{tmp_path}/text and": judge(tmp_path / "text", made.key),
        f"and {tmp_path}/text are not": judge(made.cert, tmp_path / "text"),
        f"and {tmp_path}/locked are not": judge(made.cert, tmp_path / "locked"),
        "and no key are not": judge(made.cert, ""),
        f"is not the key of {made.cert}": judge(made.cert, other.key),
        "without a certificate": judge("", made.key),
    }

    for part, finding in said.items():
        assert finding.state == Severity.WRONG
        assert part in finding.sentence


def test_a_certificate_with_its_key_in_one_file(tmp_path: Path) -> None:
    """One file may hold the certificate and its key; TLS may also end elsewhere."""
    made = make_certificate(tmp_path, days=90)
    with made.cert.open("a") as both:
        both.write(made.key.read_text())

    assert judge(made.cert, "").state == Severity.OK
    assert judge("", "").state == Severity.OK


@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (50 * GIB, 500 * GIB, Severity.OK),
        (1 * GIB, 10 * GIB, Severity.OK),
        (24 * GIB, 500 * GIB, Severity.WARNING),
        (GIB // 2, 4 * GIB, Severity.WARNING),
        (GIB // 5, 4 * GIB, Severity.WRONG),
        (0, 4 * GIB, Severity.WRONG),
    ],
)
def test_the_space_of_a_disk(free: int, total: int, state: Severity) -> None:
    """Less than a twentieth or 1 GiB is a warning, less than 256 MiB a fault."""
    assert judge_space(Path("/srv"), free, total).state == state


async def test_the_real_disk(tmp_path: Path) -> None:
    """The disk of the data folder is the one that is judged, even if the folder does not exist."""
    clock = ManualClock(round(time.time()))
    found = await findings_of(Settings(data=tmp_path / "a" / "b"), clock=clock)
    total = shutil.disk_usage(tmp_path).total / GIB

    [disk] = [finding for finding in found if finding.check == "disk"]
    assert f"of {total:,.1f} GiB are free at {tmp_path}" in disk.sentence
