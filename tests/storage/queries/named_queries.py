"""All named queries of the package, and all conditions that its code adds to them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

import hubbub
from hubbub.storage.queries import Queries, Query, Where

ROOT = Path(hubbub.__file__).parent
_KEY = re.compile(r"\w\.\w+, \w\.\w+")
"""The columns of a keyset: a value that a list is ordered by, and an id."""
_TABLE = re.compile(r"\b(?:INTO|UPDATE|FROM|JOIN)\s+([a-z_]\w*)(?:\s+(?:AS\s+)?([a-z_]\w*))?")


@dataclass(frozen=True, slots=True)
class Named:
    """A query and its area."""

    area: str
    query: Query

    def __str__(self) -> str:
        return f"{self.area}:{self.query.name}"

    @property
    def is_open(self) -> bool:
        """Return whether conditions are added at run time."""
        return "{where}" in self.query.text

    def narrowed(self, fragment: "Fragment | None" = None) -> Query:
        """Return the query as it runs, with a condition and in the order that belongs to it."""
        where = Where()
        if fragment is None:
            return where.narrow(self.query)
        if fragment.is_before is None:
            where.add(fragment.text)
            return where.narrow(self.query)
        key = fragment.text.split(", ")
        where.add_keyset(fragment.text, *key, is_before=fragment.is_before)
        direction = " DESC" if fragment.is_before else ""
        return where.narrow(self.query, order=", ".join(column + direction for column in key))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A condition that an area's code adds to its open queries."""

    area: str
    text: str
    is_before: bool | None = None
    """The direction of a keyset, whose columns are `text`; None: another condition."""

    def __str__(self) -> str:
        side = {None: "", True: "before ", False: "after "}[self.is_before]
        return f"{self.area}:{side}{self.text[:60]}"


def _area(path: Path) -> str:
    return ".".join(path.parent.relative_to(ROOT).parts)


@cache
def all_queries() -> list[Named]:
    """Return all queries of the package."""
    return [
        Named(_area(path), query)
        for path in sorted(ROOT.rglob("queries.sql"))
        for query in _loaded_queries(path.parent)
    ]


def _loaded_queries(folder: Path) -> Queries:
    """Return the queries of a folder, from the one module that loads them."""
    (module,) = (path for path in folder.glob("*.py") if "= load_queries(" in path.read_text())
    name = ".".join(module.with_suffix("").relative_to(ROOT.parent).parts)
    return cast("Queries", import_module(name).SQL)


@cache
def all_fragments() -> list[Fragment]:
    """Every condition that some code adds to a `Where`, and both sides of every key."""
    paths = [path for path in sorted(ROOT.rglob("*.py")) if _uses_where(path)]
    conditions = [Fragment(_area(path), text) for path in paths for text in _conditions(path)]
    keys = [(_area(path), columns) for path in paths for columns in _keys(path)]
    return conditions + [
        Fragment(area, columns, is_before) for area, columns in keys for is_before in (True, False)
    ]


def _uses_where(path: Path) -> bool:
    return path.parent.name != "storage" and "Where(" in path.read_text("utf-8")


def _conditions(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("where.add"):
            fragment = node.args[0]
            is_literal = isinstance(fragment, ast.Constant)
            yield str(ast.literal_eval(fragment) if is_literal else ast.unparse(fragment))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("where.add_given"):
            yield from (str(ast.literal_eval(each.value)) for each in node.keywords)


def _keys(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and _KEY.fullmatch(str(node.value)):
            yield str(node.value)


def tables_of(query: Query) -> list[tuple[str, str]]:
    """Return the tables that a query names, in order, each with its alias."""
    return [(name, short or name) for name, short in _TABLE.findall(query.text)]
