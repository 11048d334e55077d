"""Each code block of the documents is run by a test, or is listed here with the reason."""

import importlib
import re

import pytest
from tests.documents.blocks import DOCUMENTS, ROOT, TAKEN, Block, blocks_of, take, take_all
from tests.world import World

NOT_RUN = {
    "make test\n": "it would run itself; CI runs it",
    "make bench": "they measure for minutes or hours; tests/bench checks their options",
    "make install ": "CI runs it, and `make check` is what CI runs",
}
"""How the blocks that no test runs begin, and why none does."""
DECLARATIONS = [
    *take_all("docs/decisions/console.md", "python"),
    *take_all("docs/decisions/events.md", "python"),
    *take_all("docs/decisions/metrics.md", "sql"),
    *take_all("docs/decisions/operations.md", "python"),
    *take_all("docs/decisions/sql.md", "sql"),
]
EXAMPLE_OF_A_TEST = take("CONTRIBUTING.md", "## Tests", "python")
_IMPORT = re.compile(r"^from tests\.documents\.blocks import", re.MULTILINE)


def modules_with_blocks() -> list[str]:
    """Return the names of the modules of tests that take blocks."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in files
        if _IMPORT.search(path.read_text())
    ]


def test_every_block_is_run() -> None:
    """A block that no module of tests takes is among those that are listed, and none else is."""
    for module in modules_with_blocks():
        importlib.import_module(module)
    every = [block for document in DOCUMENTS for block in blocks_of(document)]
    left = [block for block in every if block not in TAKEN]

    unlisted = [block for block in left if not block.text.startswith(tuple(NOT_RUN))]
    assert unlisted == []
    for beginning in NOT_RUN:
        assert any(block.text.startswith(beginning) for block in left), beginning


@pytest.mark.parametrize("block", DECLARATIONS, ids=lambda block: block.document)
def test_declarations_stand_in_the_source(block: Block) -> None:
    """Each line of the source that a decision shows is still there."""
    source = {
        line.strip()
        for path in (ROOT / "src/hubbub").rglob("*")
        if path.suffix in {".py", ".sql"}
        for line in path.read_text().splitlines()
    }

    for line in block.text.splitlines():
        assert line.strip().removesuffix(" ...") in source


async def test_the_example_of_a_test_passes(world: World) -> None:
    """The test that CONTRIBUTING.md shows passes."""
    shown: dict[str, object] = {"World": World}
    exec(compile(EXAMPLE_OF_A_TEST, "CONTRIBUTING.md", "exec"), shown)
    test = shown["test_a_flushed_token_opens_nothing"]

    assert callable(test)
    await test(world)


def test_listed_targets_exist() -> None:
    """The targets of the blocks that no test runs are in the Makefile."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        found
        for document in ("README.md", "CONTRIBUTING.md")
        for block in blocks_of(document)
        for found in re.findall(r"^make ([\w-]+)", block.text, re.MULTILINE)
    }

    assert {"demo", "test", "install", "check"} <= named <= targets
