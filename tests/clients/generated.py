"""The three generators: what they may print, and what is found in the clients that they write."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.clients.guide import EXAMPLES

_ANY_ANSWER = re.compile(r"Response\[[^\]]*\bAny\b")
_METHOD = re.compile(r"^    def (?!_)(\w+)\((?:\n.*?)?\) -> (.+?):$", re.MULTILINE | re.DOTALL)
_VARIANTS = re.compile(r"_with_(?:json|form_data)$")
_INTERFACE = re.compile(r"^    (\w+): \{$(.*?)^    \};$", re.MULTILINE | re.DOTALL)
_UNKNOWN = re.compile(
    r'200: \{.*?"application/json": (?:unknown|never|Record<string, never>);', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator; its name is also that of its section in the guide and of its folder."""

    name: str
    from_file: str
    """The command that generates from `{document}` into `{folder}`."""
    harmless: re.Pattern[str]
    """The lines that it prints, and those of the programs after it, when nothing is wrong."""

    def faults(self, output: str) -> list[str]:
        """Return the lines that are not among those expected of a run without warnings."""
        lines = map(str.strip, output.splitlines())
        return [line for line in lines if line and not self.harmless.fullmatch(line)]

    @property
    def folder(self) -> Path:
        """Return the folder with the program and the client."""
        return EXAMPLES / self.name


def python_client(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the operations of a client by openapi-python-client, and whether answers are typed."""
    for path in folder.glob("hubbub_client/api/*/[a-z]*.py"):
        yield path.stem, not _ANY_ANSWER.search(path.read_text())


def typescript(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the operations of a client by openapi-typescript, and whether answers are typed."""
    _, _, operations = (folder / "hubbub.d.ts").read_text().partition("export interface operations")
    for name, text in _INTERFACE.findall(operations):
        yield name, not _UNKNOWN.search(text)


def generator(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the operations of a client by openapi-generator, and whether answers are typed."""
    for path in folder.glob("hubbub_client/api/*_api.py"):
        for name, answer in _METHOD.findall(path.read_text()):
            if not name.endswith(("_with_http_info", "_without_preload_content")):
                yield _VARIANTS.sub("", name), answer not in {"object", "None"}


OPERATIONS = {
    "openapi-python-client": python_client,
    "openapi-typescript": typescript,
    "openapi-generator": generator,
}
GENERATORS = [
    Generator(
        "openapi-python-client",
        ". examples/clients/.venv/bin/activate; openapi-python-client generate --path {document} "
        "--meta none --output-path {folder}/hubbub_client",
        re.compile(r"Generating hubbub_client|Success: no issues found in \d+ source files?"),
    ),
    Generator(
        "openapi-typescript",
        "cd examples/clients/openapi-typescript; "
        "npx openapi-typescript {document} --output {folder}/hubbub.d.ts",
        re.compile(
            r"npm (?:warn|WARN) .*|added \d+ packages.*|✨ openapi-typescript [\d.]+|🚀 .* → .*"
        ),
    ),
    Generator(
        "openapi-generator",
        ". examples/clients/.venv/bin/activate; openapi-generator-cli generate -g python "
        "-i {document} -o {folder} --package-name hubbub_client --global-property "
        "apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
        # The warnings come with any document of OpenAPI 3.1, with any list in a form, and with a
        # query parameter that has a name as no Python class can have: it is `var_from` there.
        re.compile(
            r"\[main\] INFO .*|#.*#|Success: no issues found in \d+ source files?"
            r"|\[main\] WARN .*(OpenAPI 3\.1 support is still in beta.*"
            r"|Failed to get the schema name: null|datatypeWithEnum from (str|bytes), null"
            r"|From \(reserved word\) cannot be used as model name\. Renamed to ModelFrom)"
        ),
    ),
]
