"""Importing edits and reactions, and repeating an import with a past."""

import json

import pytest
from tests.api.imports.past import BAD, SENT, SKIP, error, row
from tests.api.messages.talk import (
    events,
    import_past,
    import_rows,
    past,
    stored,
    to_user,
)
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all


async def test_an_edited_message(town: World) -> None:
    """The time of the last edit is kept; its sender edited it."""
    made = await import_past(town, m=row("anna", editedAt=str(SENT + 60)))

    shown = made["m"]["data"]
    assert (shown["editedAt"], shown["editedBy"]) == (SENT + 60, "anna")
    assert (shown["sentAt"], shown["updatedAt"]) == (SENT, SENT + 60)
    assert shown == await town.get("/messages/1")


async def test_reactions(node: Node, town: World) -> None:
    """Reactions are kept with their users and times, oldest row first; they notify nobody."""
    reactions = [
        {"reaction": "👍", "uid": "Ben", "reactedAt": SENT + 5},
        {"reaction": ":wave:", "uid": "ben"},
        {"reaction": "👍", "uid": "clara", "reactedAt": str(SENT + 6)},
        {"reaction": "👍", "uid": "ben", "reactedAt": SENT + 7},
    ]
    made = await import_past(
        town,
        m=row("anna", reactions=reactions),
        n=row("ben", reactions=[{"reaction": "x", "uid": "anna"}]),
    )

    assert made["m"]["data"]["data"]["reactions"] == [
        {"reaction": "👍", "count": 2},
        {"reaction": ":wave:", "count": 1},
    ]
    for outcome in made.values():
        assert outcome["data"] == await town.get(f"/messages/{outcome['data']['id']}")
    listed = await town.get("/messages/1/reactions", as_="ben")
    assert [(each["reaction"], each["uid"], each["reactedAt"]) for each in listed] == [
        ("👍", "ben", SENT + 5),
        (":wave:", "ben", SENT),
        ("👍", "clara", SENT + 6),
    ]
    assert [each["id"] for each in await town.get("/messages?hasReactions=true")] == ["1", "2"]
    log = (await events(node, town))[-5:]
    assert [name for _, _, name, _, _ in log] == [
        "messages_imported",
        *["message_reaction_imported"] * 4,
    ]
    assert all(json.loads(body)["id"] == number for number, _, _, _, body in log[1:])


async def test_imported_reactions_are_like_others(node: Node, town: World) -> None:
    """They are added to, removed, paged, and erased with their user."""
    reactions = [{"reaction": "👍", "uid": uid} for uid in ("anna", "ben", "clara")]
    await import_past(town, m=row("anna", reactions=reactions))

    await town.post("/messages/1/reactions/x", as_="ben")
    await town.delete("/messages/1/reactions/👍", as_="ben")
    page = await town.get("/messages/1/reactions?limit=1")
    rest = await town.get(f"/messages/1/reactions?id={page[0]['id']}")
    assert [each["uid"] for each in (*page, *rest)] == ["anna", "clara", "ben"]
    await town.delete("/users/clara", {"permanent": True})
    await erase_all(node.runtime)
    shown = (await town.get("/messages/1"))["data"]["reactions"]
    assert {each["reaction"]: each["count"] for each in shown} == {"👍": 1, "x": 1}


async def test_edits_and_reactions_at_most(town: World, clock: ManualClock) -> None:
    """Five hundred reactions are taken, and times up to five minutes ahead."""
    latest = clock.now() + 300
    reactions: list[Json] = [
        {"reaction": f"r{n % 100}", "uid": uid} for n in range(250) for uid in ("ben", "clara")
    ]
    reactions[0]["reactedAt"] = latest

    made = await import_past(town, m=row("anna", editedAt=latest, reactions=reactions))
    assert len(made["m"]["data"]["data"]["reactions"]) == 100

    more = await import_past(town, n=row("anna", reactions=[*reactions, reactions[0]]))
    assert error(more["n"]) == (BAD, ["reactions"])


WRONG: list[tuple[Json, str, list[str]]] = [
    ({"editedAt": SENT - 1}, BAD, ["editedAt"]),
    ({"editedAt": 99_999_999_999}, BAD, ["editedAt"]),
    ({"editedAt": SENT + 0.5}, BAD, ["editedAt"]),
    ({"editedAt": True}, BAD, ["editedAt"]),
    ({"reactions": "👍"}, BAD, ["reactions"]),
    ({"reactions": {"👍": ["ben"]}}, BAD, ["reactions"]),
    ({"reactions": ["👍"]}, BAD, ["reactions.0"]),
    ({"reactions": [{"uid": "ben"}]}, BAD, ["reactions.0.reaction"]),
    ({"reactions": [{"reaction": "x"}]}, BAD, ["reactions.0.uid"]),
    ({"reactions": [{"reaction": "", "uid": "ben"}]}, BAD, ["reactions.0.reaction"]),
    ({"reactions": [{"reaction": "x" * 101, "uid": "ben"}]}, BAD, ["reactions.0.reaction"]),
    ({"reactions": [{"reaction": "\0", "uid": "ben"}]}, BAD, ["reactions.0.reaction"]),
    ({"reactions": [{"reaction": "x", "uid": "b n"}]}, BAD, ["reactions.0.uid"]),
    ({"reactions": [{"reaction": "x", "uid": "nobody"}]}, "ERR_UID_NOT_FOUND", []),
    ({"reactions": [{"reaction": "x", "uid": "app_system"}]}, "ERR_UID_NOT_FOUND", []),
    (
        {"reactions": [{"reaction": "x", "uid": "ben", "reactedAt": SENT - 1}]},
        BAD,
        ["reactions.0.reactedAt"],
    ),
    (
        {"reactions": [{"reaction": "x", "uid": "ben", "reactedAt": "1500000000.25"}]},
        BAD,
        ["reactions.0.reactedAt"],
    ),
    (
        {"reactions": [{"reaction": f"r{n}", "uid": "ben"} for n in range(101)]},
        "ERR_LIMIT_EXCEEDED",
        ["reactions"],
    ),
]


@pytest.mark.parametrize(("change", "code", "fields"), WRONG, ids=lambda each: str(each)[:60])
async def test_a_wrong_edit_or_reaction(
    node: Node, town: World, change: Json, code: str, fields: list[str]
) -> None:
    """A row with a fault in what it brings along is not stored at all; the others are."""
    made = await import_past(town, a=row("anna"), b=row("anna", **change), c=row("anna"))

    assert error(made["b"]) == (code, fields)
    assert [made[key]["data"]["id"] for key in "ac"] == ["1", "2"]
    assert await stored(node, town, "SELECT * FROM reactions WHERE app_id = :app_id") == []


async def test_only_two_react_to_messages_between_them(town: World) -> None:
    """A reaction to a one-to-one message by somebody else is refused by name."""
    body = past("anna", to_user("ben"), SENT)

    made = await import_past(
        town,
        a={**body, "reactions": [{"reaction": "x", "uid": "anna"}]},
        b={
            **body,
            "reactions": [{"reaction": "x", "uid": "ben"}, {"reaction": "x", "uid": "clara"}],
        },
    )

    assert made["a"]["success"]
    assert error(made["b"]) == (BAD, ["reactions.1.uid"])


async def test_an_import_with_a_past_is_repeated(node: Node, town: World) -> None:
    """A repeated import doubles nothing, and is answered as the first time."""
    rows = {
        "a": row("anna", editedAt=SENT + 9, reactions=[{"reaction": "x", "uid": "ben"}]),
        "b": row("ben", 1, parentId="a"),
        "c": row("clara", 2, quotedMessageId="b", reactions=[{"reaction": "y", "uid": "anna"}]),
    }
    rows = {muid: {"muid": muid, **each} for muid, each in rows.items()}
    first = await import_rows(town, "messages", rows)
    before = await events(node, town)

    again = await import_rows(town, "messages", rows, SKIP)
    refused = await import_rows(town, "messages", rows)

    assert {key: each["data"] for key, each in again.items()} == {
        key: each["data"] for key, each in first.items()
    }
    assert {error(each)[0] for each in refused.values()} == {"ERR_IMPORT_MUID_ALREADY_EXISTS"}
    assert await events(node, town) == before
    assert len(await town.get("/messages/1/reactions")) == 1


async def test_an_interrupted_import_is_continued(town: World) -> None:
    """Rows that are stored already may be referred to by the others of the same request."""
    rows = {"a": row("anna"), "b": row("ben", 1, parentId="a")}
    rows = {muid: {"muid": muid, **each} for muid, each in rows.items()}
    await import_rows(town, "messages", {"a": rows["a"]})

    made = await import_rows(town, "messages", rows, SKIP)

    assert made["a"]["skipped"] is True
    assert made["b"]["data"]["parentId"] == made["a"]["data"]["id"]


async def test_a_skipped_row_needs_no_other(town: World) -> None:
    """A stored reply is skipped also when its parent is gone."""
    await import_past(town, a=row("anna"), b=row("ben", 1, parentId="a"))
    await town.delete("/messages/1", {"permanent": True})

    rows = {"b": {"muid": "b", **row("ben", 1, parentId="a")}}
    made = await import_rows(town, "messages", rows, SKIP)

    assert made["b"]["skipped"] is True


async def test_unread_counts_leave_replies_out(town: World) -> None:
    """An imported reply is not counted as unread, as a live one is not."""
    await import_past(
        town,
        a=past("anna", to_user("ben"), SENT),
        b=past("anna", to_user("ben"), SENT, parentId="a"),
    )

    listed = await town.get("/conversations", as_="ben")
    assert [each["unreadMessageCount"] for each in listed] == ["1"]


async def test_what_is_not_taken_is_named(town: World) -> None:
    """Unknown fields of rows, and reactions that only the server writes, are in a header."""
    data = {"text": "Hi", "reactions": [{"reaction": "x", "count": 3}], "mine": 1}
    made = await import_past(
        town,
        a=row("anna", editedBy="ben", colour=1, data=data),
        b=row("anna", colour=2, senderUserDetails={"uid": "anna", "name": "Anna", "limt": 1}),
    )

    assert all(outcome["success"] for outcome in made.values())
    ignored = town.answer.headers["hubbub-ignored"].split(", ")
    assert sorted(ignored) == [
        *("messages.colour", "messages.data.reactions", "messages.editedBy"),
        "messages.senderUserDetails.limt",
    ]
    await import_rows(town, "users", {"dora": {"uid": "dora", "name": "Dora", "age": 7}})
    assert town.answer.headers["hubbub-ignored"] == "users.age"


@pytest.mark.parametrize("at", [1.5e9 + 0.5, 1.5e9, "1500000000.5", "1500000000.000100"])
async def test_fractions_of_seconds(town: World, at: float | str) -> None:
    """A time with a point is refused with its field, and what is taken."""
    for field in ("sentAt", "readAt", "editedAt"):
        made = await import_past(town, m=row("anna") | {field: at})

        assert error(made["m"]) == (BAD, [field])
        assert "without a fraction" in made["m"]["error"]["details"][field][0]
    user = {"uid": "dora", "name": "Dora", "createdAt": at}
    made = await import_rows(town, "users", {"dora": user})
    assert "without a fraction" in made["dora"]["error"]["details"]["createdAt"][0]
