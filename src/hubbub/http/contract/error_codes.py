"""The codes of errors with their meanings, read from the classes of refusals."""

from collections.abc import Iterator
from dataclasses import dataclass

from hubbub.http.errors import status_of
from hubbub.kernel.errors import Refusal


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code, the statuses of the answers that have it, and what it can mean."""

    code: str
    statuses: tuple[int, ...]
    meanings: tuple[str, ...]


def list_error_codes() -> list[ErrorCode]:
    """Return every code in alphabetical order."""
    kinds = sorted(_kinds(Refusal), key=lambda kind: (kind.code, status_of(kind)))
    return [
        ErrorCode(
            code,
            tuple(sorted({status_of(kind) for kind in kinds if kind.code == code})),
            tuple(dict.fromkeys(_meaning(kind) for kind in kinds if kind.code == code)),
        )
        for code in dict.fromkeys(kind.code for kind in kinds)
    ]


def _kinds(above: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in above.__subclasses__():
        if kind.__module__.startswith("hubbub."):
            yield kind
            yield from _kinds(kind)


def _meaning(kind: type[Refusal]) -> str:
    """Return the first sentence of a refusal's docstring."""
    return (kind.__doc__ or "").strip().partition("\n")[0]
