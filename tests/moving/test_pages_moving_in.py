"""The pages of `docs/guides/moving-in`: one for each source, with the command that imports it."""

import shlex

from tests.documents.blocks import DOCUMENTS, take_all

from hubbub.moving.sources.known import SOURCES

FOLDER = "docs/guides/moving-in/"
PAGES = {
    document.removeprefix(FOLDER).removesuffix(".md"): take_all(document, "text")
    for document in DOCUMENTS
    if document.startswith(FOLDER)
}


def test_each_source_has_a_page() -> None:
    """Each source of another system has a page with its name, and no other page is there."""
    assert PAGES.keys() == SOURCES.keys() - {"lines"}


def test_each_page_shows_the_command() -> None:
    """A page shows one command, which imports from its own source into an app."""
    for name, blocks in PAGES.items():
        [block] = blocks
        program, command, _, *options = shlex.split(block.text)
        assert [program, command] == ["hubbub", "import"], name
        assert options == ["--app", "demo", "--from", name], name
