"""The package as it is published: how much it weighs, and that it can be installed and compiled."""

import json
import re
import shutil
import tarfile
from pathlib import Path

import pytest
from tests.clients.js.package import CLIENTS, PACKAGE, TSC, run

pytestmark = pytest.mark.clients

MOST_PACKED = 300 * 1024
CONSUMER = PACKAGE / "test/consumer"
ROOTS = str(CLIENTS / "node_modules/@types")
WITHOUT_DOM = ("--lib", "es2022", "--module", "nodenext", "--target", "es2022", "--strict")


def test_no_entry_is_too_large(packages: None) -> None:
    """Bundled and compressed, each entry stays below its limit."""
    run("node", "tools/sizes.mjs")


def test_the_package_holds_what_it_should(tarball: Path) -> None:
    """It has the compiled files, their types, the README and the licence, and is not large."""
    with tarfile.open(tarball) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}

    outside = {name for name in names if not name.startswith("dist/")}
    assert outside == {"package.json", "README.md", "LICENSE"}
    assert all(name.endswith((".js", ".d.ts")) for name in names - outside)
    assert tarball.stat().st_size < MOST_PACKED


def test_the_links_of_the_readme_lead_into_the_package(tarball: Path) -> None:
    """Who has the package alone can follow each link that is not an address."""
    with tarfile.open(tarball) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
        readme = packed.extractfile("package/README.md")
        assert readme is not None
        text = readme.read().decode()

    headings = {
        "#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    links = re.findall(r"\]\(([^)]+)\)|\]: (\S+)", text)
    found = [one or other for one, other in links if not (one or other).startswith("https://")]
    assert [link for link in found if link not in headings and link not in names] == []


def test_every_entry_is_in_the_package(project: Path) -> None:
    """Each entry of `exports` can be imported where the package is installed; it needs no other."""
    installed = project / "node_modules/@hubbub/client"
    described = json.loads((installed / "package.json").read_text())

    assert "dependencies" not in described
    assert sorted(path.name for path in (project / "node_modules").glob("[!.]*")) == ["@hubbub"]
    for entry, files in described["exports"].items():
        assert all((installed / file).exists() for file in files.values())
        name = "@hubbub/client" + entry.removeprefix(".")
        run("node", "--input-type=module", "--eval", f'await import("{name}")', folder=project)


def test_programs_that_use_it_compile(project: Path) -> None:
    """The programs of `test/consumer` pass `tsc --strict`, the types of the package included."""
    shutil.copytree(CONSUMER, project, dirs_exist_ok=True)

    run(TSC, "--typeRoots", ROOTS, "--project", ".", "--noEmit", folder=project)


def test_a_server_needs_no_types_of_browsers(project: Path) -> None:
    """A program that uses the server entry compiles with the types of Node.js alone."""
    shutil.copytree(CONSUMER, project, dirs_exist_ok=True)

    node = ("--typeRoots", ROOTS, "--types", "node")
    run(TSC, "--noEmit", *WITHOUT_DOM, *node, "server.ts", folder=project)


def test_the_lock_names_no_registry() -> None:
    """The lock has hashes and no addresses: each checkout installs from where its npm does."""
    lock = (CLIENTS / "package-lock.json").read_text()

    assert '"resolved": "http' not in lock
    assert '"integrity": "sha512-' in lock
