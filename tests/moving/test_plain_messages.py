"""Messages of which their rows say all are staged, stored and compared as any others."""

import sqlite3
from typing import Any

import msgspec
import pytest
from tests.clock import START
from tests.moving.mover import AT, Mover, message, to_group, user
from tests.moving.test_import_interrupted import Cut, CutTarget
from tests.moving.test_import_lines import HIKERS, PEOPLE
from tests.world import Json, World

from hubbub.moving.apply.messages import draft_of
from hubbub.moving.compare import normalise
from hubbub.moving.lines import MessageLine
from hubbub.moving.plain import draft_of_plain, find_traits, message_line, stored_as
from hubbub.moving.run import run_import
from hubbub.moving.staging import Plain, StagedRow
from hubbub.storage.queries import Query

PLAIN: dict[str, Json] = {
    "text": message("m1", "anna", "ben"),
    "ids in upper case": message("m1", "Anna", "BEN"),
    "to a group": to_group("m1", "anna", "hikers"),
    "other scripts": message("m1", "anna", "ben", data={"text": 'ليم "子" \u2028 \\n'}),
    "a link": message("m1", "anna", "ben", data={"text": "See https://example.org/a"}),
    "metadata": message("m1", "anna", "ben", data={"z": 1.5, "text": "t", "metadata": {"a": None}}),
    "custom": message(
        "m1", "anna", "ben", category="custom", messageType="poll", data={"customData": {"a": [1]}}
    ),
    "read": message("m1", "anna", "ben", deliveredAt=AT + 11, readAt=AT + 12),
    "of the app": message("m1", "app_system", "ben"),
}
SAYING_MORE: dict[str, Json] = {
    "a mention": message("m1", "anna", "ben", data={"text": "Hi <@uid:ben>"}),
    "a file": message(
        "m1",
        "anna",
        "ben",
        messageType="image",
        data={"attachments": [{"url": "https://example.org/a.png"}]},
    ),
    "no text": message("m1", "anna", "ben", data={"text": ""}),
    "no data": message("m1", "anna", "ben", data={}),
    "an action": message("m1", "anna", "ben", category="action", messageType="groupMember"),
    "a deletion": message("m1", "anna", "ben", deletedAt=AT + 20),
    "an edit": message("m1", "anna", "ben", editedAt=AT + 20),
    "a pin": message("m1", "anna", "ben", pinnedAt=AT + 20),
    "a reply": message("m1", "anna", "ben", parentMuid="m0"),
    "a quote": message("m1", "anna", "ben", quotedMuid="m0"),
    "tags": message("m1", "anna", "ben", tags=["a"]),
    "a preview": message("m1", "anna", "ben", conversationText="Hi"),
    "a preview of others": message("m1", "anna", "ben", updateConversation=False),
    "growth": message(
        "m1", "anna", "ben", data={"text": "t", "grown": {"status": "done", "appends": 1}}
    ),
}
COLUMNS = {
    "data": """'{"text":"Something else"}'""",
    "category": "'custom'",
    "type": "'poll'",
    "receiver": "'cora'",
    "sent_at": f"{AT}",
    "delivered_at": "NULL",
    "read_at": f"{AT + 99}",
}
"""Columns, each with a value that it has not."""


def staged(line: Json) -> tuple[MessageLine, StagedRow]:
    """Return a line, and its row as it is staged."""
    converted = normalise(msgspec.convert(line, MessageLine))
    assert isinstance(converted, MessageLine)
    body = msgspec.json.encode(converted)
    traits = find_traits(converted, body)
    plain = None if traits is None else Plain(traits, 0)
    return converted, StagedRow(1, "message", "lines.jsonl", 1, body, None, plain)


@pytest.mark.parametrize("line", PLAIN.values(), ids=PLAIN.keys())
def test_a_plain_message_is_composed_as_any_other(line: Json) -> None:
    """A draft composed while it is staged is the one that its line would be composed to later."""
    given, row = staged(line)
    plain = row.plain_line()

    draft = draft_of_plain(plain, START)
    assert draft == draft_of(given, START)
    assert message_line(plain) == given
    assert (stored_as(plain).data, stored_as(plain).type) == (draft.data, draft.type)


@pytest.mark.parametrize("line", SAYING_MORE.values(), ids=SAYING_MORE.keys())
def test_a_message_that_says_more_is_not_plain(line: Json) -> None:
    """Messages with more than a row, or that are not valid, take the way of all lines."""
    _, row = staged(line)

    assert row.plain is None


@pytest.mark.parametrize("column", COLUMNS)
async def test_each_column_is_compared(mover: Mover, world: World, column: str) -> None:
    """A comparison finds what is stored otherwise, whatever column it is in."""
    times: dict[str, Any] = {"deliveredAt": AT + 20, "readAt": AT + 21}
    lines = mover.write((*PEOPLE, *(message(f"m{n}", "anna", "ben", **times) for n in range(3))))
    assert (await mover.move(lines)).is_clean

    change = Query(
        "change",
        f"UPDATE messages SET {column} = {COLUMNS[column]} WHERE app_id = :app_id AND muid = 'm1'",
    )
    await mover.node.runtime.database.write(world.app_id, lambda tx: tx.run(change))
    report = await mover.verify(lines)

    assert (report.comparison.different, report.comparison.kinds["message"].store) == (1, 2)
    assert report.checksum.source != report.checksum.store


async def test_messages_between_imported_ones_are_no_difference(mover: Mover, world: World) -> None:
    """Messages sent between the steps of an import, or imported in another order, are compared."""
    lines = [*PEOPLE, *HIKERS, *(message(f"m{n}", "anna", "ben") for n in range(6))]
    await mover.move_lines(*lines[:-3])
    await world.post(
        "/messages",
        {"receiver": "ben", "receiverType": "user", "data": {"text": "Live"}},
        as_="anna",
    )
    more = [
        to_group("m9", "ben", "hikers", sentAt=AT + 1),
        message("m8", "anna", "ben", tags=["a"]),
    ]
    path = mover.write([*lines, *more])
    imported = await mover.move(path)
    verified = await mover.verify(path)

    assert imported.is_clean
    assert imported.kinds["message"].skipped == 3
    assert verified.checksum == imported.checksum
    assert verified.comparison.kinds["message"].store == 8


async def test_rows_of_another_version_are_staged_anew(mover: Mover) -> None:
    """An import that another version has begun goes on, though it has staged rows otherwise."""
    mover.step = 2
    path = mover.write([user("anna"), user("ben"), message("m1", "anna", "ben")])
    target: Any = CutTarget(mover.target, 1, is_before=False)
    with pytest.raises(Cut):
        await run_import(mover.order(path), target, lambda *_: None)
    [file] = (mover.folder / "staged").iterdir()
    file.unlink()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY)")
    database.close()

    report = await mover.move(path)

    assert report.is_clean
    assert report.kinds["message"].imported == 1
