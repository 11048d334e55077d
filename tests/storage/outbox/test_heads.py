"""What a node hears of its own commits: every event of the log, in order, and nothing else."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.storage.notes import NoteWritten, announcing
from tests.storage.stores import EPOCH, Open, closing, make_app, make_schema

from hubbub.kernel.errors import Refusal
from hubbub.outbox.heads import Heads, Position
from hubbub.storage.interface import Announced, Transaction


async def test_each_commit_is_heard_once(engine: str, open_store: Open) -> None:
    """The events of concurrent commits are heard in the order of the log, refused ones never."""
    heard: list[Announced] = []

    async def refusing(tx: Transaction) -> Any:
        await announcing("refused")(tx)
        raise Refusal("no")

    async with closing(open_store(on_commit=heard.append)) as database:
        if engine == "sqlite":
            await make_schema(database)
        app_id = await make_app(database)
        authors = [f"author-{number}" for number in range(20)]
        await asyncio.gather(
            *(database.write(app_id, announcing(author)) for author in authors),
            *(database.write(app_id, refusing) for _ in range(5)),
            return_exceptions=True,
        )

    assert [each.app_id for each in heard] == [app_id] * 20
    assert sorted(each.last for each in heard) == list(range(1, 21))
    assert {each.epoch for each in heard} == {EPOCH}
    events = [event for each in heard for event in each.events]
    assert sorted(event.author for event in events if isinstance(event, NoteWritten)) == sorted(
        authors
    )


async def test_a_listener_that_fails_keeps_nobody_waiting(engine: str, open_store: Open) -> None:
    """Callers have their answers and other listeners hear, whatever a listener meets."""
    heads, heard = Heads(), list[Announced]()

    def fail(_: Announced) -> None:
        raise ZeroDivisionError

    heads.listen(fail)
    heads.listen(heard.append)
    async with closing(open_store(on_commit=heads.note)) as database:
        if engine == "sqlite":
            await make_schema(database)
        app_id = await make_app(database)
        async with asyncio.timeout(30):
            with capture_logs() as lines:
                await database.write(app_id, announcing("anna"))

    assert [each.app_id for each in heard] == [app_id]
    assert [line["event"] for line in lines] == ["commit_not_told"]


async def test_a_wait_ends_with_the_next_event() -> None:
    """Who waits beyond a position goes on when the log does, and not for other apps."""
    heads = Heads()
    heads.advance("a", Position(1, 5))
    waiting = asyncio.create_task(heads.wait_beyond("a", Position(1, 5), 30.0))
    await asyncio.sleep(0)

    heads.advance("b", Position(1, 9))
    heads.advance("a", Position(1, 5))
    assert not waiting.done()
    heads.advance("a", Position(1, 6))

    assert await waiting
    assert heads.newest("a") == Position(1, 6)


async def test_a_wait_ends_in_time() -> None:
    """Without an event the wait ends after its seconds."""
    assert not await Heads().wait_beyond("a", Position(1, 0), 0.01)


@pytest.mark.parametrize("later", [Position(2, 1), Position(1, 6)], ids=str)
def test_a_head_never_goes_back(later: Position) -> None:
    """Ignores what is older than the known position, also of an earlier epoch."""
    heads = Heads()
    heads.advance("a", later)
    heads.advance("a", Position(1, 5))

    assert heads.newest("a") == later
