"""Importing messages, one-to-one and in groups, with their original times."""

import pytest
from tests.api.messages.talk import (
    events,
    group,
    import_past,
    import_rows,
    past,
    say,
    stored,
    texts,
    to_group,
    to_user,
)
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
TAKEN = "ERR_IMPORT_MUID_ALREADY_EXISTS"
SENT = 1_500_000_000


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben and Clara; Anna is in a group."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna")
    return world


async def test_all_fields_of_a_message(town: World) -> None:
    """An imported message keeps its times, and is read like any other."""
    body = to_user("ben", "Long ago", tags=["b", "a", "b"])

    made = await import_past(
        town, m=past("anna", body, SENT, deliveredAt=str(SENT + 5), readAt=SENT + 9)
    )

    message = made["m"]["data"]
    assert made["m"] == {"success": True, "data": message}
    assert message == await town.get("/messages/1", as_="ben")
    del message["data"]["entities"]
    assert message == {
        "id": "1",
        "muid": "m",
        "conversationId": "anna_user_ben",
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "message",
        "type": "text",
        "data": {"text": "Long ago"},
        "tags": ["b", "a"],
        "sentAt": SENT,
        "updatedAt": SENT,
        "deliveredAt": SENT + 5,
        "readAt": SENT + 9,
    }


@pytest.mark.parametrize("sent_at", [0, "0", SENT, str(SENT)])
async def test_times_as_digits(town: World, sent_at: int | str) -> None:
    """Times may be numbers or digits."""
    made = await import_past(town, m=past("anna", to_user("ben"), sent_at))

    assert made["m"]["data"]["sentAt"] == int(sent_at)


async def test_ids_follow_arrival_and_lists_follow_time(town: World) -> None:
    """Ids follow the order of the rows; the history follows the times."""
    rows = {f"m{at}": past("anna", to_user("ben", str(at)), at) for at in (30, 10, 40, 20)}

    made = await import_past(town, **rows)

    assert [outcome["data"]["id"] for outcome in made.values()] == ["1", "2", "3", "4"]
    assert await texts(town, "/users/ben/messages", as_="anna") == ["10", "20", "30", "40"]


async def test_live_and_imported_messages_mix(town: World, clock: ManualClock) -> None:
    """Imported earlier messages precede live ones in the history."""
    await say(town, "anna", to_user("ben", "live 1"))
    await import_past(town, a=past("ben", to_user("anna", "old 2"), SENT + 1))
    clock.advance(5)
    await say(town, "ben", to_user("anna", "live 2"))
    await import_past(town, b=past("anna", to_user("ben", "old 1"), SENT))
    between = clock.now() - 1
    await import_past(town, c=past("anna", to_user("ben", "between"), between))

    expected = ["old 1", "old 2", "live 1", "between", "live 2"]
    assert await texts(town, "/users/ben/messages", as_="anna") == expected
    ids = [row["id"] for row in await town.get("/messages")]
    assert ids == ["4", "2", "1", "5", "3"]


async def test_times_in_the_future(town: World, clock: ManualClock) -> None:
    """A message's time may be at most five minutes in the future."""
    latest = clock.now() + 300

    made = await import_past(
        town,
        fine=past("anna", to_user("ben"), latest),
        ahead=past("anna", to_user("ben"), latest + 1),
    )

    assert made["fine"]["success"] is True
    assert list(made["ahead"]["error"]["details"]) == ["sentAt"]


async def test_messages_of_former_members(town: World) -> None:
    """The sender of an imported group message may be a former member, or deleted."""
    await town.delete("/users/clara")

    made = await import_past(
        town,
        a=past("ben", to_group("hikers", "from outside"), SENT),
        b=past("clara", to_group("hikers", "from the past"), SENT + 1),
        c=past("app_system", to_group("hikers", "from the app"), SENT + 2),
        d=past("clara", to_user("ben", "to Ben"), SENT + 3),
        e=past("ben", to_user("clara", "to Clara"), SENT + 4),
    )

    assert all(outcome["success"] for outcome in made.values())
    assert await texts(town, "/groups/hikers/messages", as_="anna") == [
        "from outside",
        "from the past",
        "from the app",
    ]
    assert await texts(town, "/messages", as_="ben") == ["to Ben", "to Clara"]


KINDS: list[Json] = [
    {"category": "custom", "type": "poll", "data": {"customData": {"a": 1}}},
    {"category": "custom", "type": "poll", "data": {"custom_data": {"a": 1}}},
    {"type": "image", "data": {"attachments": [{"url": "https://gone.example/a.jpg", "size": 5}]}},
    {"category": "interactive", "type": "customInteractive", "data": {"interactiveData": {}}},
    {"data": {"text": "a\0b 🏔", "metadata": {"\0": []}, "mine": {"z": 1.0, "a": -0.0}}},
    {"updateConversation": False, "sendNotification": True, "conversationText": "x"},
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_kinds_of_messages(town: World, kind: Json) -> None:
    """Every kind of message that can be sent can be imported."""
    body = {**to_user("ben"), **kind}

    shown = (await import_past(town, m=past("anna", body, SENT)))["m"]["data"]

    assert shown["data"].pop("entities")
    assert {name: shown[name] for name in body} == body


WRONG = [
    ({"muid": ""}, BAD, "muid"),
    ({"muid": 5}, BAD, "muid"),
    ({"sender": None}, BAD, "sender"),
    ({"sender": "an na"}, BAD, "sender"),
    ({"receiver": None}, BAD, "receiver"),
    ({"receiver": ""}, "ERR_EMPTY_RECEIVER", "receiver"),
    ({"receiverType": None}, BAD, "receiverType"),
    ({"receiverType": "bot"}, "ERR_INVALID_RECEIVER_TYPE", "receiverType"),
    ({"sentAt": None}, BAD, "sentAt"),
    ({"sentAt": -1}, BAD, "sentAt"),
    ({"sentAt": "yesterday"}, BAD, "sentAt"),
    ({"sentAt": ""}, BAD, "sentAt"),
    ({"sentAt": 1_800_000_000_000}, BAD, "sentAt"),
    ({"deliveredAt": "x"}, BAD, "deliveredAt"),
    ({"readAt": True}, BAD, "readAt"),
    ({"category": "action"}, "ERR_INVALID_MESSAGE_CATEGORY", "category"),
    ({"type": "gif"}, "ERR_INVALID_MESSAGE_TYPE", "type"),
    ({"data": None}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": "x" * 10_241}}, "ERR_INVALID_MESSAGE_DATA", "data"),
    ({"data": {"text": "x", "metadata": 1}}, "ERR_INVALID_METADATA", "data.metadata"),
    ({"tags": ["x"] * 26}, BAD, "tags"),
    ({"tags": ["a\0"]}, BAD, "tags.0"),
    ({"senderUserDetails": {"uid": "a"}}, BAD, "senderUserDetails.name"),
    ({"receiverGroupDetails": {"guid": "g"}}, BAD, "receiverGroupDetails.name"),
]


@pytest.mark.parametrize(("change", "code", "field"), WRONG, ids=str)
@one_engine
async def test_a_message_with_a_fault(town: World, change: Json, code: str, field: str) -> None:
    """A bad row is refused with the field named; the others keep their order."""
    good = past("anna", to_user("ben"), SENT)

    made = await import_past(town, a=good, b={**good, **change}, c=good)

    assert made["b"]["success"] is False
    assert made["b"]["error"]["code"] == code
    assert list(made["b"]["error"]["details"]) == [field]
    assert [made[key]["data"]["id"] for key in "ac"] == ["1", "2"]


UNKNOWN = [
    (past("nobody", to_user("ben"), SENT), "ERR_UID_NOT_FOUND"),
    (past("anna", to_user("nobody"), SENT), "ERR_UID_NOT_FOUND"),
    (past("anna", to_user("app_system"), SENT), "ERR_UID_NOT_FOUND"),
    (past("anna", to_group("nowhere"), SENT), "ERR_GUID_NOT_FOUND"),
    (past("anna", to_group("ben"), SENT), "ERR_GUID_NOT_FOUND"),
]


@pytest.mark.parametrize(("row", "code"), UNKNOWN, ids=str)
async def test_a_missing_user_or_group(town: World, row: Json, code: str) -> None:
    """A row that names a missing user or group does not affect the others."""
    good = past("anna", to_user("ben"), SENT)

    made = await import_past(town, a=good, b=row, c=good)

    assert [outcome["success"] for outcome in made.values()] == [True, False, True]
    assert made["b"]["error"]["code"] == code


# The muid


async def test_a_muid_is_imported_once(town: World) -> None:
    """A row whose muid its sender has used fails, or is skipped with the stored message."""
    await say(town, "anna", to_user("ben", "live", muid="m"))
    rows = {"m": {"muid": "m", **past("anna", to_group("hikers", "past"), SENT)}}

    refused = await import_rows(town, "messages", rows)
    skipped = await import_rows(town, "messages", rows, "?onConflict=skip")

    assert refused["m"]["error"]["code"] == TAKEN
    first = await town.get("/messages/1")
    assert skipped["m"] == {"success": True, "skipped": True, "data": first}
    assert await texts(town, "/messages") == ["live"]


async def test_a_skipped_message_is_answered_as_it_is_now(town: World) -> None:
    """The outcome of a skipped row has all that the message got since it was stored."""
    row = past("anna", to_user("ben"), SENT)
    first = await import_past(town, m=row)
    await town.post("/messages/1/reactions/x", as_="ben")
    await town.post("/messages/1/pin")
    await town.put("/messages/1", {"data": {"text": "Hello again"}}, as_="anna")

    rows = {"m": {"muid": "m", **row}}
    again = await import_rows(town, "messages", rows, "?onConflict=skip")

    assert again["m"]["data"] == await town.get("/messages/1") != first["m"]["data"]
    assert again["m"]["data"]["data"].keys() == {"text", "entities", "reactions"}
    assert {"pinnedAt", "editedAt"} <= again["m"]["data"].keys()


async def test_an_import_that_is_repeated(node: Node, town: World) -> None:
    """Importing the same rows again stores nothing; with `skip` the answers are the same."""
    rows = {
        f"m{number}": {"muid": f"m{number}", **past("anna", to_user("ben", str(number)), SENT)}
        for number in range(5)
    }
    first = await import_rows(town, "messages", rows)
    before = await events(node, town)

    again = await import_rows(town, "messages", rows, "?onConflict=skip")

    assert {key: each["data"] for key, each in again.items()} == {
        key: each["data"] for key, each in first.items()
    }
    assert len(await town.get("/messages")) == 5
    assert await events(node, town) == before


async def test_a_muid_of_an_import_is_taken_for_live_messages(town: World) -> None:
    """A live message with the muid of an imported one is answered with the imported one."""
    await import_past(town, m=past("anna", to_user("ben", "past"), SENT))

    assert (await say(town, "anna", to_user("ben", "live", muid="m")))["data"]["text"] == "past"
    assert town.answer.headers["idempotent-replayed"] == "true"
    assert (await say(town, "ben", to_user("anna", "Ben's own", muid="m")))["id"] == "2"


# Users and groups within rows


async def test_details_create_missing_users(town: World) -> None:
    """A row may create its sender and its receiver."""
    row = past("dora", to_user("emil"), SENT)
    dora, emil = ({"uid": uid, "name": uid.capitalize()} for uid in ("dora", "emil"))

    made = await import_past(
        town, m={**row, "senderUserDetails": dora, "receiverUserDetails": emil}
    )

    assert made["m"]["success"] is True
    assert (await town.get("/users/dora"))["name"] == "Dora"
    assert (await town.get("/users/emil"))["name"] == "Emil"


DIVERS = {"guid": "divers", "name": "Divers", "type": "public", "owner": "olga", "createdAt": 5}
OLGA = {"uid": "olga", "name": "Olga"}


@pytest.mark.parametrize(
    "details",
    [
        {"receiverGroupDetails": DIVERS, "receiverGroupOwnerDetails": OLGA},
        {"receiverGroupDetails": {**DIVERS, "groupOwnerDetails": OLGA}},
    ],
    ids=["beside", "within"],
)
async def test_details_create_a_group_and_its_owner(town: World, details: Json) -> None:
    """A row may create its group, and the owner, beside the group or within it."""
    made = await import_past(town, m={**past("anna", to_group("divers"), SENT), **details})

    assert made["m"]["success"] is True, made
    shown = made["m"]["data"]["data"]["entities"]["receiver"]["entity"]
    assert (shown["owner"], shown["membersCount"], shown["createdAt"]) == ("olga", 1, 5)
    assert await texts(town, "/groups/divers/messages", as_="olga") == ["Hello"]


async def test_details_do_not_change_existing_users(town: World) -> None:
    """An existing user is not changed by a row's details."""
    anna = await town.get("/users/anna")
    details = {"senderUserDetails": {"uid": "anna", "name": "X", "role": "captain"}}
    others = {"guid": "hikers", "name": "X", "type": "private"}

    made = await import_past(
        town,
        m={**past("anna", to_group("hikers"), SENT), **details, "receiverGroupDetails": others},
    )

    assert await town.get("/users/anna") == anna
    shown = made["m"]["data"]["data"]["entities"]["receiver"]["entity"]
    assert (shown["name"], shown["type"]) == ("Hikers", "public")


async def test_details_that_come_twice(town: World) -> None:
    """Several rows may have details of the same user, as exports do."""
    dora = {"uid": "dora", "name": "Dora"}
    row = {**past("dora", to_user("ben"), SENT), "senderUserDetails": dora}

    made = await import_past(town, a=row, b=row, c=row)
    assert [outcome["success"] for outcome in made.values()] == [True] * 3


# The log


async def test_events_of_imports(node: Node, town: World) -> None:
    """Each live message is one event, each import of messages is one, numbered without gaps."""
    before = len(await events(node, town))
    first = await say(town, "anna", to_user("ben"))
    rows = {f"m{number}": past("anna", to_user("ben"), SENT) for number in range(3)}
    await import_past(town, **rows, odd={})
    await say(town, "anna", to_group("hikers", updateConversation=False))
    await import_past(town, **rows)
    await import_past(town, bad=past("nobody", to_user("ben"), SENT))

    log = await events(node, town)
    assert [number for number, *_ in log] == list(range(1, len(log) + 1))
    assert len({id_ for _, id_, *_ in log}) == len(log)
    names = [name for _, _, name, *_ in log[before:]]
    assert names == ["message_sent", "messages_imported", "message_sent"]
    assert [at for *_, at, _ in log[before:]] == [first["sentAt"]] * 3


async def test_an_import_names_its_messages(node: Node, town: World) -> None:
    """The event of an import has the first and the last id of its messages."""
    await say(town, "anna", to_user("ben"))
    rows = {f"m{number}": past("anna", to_user("ben"), SENT) for number in range(3)}
    await import_past(town, **rows)

    _, _, _, _, body = (await events(node, town))[-1]
    assert '"first_id":2,"last_id":4' in body


async def test_counts_are_written_with_the_message(node: Node, town: World) -> None:
    """An imported message counts as unread unless it was read; delivery alone changes nothing."""
    await import_past(
        town,
        a=past("anna", to_user("ben"), SENT),
        b=past("anna", to_user("ben"), SENT, readAt=SENT),
        c=past("anna", to_user("ben"), SENT, deliveredAt=SENT),
        d=past("anna", to_user("ben", updateConversation=False), SENT),
    )

    found = await stored(
        node, town, "SELECT id, counts, shows, ordinal FROM messages WHERE app_id = :app_id"
    )
    assert sorted((id_, bool(counts), bool(shows), at) for id_, counts, shows, at in found) == [
        (1, True, True, 1),
        (2, False, True, 1),
        (3, True, True, 2),
        (4, False, False, 2),
    ]
