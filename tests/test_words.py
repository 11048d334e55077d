"""Plain words: how docstrings begin, "they" for a person, and one thing for each class name."""

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "bench", "tools", "examples", "clients")
ENDINGS = (".py", ".sql")
SKIPPED = {".venv", "node_modules", "hubbub_client"}
"""What examples/clients/.gitignore names: installed or generated, so others' words."""
SHARED_NAMES = {
    "NoSelfAction": "of keys and of members: the OpenAPI document names its examples by the class",
}
"""The names that classes of several modules have, each with the reason."""
_PRONOUN = re.compile(r"\b(?:he|his|him|himself)\b", re.IGNORECASE)
_QUOTATION = re.compile(r"`[^`]*`|\"[^\"]*\"")
_LET = re.compile(r"Let\b")
_NO_VERB = re.compile(r"(?:Let|What|Whether|How|Whom|Up to)\b")

Words = Iterator[tuple[int, str]]
"""Line numbers and texts."""


def files_of(folder: str) -> list[Path]:
    """Return the files of a folder whose words are checked."""
    found = sorted((ROOT / folder).rglob("*"))
    return [path for path in found if path.suffix in ENDINGS and SKIPPED.isdisjoint(path.parts)]


def docstrings(text: str, kinds: Any = ast.AST) -> Words:
    """Yield the docstrings of nodes of these kinds; for all kinds, also those of constants."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", [])
        if not isinstance(node, kinds) or not isinstance(body, list):
            continue
        for part in body if kinds is ast.AST else body[:1]:
            value = getattr(part, "value", None)
            if isinstance(part, ast.Expr) and isinstance(value, ast.Constant):
                yield part.lineno, str(value.value)


def comments(path: Path, text: str) -> Words:
    """Yield the comments of a Python or SQL file."""
    if path.suffix == ".sql":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line.partition("--")[2]
        return
    for token in tokenize.generate_tokens(iter(text.splitlines(keepends=True)).__next__):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def faults_of(path: Path) -> Iterator[str]:
    """Yield the faults of a file, each with file and line."""
    text = path.read_text()
    words = list(comments(path, text))
    if path.suffix == ".py":
        words += docstrings(text)
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        for pattern, found in ((_LET, words), (_NO_VERB, docstrings(text, functions))):
            for line, said in found:
                if begins := pattern.match(said):
                    yield f"{path.relative_to(ROOT)}:{line}: begins with {begins[0]!r}, not a verb"
    for line, said in words:
        if pronoun := _PRONOUN.search(_QUOTATION.sub("", said)):
            yield f"{path.relative_to(ROOT)}:{line}: {pronoun[0]!r}; a person is they"


@pytest.mark.parametrize("folder", FOLDERS)
def test_words_are_plain(folder: str) -> None:
    """A function's docstring begins with a verb, and a person is "they"."""
    files = files_of(folder)
    faults = sorted({fault for path in files for fault in faults_of(path)})

    assert files
    assert not faults, "\n".join(faults)


def test_a_class_name_means_one_thing() -> None:
    """No two modules of the product have a class of the same name, but for a reason."""
    trees = (ast.parse(path.read_text()) for path in files_of("src") if path.suffix == ".py")
    names = Counter(
        name
        for tree in trees
        for name in {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    )

    assert {name for name, modules in names.items() if modules > 1} == SHARED_NAMES.keys()
