"""Every named query of the package, and every condition that its code adds to one."""

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
_TABLE = re.compile(r"\b(?:INTO|UPDATE|FROM|JOIN)\s+([a-z_]\w*)(?:\s+(?:AS\s+)?([a-z_]\w*))?")


@dataclass(frozen=True, slots=True)
class Named:
    """A query and the area that it belongs to."""

    area: str
    query: Query

    def __str__(self) -> str:
        return f"{self.area}:{self.query.name}"

    @property
    def is_open(self) -> bool:
        """Whether conditions are added to it at run time."""
        return "{where}" in self.query.text

    def narrowed(self, *fragments: str) -> Query:
        """The query as it runs, with these conditions."""
        where = Where()
        for fragment in fragments:
            where.add(fragment)
        return where.narrow(self.query)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A condition that an area's code adds to its open queries."""

    area: str
    text: str

    def __str__(self) -> str:
        return f"{self.area}:{self.text[:60]}"


def _area(path: Path) -> str:
    return ".".join(path.parent.relative_to(ROOT).parts)


@cache
def all_queries() -> list[Named]:
    """Every query of the package."""
    return [
        Named(_area(path), query)
        for path in sorted(ROOT.rglob("queries.sql"))
        for query in _loaded_queries(path.parent)
    ]


def _loaded_queries(folder: Path) -> Queries:
    """Return the queries of a folder as the one module loads them that does."""
    (module,) = (path for path in folder.glob("*.py") if "= load_queries(" in path.read_text())
    name = ".".join(module.with_suffix("").relative_to(ROOT.parent).parts)
    return cast("Queries", import_module(name).SQL)


@cache
def all_fragments() -> list[Fragment]:
    """Every condition that some code adds to a `Where`."""
    paths = (path for path in sorted(ROOT.rglob("*.py")) if _uses_where(path))
    return [Fragment(_area(path), text) for path in paths for text in _fragments(path)]


def _uses_where(path: Path) -> bool:
    return path.parent.name != "storage" and "Where()" in path.read_text("utf-8")


def _fragments(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("where.add"):
            fragment = node.args[0]
            is_literal = isinstance(fragment, ast.Constant)
            yield str(ast.literal_eval(fragment) if is_literal else ast.unparse(fragment))


def tables_of(query: Query) -> list[tuple[str, str]]:
    """The tables that a query names in their order, each with its short form."""
    return [(name, short or name) for name, short in _TABLE.findall(query.text)]
