"""Importing threads and quotes: references by muid, within a request and to stored messages."""

import pytest
from tests.api.imports.past import BAD, NO_MESSAGE, SENT, error, row, rows_by_muid
from tests.api.messages.talk import import_past, past, to_user
from tests.world import Json, World


async def test_replies_and_quotes_of_one_request(town: World) -> None:
    """Rows refer by muid to earlier rows, whoever sent those."""
    made = await import_past(
        town,
        start=row("anna"),
        reply=row("ben", 1, parentId="start"),
        quote=row("clara", 2, quotedMessageId="reply"),
        both=row("anna", 3, parentId="start", quotedMessageId="quote"),
    )

    assert all(outcome["success"] for outcome in made.values()), made
    assert made["reply"]["data"]["parentId"] == made["start"]["data"]["id"] == "1"
    assert made["quote"]["data"]["quotedMessage"]["id"] == made["reply"]["data"]["id"]
    assert made["quote"]["data"]["quotedMessage"]["data"]["text"] == "by ben"
    assert made["both"]["data"]["parentId"] == "1"
    thread = await town.get("/messages/1/thread", as_="clara")
    assert [each["id"] for each in thread] == ["2", "4"]
    for outcome in made.values():
        assert outcome["data"] == await town.get(f"/messages/{outcome['data']['id']}")


async def test_references_to_stored_messages(town: World) -> None:
    """The sender of a stored message is named, unless it is the row's; ids are numbers."""
    await import_past(town, a=row("anna"), b=row("ben"))

    made = await import_past(
        town,
        own=row("anna", 1, parentId="a"),
        other=row("clara", 2, parentId="b", parentSender="Ben", quotedMessageId=1),
        number=row("clara", 3, parentId=2, quotedMessageId="a", quotedMessageSender="anna"),
    )

    shown = [outcome["data"] for outcome in made.values()]
    assert [each["parentId"] for each in shown] == ["1", "2", "2"]
    assert [each.get("quotedMessage", {}).get("id") for each in shown] == [None, "1", "1"]


async def test_references_between_two(town: World) -> None:
    """One-to-one, the other message is by one of the two."""
    await import_past(town, a=past("anna", to_user("ben"), SENT))

    made = await import_past(
        town,
        b=past("ben", to_user("anna"), SENT + 1, parentId="a"),
        c=past("anna", to_user("ben"), SENT + 2, quotedMessageId="a"),
    )

    assert made["b"]["data"]["parentId"] == "1"
    assert made["c"]["data"]["quotedMessage"]["id"] == "1"


async def test_a_muid_of_digits_is_no_id(town: World) -> None:
    """A text is always a muid, so that an old id is not taken for one of Hubbub."""
    first = {"7": row("anna"), "1": row("ben")}
    await import_past(town, **first)

    made = await import_past(
        town,
        x=row("clara", 1, parentId="1", parentSender="ben"),
        y=row("clara", 1, parentId="2", parentSender="ben"),
    )

    assert made["x"]["data"]["parentId"] == "2"
    assert error(made["y"]) == (NO_MESSAGE, ["parentId"])
    assert "number" in made["y"]["error"]["devMessage"]


REFUSED: list[tuple[Json, str, list[str]]] = [
    (row("ben", parentId="nothing"), NO_MESSAGE, ["parentId"]),
    (row("ben", quotedMessageId="nothing"), NO_MESSAGE, ["quotedMessageId"]),
    (row("ben", parentId="self"), NO_MESSAGE, ["parentId"]),
    (row("ben", parentId="later"), NO_MESSAGE, ["parentId"]),
    (row("ben", parentId="broken"), NO_MESSAGE, ["parentId"]),
    (row("ben", parentId="first", parentSender="ben"), NO_MESSAGE, ["parentId"]),
    (row("ben", parentId=99), NO_MESSAGE, []),
    (row("ben", parentId=0), BAD, ["parentId"]),
    (row("ben", parentId=10**18 * 99), BAD, ["parentId"]),
    (row("ben", parentId=1.5), BAD, ["parentId"]),
    (row("ben", parentId=""), BAD, ["parentId"]),
    (row("ben", parentId="a\0"), BAD, ["parentId"]),
    (row("ben", parentId={"muid": "first"}), BAD, ["parentId"]),
    (row("ben", parentId="first", parentSender="b n"), BAD, ["parentSender"]),
    (row("ben", parentId="second"), "ERR_MESSAGE_THREAD_NESTING", ["parentId"]),
    (
        past("ben", to_user("anna"), SENT, parentId="first"),
        "ERR_WRONG_MESSAGE_THREAD",
        ["receiver"],
    ),
    (
        past("ben", to_user("anna"), SENT, quotedMessageId="first"),
        "ERR_WRONG_MESSAGE_THREAD",
        ["receiver"],
    ),
]


@pytest.mark.parametrize(("bad", "code", "fields"), REFUSED, ids=str)
async def test_a_reference_that_leads_nowhere(
    town: World, bad: Json, code: str, fields: list[str]
) -> None:
    """A row whose other message is not there is refused by name; the others are stored."""
    made = await import_past(
        town,
        first=row("anna"),
        second=row("clara", parentId="first"),
        broken=row("anna", category="none"),
        self=bad,
        later=row("anna"),
    )

    assert error(made["self"]) == (code, fields)
    assert [key for key, each in made.items() if each["success"]] == ["first", "second", "later"]


async def test_deleted_messages_are_not_referred_to(town: World) -> None:
    """A message that was deleted, for good or not, gets no replies."""
    await import_past(town, a=row("anna"), b=row("anna"))
    await town.delete("/messages/1", {"permanent": True})
    await town.delete("/messages/2")

    made = await import_past(town, c=row("anna", 1, parentId="a"), d=row("anna", 1, parentId="b"))

    assert error(made["c"]) == (NO_MESSAGE, ["parentId"])
    assert error(made["d"])[0] == "ERR_MESSAGE_ACTION_NOT_ALLOWED"


@pytest.mark.parametrize(
    "others",
    [
        {"stored": past("anna", to_user("clara"), SENT, muid="1")},
        {"later": past("clara", to_user("dai"), SENT + 9, muid="1")},
        {"refused": past("clara", to_user("nobody"), SENT + 9, muid="1")},
    ],
    ids=lambda others: next(iter(others)),
)
async def test_a_muid_that_others_use_too(world: World, others: Json) -> None:
    """A reference without a sender means the message of the same conversation."""
    await world.users("anna", "ben", "clara", "dai")
    await import_past(world, **{"1": past("ben", to_user("anna"), SENT)})
    kind, other = next(iter(others.items()))
    if kind == "stored":
        await import_past(world, **{"1": other})
        others = {}

    rows = {"reply": past("anna", to_user("ben"), SENT + 5, parentId="1"), **rows_by_muid(others)}
    made = await import_past(world, **rows)

    assert made["reply"]["data"]["parentId"] == "1"
