"""Work that is carried out once is done as a whole or not at all, whatever fails."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg
import msgspec
import pytest
from tests.api.messages.talk import stored
from tests.world import Node, World

from hubbub.domain.idempotency.carry_out import carry_out_once
from hubbub.kernel.errors import Conflict, NotFound, OutcomeUnknown, Refusal, Unavailable
from hubbub.records.idempotency.model import Claim, IdempotencyKeyReused, StoredAnswer
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Snapshot, Transaction
from hubbub.storage.queries import Query

INSERT = Query("insert", "INSERT INTO user_tags (app_id, tag, uid) VALUES (:app_id, 'a', :note)")
LIST = Query("list", "SELECT uid FROM user_tags WHERE app_id = :app_id AND tag = 'a' ORDER BY uid")
KEYS = "SELECT count(*) FROM idempotency_keys WHERE app_id = :app_id"

Part = Callable[[Runtime], Awaitable[object]]


@dataclass(slots=True)
class Calls:
    """Calls with one idempotency key, in an app of their own."""

    node: Node
    world: World
    runs: int = 0
    parts: list[Part] = field(default_factory=list)

    async def work(self, runtime: Runtime) -> StoredAnswer:
        """Run all parts, and answer with the result of the last one."""
        self.runs += 1
        results = [await part(runtime) for part in self.parts]
        return StoredAnswer({}, msgspec.Raw(msgspec.json.encode(results[-1])))

    async def call(self, *parts: Part, request: str = "a request") -> tuple[object, bool]:
        """Return the result, and whether it is that of an earlier call."""
        self.parts = list(parts)
        claim = Claim(self.world.app_id, "a key", request)
        answer, is_repeated = await carry_out_once(self.node.runtime, claim, self.work)
        return msgspec.json.decode(answer.body), is_repeated

    def write(self, note: str, *failures: Exception) -> Part:
        """Return a part that writes a note, then raises each of `failures` in turn."""
        left = list(failures)

        async def within(tx: Transaction) -> str:
            await tx.run(INSERT, note=note)
            if left:
                raise left.pop(0)
            return note

        return self.writing(within)

    def writing(self, within: Operation[object]) -> Part:
        """Return a part that runs a write."""
        return lambda runtime: runtime.database.write(self.world.app_id, within)

    async def read(self, runtime: Runtime) -> list[str]:
        """Read the notes: a part."""
        return await runtime.database.read(self.world.app_id, list_notes)

    async def notes(self) -> list[str]:
        """Return the committed notes."""
        return await self.read(self.node.runtime)

    async def keys(self) -> int:
        """Return the number of stored keys."""
        count: int = (await stored(self.node, self.world, KEYS))[0][0]
        return count


async def list_notes(snapshot: Snapshot) -> list[str]:
    """Return the notes, by name."""
    return [row[0] for row in await snapshot.fetch(LIST)]


def failing(refusal: Refusal) -> Part:
    """Return a part that raises a refusal."""

    async def fail(runtime: Runtime) -> None:
        raise refusal

    return fail


@pytest.fixture
def calls(node: Node, world: World) -> Calls:
    """Return calls of which none was made."""
    return Calls(node, world)


@pytest.fixture
def retried(calls: Calls) -> Calls:
    """Return calls on the engine that retries transactions."""
    if calls.node.runtime.database.engine != "postgresql":
        pytest.skip("SQLite has one writer, so nothing conflicts")
    return calls


async def test_work_that_writes_nothing_is_kept(calls: Calls) -> None:
    """Work that only reads gets the first answer, too, and does not run again."""
    assert await calls.call(calls.read) == ([], False)
    await calls.write("a note")(calls.node.runtime)

    assert await calls.call(calls.read) == ([], True)
    assert calls.runs == 1
    with pytest.raises(IdempotencyKeyReused):
        await calls.call(calls.read, request="another")


async def test_work_sees_what_it_wrote(calls: Calls) -> None:
    """A read after a write finds its row, although it is committed only with the answer."""
    assert await calls.call(calls.write("a note"), calls.read) == (["a note"], False)

    assert await calls.notes() == ["a note"]


async def test_two_writes_are_one(calls: Calls) -> None:
    """When the second write is refused, the first one is rolled back, and the key is free."""
    with pytest.raises(NotFound):
        await calls.call(calls.write("one"), calls.write("two", NotFound("There is none.")))
    assert (await calls.notes(), await calls.keys()) == ([], 0)

    await calls.call(calls.write("one"), calls.write("two"))
    assert await calls.notes() == ["one", "two"]


async def test_work_that_refuses_in_the_end_has_done_nothing(calls: Calls) -> None:
    """A refusal after a write rolls it back."""
    with pytest.raises(NotFound):
        await calls.call(calls.write("a note"), failing(NotFound("There is none.")))

    assert (await calls.notes(), await calls.keys()) == ([], 0)


async def test_a_defect_leaves_nothing(calls: Calls) -> None:
    """An unexpected error at the end rolls back all, and a repetition is carried out."""

    async def fail(runtime: Runtime) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await calls.call(calls.write("a note"), fail)
    assert (await calls.notes(), await calls.keys()) == ([], 0)

    assert await calls.call(calls.write("a note")) == ("a note", False)


async def test_work_may_go_on_after_a_refused_write(calls: Calls) -> None:
    """Work may catch the refusal of its first write and do another, in one transaction."""

    async def try_both(runtime: Runtime) -> object:
        try:
            return await calls.write("one", Conflict("It is there."))(runtime)
        except Conflict:
            return await calls.write("two")(runtime)

    assert await calls.call(try_both) == ("two", False)
    assert await calls.call(try_both) == ("two", True)
    assert (await calls.notes(), calls.runs) == (["two"], 1)


async def test_work_may_wait_before_its_first_write(calls: Calls) -> None:
    """Slow work before the first write runs on the event loop, which gets its errors, too."""

    async def wait(runtime: Runtime) -> None:
        with pytest.raises(ZeroDivisionError):
            await runtime.threads.run("an app", lambda: 1 / 0)
        await asyncio.sleep(0)

    assert await calls.call(wait, calls.write("a note")) == ("a note", False)


async def test_a_call_that_was_too_late_to_see_it_is_answered(calls: Calls) -> None:
    """A call that is refused because another one with the key was faster gets its answer."""
    begun, overtaken = asyncio.Event(), asyncio.Event()

    async def meet(runtime: Runtime) -> None:
        if calls.runs == 1:
            begun.set()
            await overtaken.wait()
            raise Conflict("It is there.")

    parts = (meet, calls.write("a note"))
    late = asyncio.create_task(calls.call(*parts))
    await begun.wait()
    first = await calls.call(*parts)
    overtaken.set()

    assert (first, await late) == (("a note", False), ("a note", True))


async def test_an_unknown_outcome_is_found(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the connection breaks during the commit, the outcome is read from the database."""
    database = type(calls.node.runtime.database)
    plain = database.write

    async def lose(self: object, app_id: str, operation: Operation[object]) -> object:
        monkeypatch.undo()
        await plain(self, app_id, operation)  # type: ignore[arg-type]  # it is that database
        raise OutcomeUnknown

    monkeypatch.setattr(database, "write", lose)

    assert await calls.call(calls.write("a note")) == ("a note", True)
    assert await calls.notes() == ["a note"]


async def test_cached_values_are_dropped_after_the_commit(calls: Calls) -> None:
    """A value that work drops from its cache stays in the shared one until the commit."""
    cache = calls.node.runtime.cache
    for key in ("one", "two"):
        cache.put(key, key, app_id=key, version=cache.version)

    async def drop(runtime: Runtime) -> list[object]:
        runtime.cache.drop("one", app_id="one")
        runtime.cache.drop_all("two")
        return [cache.get("one"), cache.get("two")]

    assert await calls.call(calls.write("a note"), drop) == (["one", "two"], False)
    assert [cache.get("one"), cache.get("two")] == [None, None]


async def test_a_transaction_that_is_tried_again_before_the_end(retried: Calls) -> None:
    """When the first write conflicts, it is retried, and the rest runs once."""
    conflict = asyncpg.SerializationError("once more")
    assert await retried.call(retried.write("a note", conflict)) == ("a note", False)

    assert (await retried.notes(), retried.runs) == (["a note"], 1)


async def test_a_transaction_that_is_tried_again_at_the_end(retried: Calls) -> None:
    """When a later write conflicts, the whole call runs again."""
    last = retried.write("two", asyncpg.SerializationError("once more"))
    assert await retried.call(retried.write("one"), last) == ("two", False)

    assert (await retried.notes(), retried.runs) == (["one", "two"], 2)


async def test_trying_again_comes_to_an_end(retried: Calls) -> None:
    """A call that conflicts too often is refused as unavailable, and nothing is stored."""
    conflicts = [asyncpg.SerializationError("once more")] * 100
    with pytest.raises(Unavailable):
        await retried.call(retried.write("one"), retried.write("two", *conflicts))

    assert (await retried.notes(), await retried.keys()) == ([], 0)
