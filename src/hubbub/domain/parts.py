"""Large changes in parts: between two of them a transaction ends if others wait for it."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Transaction

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
        Refusal: the first transaction was refused: nothing was changed. A later one raises
            `unfinished`.
    """
    left, is_begun = list(parts), False
    while left:
        operation = partial(_carry_out, left)
        try:
            results = await runtime.database.write(app_id, operation, is_optimistic=is_optimistic)
        except Refusal as refusal:
            if not is_begun:
                raise
            raise unfinished from refusal
        left, is_begun = left[len(results) :], True
        for result in results:
            yield result


async def _carry_out(parts: Sequence[Operation[Result]], tx: Transaction) -> list[Result]:
    """Carry out parts until others wait, the first one in any case."""
    results = [await parts[0](tx)]
    for part in parts[1:]:
        if tx.others_wait:
            break
        results.append(await part(tx))
    return results
