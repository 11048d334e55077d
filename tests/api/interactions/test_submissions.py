"""Submissions of forms: checks, storage, events, lists, permissions."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.interactions.forms import (
    FIELDS,
    FILLED,
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
from tests.api.messages.talk import events, group, stored
from tests.clock import ManualClock
from tests.contract import load_contract
from tests.world import CallOptions, Json, Node, World

from hubbub.domain.erasure.erase import erase_all

NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"
SUBMITTED, MARKED, COMPLETED = (
    ("interactive_form_submitted", "ben"),
    ("message_interacted", "ben"),
    ("interaction_goal_completed", "ben"),
)
ANSWERED: Json = {"name": "Ben"}


@pytest.fixture
async def two(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


@pytest.fixture
async def club(world: World) -> World:
    """Anna, Ben and Clara in a group, Dora outside."""
    await world.users("anna", "ben", "clara", "dora")
    await group(world, "club", "anna", "ben", "clara")
    return world


async def refuse(world: World, path: str, form_data: Any, **how: Any) -> list[str]:
    """Check that a submission by Ben is refused; return the named fields."""
    body = {"formData": form_data}
    details = await world.refused(
        "POST", f"{path}/submissions", body, **{"as_": "ben", "status": 400, "code": BAD, **how}
    )
    return list(details)


async def count(node: Node, world: World) -> int:
    """Return the number of stored submissions."""
    text = "SELECT number FROM submissions WHERE app_id = :app_id"
    return len(await stored(node, world, text))


# Submitting


async def test_a_form_is_submitted(node: Node, two: World, clock: ManualClock) -> None:
    """A submission is stored as sent, under its event number; filled-in elements are used."""
    path = await send(two, form())

    submission = await submit(two, path, FILLED)
    id_ = path.rpartition("/")[2]
    assert submission == {
        "id": submission["id"],
        "messageId": id_,
        "uid": "ben",
        "formData": FILLED,
        "submittedAt": clock.now(),
    }
    assert list(submission["formData"]) == list(FILLED)
    assert await two.get(f"{path}/submissions", as_="anna") == [submission]
    assert sorted(used(await two.get(path, as_="ben"))) == [
        *("color", "colors", "day", "name", "send"),
    ]
    number, _, name, _, body = (await events(node, two))[-2]
    assert (str(number), name) == (submission["id"], "interactive_form_submitted")
    assert json.loads(body)["id"] == number
    assert "Ben" not in body
    assert await logged_events(node, two) == [SUBMITTED, MARKED]


async def test_a_form_is_submitted_by_token(two: World) -> None:
    """With a token, a user may submit, and see submissions to them."""
    path = await send(two, form())
    body = {"formData": ANSWERED}

    submission = await two.post(f"{path}/submissions", body, token=await two.token("ben"))
    assert submission["uid"] == "ben"
    listed = await two.get(f"{path}/submissions", token=await two.token("anna"))
    assert listed == [submission]


async def test_a_form_that_asks_for_nothing(node: Node, two: World) -> None:
    """A form with optional fields may be submitted empty, which uses its button."""
    path = await send(two, form(fields=FIELDS[2:]))
    submission = await submit(two, path, {})
    assert submission["formData"] == {}
    assert used(await two.get(path, as_="ben")) == ["send"]

    bare = {"category": "interactive", "type": "form", "data": {"formFields": FIELDS[2:]}}
    path = await send(two, bare)
    await submit(two, path, {})
    assert used(await two.get(path, as_="ben")) == []
    assert (await logged_events(node, two))[-1] == SUBMITTED


TAKING_VALUES = [each for each in FIELDS if each["elementType"] != "label"]


@pytest.mark.parametrize("element", TAKING_VALUES, ids=lambda each: str(each["elementId"]))
async def test_elements_are_optional_unless_they_say_no(two: World, element: Json) -> None:
    """`optional` is true unless it is set to false, as the reference says."""
    bare = {name: value for name, value in element.items() if name != "optional"}
    for unrequired in (bare, {**bare, "optional": True}):
        await submit(two, await send(two, form(fields=[unrequired])), {})
    path = await send(two, form(fields=[{**bare, "optional": False}]))

    assert await refuse(two, path, {}) == [f"formData.{element['elementId']}"]
    described = load_contract().document["paths"]["/messages/{id}/submissions"]["post"]
    assert "required if its element has `optional` false" in " ".join(
        described["description"].split()
    )


async def test_several_submissions_are_kept(node: Node, two: World) -> None:
    """A user may submit again; the first use of each element is kept."""
    path = await send(two, form(**goal("anyOf", "send")))

    submissions = [await submit(two, path, {"name": f"Ben {number}"}) for number in range(3)]
    assert await two.get(f"{path}/submissions") == submissions
    assert await logged_events(node, two) == [SUBMITTED, MARKED, COMPLETED, SUBMITTED, SUBMITTED]


async def test_a_goal_is_completed_by_submitting(node: Node, two: World) -> None:
    """Elements used before and elements filled in now complete a goal together."""
    path = await send(two, form(**goal("allOf", "hello", "name", "send")))

    await use(two, path, "hello")
    await submit(two, path, ANSWERED)
    assert await logged_events(node, two) == [MARKED, SUBMITTED, MARKED, COMPLETED]


# Once only


async def test_some_forms_are_submitted_once(two: World) -> None:
    """With `disableAfterInteracted` on its button a form takes one submission from each user."""
    path = await send(two, form(once=True, allowSenderInteraction=True))
    await use(two, path, "send")

    await submit(two, path, ANSWERED)
    for form_data in (ANSWERED, {"name": "Another"}, {}):
        fields = await refuse(two, path, form_data, status=409, code="ERR_ALREADY_SUBMITTED")
        assert fields == []
    await submit(two, path, ANSWERED, uid="anna")
    assert [row["uid"] for row in await two.get(f"{path}/submissions")] == ["ben", "anna"]


async def test_a_refused_submission_does_not_count(two: World) -> None:
    """After a submission with wrong values was refused, the user may submit right ones."""
    path = await send(two, form(once=True))

    assert await refuse(two, path, {}) == ["formData.name"]
    await submit(two, path, ANSWERED)


async def test_exactly_one_of_many_at_once(node: Node, two: World) -> None:
    """Of concurrent submissions of a user one is accepted; if several are allowed, all are."""
    once, often = await send(two, form(once=True)), await send(two, form())
    body = {"formData": ANSWERED}

    for path, taken in ((once, 1), (often, 12)):
        answers = await asyncio.gather(
            *(two.ask("POST", f"{path}/submissions", body, as_="ben") for _ in range(12))
        )
        statuses = sorted(answer.status for answer in answers)
        assert statuses == [200] * taken + [409] * (12 - taken)
        ids = [row["id"] for row in await two.get(f"{path}/submissions")]
        assert len(set(ids)) == taken
    assert await count(node, two) == 13
    assert (await logged_events(node, two)).count(MARKED) == 2


# Bad values


async def test_all_that_is_wrong_is_named(node: Node, two: World) -> None:
    """Each wrong or missing value is named, and nothing is stored, marked or announced."""
    path = await send(two, form(**goal("any")))
    form_data = {
        "hello": "you",
        "name": "two\nlines",
        "note": 7,
        "color": "green",
        "colors": ["red", "green"],
        "day": "2026-01-31",
        "send": "now",
        "what": None,
    }

    assert sorted(await refuse(two, path, form_data)) == sorted(
        f"formData.{element_id}" for element_id in form_data
    )
    assert sorted(await refuse(two, path, {"day": "31.12.2025"})) == [
        *("formData.day", "formData.name"),
    ]
    assert await count(node, two) == 0
    assert await logged_events(node, two) == []
    assert used(await two.get(path, as_="ben")) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"formData": None},
        {"formData": []},
        {"formData": "name"},
        {"formData": 1},
        {"formData": True},
    ],
)
async def test_form_data_is_an_object(two: World, body: Json) -> None:
    """A body without an object `formData` is refused by its name."""
    path = await send(two, form())

    details = await two.refused(
        "POST", f"{path}/submissions", body, status=400, code=BAD, as_="ben"
    )
    assert list(details) == ["formData"]


@pytest.mark.parametrize(
    "value",
    [
        "[" * 60 + "]" * 60,
        '{"a":' * 50 + "1" + "}" * 50,
        "1" + "0" * 300,
        "-1e300",
        "1.7976931348623157e308",
        "true",
        '{"$ne": null}',
        '{"": {"\\u0000": "\\u0000"}}',
        '["\\u0000"]',
        '[null, [], {}, 1e5, "x"]',
        '"\\ud83d\\ude00\\u0000"',
        '"' + "é" * 2_000 + '"',
        "[" + ",".join(["1"] * 4_000) + "]",
    ],
)
async def test_odd_values_are_kept_or_named(node: Node, two: World, value: str) -> None:
    """Any JSON value is taken as text, or refused by its element."""
    path = await send(two, form())
    for element_id in ("name", "note", "color", "colors", "day", "hello", "send", "what\\u0000"):
        name = "" if element_id == "name" else '"name": "Ben", '
        body = f'{{"formData": {{{name}"{element_id}": {value}}}}}'.encode()
        answer = await two.ask("POST", f"{path}/submissions", body, as_="ben")

        if answer.status == 200:
            assert element_id in {"name", "note"}
            row = (await two.get(f"{path}/submissions"))[-1]
            assert row["formData"][element_id] == json.loads(value)
        else:
            field = json.loads(f'"{element_id}"')
            assert list(answer.error["details"]) == [f"formData.{field}"]
    accepted = 2 if value.startswith('"') else 0
    assert await count(node, two) == accepted


@pytest.mark.parametrize(
    "value", ["1e999", "1" + "0" * 5_000, "NaN", '"\\ud800"', "[" * 100, "[" * 100 + "]" * 100]
)
async def test_malformed_json_is_refused(node: Node, two: World, value: str) -> None:
    """Unbounded numbers, lone surrogates and endless nesting are bad requests."""
    path = await send(two, form())
    body = f'{{"formData": {{"name": "Ben", "note": {value}}}}}'.encode()

    await two.refused("POST", f"{path}/submissions", body, status=400, code=BAD, as_="ben")
    assert await count(node, two) == 0


async def test_how_much_may_be_submitted(node: Node, two: World) -> None:
    """10,240 bytes of compact JSON are accepted, one more is not; in any script."""
    path = await send(two, form())
    rest = len(json.dumps({"name": ""}, separators=(",", ":")))

    for text in ("x" * (10_240 - rest), "é" * ((10_240 - rest) // 2)):
        assert (await submit(two, path, {"name": text}))["formData"] == {"name": text}
    for text in ("x" * (10_241 - rest), "é" * 5_200, "x" * 900_000):
        assert await refuse(two, path, {"name": text}) == ["formData"]
    many = {f"e{number}": 1 for number in range(5_000)}
    assert await refuse(two, path, many) == ["formData"]
    few = {f"e{number}": 1 for number in range(500)}
    assert len(await refuse(two, path, few)) == 100
    assert await count(node, two) == 2


# Permissions


@pytest.mark.parametrize("message", [card("yes"), custom(), {"data": {"text": "Hello"}}])
async def test_only_forms_are_submitted(two: World, message: Json) -> None:
    """A card, a custom message and a text cannot be submitted."""
    path = await send(two, message)

    assert await refuse(two, path, {}, status=403, code=NOT_ALLOWED) == []
    assert await two.get(f"{path}/submissions", as_="anna") == []


async def test_rights_to_submit(club: World) -> None:
    """Members may submit; the sender only if the form allows it; for others it does not exist."""
    path = await send(club, form(), to="club", kind="group")
    open_ = await send(club, form(allowSenderInteraction=True), to="club", kind="group")
    await club.delete("/groups/club/members/clara", as_="clara")

    await submit(club, path, ANSWERED, uid="ben")
    await submit(club, open_, ANSWERED, uid="anna")
    await refuse(club, path, ANSWERED, as_="anna", status=403, code=NOT_ALLOWED)
    for uid in ("clara", "dora"):
        await refuse(club, path, ANSWERED, as_=uid, status=404, code=NO_MESSAGE)
    await refuse(club, path, ANSWERED, as_="emil", status=404, code="ERR_UID_NOT_FOUND")
    assert await refuse(club, path, ANSWERED, as_=None) == ["onBehalfOf"]


async def test_a_deleted_form_is_not_submitted(two: World) -> None:
    """A deleted form cannot be submitted, and only the app still sees its submissions."""
    path = await send(two, form())
    submission = await submit(two, path, ANSWERED)
    await two.delete(path, as_="anna")

    await refuse(two, path, ANSWERED, status=403, code=NOT_ALLOWED)
    assert await two.get(f"{path}/submissions", as_="anna") == []
    assert await two.get(f"{path}/submissions") == [submission]


# Lists


async def test_visibility_of_submissions(club: World) -> None:
    """The sender and the app see submissions; other readers of the message are refused."""
    path = f"{await send(club, form(), to='club', kind='group')}/submissions"
    rows = [await submit(club, path.removesuffix("/submissions"), ANSWERED, uid="ben")]

    assert await club.get(path) == rows
    assert await club.get(path, as_="anna") == rows
    for how in (
        CallOptions(as_="ben"),
        CallOptions(as_="clara"),
        CallOptions(token=await club.token("ben")),
    ):
        await club.refused("GET", path, status=403, code="ERR_MESSAGE_NO_ACCESS", **how)
    await club.refused("GET", path, status=404, code=NO_MESSAGE, as_="dora")
    await club.refused("GET", path, status=404, code="ERR_UID_NOT_FOUND", as_="emil")
    for nowhere in ("/messages/999999/submissions", "/messages/9223372036854775807/submissions"):
        await club.refused("GET", nowhere, status=404, code=NO_MESSAGE)


async def test_a_list_is_walked_both_ways(two: World) -> None:
    """Slices are ascending, and have cursors to go on until there are no more."""
    path = await send(two, form())
    other = await send(two, form())
    ids = []
    for number in range(7):
        ids.append((await submit(two, path, {"name": f"Ben {number}"}))["id"])
        await submit(two, other, ANSWERED)

    forth, back = await walk(two, path, "next", ""), await walk(two, path, "previous", "prepend")
    assert forth == [ids[0:3], ids[3:6], ids[6:]]
    assert back == [ids[4:], ids[1:4], ids[:1]]
    assert [row["id"] for row in await two.get(f"{path}/submissions")] == ids
    assert two.answer.meta == {"current": {"limit": 100, "count": 7}}


async def walk(world: World, path: str, way: str, affix: str) -> list[list[str]]:
    """Return the ids of all slices of three, following a cursor of the answers."""
    query = f"affix={affix}"
    found: list[list[str]] = []
    while len(found) < 9:
        rows = await world.get(f"{path}/submissions?limit=3&{query}", as_="anna")
        meta = world.answer.meta
        found.append([row["id"] for row in rows])
        assert meta["current"] == {"limit": 3, "count": len(rows)}
        if way not in meta:
            break
        assert meta[way]["id"] == found[-1][-1 if way == "next" else 0]
        query = "&".join(f"{name}={value}" for name, value in meta[way].items())
    others = {"next": "previous", "previous": "next"}
    assert (others[way] in meta) is (len(found) > 1)
    return found


async def test_the_ends_of_a_list(two: World) -> None:
    """Beyond either end there is nothing; a form without submissions has none."""
    path = await send(two, form())
    assert await two.get(f"{path}/submissions", as_="anna") == []
    submission = await submit(two, path, ANSWERED)

    for query in (f"id={submission['id']}", f"id={submission['id']}&affix=prepend"):
        assert await two.get(f"{path}/submissions?{query}") == []
        assert two.answer.meta == {"current": {"limit": 100, "count": 0}}
    assert await two.get(f"{path}/submissions?id=9223372036854775807&affix=prepend") == [submission]
    assert two.answer.meta == {"current": {"limit": 100, "count": 1}}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=ten", "limit"),
        ("affix=before", "affix"),
        ("id=0", "id"),
        ("id=-1", "id"),
        ("id=x", "id"),
        ("id=9999999999999999999", "id"),
        ("id=1%00", "id"),
    ],
)
async def test_bad_cursors_name_the_field(two: World, query: str, field: str) -> None:
    """A limit outside 1 to 1,000, an unknown affix and a malformed id are refused."""
    path = await send(two, form())

    details = await two.refused("GET", f"{path}/submissions?{query}", status=400, code=BAD)
    assert list(details) == [field]


# Deleted users


async def test_a_new_holder_of_a_uid_begins_anew(node: Node, club: World) -> None:
    """Submissions of the previous holder of a uid do not count, before and after the erasure."""
    path = await send(club, form(once=True, **goal("any")), to="club", kind="group")
    await submit(club, path, {"name": "Ben the first"}, uid="ben")
    await submit(club, path, {"name": "Clara"}, uid="clara")
    await club.delete("/users/ben", {"permanent": True})
    await club.user("ben")
    await club.post("/groups/club/members", {"participants": ["ben"]})

    assert used(await club.get(path, as_="ben")) == []
    assert await use(club, path, "note") == ["note"]
    await submit(club, path, {"name": "Ben the second"}, uid="ben")
    await erase_all(node.runtime)
    await refuse(club, path, ANSWERED, status=409, code="ERR_ALREADY_SUBMITTED")
    names = [row["formData"]["name"] for row in await club.get(f"{path}/submissions")]
    assert names == ["Clara", "Ben the second"]
    assert sorted(used(await club.get(path, as_="ben"))) == ["name", "note", "send"]
    completed = [event for event in await logged_events(node, club) if event[0] == COMPLETED[0]]
    assert completed == [COMPLETED, ("interaction_goal_completed", "clara"), COMPLETED]


async def test_a_permanent_deletion_removes_submissions(node: Node, club: World) -> None:
    """A user's interactions and submissions are deleted with them; those of others are kept."""
    path = await send(club, form(**goal("any")), to="club", kind="group")
    for uid in ("ben", "clara"):
        await use(club, path, "hello", uid=uid)
        await submit(club, path, ANSWERED, uid=uid)
    await club.delete("/users/ben", {"permanent": True})
    await erase_all(node.runtime)

    for table in ("interactions", "submissions"):
        text = f"SELECT DISTINCT uid FROM {table} WHERE app_id = :app_id"
        assert await stored(node, club, text) == [("clara",)], table
