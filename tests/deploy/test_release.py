"""The wheel, the sdist and the lock of a release, and a server that has nothing else."""

import email
import hashlib
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.certificate import make_certificate
from tests.deploy.release import ROOT, Release, run
from tests.documents.blocks import take
from tests.documents.shell import placed, serving
from tests.files.uploads import File, fetch, picture, send_files
from tests.files.videos import MP4
from tests.live import LiveNode
from tests.wire import LOOPBACK

import hubbub
from hubbub.config import Settings

PRODUCTION = take("README.md", "## Run it in production", "")
INSTALL_SECONDS = 600.0
PACKAGE = ROOT / "src/hubbub"


def test_a_release_has_one_form(release: Release, tmp_path: Path) -> None:
    """The same source gives the same bytes, elsewhere and with other times and modes, too."""
    with tarfile.open(release.sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    for path in source.rglob("*.py"):
        path.touch()
        path.chmod(path.stat().st_mode & 0o700)

    again = Release.build(tmp_path / "dist", source)

    assert again.wheel.read_bytes() == release.wheel.read_bytes()
    assert again.sdist.read_bytes() == release.sdist.read_bytes()
    assert again.lock.read_bytes() == release.lock.read_bytes()


def test_the_wheel_holds_the_package(release: Release) -> None:
    """Every file of the package is in it, SQL and pages too, with the licence and nothing else."""
    files = {
        f"hubbub/{path.relative_to(PACKAGE)}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    info = f"hubbub_chat-{hubbub.__version__}.dist-info"
    further = (*("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"),)

    with zipfile.ZipFile(release.wheel) as wheel:
        held = set(wheel.namelist())
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))

    assert any(name.endswith(".sql") for name in files)
    assert held == files | {f"{info}/{name}" for name in further}
    assert metadata["Name"] == "hubbub-chat"
    assert metadata["Version"] == hubbub.__version__
    assert metadata["License-Expression"] == "Apache-2.0"


def test_the_lock_names_the_wheel_and_every_pin(release: Release) -> None:
    """The lock of a release is the runtime lock, and the hash of the wheel before it."""
    first, second, pins = release.lock.read_text().split("\n", 2)
    digest = hashlib.sha256(release.wheel.read_bytes()).hexdigest()

    assert first == f"hubbub-chat=={hubbub.__version__} \\"
    assert second == f"    --hash=sha256:{digest}"
    assert pins == (ROOT / "requirements.lock").read_text()


@pytest.mark.parametrize("document", ["README.md", "docs/operating.md"])
def test_the_documents_install_this_version(release: Release, document: str) -> None:
    """The lines to copy name the lock of this version."""
    assert release.lock.name in (ROOT / document).read_text()


async def test_an_empty_environment_serves(release: Release, tmp_path: Path) -> None:
    """Without the source: messages, files with thumbnails, the pages, and an end by SIGTERM."""
    node = LiveNode(Settings(data=tmp_path / "srv/hubbub"), "--tls-cert")
    lines = PRODUCTION.replace("443", str(node.port)).replace("0.0.0.0", LOOPBACK)
    for name in ("opt", "srv"):
        (tmp_path / name).mkdir()
    (tmp_path / "dist").symlink_to(release.folder)
    make_certificate(tmp_path)
    settings = {"PYTHONPATH": "", "PIP_QUIET": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    with serving(placed(lines, tmp_path), tmp_path, settings, seconds=INSTALL_SECONDS) as process:
        check_environment(tmp_path / "opt/hubbub")
        world = await node.world()
        await world.users("anna", "ben")
        files = [File("a.png", picture(500, 100)), File("b.mp4", MP4)]
        sent = await send_files(world, *files, type="file")
        image, video = sent["data"]["attachments"]

        assert (image["width"], image["thumbnail"]["width"], video["width"]) == (500, 400, 64)
        assert (await fetch(node, image["url"])).body == files[0].content
        pages = [await fetch(node, path) for path in ("/", "/docs", "/v3/openapi.json")]
        assert [page.status for page in pages] == [200, 200, 200]

    assert process.returncode == 0


def check_environment(venv: Path) -> None:
    """Check that an environment has this version and what it needs, and nothing of ours else."""
    programs = venv / "bin"

    found = run(programs / "python", "-c", "import hubbub; print(hubbub.__file__)")
    assert Path(found).is_relative_to(venv)
    assert run(programs / "hubbub", "--version") == f"hubbub {hubbub.__version__}\n"
    assert "No broken requirements found." in run(programs / "pip", "check")
    assert "pytest" not in run(programs / "pip", "list")
