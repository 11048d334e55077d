"""The program that opens pictures has no right to open anything else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.files.uploads import picture

from hubbub.files import images
from hubbub.files.images import PROGRAM, Measurement, measure
from hubbub.files.sniff import sniff

TRY_TO_OPEN = """
import importlib.util, os, socket, sys
program, target, is_root = sys.argv[1], sys.argv[2], sys.argv[3] == "root"
spec = importlib.util.spec_from_file_location("measure", program)
measure = importlib.util.module_from_spec(spec)
spec.loader.exec_module(measure)
open(target).close()
if not is_root:
    measure.os.geteuid = lambda: 1000

def attack(file, most_pixels):
    for path in (target, "/proc/self/environ", f"/proc/{os.getppid()}/environ", "/etc/passwd"):
        try:
            print(path, "opened", len(open(path, "rb").read()))
        except OSError as failure:
            print(path, type(failure).__name__)
    try:
        open(target + ".new", "wb")
        print("written")
    except OSError as failure:
        print("write", type(failure).__name__)
    return True

measure._measure_image = attack
measure.main("image", 1)
"""


def attacked(key: Path, account: str) -> str:
    """Return what the program can open while it measures."""
    command = [sys.executable, "-I", "-c", TRY_TO_OPEN, str(PROGRAM), str(key), account]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_landlock() -> bool:
    """Return whether this machine has Landlock."""
    modules = Path("/sys/kernel/security/lsm")
    return modules.exists() and "landlock" in modules.read_text()


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A secret that its owner may read."""
    key = tmp_path / "secret.key"
    key.write_text("0" * 64)
    key.chmod(0o600)
    return key


def test_the_program_opens_no_file_of_its_own_account(key: Path) -> None:
    """By Landlock, the master key can't be read by the process that opens pictures."""
    said = attacked(key, "own")
    if "opened" in said and not has_landlock():
        pytest.skip("this machine has no Landlock")

    assert "opened" not in said
    assert f"{key} PermissionError" in said
    assert "written" not in said


def test_the_program_of_root_is_another_account(key: Path) -> None:
    """If root starts the node, the program runs as nobody, who may not read the master key."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another account")
    said = attacked(key, "root")

    assert f"{key} PermissionError" in said
    assert f"/proc/{os.getpid()}/environ PermissionError" in said


def test_a_node_measures_where_nothing_confines(tmp_path: Path) -> None:
    """Where neither way works, pictures are measured all the same, and one line says so."""
    program = tmp_path / "measure.py"
    program.write_text(
        PROGRAM.read_text().replace("is_confined = confine()", "is_confined = False")
    )
    images._warn_once.cache_clear()
    file = tmp_path / "a.png"
    file.write_bytes(picture(10, 20, "PNG"))
    with capture_logs() as lines:
        seen = [look(file, program), look(file, program)]

    assert [(each.width, each.height) for each in seen] == [(10, 20)] * 2
    assert [line["event"] for line in lines] == ["pictures_not_confined"]


def look(path: Path, program: Path) -> Measurement:
    """Measure a file by a program."""
    with path.open("rb") as file:
        return measure(file, sniff(path.read_bytes()[:8192], "a"), program=program)
