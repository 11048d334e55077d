"""The React hook and the Vue composable: the programs of their READMEs run in a browser."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import OpenPage
from tests.clients.chats.conftest import Serve
from tests.clients.chats.people import People
from tests.clients.guide import run
from tests.documents.blocks import ROOT, take

pytestmark = pytest.mark.clients

MOST_LINES = 60
PAGE = """<!doctype html>
<link rel="icon" href="data:,"><div id="app"></div><script type="module" src="program.js"></script>
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a README, and the example whose packages it needs."""

    hook: Path
    name: str
    text: str
    packages: Path


PROGRAMS = [
    Program(
        ROOT / "examples/react/useHubbub.ts",
        "program.tsx",
        take("examples/react/README.md", "## A whole program", "tsx"),
        ROOT / "examples/chatscope",
    ),
    Program(
        ROOT / "examples/vue/useHubbub.ts",
        "program.ts",
        take("examples/vue/README.md", "## A whole program", "ts"),
        ROOT / "examples/vue-advanced-chat",
    ),
]
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.hook.parent.name)


def build(program: Program, folder: Path, uid: str) -> None:
    """Check the types of a program, and bundle it, in a folder with the packages of an example."""
    if not (program.packages / "node_modules/.package-lock.json").exists():
        run(f"cd {program.packages}; npm ci --no-audit --no-fund")
    (folder / "node_modules").symlink_to(program.packages / "node_modules")
    shutil.copy(program.hook, folder)
    (folder / program.name).write_text(program.text.replace("anna", uid))
    (folder / "index.html").write_text(PAGE)
    strict = "--strict --noEmit --skipLibCheck --target es2022 --jsx react-jsx"
    modules = "--module esnext --moduleResolution bundler"
    run(f"cd {folder}; node_modules/.bin/tsc {strict} {modules} {program.name}")
    bundle = "--bundle --minify --format=esm --jsx=automatic --outfile=program.js"
    run(f"cd {folder}; node_modules/.bin/esbuild {program.name} {bundle}")


@every_program
def test_a_hook_is_short(program: Program) -> None:
    """Whoever copies it can read it."""
    assert len(program.hook.read_text().splitlines()) < MOST_LINES


@every_program
def test_the_program_of_the_readme_talks(
    client: Path,
    people: People,
    serve: Serve,
    open_page: OpenPage,
    tmp_path: Path,
    program: Program,
) -> None:
    """It shows conversations and messages as they change, loads earlier ones, and sends."""
    anna, ben = people.create("Anna"), people.create("Ben")
    for number in range(60):
        people.write(f"Number {number}.", by=ben, to=anna)
    build(program, tmp_path, anna.uid)

    with open_page() as page:
        page.goto(serve(tmp_path))
        expect(page.get_by_text("connected, 0 to send")).to_be_visible()
        page.get_by_role("button", name="Ben (60)").click()
        expect(page.locator("li")).to_have_count(50)
        page.get_by_role("button", name="Earlier messages").click()
        expect(page.locator("li")).to_have_count(60)
        page.get_by_label("Message").fill("Hello")
        page.get_by_label("Message").press("Enter")
        expect(page.locator("li").last).to_have_text("Hello")
        people.write("Hello, too", by=ben, to=anna)
        expect(page.locator("li").last).to_have_text("Hello, too")

    assert people.texts(ben, anna)[-2:] == ["Hello", "Hello, too"]
