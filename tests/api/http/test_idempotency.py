"""A write that is repeated with its `Idempotency-Key` is done once, and answered alike."""

import asyncio
from typing import Any, Unpack

import pytest
from tests.api.messages.talk import events, group, stored, to_group, to_user
from tests.clock import ManualClock
from tests.contract import load_contract
from tests.wire import Answer
from tests.world import CallOptions, Json, Node, World

from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.domain.idempotency.prune import CHUNK, prune_keys
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.records.idempotency.model import KEPT_SECONDS
from hubbub.storage.queries import Query

REUSED = "ERR_IDEMPOTENCY_KEY_REUSED"
NO_USER = "ERR_UID_NOT_FOUND"
KEYS = "SELECT count(*) FROM idempotency_keys WHERE app_id = :app_id"
INSERT_KEY = Query(
    "insert_key",
    "INSERT INTO idempotency_keys (app_id, hash, request, answer, created_at)"
    " VALUES (:app_id, :hash, :request, :answer, :at)",
)
TOKENS = "/users/anna/auth_tokens"
FORCED = {"force": True}


def keyed(key: str = "a key", /, **how: Unpack[CallOptions]) -> CallOptions:
    """Return the arguments of a call with an idempotency key."""
    return {**how, "headers": {"Idempotency-Key": key}}


def is_repeated(answer: Answer) -> bool:
    """Return whether the answer says that it is a repeated one."""
    header = answer.headers.get("idempotent-replayed")
    assert header in {None, "true"}
    return header == "true"


async def count_tokens(world: World) -> int:
    """Return the number of Anna's tokens."""
    await world.get(TOKENS)
    total: int = world.answer.meta["pagination"]["total"]
    return total


@pytest.fixture
async def anna(world: World) -> World:
    """A world with Anna and Ben."""
    await world.users("anna", "ben")
    return world


async def test_a_repetition_is_answered_as_the_first_time(anna: World) -> None:
    """The same key and body create nothing new, and the answer says so."""
    first = await anna.ask("POST", TOKENS, FORCED, **keyed())
    again = await anna.ask("POST", TOKENS, FORCED, **keyed())

    assert (again.status, again.body) == (200, first.body)
    assert [is_repeated(first), is_repeated(again)] == [False, True]
    assert await count_tokens(anna) == 1


async def test_another_key_is_another_call(anna: World) -> None:
    """A call with a different key, also in case only, is carried out."""
    tokens = {(await anna.post(TOKENS, FORCED, **keyed(key)))["authToken"] for key in "aAb"}

    assert len(tokens) == await count_tokens(anna) == 3


async def test_a_key_is_not_for_another_body(anna: World) -> None:
    """The same key with another body is refused, and nothing is done."""
    await anna.post("/users", {"uid": "carla", "name": "Carla"}, **keyed())

    body = {"uid": "dora", "name": "Dora"}
    await anna.refused("POST", "/users", body, status=409, code=REUSED, **keyed())
    assert await anna.uids("/users") == ["carla", "ben", "anna"]


async def test_a_key_is_not_for_another_query(anna: World) -> None:
    """The query is part of the request."""
    body = {"users": {"carla": {"uid": "carla", "name": "Carla"}}}
    await anna.post("/data_import/users", body, **keyed())

    path = "/data_import/users?onConflict=update"
    await anna.refused("POST", path, body, status=409, code=REUSED, **keyed())


async def test_how_a_request_is_spelt_changes_nothing(anna: World) -> None:
    """The order of fields, white space, the case of ids in the path and the prefix may differ."""
    first = await anna.put("/users/ben", b'{"name": "Benny", "tags": ["a"]}', **keyed())
    anna.prefix = "/v3.0"

    again = await anna.put("/users/BEN/", b'{"tags":["a"],"name":"Benny"}', **keyed())
    assert is_repeated(anna.answer)
    assert again == first


@pytest.mark.parametrize("uid", ["anna", "ben"])
async def test_a_key_belongs_to_its_path(anna: World, uid: str) -> None:
    """The same key with another path or method is another key."""
    await anna.post("/users/anna/friends", {"accepted": ["ben"]}, **keyed())
    await anna.delete("/users/anna/friends", {"friends": ["ben"]}, **keyed())
    assert not is_repeated(anna.answer)

    await anna.post(f"/users/{uid}/auth_tokens", FORCED, **keyed())
    assert not is_repeated(anna.answer)


async def test_a_key_belongs_to_its_caller(anna: World) -> None:
    """Another user, the app itself, another API key: each has separate keys."""
    key = (await anna.post("/apikeys", {"name": "Other", "scope": "fullAccess"}))["apiKey"]
    ways: list[CallOptions] = [
        {},
        {"key": key},
        {"as_": "anna"},
        {"as_": "ben"},
        {"as_": "ben", "key": key},
        {"token": await anna.token("anna")},
        {"token": await anna.token("ben")},
    ]
    await group(anna, "hikers", "anna", "ben")

    said = [await anna.post("/messages", to_group("hikers"), **keyed(**how)) for how in ways]

    assert len({message["id"] for message in said}) == len(ways)


async def test_a_key_belongs_to_its_app(node: Node, anna: World) -> None:
    """Keys and answers of another app are not used."""
    other = await node.world()
    body = {"uid": "carla", "name": "Carla"}
    await anna.post("/users", body, **keyed())

    await other.post("/users", body, **keyed())
    assert not is_repeated(other.answer)


async def test_a_user_may_repeat_with_another_token(anna: World) -> None:
    """A user who signed in again between the two calls is the same caller."""
    old = await anna.token("anna")
    first = await anna.post("/messages", to_user("ben"), **keyed(token=old))
    await anna.delete(f"{TOKENS}/{old}")

    again = await anna.post("/messages", to_user("ben"), **keyed(token=await anna.token("anna")))
    assert again == first


async def test_refused_calls_may_be_retried(anna: World) -> None:
    """Errors are not stored: the key is free, for the same request or another one."""
    for body in ({}, {"uid": "anna", "name": "Anna"}):
        await anna.ask("POST", "/users", body, **keyed())
        assert anna.answer.status in {400, 409}
    await anna.refused("POST", "/messages", to_user("carla"), status=404, code=NO_USER, **keyed())
    await anna.refused("PUT", "/users/carla", {"name": "C"}, status=404, code=NO_USER, **keyed())
    await anna.post("/users", {"uid": "carla", "name": "Carla"}, **keyed())

    await anna.post("/messages", to_user("carla"), **keyed())
    await anna.put("/users/carla", {"name": "C"}, **keyed())
    assert not is_repeated(anna.answer)


async def test_a_refused_call_leaves_nothing(node: Node, anna: World) -> None:
    """A refused call leaves neither a row of its key nor a number."""
    before = await events(node, anna)
    await anna.refused("POST", "/messages", to_user("nobody"), status=404, code=NO_USER, **keyed())

    assert await stored(node, anna, KEYS) == [(0,)]
    assert await events(node, anna) == before


@pytest.mark.parametrize("key", ["k" * 256, "a\tb", "\x7f", "a\x9fb", "a\x1fb"])
async def test_an_invalid_key(anna: World, key: str) -> None:
    """A key that is too long, or contains control characters, is refused by name."""
    how = keyed(key)
    details = await anna.refused("POST", TOKENS, FORCED, status=400, code="ERR_BAD_REQUEST", **how)

    assert list(details) == ["Idempotency-Key"]
    assert await count_tokens(anna) == 0


@pytest.mark.parametrize("key", ["k", "k" * 255, "with blanks", "clé", "%00"])
async def test_any_other_key(anna: World, key: str) -> None:
    """A key may have any other characters, up to 255."""
    first = await anna.post(TOKENS, FORCED, **keyed(key))

    assert await anna.post(TOKENS, FORCED, **keyed(key)) == first


async def test_a_read_ignores_the_key(node: Node, anna: World) -> None:
    """A GET ignores the header, even with a bad key."""
    for key in ("a key", "k" * 256):
        assert await anna.uids("/users", **keyed(key)) == ["ben", "anna"]
        assert not is_repeated(anna.answer)

    await anna.user("carla")
    assert await anna.uids("/users", **keyed()) == ["carla", "ben", "anna"]
    assert await stored(node, anna, KEYS) == [(0,)]


async def test_a_key_is_kept_for_a_day(anna: World, clock: ManualClock) -> None:
    """For 24 hours a repetition does nothing; after that it is a new call."""
    first = await anna.post(TOKENS, FORCED, **keyed())
    clock.advance(KEPT_SECONDS - 1)
    assert await anna.post(TOKENS, FORCED, **keyed()) == first

    clock.advance(1)
    second = await anna.post(TOKENS, FORCED, **keyed())
    assert second != first
    assert await anna.post(TOKENS, FORCED, **keyed()) == second


async def test_expired_keys_are_removed(node: Node, anna: World, clock: ManualClock) -> None:
    """A background task removes expired keys, also those of management; others are kept."""
    await node.manager().post("/apps", {"name": "An app"}, **keyed())
    made = {"request": "", "answer": "", "at": clock.now()}
    rows = [{"hash": f"{number}", **made} for number in range(CHUNK)]
    await node.runtime.database.write(anna.app_id, lambda tx: tx.run_many(INSERT_KEY, rows))
    await anna.post(TOKENS, FORCED, **keyed())
    clock.advance(KEPT_SECONDS)
    await anna.post(TOKENS, FORCED, **keyed("another"))

    await prune_keys(node.runtime)

    assert await stored(node, anna, KEYS) == [(1,)]
    management = World(node.sender, "", "", "")
    assert await stored(node, management, KEYS) == [(0,)]


async def test_of_calls_at_once_one_is_carried_out(anna: World) -> None:
    """Of concurrent calls with a key one sends the message, and all get its answer."""
    calls = (anna.ask("POST", "/messages", to_user("ben"), **keyed(as_="anna")) for _ in range(8))
    answers = await asyncio.gather(*calls)

    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert sorted(map(is_repeated, answers)) == [False] + [True] * 7
    assert len(await anna.get("/messages")) == 1


async def test_of_refused_calls_at_once_none_waits_in_vain(anna: World) -> None:
    """A refused call with a key frees the key for concurrent calls."""
    calls = (anna.ask("POST", "/messages", to_user("carla"), **keyed(as_="anna")) for _ in range(8))
    answers = await asyncio.gather(*calls)

    assert [answer.status for answer in answers] == [404] * 8


async def test_calls_without_a_key_go_beside(anna: World) -> None:
    """Messages with and without keys are all sent, in the order of their ids."""
    ways = [
        keyed(f"{number}", as_="anna") if number % 2 else CallOptions(as_="anna")
        for number in range(20)
    ]
    await asyncio.gather(*(anna.post("/messages", to_user("ben"), **how) for how in ways))

    assert [row["id"] for row in await anna.get("/messages")] == [f"{n}" for n in range(1, 21)]


async def test_many_receivers_are_one_call(anna: World) -> None:
    """A message to many is sent once to each, and refusals are repeated in the answer."""
    body = {"multipleReceivers": {"uids": ["ben", "nobody"]}, "data": {"text": "Hello"}}
    first = await anna.post("/messages", body, **keyed(as_="anna"))

    assert await anna.post("/messages", body, **keyed(as_="anna")) == first
    assert len(await anna.get("/messages")) == 1


async def test_a_form_with_a_file_is_sent_once(anna: World) -> None:
    """A form is the same with other boundaries; with different fields it is another one."""
    first, again, other = [
        await anna.ask("POST", "/messages", form(mark, text), **form_headers(mark))
        for mark, text in (("one", "Look!"), ("two", "Look!"), ("two", "See!!"))
    ]

    assert (first.status, other.status, other.error["code"]) == (200, 409, REUSED)
    assert (again.body, is_repeated(again)) == (first.body, True)
    assert len(await anna.get("/messages")) == 1


def form(mark: str, text: str) -> bytes:
    """Return a form with a message and a file, for Ben."""
    fields = {"receiver": "ben", "receiverType": "user", "type": "file"}
    parts = [f'"{name}"\r\n\r\n{value}' for name, value in fields.items()]
    parts.append(f'"data"\r\n\r\n{{"text": "{text}"}}')
    parts.append('"file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nA file.')
    head = f"--{mark}\r\nContent-Disposition: form-data; name="
    return "".join([*(f"{head}{part}\r\n" for part in parts), f"--{mark}--\r\n"]).encode()


def form_headers(mark: str) -> CallOptions:
    """Return the headers of a form, with a key."""
    kind = f"multipart/form-data; boundary={mark}"
    return {"as_": "anna", "headers": {"Idempotency-Key": "a key", "Content-Type": kind}}


async def test_slow_work_is_done_before(anna: World) -> None:
    """A group with a password, whose hashing is slow, is created, joined and changed once."""
    group_ = {"guid": "hikers", "name": "Hikers", "type": "password", "password": "sesame"}
    calls: list[tuple[str, str, Json, str]] = [
        ("POST", "/groups", group_, "anna"),
        ("POST", "/groups/hikers/members", {"password": "sesame"}, "ben"),
        ("PUT", "/groups/hikers", {"password": "open sesame"}, "anna"),
    ]
    for method, path, body, uid in calls:
        first = await anna.call(method, path, body, **keyed(as_=uid))
        assert await anna.call(method, path, body, **keyed(as_=uid)) == first
        assert is_repeated(anna.answer)


async def test_management_calls_have_keys(node: Node) -> None:
    """An app is created once, with the same keys, and deleted once."""
    manager = node.manager()
    how: list[CallOptions] = [
        {"headers": {**node.management, "Idempotency-Key": key}} for key in ("a", "b")
    ]
    body = {"name": "An app of Idempotency"}
    first = await manager.post("/apps", body, **how[0])

    assert await manager.post("/apps", body, **how[0]) == first
    path = f"/apps?searchKey={first['id']}"
    assert [app["id"] for app in await manager.get(path)] == [first["id"]]
    deleted = await manager.delete(f"/apps/{first['id']}", **how[0])
    assert await manager.delete(f"/apps/{first['id']}", **how[0]) == deleted
    code = "ERR_APP_NOT_FOUND"
    await manager.refused("DELETE", f"/apps/{first['id']}", status=404, code=code, **how[1])


async def test_an_erased_app_takes_its_answers_along(node: Node, clock: ManualClock) -> None:
    """Stored answers to management calls about an app, with its keys, are erased with it."""
    how: CallOptions = {"headers": {**node.management, "Idempotency-Key": "a key"}}
    app = await node.manager().post("/apps", {"name": "An app that goes"}, **how)
    await node.manager().delete(f"/apps/{app['id']}", **how)
    clock.advance(ARCHIVED_SECONDS)

    await erase_archived_apps(node.runtime)

    assert await stored(node, World(node.sender, "", "", ""), KEYS) == [(0,)]


async def test_a_revoked_token_opens_nothing(anna: World) -> None:
    """A token that is revoked by a call with a key is refused at once."""
    token = await anna.token("anna")
    await anna.get("/users", token=token)
    await anna.delete(f"{TOKENS}/{token}", **keyed())

    code = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    await anna.refused("GET", "/users", status=401, code=code, token=token)


async def test_an_answer_is_kept_sealed(node: Node, anna: World) -> None:
    """The store alone reveals neither the answer nor the key."""
    token = await anna.post(TOKENS, FORCED, **keyed("the-key"))
    [row] = await stored(node, anna, "SELECT * FROM idempotency_keys WHERE app_id = :app_id")

    assert token["authToken"][:15] not in f"{row}"
    assert "the-key" not in f"{row}"


async def test_a_day_of_stuttering_is_a_day(node: Node) -> None:
    """Two worlds with the same calls, in one of them all repeated with keys, end up equal."""
    plain, stuttering = await node.world(), await node.world()
    once = [await step(plain, *call) for call in DAY]
    twice = [await step(stuttering, *call, key=f"{n}") for n, call in enumerate(DAY)]

    assert once == twice == [200] * len(DAY)
    logs = [[row[2] for row in await events(node, world)] for world in (plain, stuttering)]
    assert logs[0] == logs[1]
    for path in ("/users", "/groups", "/messages", "/groups/hikers/members", "/roles"):
        assert await shown(plain, path) == await shown(stuttering, path)


DAY: list[tuple[str, str, Any, str | None]] = [
    ("POST", "/users", {"uid": "anna", "name": "Anna"}, None),
    ("POST", "/data_import/users", {"users": {"ben": {"uid": "ben", "name": "Ben"}}}, None),
    ("POST", "/users", {"uid": "carla", "name": "Carla", "withAuthToken": True}, None),
    ("PUT", "/users/anna", {"name": "Anna B."}, None),
    ("POST", "/users/anna/friends", {"accepted": ["ben"]}, None),
    ("POST", "/users/anna/blockedusers", {"blockedUids": ["carla"]}, None),
    ("DELETE", "/users/anna/blockedusers", {"blockedUids": ["carla"]}, None),
    ("POST", "/groups", {"guid": "hikers", "name": "Hikers", "type": "public"}, "anna"),
    ("POST", "/groups/hikers/members", {}, "ben"),
    ("POST", "/groups/hikers/members", {"participants": ["carla"]}, "anna"),
    ("PUT", "/groups/hikers/members/ben", {"scope": "moderator"}, "anna"),
    ("POST", "/messages", to_group("hikers"), "ben"),
    ("POST", "/messages", to_user("ben", muid="muid-1"), "anna"),
    ("POST", "/messages", to_user("ben", muid="muid-1"), "anna"),
    ("DELETE", "/groups/hikers/members/carla", None, "anna"),
    ("POST", "/groups/hikers/bannedusers/carla", None, "anna"),
    ("POST", "/roles", {"role": "guide", "name": "Guide"}, None),
    ("POST", "/apikeys", {"name": "Another", "scope": "authOnly"}, None),
    ("DELETE", "/users", {"uidsToDeactivate": ["carla"]}, None),
    ("DELETE", "/users/carla", {"permanent": True}, None),
]
"""Calls, and their users."""


async def step(
    world: World, method: str, path: str, body: Any, uid: str | None, key: str | None = None
) -> int:
    """Make a call, twice if there is a key."""
    if key is None:
        return (await world.ask(method, path, body, as_=uid)).status
    first, again = [await world.ask(method, path, body, **keyed(key, as_=uid)) for _ in range(2)]
    assert first.body == again.body
    assert is_repeated(again), again
    return first.status


async def shown(world: World, path: str) -> list[Any]:
    """Return a list without the fields that differ between worlds."""
    return [
        {name: value for name, value in row.items() if name != "muid"}
        for row in await world.get(path)
    ]


# Permanent deletion since then ------------------------------------------------------------------


async def gone(world: World, *uids: str) -> None:
    """Delete users permanently."""
    for uid in uids:
        await world.delete(f"/users/{uid}", {"permanent": True})


async def test_no_answer_is_repeated_for_a_deleted_actor(anna: World) -> None:
    """For a deactivated or permanently deleted acting user, no answer is repeated."""
    call = ("POST", "/messages", to_user("ben"))
    await anna.call(*call, **keyed(as_="anna"))
    await anna.delete("/users", {"uidsToDeactivate": ["anna"]})
    await anna.refused(*call, status=404, code=NO_USER, **keyed(as_="anna"))
    await anna.put("/users", {"uidsToActivate": ["anna"]})
    await anna.call(*call, **keyed(as_="anna"))
    assert is_repeated(anna.answer)

    await gone(anna, "anna")
    await anna.refused(*call, status=404, code=NO_USER, **keyed(as_="anna"))


async def test_a_key_is_not_for_the_next_holder_of_a_uid(anna: World) -> None:
    """A new user with Anna's uid does not get her answers, with either way of calling."""
    for token in (None, await anna.token("anna")):
        how = CallOptions(token=token) if token else CallOptions(as_="anna")
        await anna.post("/messages", to_user("ben", "The old one's"), **keyed(**how))
    await gone(anna, "anna")
    await anna.user("anna")

    for token in (None, await anna.token("anna")):
        how = CallOptions(token=token) if token else CallOptions(as_="anna")
        await anna.post("/messages", to_user("ben", "The old one's"), **keyed(**how))
        assert not is_repeated(anna.answer)
    assert len(await anna.get("/users/anna/messages")) == 2


@pytest.mark.parametrize("is_there_again", [False, True])
async def test_the_answer_about_a_deleted_user_is_not_repeated(
    anna: World, *, is_there_again: bool
) -> None:
    """The answer about a deleted user is not repeated, even if a new one has the uid."""
    calls: list[tuple[str, str, Json]] = [
        ("POST", "/users", {"uid": "carla", "name": "Carla"}),
        ("POST", "/users/carla/auth_tokens", FORCED),
        ("PUT", "/users/carla", {"name": "Carla C."}),
        ("POST", "/messages", to_user("carla", "For Carla")),
    ]
    for call in calls:
        await anna.call(*call, **keyed())
    await gone(anna, "carla")
    if is_there_again:
        await anna.user("carla")

    for call in calls:
        await anna.refused(*call, status=404, code=NO_USER, **keyed())
    found = await anna.ask("GET", "/users/carla/messages")
    assert (found.data if is_there_again else found.status) == ([] if is_there_again else 404)


async def test_the_answer_about_a_deleted_group_is_not_repeated(anna: World) -> None:
    """The answer about a deleted group is not repeated, even if a new one has the guid."""
    body = {"guid": "hikers", "name": "Hikers", "type": "public"}
    calls: list[tuple[str, str, Json]] = [
        ("POST", "/groups", body),
        ("PUT", "/groups/hikers", {"description": "A secret"}),
        ("POST", "/messages", to_group("hikers")),
    ]
    for call in calls:
        await anna.call(*call, **keyed())
    for _ in range(2):
        await anna.delete("/groups/hikers")
        for call in calls:
            await anna.refused(*call, status=404, code="ERR_GUID_NOT_FOUND", **keyed())
        await anna.post("/groups", body)


@pytest.mark.parametrize("way", ["message", "reset", "conversation"])
async def test_the_answer_about_a_deleted_message_is_not_repeated(anna: World, way: str) -> None:
    """The answer about a deleted message is not repeated: sent, edited or quoted."""
    calls: list[tuple[str, str, Json]] = [
        ("POST", "/messages", to_user("ben", "A secret")),
        ("PUT", "/messages/1", {"data": {"text": "Another"}}),
        ("POST", "/messages", to_user("ben", "As I said", quotedMessageId="1")),
        ("POST", "/messages/1/thread", {"data": {"text": "A reply"}}),
    ]
    keys = [keyed(f"{number}", as_="anna") for number in range(len(calls))]
    for call, key in zip(calls, keys, strict=True):
        await anna.call(*call, **key)
    ends: dict[str, tuple[str, Json | None]] = {
        "message": ("/messages/1", {"permanent": True}),
        "reset": ("/users/ben/conversation", {"deleteMessagesPermanently": True}),
        "conversation": ("/conversations/anna_user_ben", None),
    }
    for _ in range(2):
        await anna.delete(*ends[way], **keyed("end", as_="anna"))
    assert is_repeated(anna.answer)

    for call, key in zip(calls, keys, strict=True):
        await anna.refused(*call, status=404, code="ERR_MESSAGE_ID_NOT_FOUND", **key)


async def test_a_deletion_may_be_repeated(anna: World) -> None:
    """A repeated permanent deletion gets its answer, and does not touch a new holder of the id."""
    await anna.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    await anna.post("/messages", to_user("ben"), as_="ben")
    calls: list[tuple[str, str, Json | None]] = [
        ("DELETE", "/messages/1", {"permanent": True}),
        ("DELETE", "/groups/hikers", None),
        ("DELETE", "/users/anna", {"permanent": True}),
    ]
    first = [await anna.call(*call, **keyed()) for call in calls]
    await anna.user("anna")
    await anna.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})

    assert [await anna.call(*call, **keyed()) for call in calls] == first
    assert is_repeated(anna.answer)
    assert sorted(await anna.uids("/users")) == ["anna", "ben"]
    assert (await anna.get("/groups/hikers"))["name"] == "Hikers"


async def test_custom_data_with_names_of_ids(anna: World) -> None:
    """Fields called uid, guid or id in custom data count only if they can be ids."""
    odd = {"uid": "\x00", "guid": "Ö", "id": "9" * 30, "conversationId": "x"}
    data = {"text": "Hello", "metadata": {**odd, "more": [odd, {"uid": 1, "id": "²"}]}}
    body = {"receiver": "ben", "receiverType": "user", "data": data}
    first = await anna.post("/messages", body, **keyed(as_="anna"))

    assert await anna.post("/messages", body, **keyed(as_="anna")) == first
    assert is_repeated(anna.answer)


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_the_header_is_documented(method: str) -> None:
    """Every write documents the header, the answer's header and the error; no read does."""
    paths = load_contract().document["paths"]
    described = [path[method] for path in paths.values() if method in path]

    for operation in described:
        named = {part["name"] for part in operation["parameters"] if part["in"] == "header"}
        conflict = operation["responses"].get("409", {"description": ""})["description"]
        headers = operation["responses"]["200"]["headers"]
        documented = {
            "Idempotency-Key" in named,
            REUSED in conflict,
            "Idempotent-Replayed" in headers,
        }
        assert documented == {method != "get"}
