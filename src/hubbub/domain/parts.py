"""Large changes in parts, each a transaction of its own: between two it is the turn of others."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import TypeVar

from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation

Item = TypeVar("Item")
Result = TypeVar("Result")


def parts_of(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield so many items at a time."""
    for at in range(0, len(items), size):
        yield items[at : at + size]


async def write_in_parts(
    runtime: Runtime,
    app_id: str,
    parts: Iterable[Operation[Result]],
    *,
    unfinished: type[Refusal],
    is_optimistic: bool = False,
) -> AsyncIterator[Result]:
    """Yield the result of each part after its commit; under an idempotency key all are one.

    Raises:
        Refusal: the first part was refused: nothing was changed. A later one raises `unfinished`.
    """
    for number, part in enumerate(parts):
        try:
            result = await runtime.database.write(app_id, part, is_optimistic=is_optimistic)
        except Refusal as refusal:
            if not number:
                raise
            raise unfinished from refusal
        yield result
