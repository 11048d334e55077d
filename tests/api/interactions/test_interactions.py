"""Interactive messages: permissions, marks, goals, events."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.interactions.forms import (
    FILLED,
    button,
    card,
    custom,
    form,
    goal,
    logged_events,
    send,
    submit,
    use,
    used,
)
from tests.api.messages.talk import events, group, stored, texts, to_user
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import CallOptions, Json, Node, World

from hubbub.storage.interface import Row

NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"
YES: Json = {"interactions": ["yes"]}
MARKED, COMPLETED = ("message_interacted", "ben"), ("interaction_goal_completed", "ben")


@pytest.fixture
async def two(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


async def marks(node: Node, world: World) -> list[Row]:
    """Return the stored marks."""
    text = "SELECT message, uid, element_id FROM interactions WHERE app_id = :app_id"
    return await stored(node, world, text)


# Marking


async def test_an_element_is_marked_once(two: World, clock: ManualClock) -> None:
    """An element used before keeps its time; the answer has all that the user has used."""
    path = await send(two, card("yes", "no"))
    first = clock.now()

    assert await use(two, path, "yes") == ["yes"]
    clock.advance(10)
    body = {"interactions": [{"elementId": "no"}, "yes", "no"]}
    message = await two.patch(f"{path}/interacted", body, as_="ben")
    assert message["data"]["interactions"] == [
        {"elementId": "yes", "interactedAt": first},
        {"elementId": "no", "interactedAt": first + 10},
    ]
    assert message["id"] == path.rpartition("/")[2]
    assert message["updatedAt"] == message["sentAt"]
    assert message["data"]["interactiveData"]["text"] == "Yes?"


async def test_users_see_their_own_interactions(world: World) -> None:
    """Messages show the acting user's interactions, wherever they are read; the app sees none."""
    await world.users("anna", "ben", "clara")
    await group(world, "club", "anna", "ben", "clara")
    path = await send(world, card("yes", "no"), to="club", kind="group")
    await use(world, path, "yes", uid="ben")
    await use(world, path, "no", uid="clara")

    for uid, expected in (("ben", ["yes"]), ("clara", ["no"]), ("anna", []), (None, [])):
        assert used(await world.get(path, as_=uid)) == expected
        for listed in ("/messages", "/groups/club/messages"):
            rows = await world.get(f"{listed}?category=interactive", as_=uid)
            assert [used(row) for row in rows] == [expected]
    token = await world.token("clara")
    assert used(await world.get(path, token=token)) == ["no"]
    body = {"interactions": ["yes"]}
    assert used(await world.patch(f"{path}/interacted", body, token=token)) == ["no", "yes"]


async def test_interactions_from_clients_are_ignored(two: World) -> None:
    """The `interactions` in a sent message are ignored."""
    path = await send(two, card("yes", interactions=[{"elementId": "yes", "interactedAt": 1}]))

    for uid in ("anna", "ben"):
        assert "interactions" not in (await two.get(path, as_=uid))["data"]


@pytest.mark.parametrize("kind", ["form", "card", "scheduler"])
async def test_where_elements_are_found(two: World, kind: str) -> None:
    """Fields, buttons of cards, and the buttons to submit and to schedule can be used."""
    parts = {
        "formFields": [button("field")],
        "submitElement": button("submit"),
        "cardActions": [button("action")],
        "scheduleElement": button("schedule"),
    }
    message = {"category": "interactive", "type": kind, "data": {"interactiveData": parts}}
    path = await send(two, message)

    ids = ["field", "submit", "action", "schedule"]
    assert sorted(await use(two, path, *ids)) == sorted(ids)


async def test_a_forms_data_may_hold_its_fields(two: World) -> None:
    """The `formFields` of a form may be directly in its data."""
    message = {"category": "interactive", "type": "form", "data": {"formFields": [button("go")]}}
    path = await send(two, message)

    assert await use(two, path, "go") == ["go"]


async def test_an_unknown_element_is_named(node: Node, two: World) -> None:
    """Each unknown element is named by its place, and nothing is marked."""
    path = await send(two, card("yes", "no"))
    body = {"interactions": ["yes", "maybe", {"elementId": "YES"}, "no"]}

    details = await two.refused(
        "PATCH", f"{path}/interacted", body, status=400, code=BAD, as_="ben"
    )
    assert set(details) == {"interactions.1", "interactions.2"}
    assert await marks(node, two) == []
    assert await logged_events(node, two) == []


async def test_a_custom_message_takes_any_element(two: World) -> None:
    """Only the app knows the elements of a custom message, so any are accepted."""
    path = await send(two, custom())
    ids = ["whatever", "élan 😀", "x" * 255, " "]

    assert sorted(await use(two, path, *ids)) == sorted(ids)


async def test_how_many_elements_may_be_used(two: World) -> None:
    """If any element may be named, each user may use a limited number of different ones."""
    path = await send(two, custom(**goal("any")))
    ids = [f"{number:03}" for number in range(1_000)]
    for at in range(0, 1_000, 100):
        await use(two, path, *ids[at : at + 100])
    assert sorted(await use(two, path, "001", "000")) == ids

    code = "ERR_LIMIT_EXCEEDED"
    body = {"interactions": ["001", "new"]}
    details = await two.refused(
        "PATCH", f"{path}/interacted", body, status=400, code=code, as_="ben"
    )
    assert list(details) == ["interactions"]
    assert sorted(used(await two.get(path, as_="ben"))) == ids


# Permissions


async def test_a_sender_uses_elements_only_if_allowed(two: World) -> None:
    """A sender may use the elements only with `allowSenderInteraction`."""
    closed = await send(two, card("yes", allowSenderInteraction=False))
    open_ = await send(two, card("yes", allowSenderInteraction=True))
    assert await use(two, open_, "yes", uid="anna") == ["yes"]
    token = await two.token("anna")
    for how in (CallOptions(as_="anna"), CallOptions(token=token)):
        path = f"{closed}/interacted"
        await two.refused("PATCH", path, YES, status=403, code=NOT_ALLOWED, **how)
    assert await use(two, closed, "yes", uid="ben") == ["yes"]


async def test_invisible_messages_look_missing(world: World) -> None:
    """Users who cannot see the message are answered as if it did not exist."""
    await world.users("anna", "ben", "clara", "dora")
    await group(world, "club", "anna", "dora")
    paths = [
        await send(world, card("yes")),
        await send(world, card("yes"), to="club", kind="group"),
        "/messages/999999",
    ]
    await world.delete("/groups/club/members/dora", as_="dora")

    for uid in ("clara", "dora"):
        for path in paths:
            await world.refused(
                "PATCH", f"{path}/interacted", YES, status=404, code=NO_MESSAGE, as_=uid
            )
    await world.refused(
        "PATCH", f"{paths[0]}/interacted", YES, status=404, code="ERR_UID_NOT_FOUND", as_="emil"
    )
    details = await world.refused("PATCH", f"{paths[0]}/interacted", YES, status=400, code=BAD)
    assert list(details) == ["onBehalfOf"]


async def test_nothing_passes_between_the_blocked(node: Node, world: World) -> None:
    """A block prevents using and submitting between the two users, but not in groups."""
    await world.users("anna", "ben")
    await group(world, "club", "anna", "ben")
    for blocking, blocked, code in (
        ("anna", "ben", "ERR_BLOCKED_SENDER"),
        ("ben", "anna", "ERR_BLOCKED_RECEIVER"),
    ):
        path = await send(world, form())
        await world.post(f"/users/{blocking}/blockedusers", {"blockedUids": [blocked]})
        for method, end, body in (
            ("PATCH", "interacted", {"interactions": ["name"]}),
            ("POST", "submissions", {"formData": FILLED}),
        ):
            await world.refused(method, f"{path}/{end}", body, status=403, code=code, as_="ben")
        assert await marks(node, world) == []
        assert await world.get(f"{path}/submissions", as_="anna") == []
        await world.delete(f"/users/{blocking}/blockedusers", {"blockedUids": [blocked]})

    await world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await submit(world, await send(world, form(), to="club", kind="group"), FILLED)


async def test_only_interactive_messages_are_used(two: World) -> None:
    """A text has no elements, and a deleted message has none any more."""
    text = await send(two, {"data": {"text": "Hello"}})
    gone = await send(two, card("yes"))
    await use(two, gone, "yes")
    await two.delete(gone, as_="anna")

    for path in (text, gone):
        await two.refused(
            "PATCH", f"{path}/interacted", YES, status=403, code=NOT_ALLOWED, as_="ben"
        )
    assert "interactions" not in (await two.get(gone, as_="ben"))["data"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "interactions"),
        ({"interactions": None}, "interactions"),
        ({"interactions": []}, "interactions"),
        ({"interactions": ["yes"] * 101}, "interactions"),
        ({"interactions": "yes"}, "interactions"),
        ({"interactions": {"elementId": "yes"}}, "interactions"),
        ({"interactions": [1]}, "interactions.0"),
        ({"interactions": ["yes", None]}, "interactions.1"),
        ({"interactions": ["yes", ["no"]]}, "interactions.1"),
        ({"interactions": ["yes", ""]}, "interactions.1"),
        ({"interactions": ["x" * 256]}, "interactions.0"),
        ({"interactions": ["yes\0"]}, "interactions.0"),
        ({"interactions": [{}]}, "interactions.0.elementId"),
        ({"interactions": [{"elementId": 1}]}, "interactions.0.elementId"),
        ({"interactions": [{"elementId": ""}]}, "interactions.0.elementId"),
        ({"interactions": [{"elementId": "yes\0"}]}, "interactions.0.elementId"),
    ],
)
@one_engine
async def test_bad_bodies_name_the_field(node: Node, two: World, body: Any, field: str) -> None:
    """Anything but a list of one to a hundred element ids is refused by its place."""
    for message in (card("yes"), custom()):
        path = await send(two, message)
        details = await two.refused(
            "PATCH", f"{path}/interacted", body, status=400, code=BAD, as_="ben"
        )
        assert list(details) == [field]
    assert await marks(node, two) == []


async def test_a_hundred_may_be_marked_at_once(two: World) -> None:
    """A hundred elements can be marked in one call, also equal ones."""
    path = await send(two, custom())

    assert len(await use(two, path, *(f"e{number}" for number in range(100)))) == 100
    assert len(await use(two, path, *["once"] * 100)) == 101


# Goals and events


@pytest.mark.parametrize(
    ("type_", "listed", "steps"),
    [
        ("any", [], [("c", True)]),
        ("anyAction", ["a"], [("c", True)]),
        ("anyOf", ["a", "b"], [("c", False), ("b", True), ("a", False)]),
        ("oneOf", ["a", "b"], [("c", False), ("a", True), ("b", False)]),
        ("allOf", ["a", "b"], [("a", False), ("c", False), ("b", True)]),
        ("none", [], [("a", False), ("b", False), ("c", False)]),
        (None, [], [("a", False), ("b", False), ("c", False)]),
    ],
)
async def test_a_goal_is_completed_once(
    node: Node, two: World, type_: str | None, listed: list[str], steps: list[tuple[str, bool]]
) -> None:
    """Each mark is an event; using the last element completes the goal; repetitions do nothing."""
    path = await send(two, card("a", "b", "c", **(goal(type_, *listed) if type_ else {})))

    expected = []
    for element_id, completes in steps:
        await use(two, path, element_id)
        await use(two, path, element_id)
        expected += [MARKED, COMPLETED] if completes else [MARKED]
        assert await logged_events(node, two) == expected
    assert used(await two.get(path, as_="ben")) == [element_id for element_id, _ in steps]


async def test_goals_are_completed_by_each_user(node: Node, world: World) -> None:
    """Interactions of other users do not count."""
    await world.users("anna", "ben", "clara")
    await group(world, "club", "anna", "ben", "clara")
    path = await send(world, card("a", "b", **goal("allOf", "a", "b")), to="club", kind="group")
    await use(world, path, "a", uid="ben")
    await use(world, path, "b", uid="clara")
    assert COMPLETED not in await logged_events(node, world)

    await use(world, path, "a", uid="clara")
    await use(world, path, "b", uid="ben")
    completed = [uid for name, uid in await logged_events(node, world) if name == COMPLETED[0]]
    assert completed == ["clara", "ben"]


async def test_events_of_interactions(node: Node, two: World, clock: ManualClock) -> None:
    """The events name the message, its conversation, the user and the time; never the elements."""
    path = await send(two, card("yes", **goal("any")))
    await use(two, path, "yes")

    rows = (await events(node, two))[-2:]
    text = "SELECT conversation FROM messages WHERE app_id = :app_id"
    ((conversation,),) = await stored(node, two, text)
    assert [row[2] for row in rows] == [MARKED[0], COMPLETED[0]]
    for row in rows:
        assert json.loads(row[4]) == {
            "message": int(path.rpartition("/")[2]),
            "conversation": conversation,
            "uid": "ben",
            "at": clock.now(),
        }


async def test_concurrent_use_is_announced_once(node: Node, two: World) -> None:
    """With concurrent calls an element is marked once, and a goal completed once."""
    path = await send(two, card("a", "b", **goal("allOf", "a", "b")))

    await asyncio.gather(*(use(two, path, each) for _ in range(8) for each in ("a", "b")))
    assert await logged_events(node, two) == [MARKED, MARKED, COMPLETED]
    assert sorted(used(await two.get(path, as_="ben"))) == ["a", "b"]


# Permanent deletion


async def test_a_permanent_deletion_removes_interactions(node: Node, two: World) -> None:
    """Marks and submissions are deleted with their message, and only these."""
    gone, kept = await send(two, form(**goal("any"))), await send(two, form())
    for path in (gone, kept):
        await use(two, path, "note")
        await submit(two, path, FILLED)
    await two.delete(gone, {"permanent": True}, as_="anna")

    id_ = int(kept.rpartition("/")[2])
    for table in ("interactions", "submissions"):
        text = f"SELECT DISTINCT message FROM {table} WHERE app_id = :app_id"
        assert await stored(node, two, text) == [(id_,)], table
    assert await two.get(f"{kept}/submissions", as_="anna")
    await two.refused("GET", f"{gone}/submissions", status=404, code=NO_MESSAGE)


async def test_other_messages_are_unchanged(two: World) -> None:
    """Messages that are not interactive have no interactions or goals."""
    await two.post("/messages", to_user("ben"), as_="anna")

    assert await texts(two, "/messages", as_="ben") == ["Hello"]
