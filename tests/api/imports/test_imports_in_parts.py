"""Imports beside other apps: the rows are stored in parts, and the answers are the same."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.api.imports.past import SENT, SKIP, row
from tests.api.imports.rows import KINDS, rows_of
from tests.api.messages.talk import events, group, import_past, import_rows, past, to_group, to_user
from tests.rests import GivenRests
from tests.world import Json, Node, World

from hubbub.domain.imports.parts import AT_ONCE, BETWEEN_LOOKS
from hubbub.kernel.errors import Unavailable

COUNT = 4 * AT_ONCE + 2
Beside = Callable[[World], World]


@pytest.fixture
def beside(node: Node, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Have other apps ask for something while this one does."""

    def begin(world: World) -> World:
        monkeypatch.setattr(node.runtime, "rests", GivenRests(**{world.app_id: 0.0}))
        return world

    return begin


@pytest.fixture
def part(node: Node) -> int:
    """So many rows are stored in one transaction while others wait."""
    return AT_ONCE if node.runtime.database.is_shared else BETWEEN_LOOKS


class Leaving:
    """A database that is away after some transactions."""

    def __init__(self, database: Any, *, after: int) -> None:
        self._database = database
        self.left = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def write(self, *args: Any, **options: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise Unavailable("The store is away.")
        return await self._database.write(*args, **options)


async def import_events(node: Node, world: World) -> list[str]:
    """Return the bodies of the events of imported messages."""
    log = await events(node, world)
    return [body for _, _, name, _, body in log if name == "messages_imported"]


def messages(count: int = COUNT) -> Json:
    """Return messages of Anna to Ben."""
    numbers = {f"m{number}": number for number in range(count)}
    return {
        muid: {"muid": muid, **past("anna", to_user("ben"), SENT + number)}
        for muid, number in numbers.items()
    }


async def test_alone_all_rows_are_one_transaction(
    node: Node, town: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app that is alone has its rows stored at once."""
    monkeypatch.setattr(node.runtime, "rests", GivenRests())

    await import_past(town, **messages())

    assert len(await import_events(node, town)) == 1


@pytest.mark.usefixtures("others_wait")
async def test_others_have_turns_after_some_rows(
    node: Node, town: World, beside: Beside, part: int
) -> None:
    """Beside others, a transaction has a few rows; ids follow the order of the rows."""
    made = await import_past(beside(town), **messages())

    assert [outcome["data"]["id"] for outcome in made.values()] == [
        str(number) for number in range(1, COUNT + 1)
    ]
    assert len(await import_events(node, town)) == -(-COUNT // part)


async def test_a_transaction_goes_on_while_nobody_waits(
    node: Node, town: World, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite all rows are one transaction if no other app waits for its end."""
    beside(town)
    transactions = 5 if node.runtime.database.is_shared else 1
    leaving = Leaving(node.runtime.database, after=transactions)
    monkeypatch.setattr(node.runtime, "database", leaving)

    made = await import_past(town, **messages())

    assert all(outcome["success"] for outcome in made.values()), made
    assert leaving.left == 0


@pytest.mark.usefixtures("others_wait")
@pytest.mark.parametrize("kind", KINDS)
async def test_answers_are_the_same_beside_others(node: Node, beside: Beside, kind: str) -> None:
    """Rows of all kinds have the outcome that they have alone, those that are refused included."""
    answers = []
    for ready in (await node.world(), beside(await node.world())):
        await ready.users("anna", "ben")
        await group(ready, "hikers", "anna")
        if kind == "members":
            await import_rows(ready, "users", rows_of("users", COUNT))
        rows = {**rows_of(kind, COUNT), "odd": {}}
        first = await import_rows(ready, kind, rows)
        answers.append([first, await import_rows(ready, kind, rows)])

    alone, others = answers
    assert [list(each) for each in alone] == [list(each) for each in others]
    assert alone == others


@pytest.mark.usefixtures("others_wait")
async def test_rows_refer_to_rows_of_earlier_parts(town: World, beside: Beside) -> None:
    """Each message of a long thread is a reply to the first one and quotes the one before it."""
    rows = {"m0": row("anna")}
    for number in range(1, COUNT):
        references = {"parentId": "m0", "quotedMessageId": f"m{number - 1}"}
        rows[f"m{number}"] = row(("anna", "ben", "clara")[number % 3], number, **references)

    made = await import_past(beside(town), **rows)

    shown = [outcome["data"] for outcome in made.values()]
    assert {each["parentId"] for each in shown[1:]} == {shown[0]["id"]}
    quoted = [each.get("quotedMessage", {}).get("id") for each in shown]
    assert quoted == [None, *(each["id"] for each in shown[:-1])]


@pytest.mark.usefixtures("others_wait")
async def test_details_of_a_later_row_serve_an_earlier_one(town: World, beside: Beside) -> None:
    """All users and groups that rows describe exist before the first row is stored."""
    rows = {f"m{number}": past("dora", to_group("divers"), SENT) for number in range(COUNT)}
    rows[f"m{COUNT - 1}"] |= {
        "senderUserDetails": {"uid": "dora", "name": "Dora"},
        "receiverGroupDetails": {"guid": "divers", "name": "Divers", "type": "public"},
        "receiverGroupOwnerDetails": {"uid": "olga", "name": "Olga"},
    }

    made = await import_past(beside(town), **rows)

    assert all(outcome["success"] for outcome in made.values()), made


@pytest.mark.usefixtures("others_wait")
async def test_a_store_that_goes_away_between_parts(
    node: Node, town: World, beside: Beside, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call says that not all is stored; made again with `skip`, it stores the rest once."""
    beside(town)
    whole = node.runtime.database
    with monkeypatch.context() as away:
        away.setattr(node.runtime, "database", Leaving(whole, after=2))
        answer = await town.ask("POST", "/data_import/messages", {"messages": messages()})

    assert answer.status == 503
    assert "onConflict=skip" in answer.json["error"]["message"]
    assert len(await import_events(node, town)) == 2

    made = await import_rows(town, "messages", messages(), SKIP)
    skipped = [outcome.get("skipped", False) for outcome in made.values()]
    assert skipped == [True] * (2 * part) + [False] * (COUNT - 2 * part)
    assert all(outcome["success"] for outcome in made.values())


async def test_a_store_that_is_away_from_the_start(
    node: Node, town: World, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nothing was stored, and the call does not say that something may be."""
    beside(town)
    monkeypatch.setattr(node.runtime, "database", Leaving(node.runtime.database, after=0))

    answer = await town.ask("POST", "/data_import/messages", {"messages": messages()})

    assert (answer.status, answer.json["error"]["message"]) == (503, "The store is away.")


async def test_under_an_idempotency_key_all_rows_are_one(
    node: Node, town: World, beside: Beside
) -> None:
    """With a key the parts are one transaction, and the call is answered alike when repeated."""
    beside(town)
    body, how = {"messages": messages()}, {"Idempotency-Key": "k"}

    first = await town.ask("POST", "/data_import/messages", body, headers=how)
    again = await town.ask("POST", "/data_import/messages", body, headers=how)

    assert first.status == again.status == 200
    assert first.body == again.body
    assert again.headers["idempotent-replayed"] == "true"
