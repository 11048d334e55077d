#!/usr/bin/env python3
"""Show how large the functions, files and folders of the code are, beside the sizes to aim for.

Code lines are counted: without docstrings, comments and blank lines. The sizes to aim for are a
guide for the eye, not a gate: larger code should be easier to read for it.
"""

import ast
import io
import statistics
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

MOST_FILES_IN_A_FOLDER = 10
LONG_FUNCTION = 30
LONGEST_SHOWN = 10
Function = ast.FunctionDef | ast.AsyncFunctionDef
WITHOUT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True, slots=True)
class Sized:
    """Something with a size and a location."""

    size: int
    place: str


@dataclass(frozen=True, slots=True)
class Module:
    """A source file: its syntax and the numbers of its code lines."""

    path: Path
    tree: ast.Module
    code_lines: frozenset[int]
    physical_lines: int

    @classmethod
    def read(cls, path: Path) -> "Module":
        source = path.read_text()
        tree = ast.parse(source)
        code_lines = frozenset(lines_with_code(source) - lines_of_docstrings(tree))
        return cls(path, tree, code_lines, len(source.splitlines()))

    def functions(self) -> Iterator[Function]:
        return (node for node in ast.walk(self.tree) if isinstance(node, Function))

    def measure_all(self) -> Sized:
        return Sized(len(self.code_lines), f"{self.path} ({self.physical_lines} in all)")

    def measure(self, function: Function) -> Sized:
        lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
        place = f"{self.path}:{function.lineno} {function.name}"
        return Sized(len(self.code_lines.intersection(lines)), place)


def lines_with_code(source: str) -> set[int]:
    """Return the numbers of the lines that hold more than a comment."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        line
        for token in tokens
        if token.type not in WITHOUT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }


def lines_of_docstrings(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines of all docstrings."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node)
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }


def count_parameters(function: Function) -> int:
    """Return the number of a function's parameters, without `self` and `cls`."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in named)


def p90(sizes: Sequence[int]) -> int:
    """Return the size that a tenth of the items reach or exceed."""
    return sorted(sizes)[len(sizes) * 9 // 10]


def render_summary(functions: list[Sized], files: list[Sized], parameters: list[int]) -> Table:
    """Return a table of medians and p90s beside the sizes to aim for."""
    table = Table("", "how many", "median", "aim", "p90", "aim", "longest", "look again at")
    rows = [
        ("function", [function.size for function in functions], "≤ 8", "≤ 25", "40"),
        ("parameters", parameters, "≤ 3", "4", "5"),
        ("file", [file.size for file in files], "≤ 120", "≤ 250", "400 in all"),
    ]
    for name, sizes, median_aim, p90_aim, limit in rows:
        median = f"{statistics.median(sizes):g}"
        figures = (median, median_aim, str(p90(sizes)), p90_aim, str(max(sizes)), limit)
        table.add_row(name, str(len(sizes)), *figures)
    return table


def render_longest(title: str, sized: list[Sized]) -> Table:
    """Return a table of the longest items, with their locations."""
    table = Table("lines", title, box=None, padding=(0, 2, 0, 0))
    for one in sorted(sized, key=lambda one: one.size, reverse=True)[:LONGEST_SHOWN]:
        table.add_row(str(one.size), one.place)
    return table


def describe_folders(paths: list[Path]) -> str:
    """Return the folders with more files than the limit."""
    counts = Counter(path.parent for path in paths if path.name != "__init__.py")
    crowded = [f"{path} ({n})" for path, n in counts.most_common() if n > MOST_FILES_IN_A_FOLDER]
    return f"folders with more than {MOST_FILES_IN_A_FOLDER} files: {', '.join(crowded) or 'none'}"


def main() -> None:
    """Print the sizes of a folder (`src`, or the one given)."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    modules = [Module.read(path) for path in sorted(folder.rglob("*.py"))]
    found = [(module, function) for module in modules for function in module.functions()]
    functions = [module.measure(function) for module, function in found]
    # An empty `__init__.py` does not count as a file.
    files = [module.measure_all() for module in modules if module.code_lines]
    parameters = [count_parameters(function) for _, function in found]
    if not functions:
        sys.exit(f"There are no functions in {folder}/.")
    long = sum(function.size > LONG_FUNCTION for function in functions) / len(functions)

    console = Console(soft_wrap=True, highlight=False)
    console.print(render_summary(functions, files, parameters))
    console.print(f"functions of more than {LONG_FUNCTION} lines: {long:.1%} (aim: ≤ 1 %)")
    console.print(describe_folders([module.path for module in modules]))
    console.print("\n", render_longest("function", functions))
    console.print("\n", render_longest("file", files))


if __name__ == "__main__":
    main()
