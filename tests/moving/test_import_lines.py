"""An import of lines brings all of them into the store, in any order, and says so."""

import json
from datetime import UTC, datetime

import pytest
from tests.api.messages.talk import texts
from tests.clock import FAR_AHEAD
from tests.moving.mover import AT, Mover, group, member, message, to_group, user
from tests.world import Json, World

from hubbub.moving.apply.outcome import Conflicts

DAY = f"{datetime.fromtimestamp(AT, UTC):%Y-%m-%d}"
PEOPLE = (user("anna"), user("ben"), user("cora"))
HIKERS = (group("hikers", "anna"), member("hikers", "ben"), member("hikers", "cora"))


async def test_people_groups_and_messages_arrive(mover: Mover, world: World) -> None:
    """Users, groups, members and messages are stored with their fields, and counted."""
    report = await mover.move_lines(
        user("anna", avatar="https://example.org/a.png", tags=["staff"], metadata={"age": 40}),
        user("ben", role="default", statusMessage="Away", isBot=True),
        group("hikers", "anna", groupType="password", password="secret", description="We walk."),
        member("hikers", "ben", scope="moderator"),
        message("m1", "anna", "ben", tags=["urgent"]),
        to_group("m2", "ben", "hikers"),
    )

    anna = await world.get("/users/anna")
    assert (anna["createdAt"], anna["tags"], anna["metadata"]) == (AT, ["staff"], {"age": 40})
    assert (await world.get("/users/ben"))["isBot"]
    assert (await world.get("/groups/hikers"))["description"] == "We walk."
    await world.post("/groups/hikers/members", {"participants": ["ben"]})
    assert sorted(await world.uids("/groups/hikers/members")) == ["anna", "ben"]
    assert await texts(world, "/users/ben/messages", as_="anna") == ["This is m1"]
    assert await texts(world, "/groups/hikers/messages") == ["This is m2"]
    assert report.is_clean
    assert report.checksum.source == report.checksum.store != "0" * 16
    assert {kind: counts.imported for kind, counts in report.kinds.items()} == {
        "user": 2,
        "group": 1,
        "member": 1,
        "message": 2,
    }
    assert (report.conversations, report.from_, report.until) == (2, DAY, DAY)


async def test_what_happened_to_messages_arrives_with_them(mover: Mover, world: World) -> None:
    """Edits, pins, replies, quotes, deletions, reactions and read positions are stored."""
    report = await mover.move_lines(
        *PEOPLE,
        *HIKERS,
        to_group("m1", "anna", "hikers", editedAt=AT + 60, pinnedAt=AT + 70),
        to_group("m2", "ben", "hikers", sentAt=AT + 20, parentMuid="m1", parentSender="anna"),
        to_group("m3", "cora", "hikers", sentAt=AT + 30, quotedMuid="m1", quotedSender="anna"),
        to_group("m4", "cora", "hikers", sentAt=AT + 40, deletedAt=AT + 50),
        {"type": "reaction", "muid": "m1", "sender": "anna", "uid": "ben", "reaction": "👍"},
        {
            "type": "receipt",
            "receiverType": "group",
            "receiver": "hikers",
            "uid": "ben",
            "readUpTo": "m1",
            "sender": "anna",
        },
    )

    assert report.is_clean
    rows = {row["muid"]: row for row in await world.get("/groups/hikers/messages?hideReplies=0")}
    assert rows["m1"]["editedAt"] == AT + 60
    assert rows["m1"]["data"]["reactions"] == [{"reaction": "👍", "count": 1}]
    assert rows["m3"]["data"]["entities"]
    assert rows["m4"]["deletedAt"] == AT + 50
    assert [row["muid"] for row in await world.get("/groups/hikers/messages?pinned=true")] == ["m1"]
    replies = await world.get(f"/messages/{rows['m1']['id']}/thread")
    assert [row["data"]["text"] for row in replies] == ["This is m2"]
    [listed] = await world.get("/conversations", as_="ben")
    assert listed["unreadMessageCount"] == "2"


async def test_answers_to_deleted_messages_are_kept(mover: Mover, world: World) -> None:
    """A reply and a quote outlive the message, in whatever step it was imported."""
    mover.step = 1
    report = await mover.move_lines(
        *PEOPLE,
        message("m1", "anna", "ben", deletedAt=AT + 90),
        message("m2", "ben", "anna", sentAt=AT + 20, parentMuid="m1", parentSender="anna"),
        message("m3", "ben", "anna", sentAt=AT + 30, quotedMuid="m1", quotedSender="anna"),
    )

    assert report.is_clean
    rows = {row["muid"]: row for row in await world.get("/users/ben/messages", as_="anna")}
    assert rows["m1"]["deletedAt"] == AT + 90
    assert rows["m3"]["quotedMessage"]["id"] == rows["m1"]["id"]
    [reply] = await world.get(f"/messages/{rows['m1']['id']}/thread")
    assert reply["muid"] == "m2"


async def test_rows_may_come_in_any_order(mover: Mover, world: World) -> None:
    """A row may come before those that it names, and a reply before its parent."""
    report = await mover.move_lines(
        {"type": "reaction", "muid": "m1", "sender": "anna", "uid": "ben", "reaction": "👍"},
        to_group("m2", "ben", "hikers", sentAt=AT + 5, parentMuid="m1", parentSender="anna"),
        to_group("m1", "anna", "hikers", sentAt=AT + 10),
        *HIKERS[::-1],
        *PEOPLE,
    )

    assert report.is_clean
    [first] = [row for row in await world.get("/groups/hikers/messages") if row["muid"] == "m1"]
    assert await texts(world, f"/messages/{first['id']}/thread") == ["This is m2"]


async def test_the_same_again_is_skipped(mover: Mover, world: World) -> None:
    """Importing the same again changes nothing, and has the same checksum."""
    lines = (*PEOPLE, *HIKERS, message("m1", "anna", "ben"), to_group("m2", "ben", "hikers"))
    first = await mover.move_lines(*lines)
    again = await mover.move_lines(*lines)

    assert again.is_clean
    assert first.checksum == again.checksum
    assert all(counts.skipped == counts.read for counts in again.kinds.values())


async def test_what_differs_is_refused_unless_it_is_to_be_replaced(
    mover: Mover, world: World
) -> None:
    """A row that says something else than the store is refused, kept or replaced, as told."""
    await mover.move_lines(*PEOPLE, message("m1", "anna", "ben"))
    changed = (
        user("anna", name="Annabel"),
        message("m1", "anna", "ben", data={"text": "Better words"}, editedAt=AT + 90),
    )

    refused = await mover.move_lines(*changed)
    assert not refused.is_clean
    assert [kind for kind, c in refused.kinds.items() if c.refused] == ["user", "message"]
    assert all("ERR_IMPORT_DIFFERS" in row.error for row in mover.refused)
    assert (await world.get("/users/anna"))["name"] == "Anna"

    kept = await mover.with_conflicts(Conflicts.SKIP).move_lines(*changed)
    assert [counts.skipped for counts in kept.kinds.values()] == [1, 1]
    assert (await world.get("/users/anna"))["name"] == "Anna"

    updated = await mover.with_conflicts(Conflicts.UPDATE).move_lines(*changed)
    assert updated.is_clean
    assert [counts.updated for counts in updated.kinds.values()] == [1, 1]
    assert (await world.get("/users/anna"))["name"] == "Annabel"
    [row] = await world.get("/users/ben/messages?searchKey=better", as_="anna")
    assert row["editedAt"] == AT + 90


async def test_a_deletion_since_is_taken_over(mover: Mover, world: World) -> None:
    """A message that was deleted since the last import is deleted by the next one."""
    await mover.move_lines(*PEOPLE, message("m1", "anna", "ben"))

    deleted = message("m1", "anna", "ben", deletedAt=AT + 90)
    report = await mover.with_conflicts(Conflicts.UPDATE).move_lines(deleted)

    assert report.is_clean
    [row] = await world.get("/users/ben/messages", as_="anna")
    assert row["deletedAt"] == AT + 90


async def test_an_error_for_all_that_exists_can_be_asked_for(mover: Mover) -> None:
    """With `error`, rows that exist are refused even if they are equal."""
    await mover.move_lines(*PEOPLE)

    strict = mover.with_conflicts(Conflicts.ERROR)
    report = await strict.move_lines(*PEOPLE)

    assert report.kinds["user"].refused == 3
    assert "ERR_UID_ALREADY_EXISTS" in strict.refused[0].error


BAD: dict[str, tuple[Json | str, str]] = {
    "no JSON": ('{"type": "user", "uid": ', "no JSON object"),
    "no object": ("[1, 2]", "no JSON object"),
    "an unknown kind": ({"type": "planet"}, "must be one of role, user"),
    "no kind": ({"uid": "dora"}, "must be one of role, user"),
    "a long line": ('"' + "x" * 1_100_000, "more than 1 MiB"),
    "deeply nested": ("[" * 100_000, "no JSON object"),
    "a wrong type": (user("dora", createdAt="yesterday"), "createdAt"),
    "a bad uid": (user("d/ra"), "uid"),
    "a name with NUL": (user("dora", name="Do\0ra"), "U+0000"),
    "a date to come": (message("x", "anna", "ben", sentAt=FAR_AHEAD), "in the future"),
    "before 1970": (message("x", "anna", "ben", sentAt=-5), "sentAt"),
    "an unknown sender": (message("x", "dora", "ben"), "ERR_UID_NOT_FOUND"),
    "an unknown group": (to_group("x", "anna", "climbers"), "ERR_GUID_NOT_FOUND"),
    "an unknown parent": (message("x", "anna", "ben", parentMuid="m9"), "m9"),
    "a parent that is itself": (message("x", "anna", "ben", parentMuid="x"), "muid x"),
    "no text": (message("x", "anna", "ben", data={}), "ERR_EMPTY_MESSAGE_TEXT"),
    "a missing file": (
        message(
            "x",
            "anna",
            "ben",
            messageType="file",
            data={"attachments": [{"url": "file:no/such.pdf", "name": "such.pdf"}]},
        ),
        "no file no/such.pdf",
    ),
    "a file outside": (
        message(
            "x",
            "anna",
            "ben",
            messageType="file",
            data={"attachments": [{"url": "file:../../etc/passwd", "name": "passwd"}]},
        ),
        "no file",
    ),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_row_is_refused_alone(mover: Mover, world: World, name: str) -> None:
    """A bad row is refused with its place and the reason; the others are imported."""
    bad, said = BAD[name]

    report = await mover.move_lines(*PEOPLE, bad, message("m1", "anna", "ben"))

    [refused] = mover.refused
    assert said in refused.error
    assert (refused.source, refused.line) == ("lines.jsonl", 4)
    assert await texts(world, "/users/ben/messages", as_="anna") == ["This is m1"]
    assert not report.is_clean
    assert report.comparison.different == 1


@pytest.mark.parametrize("at", [AT, FAR_AHEAD])
@pytest.mark.parametrize("kind", ["reaction", "receipt"])
async def test_what_can_not_have_happened_then_is_refused(
    mover: Mover, world: World, kind: str, at: int
) -> None:
    """A reaction or a read position before its message, or to come, is refused."""
    about = {"sender": "anna", "uid": "ben", "at": at}
    lines = {
        "reaction": {"type": "reaction", "muid": "m1", "reaction": "👍", **about},
        "receipt": {
            "type": "receipt",
            "receiverType": "user",
            "receiver": "anna",
            "readUpTo": "m1",
            **about,
        },
    }

    report = await mover.move_lines(*PEOPLE, message("m1", "anna", "ben"), lines[kind])

    assert report.kinds[kind].refused == 1
    assert "at" in mover.refused[0].error
    [listed] = await world.get("/conversations", as_="ben")
    assert listed["unreadMessageCount"] == "1"


async def test_messages_that_quote_each_other_are_refused(mover: Mover, world: World) -> None:
    """Messages that quote each other in a circle are refused, and no others."""
    quoting = (
        message("m1", "anna", "ben", quotedMuid="m2"),
        message("m2", "anna", "ben", quotedMuid="m1"),
    )

    report = await mover.move_lines(*PEOPLE, *quoting, message("m3", "anna", "ben"))

    assert report.kinds["message"].refused == 2
    assert await texts(world, "/users/ben/messages", as_="anna") == ["This is m3"]


async def test_refused_rows_can_be_mended_and_fed_in_again(mover: Mover, world: World) -> None:
    """The file of refused rows is a source again: rows in it are mended where they stand."""
    await mover.move_lines(*PEOPLE, message("m1", "dora", "ben"), '{"type": "user", "uid": "eva"')
    said = [{"source": row.source, "line": row.line, "error": row.error} for row in mover.refused]
    mended = [
        said[0] | {"text": '{"type": "user", "uid": "eva", "name": "Eva"}'},
        said[1] | {"row": json.loads(mover.refused[1].fields) | {"sender": "eva"}},
    ]

    report = await mover.move(mover.write(mended, "refused.jsonl"))

    assert report.is_clean
    assert await texts(world, "/users/ben/messages", as_="eva") == ["This is m1"]


async def test_the_same_id_with_other_content_is_refused(mover: Mover) -> None:
    """Of two rows with the same id and other content the second one is refused."""
    report = await mover.move_lines(
        *PEOPLE, message("m1", "anna", "ben"), message("m1", "anna", "ben", data={"text": "Else"})
    )

    assert (report.kinds["message"].imported, report.kinds["message"].refused) == (1, 1)
    assert report.comparison.different == 1


async def test_a_user_may_have_several_lines_about_what_they_have_read(mover: Mover) -> None:
    """The furthest one counts, and none of them differs from the store."""
    place = {"receiverType": "user", "receiver": "anna", "uid": "ben", "sender": "anna"}
    report = await mover.move_lines(
        *PEOPLE,
        *(message(f"m{n}", "anna", "ben", sentAt=AT + n) for n in range(4)),
        *({"type": "receipt", **place, "readUpTo": f"m{n}"} for n in (1, 3, 0, 2)),
    )

    assert report.is_clean
    assert report.comparison.kinds["receipt"].store == 4


async def test_unknown_fields_are_counted(mover: Mover) -> None:
    """Fields that lines do not have are left out, and counted in the report."""
    report = await mover.move_lines(user("anna", colour="red"), user("ben", colour="blue"))

    assert report.is_clean
    assert report.dropped == {"field user.colour": 2}


async def test_a_comparison_finds_what_changed_since(mover: Mover, world: World) -> None:
    """A comparison names what is stored otherwise than in the source, and what is missing."""
    lines = mover.write((*PEOPLE, message("m1", "anna", "ben"), message("m2", "ben", "anna")))
    await mover.move(lines)
    assert (await mover.verify(lines)).is_clean

    [first, second] = await world.get("/users/ben/messages", as_="anna")
    edit = {"data": {"text": "Something else"}}
    await world.put(f"/messages/{first['id']}", edit, as_=first["sender"])
    await world.delete(f"/messages/{second['id']}", {"permanent": True})
    report = await mover.verify(lines)

    assert report.comparison.different == 2
    assert report.checksum.source != report.checksum.store
    assert {
        "source": report.comparison.kinds["message"].source,
        "store": report.comparison.kinds["message"].store,
    } == {"source": 2, "store": 0}
    said = sorted(each.rpartition(": ")[2] for each in report.comparison.differences)
    assert said == ["another data is stored", "it is not stored"]


async def test_files_beside_the_lines_are_stored(mover: Mover, world: World) -> None:
    """Attachments that name files beside the lines are stored like uploads, once."""
    (mover.folder / "files").mkdir()
    (mover.folder / "files" / "notes.txt").write_text("Remember the milk")
    sent = message(
        "m1",
        "anna",
        "ben",
        messageType="file",
        data={"attachments": [{"url": "file:files/notes.txt", "name": "notes.txt"}]},
    )
    lines = mover.write((*PEOPLE, {"type": "file", "path": "files/notes.txt"}, sent))

    report = await mover.move(lines)
    again = await mover.move(lines)

    assert report.is_clean
    assert again.is_clean
    [row] = await world.get("/users/ben/messages", as_="anna")
    [attachment] = row["data"]["attachments"]
    assert (attachment["name"], attachment["size"]) == ("notes.txt", 17)
