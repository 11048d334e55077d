"""Work that is carried out once is done as a whole or not at all, whatever happens to it."""

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
from hubbub.records.idempotency.model import Answer, Claim, IdempotencyKeyReused
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Snapshot, Transaction
from hubbub.storage.queries import Query

INSERT = Query("insert", "INSERT INTO user_tags (app_id, tag, uid) VALUES (:app_id, 'a', :note)")
LIST = Query("list", "SELECT uid FROM user_tags WHERE app_id = :app_id AND tag = 'a' ORDER BY uid")
KEYS = "SELECT count(*) FROM idempotency_keys WHERE app_id = :app_id"

Part = Callable[[Runtime], Awaitable[object]]


@dataclass(slots=True)
class Calls:
    """Calls with one key, in an app of their own."""

    node: Node
    world: World
    plays: int = 0
    parts: list[Part] = field(default_factory=list)

    async def work(self, runtime: Runtime) -> Answer:
        """Do all parts, and answer with what the last has brought."""
        self.plays += 1
        results = [await part(runtime) for part in self.parts]
        return Answer({}, msgspec.Raw(msgspec.json.encode(results[-1])))

    async def call(self, *parts: Part, request: str = "a request") -> tuple[object, bool]:
        """What is answered, and whether it is a repetition."""
        self.parts = list(parts)
        claim = Claim(self.world.app_id, "a key", request)
        answer, is_repeated = await carry_out_once(self.node.runtime, claim, self.work)
        return msgspec.json.decode(answer.body), is_repeated

    def write(self, note: str, *failures: Exception) -> Part:
        """A part that writes a note, and fails after it with each of `failures` in turn."""
        left = list(failures)

        async def within(tx: Transaction) -> str:
            await tx.run(INSERT, note=note)
            if left:
                raise left.pop(0)
            return note

        return self.writing(within)

    def writing(self, within: Operation[object]) -> Part:
        """A part that is a write."""
        return lambda runtime: runtime.database.write(self.world.app_id, within)

    async def read(self, runtime: Runtime) -> list[str]:
        """A part that reads the notes."""
        return await runtime.database.read(self.world.app_id, list_notes)

    async def notes(self) -> list[str]:
        """What was committed."""
        return await self.read(self.node.runtime)

    async def keys(self) -> int:
        """How many keys are kept."""
        count: int = (await stored(self.node, self.world, KEYS))[0][0]
        return count


async def list_notes(snapshot: Snapshot) -> list[str]:
    """The notes, by name."""
    return [row[0] for row in await snapshot.fetch(LIST)]


def failing(refusal: Refusal) -> Part:
    """A part that refuses."""

    async def fail(runtime: Runtime) -> None:
        raise refusal

    return fail


@pytest.fixture
def calls(node: Node, world: World) -> Calls:
    """Calls that were not made yet."""
    return Calls(node, world)


@pytest.fixture
def retried(calls: Calls) -> Calls:
    """Calls on the engine that tries transactions again."""
    if calls.node.runtime.database.engine != "postgresql":
        pytest.skip("SQLite has one writer, who meets no others")
    return calls


async def test_work_that_writes_nothing_is_kept(calls: Calls) -> None:
    """What only reads is answered as the first time, too, and not done again."""
    assert await calls.call(calls.read) == ([], False)
    await calls.write("a note")(calls.node.runtime)

    assert await calls.call(calls.read) == ([], True)
    assert calls.plays == 1
    with pytest.raises(IdempotencyKeyReused):
        await calls.call(calls.read, request="another")


async def test_work_sees_what_it_wrote(calls: Calls) -> None:
    """A read after a write finds it, though it is committed with the answer only."""
    assert await calls.call(calls.write("a note"), calls.read) == (["a note"], False)

    assert await calls.notes() == ["a note"]


async def test_two_writes_are_one(calls: Calls) -> None:
    """When the second write is refused the first one is undone, and the key is free."""
    with pytest.raises(NotFound):
        await calls.call(calls.write("one"), calls.write("two", NotFound("There is none.")))
    assert (await calls.notes(), await calls.keys()) == ([], 0)

    await calls.call(calls.write("one"), calls.write("two"))
    assert await calls.notes() == ["one", "two"]


async def test_work_that_refuses_in_the_end_has_done_nothing(calls: Calls) -> None:
    """A refusal after a write undoes it."""
    with pytest.raises(NotFound):
        await calls.call(calls.write("a note"), failing(NotFound("There is none.")))

    assert (await calls.notes(), await calls.keys()) == ([], 0)


async def test_a_defect_leaves_nothing(calls: Calls) -> None:
    """An unexpected error in the end undoes all, and a repetition is carried out."""

    async def fail(runtime: Runtime) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await calls.call(calls.write("a note"), fail)
    assert (await calls.notes(), await calls.keys()) == ([], 0)

    assert await calls.call(calls.write("a note")) == ("a note", False)


async def test_work_may_go_on_after_a_refused_write(calls: Calls) -> None:
    """Work that does something else when its first write is refused, does it in one transaction."""

    async def try_both(runtime: Runtime) -> object:
        try:
            return await calls.write("one", Conflict("It is there."))(runtime)
        except Conflict:
            return await calls.write("two")(runtime)

    assert await calls.call(try_both) == ("two", False)
    assert await calls.call(try_both) == ("two", True)
    assert (await calls.notes(), calls.plays) == (["two"], 1)


async def test_work_may_wait_before_its_first_write(calls: Calls) -> None:
    """What is slow is waited for on the event loop, and what it fails with is caught there."""

    async def wait(runtime: Runtime) -> None:
        with pytest.raises(ZeroDivisionError):
            await runtime.threads.run(lambda: 1 / 0)
        await asyncio.sleep(0)

    assert await calls.call(wait, calls.write("a note")) == ("a note", False)


async def test_a_call_that_was_too_late_to_see_it_is_answered(calls: Calls) -> None:
    """A call that is refused because another one with the key was quicker gets its answer."""
    begun, overtaken = asyncio.Event(), asyncio.Event()

    async def meet(runtime: Runtime) -> None:
        if calls.plays == 1:
            begun.set()
            await overtaken.wait()
            raise Conflict("It is there.")

    parts = (meet, calls.write("a note"))
    late = asyncio.create_task(calls.call(*parts))
    await begun.wait()
    first = await calls.call(*parts)
    overtaken.set()

    assert (first, await late) == (("a note", False), ("a note", True))


async def test_a_commit_that_nobody_heard_of_is_found(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the connection breaks during the commit, the store is asked how it went."""
    database = type(calls.node.runtime.database)
    plain = database.write

    async def lose(self: object, app_id: str, operation: Operation[object]) -> object:
        monkeypatch.undo()
        await plain(self, app_id, operation)  # type: ignore[arg-type]  # it is that database
        raise OutcomeUnknown

    monkeypatch.setattr(database, "write", lose)

    assert await calls.call(calls.write("a note")) == ("a note", True)
    assert await calls.notes() == ["a note"]


async def test_what_was_known_is_forgotten_after_the_commit(calls: Calls) -> None:
    """What work forgets is forgotten for all once it is done; until then they may still ask."""
    known = calls.node.runtime.cache
    for key in ("one", "two"):
        known.put(key, key, version=known.version)

    async def forget(runtime: Runtime) -> list[object]:
        runtime.cache.drop("one")
        runtime.cache.drop_where(lambda value: value == "two")
        return [known.get("one"), known.get("two")]

    assert await calls.call(calls.write("a note"), forget) == (["one", "two"], False)
    assert [known.get("one"), known.get("two")] == [None, None]


async def test_a_transaction_that_is_tried_again_before_the_end(retried: Calls) -> None:
    """When the first write meets another one it is tried again, and the rest is played once."""
    conflict = asyncpg.SerializationError("once more")
    assert await retried.call(retried.write("a note", conflict)) == ("a note", False)

    assert (await retried.notes(), retried.plays) == (["a note"], 1)


async def test_a_transaction_that_is_tried_again_at_the_end(retried: Calls) -> None:
    """When what follows the first write meets another one, all of it is played again."""
    last = retried.write("two", asyncpg.SerializationError("once more"))
    assert await retried.call(retried.write("one"), last) == ("two", False)

    assert (await retried.notes(), retried.plays) == (["one", "two"], 2)


async def test_trying_again_comes_to_an_end(retried: Calls) -> None:
    """What meets others again and again is unavailable in the end, and not done."""
    conflicts = [asyncpg.SerializationError("once more")] * 100
    with pytest.raises(Unavailable):
        await retried.call(retried.write("one"), retried.write("two", *conflicts))

    assert (await retried.notes(), await retried.keys()) == ([], 0)
