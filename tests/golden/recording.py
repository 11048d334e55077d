"""What leaves the server, recorded byte by byte in files beside the tests, and compared with them.

A file has the calls of one kind: under the name of each its path, its headers and its body, which
is one line unless it is a mail. `HUBBUB_RECORD_GOLDEN=1` writes the files anew.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from tests.gateways.faults import Accepted

RECORDED = Path(__file__).parent / "recorded"
RECORDS = os.environ.get("HUBBUB_RECORD_GOLDEN")
_OF_THE_CONNECTION = {"host", "content-length", "connection"}
"""The headers that follow from where a call goes, and from its body."""
_RANDOM = [
    (re.compile(pattern, re.MULTILINE), text)
    for pattern, text in (
        (r"(?<=127\.0\.0\.1:)\d+", "<port>"),
        (r"(?<=^/push/)\S+", "<browser>"),
        (r"(?<=^authorization: vapid ).*", "<token and key>"),
        (r"(?<=^authorization: bearer )(?!SG\.).*", "<token>"),
        (r"(?<=^authorization: Bearer )(?!SG\.).*", "<token>"),
        (r"(?<=^webhook-signature: ).*", "<signature>"),
        (r"(?<=^webhook-id: )[0-9a-f]{32}$", "<id>"),
        (r'(?<="id":")[0-9a-f]{32}(?=")', "<id>"),
        (r"(?<=1/unsubscribe/)([\w-]|=\n)+", "<token>"),
        (r"(?<=replies\+)[0-9a-f]+(?=@)", "<tag>"),
        (r"[0-9a-f]{16}(?=@example\.com>$)", "<id>"),
        (r"={15}\d+==", "<boundary>"),
    )
]
"""What differs each time, and what stands for it in a recording."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that left the server."""

    to: str
    """The name of the receiver."""
    path: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, to: str, call: Accepted, body: bytes | None = None) -> "Sent":
        """Return what a gateway accepted; `body` is the decrypted one, if it was encrypted."""
        return cls(to, call.path, call.headers, call.body if body is None else body)

    def show(self) -> str:
        """Return the call as it is recorded."""
        headers = sorted(
            f"{name}: {value}"
            for name, value in self.headers.items()
            if name not in _OF_THE_CONNECTION and not name.startswith(":")
        )
        return conceal("\n".join([self.path, *headers, "", self.body.decode()]))


def conceal(text: str) -> str:
    """Return a call with placeholders for all that differs each time; nothing else is changed."""
    for pattern, placeholder in _RANDOM:
        text = pattern.sub(placeholder, text)
    return text


@dataclass(slots=True)
class Recording:
    """The calls of one story, by kind; its files are in a folder of their own."""

    folder: str
    _told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def kinds(self) -> set[str]:
        """The kinds of calls so far."""
        return set(self._told)

    def add(self, kind: str, name: str, calls: Iterable[Sent]) -> None:
        """Add the calls of one moment, in an order that does not depend on who was faster."""
        shown = sorted((call.to, call.show()) for call in calls)
        self._told[kind] += [f"### {name} → {to}\n{text}\n" for to, text in shown]

    def check(self) -> None:
        """Compare with the recorded files, or write them."""
        told = {f"{kind}.txt": "\n".join(shown) for kind, shown in self._told.items()}
        folder = RECORDED / self.folder
        if RECORDS:
            _write(folder, told)
        assert sorted(told) == sorted(each.name for each in folder.iterdir())
        for name, text in told.items():
            differences = compare((folder / name).read_bytes().decode(), text)
            assert not differences, f"{self.folder}/{name} differs:\n{differences}"


def compare(recorded: str, told: str) -> str:
    """Return the differences, line by line; empty if there are none."""
    before, now = recorded.splitlines(keepends=True), told.splitlines(keepends=True)
    return "".join(unified_diff(before, now, "recorded", "sent", n=1))


def _write(folder: Path, told: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in told.items():
        (folder / name).write_bytes(text.encode())
