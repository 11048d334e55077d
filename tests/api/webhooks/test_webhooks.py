"""Webhooks: create, get, list, change and delete them, at both doors."""

import asyncio
import base64
from typing import Any

import pytest
from tests.api.webhooks.doors import URL, Door, doors_of
from tests.clock import FAR_AHEAD, ManualClock
from tests.engines import one_engine
from tests.eventlog import list_logged
from tests.world import Json, Node, World

from hubbub.storage.queries import Query

NOT_FOUND = "ERR_WEBHOOK_NOT_FOUND"
CALLS = [
    ("GET", "", None),
    ("PUT", "", {}),
    ("DELETE", "", None),
    ("GET", "/triggers", None),
    ("POST", "/triggers", {"triggerIds": ["message_sent"]}),
    ("DELETE", "/triggers", {"triggerIds": ["message_sent"]}),
    ("GET", "/secret", None),
    ("POST", "/secret/rotate", {}),
    ("GET", "/deliveries", None),
    ("GET", "/deliveries/1800000000-1", None),
    ("POST", "/deliveries/1800000000-1/replay", None),
    ("POST", "/replay", {"fromTimestamp": 0, "toTimestamp": FAR_AHEAD}),
    ("POST", "/test", None),
]
"""All calls about a webhook."""
ALL = Query(
    "all", "SELECT id, password, secret, former_secret FROM webhooks WHERE app_id = :app_id"
)


# Create ------------------------------------------------------------------------------------------


async def test_a_webhook_is_created(door: Door, clock: ManualClock) -> None:
    """A new webhook is enabled, does not retry, and has a secret of Standard Webhooks."""
    created = await door.create()
    secret = created.pop("secret")

    assert created == {
        "id": "server",
        "name": "My server",
        "webhookURL": URL,
        "useBasicAuth": False,
        "enabled": True,
        "retryOnFailure": False,
        "createdAt": clock.now(),
    }
    assert secret.startswith("whsec_")
    assert 24 <= len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) <= 64
    assert await door.call("GET", "/webhooks/server") == created
    assert await door.call("GET", "/webhooks") == [created]
    assert await door.call("GET", "/webhooks/server/secret") == {"secret": secret}
    assert await door.attached("server") == []


async def test_a_webhook_with_all_fields(door: Door) -> None:
    """All fields are kept; the password is shown as dots, and in lists not at all."""
    fields = {
        "useBasicAuth": True,
        "username": "hubbub",
        "enabled": False,
        "retryOnFailure": True,
        "name": "Größe 😀" + "x" * 42,
        "webhookURL": "https://example.com:8443/" + "x" * 230,
    }
    created = await door.create("A.z_9-" + "x" * 44, **fields, password="open: sesame")

    assert created.items() >= {**fields, "password": "•••"}.items()
    found = await door.call("GET", f"/webhooks/{created['id']}")
    assert found == {name: value for name, value in created.items() if name != "secret"}
    (listed,) = await door.call("GET", "/webhooks")
    assert listed == {name: value for name, value in found.items() if name != "password"}


async def test_ids_differ_by_case(door: Door) -> None:
    """Ids keep their case: two that differ in nothing else are two webhooks."""
    await door.create("server", name="One")
    await door.create("Server", name="Two")

    assert (await door.call("GET", "/webhooks/server"))["name"] == "One"
    assert (await door.call("GET", "/webhooks/Server"))["name"] == "Two"


BAD_FIELDS: list[tuple[str, Any]] = [
    ("id", ""),
    ("id", "x" * 51),
    ("id", "a b"),
    ("id", "a/b"),
    ("id", "ä"),
    ("id", "a\n"),
    ("id", "."),
    ("id", ".."),
    ("id", 1),
    ("name", ""),
    ("name", "x" * 51),
    ("name", "a\0"),
    ("name", 1),
    ("webhookURL", ""),
    ("webhookURL", "https://example.com/" + "x" * 236),
    ("webhookURL", "https://example.com/a b"),
    ("webhookURL", "https://example.com/\n"),
    ("webhookURL", ["https://example.com/"]),
    ("useBasicAuth", "yes"),
    ("username", "x" * 51),
    ("username", "a:b"),
    ("username", "a\r\nX-Header: b"),
    ("password", "x" * 101),
    ("password", "a\n"),
    ("password", "\x7f"),
    ("enabled", 1),
    ("retryOnFailure", "true"),
]


@pytest.mark.parametrize(("field", "value"), BAD_FIELDS, ids=lambda value: repr(value)[:20])
@one_engine
async def test_an_invalid_field(world: World, field: str, value: Any) -> None:
    """Each field has its limits, when a webhook is created and when it is changed."""
    body = {"id": "server", "name": "My server", "webhookURL": URL}
    bad = body | {field: value}
    how: Any = {"status": 400, "code": "ERR_BAD_REQUEST"}

    assert list(await world.refused("POST", "/webhooks", bad, **how)) == [field]
    assert await world.get("/webhooks") == []
    if field != "id":
        await world.post("/webhooks", body)
        assert list(await world.refused("PUT", "/webhooks/server", {field: value}, **how)) == [
            field
        ]
        assert "updatedAt" not in await world.get("/webhooks/server")


@pytest.mark.parametrize("field", ["id", "name", "webhookURL"])
async def test_a_required_field(door: Door, field: str) -> None:
    """A webhook requires an id, a name and a URL."""
    body = {"id": "server", "name": "My server", "webhookURL": URL}
    del body[field]

    assert list(await door.refused("POST", "/webhooks", body)) == [field]


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({}, {"username", "password"}),
        ({"username": "hubbub"}, {"password"}),
        ({"password": "sesame"}, {"username"}),
        ({"username": "", "password": ""}, {"username", "password"}),
    ],
)
async def test_basic_auth_requires_credentials(
    door: Door, given: dict[str, str], fields: set[str]
) -> None:
    """Basic auth without username or password is refused, on creation and by a change."""
    body = {"id": "server", "name": "My server", "webhookURL": URL, "useBasicAuth": True, **given}

    assert (await door.refused("POST", "/webhooks", body)).keys() == fields
    await door.create(**given)
    details = await door.refused("PUT", "/webhooks/server", {"useBasicAuth": True})
    assert details.keys() == fields


async def test_an_id_is_taken_once(door: Door, world: World) -> None:
    """A second webhook can't have the id of another; once that is deleted, it can."""
    await door.create()
    body = {"id": "server", "name": "Another", "webhookURL": URL}

    details = await door.refused(
        "POST", "/webhooks", body, status=409, code="ERR_WEBHOOK_ALREADY_EXISTS"
    )
    assert list(details) == ["id"]
    await door.call("DELETE", "/webhooks/server")
    await door.create(name="Another")
    assert [each["name"] for each in await door.call("GET", "/webhooks")] == ["Another"]


async def test_there_are_25_webhooks(door: Door) -> None:
    """An app has at most 25 webhooks, also if more are created at once. Deleting makes room."""
    bodies = [{"id": f"w{number}", "name": "W", "webhookURL": URL} for number in range(28)]
    answers = await asyncio.gather(*[door.ask("POST", "/webhooks", body) for body in bodies])

    assert sorted(answer.status for answer in answers) == [200] * 25 + [400] * 3
    refused = [answer.error for answer in answers if answer.status == 400]
    assert {error["code"] for error in refused} == {"ERR_LIMIT_EXCEEDED"}
    assert "25" in refused[0]["details"]["webhooks"][0]
    first = next(answer.data["id"] for answer in answers if answer.status == 200)
    await door.call("DELETE", f"/webhooks/{first}")
    await door.create("one-more")


async def test_secrets_are_sealed(node: Node, world: World, door: Door) -> None:
    """The store has neither the secret nor the password in clear text."""
    created = await door.create(useBasicAuth=True, username="hubbub", password="sesame")
    await door.call("POST", "/webhooks/server/secret/rotate")
    (row,) = await node.runtime.database.read(world.app_id, lambda snapshot: snapshot.fetch(ALL))

    assert all(sealed.startswith("v1.") for sealed in row[1:])
    for clear in ("sesame", created["secret"].removeprefix("whsec_")):
        assert all(clear not in sealed for sealed in row[1:])


async def test_a_repeated_creation_with_its_key(door: Door) -> None:
    """With an `Idempotency-Key` a webhook is created once; the answer has the same secret."""
    body = {"id": "server", "name": "My server", "webhookURL": URL}
    headers = {"Idempotency-Key": f"create at {door.prefix}"}
    first = await door.ask("POST", "/webhooks", body, headers=headers)
    again = await door.ask("POST", "/webhooks", body, headers=headers)

    assert (first.status, again.status) == (200, 200)
    assert again.data == first.data
    assert again.headers["idempotent-replayed"] == "true"
    assert len(await door.call("GET", "/webhooks")) == 1


# List --------------------------------------------------------------------------------------------


async def test_webhooks_are_listed(door: Door) -> None:
    """Webhooks are listed oldest first, in pages, by a part of their id or name."""
    for id_, name in [("orders", "Bücherei"), ("crm", "Sales"), ("audit", "ORDERS too")]:
        await door.create(id_, name=name)

    async def ids(query: str) -> list[str]:
        return [each["id"] for each in await door.call("GET", f"/webhooks{query}")]

    assert await ids("") == ["orders", "crm", "audit"]
    assert await ids("?searchKey=orders") == ["orders", "audit"]
    assert await ids("?searchKey=ÜCHER") == ["orders"]
    assert await ids("?searchKey=nothing") == []
    assert await ids("?perPage=2") == ["orders", "crm"]
    assert await ids("?perPage=2&page=2") == ["audit"]
    pagination = (await door.ask("GET", "/webhooks?perPage=2&page=2")).meta["pagination"]
    assert pagination == {
        "total": 3,
        "count": 1,
        "per_page": 2,
        "current_page": 2,
        "total_pages": 2,
    }
    assert (await door.ask("GET", "/webhooks")).meta["pagination"]["per_page"] == 100
    for query in ("perPage=0", "perPage=1001", "page=0", "page=x"):
        details = await door.refused("GET", f"/webhooks?{query}")
        assert list(details) == [query.partition("=")[0]]


# Change ------------------------------------------------------------------------------------------


async def test_a_webhook_is_changed(door: Door, clock: ManualClock) -> None:
    """Given fields are changed, others are kept; the id and the secret stay the same."""
    created = await door.create(username="hubbub", password="sesame")
    secret = created.pop("secret")
    clock.advance(5)
    changes: list[Json] = [
        {"name": "Another"},
        {"webhookURL": "https://example.org/"},
        {"useBasicAuth": True},
        {"username": "other"},
        {"retryOnFailure": True},
        {"enabled": False},
        {"enabled": True},
        {},
    ]
    expected = created | {"updatedAt": clock.now()}
    for change in changes:
        expected |= change

        assert await door.call("PUT", "/webhooks/server", change) == expected
        assert await door.call("GET", "/webhooks/server") == expected
    assert await door.call("GET", "/webhooks/server/secret") == {"secret": secret}


async def test_a_masked_password_is_kept(node: Node, world: World, door: Door) -> None:
    """A password that is sent as it was shown keeps its value; another one replaces it."""
    await door.create(username="hubbub", password="sesame")
    await door.call("PUT", "/webhooks/server", {"password": "•••", "useBasicAuth": True})
    assert await password_of(node, world) == "sesame"

    changed = await door.call("PUT", "/webhooks/server", {"password": "other"})
    assert changed["password"] == "•••"
    assert await password_of(node, world) == "other"


async def test_a_masked_password_that_is_not_stored(door: Door) -> None:
    """The mark of a stored password is refused where none is stored, and never becomes one."""
    new = {"id": "server", "name": "Server", "webhookURL": URL, "password": "•••"}
    refused = await door.ask("POST", "/webhooks", new)
    assert (refused.status, list(refused.error["details"])) == (400, ["password"])

    await door.create()
    refused = await door.ask("PUT", "/webhooks/server", {"password": "•••"})
    assert (refused.status, list(refused.error["details"])) == (400, ["password"])
    assert "password" not in await door.call("GET", "/webhooks/server")


async def password_of(node: Node, world: World) -> str:
    """Return the stored password of the only webhook."""
    database, sealer = node.runtime.database, node.runtime.sealer
    (row,) = await database.read(world.app_id, lambda snapshot: snapshot.fetch(ALL))
    return sealer.open(row[1], world.app_id, "webhooks", "password", row[0])


async def test_unknown_fields_are_named(door: Door) -> None:
    """A field that a webhook does not have, or that can't be changed, is ignored and named."""
    await door.create()
    answer = await door.ask("PUT", "/webhooks/server", {"id": "other", "webhookUrl": "x"})

    assert answer.data["id"] == "server"
    assert answer.headers["hubbub-ignored"] == "id, webhookUrl"


async def test_each_change_is_announced(node: Node, world: World, door: Door) -> None:
    """Every change is in the log, by which other nodes drop what they remember."""
    await door.create()
    await door.call("PUT", "/webhooks/server", {"name": "Another"})
    await door.attach("server", "message_sent")
    await door.call("DELETE", "/webhooks/server/triggers", {"triggerIds": ["message_sent"]})
    await door.call("POST", "/webhooks/server/secret/rotate")
    await door.call("DELETE", "/webhooks/server")

    logged = await node.runtime.database.read(world.app_id, list_logged)
    assert [event[2] for event in logged] == ["webhook_changed"] * 6
    assert {event[4] for event in logged} == {f'{{"webhook":"server","at":{node.clock.now()}}}'}


@pytest.mark.parametrize("path", ["/webhooks", "/webhooks/server", "/webhooks/server/triggers"])
async def test_a_change_is_known_at_once(node: Node, world: World, path: str) -> None:
    """A node drops what it remembers of an app's webhooks with each of its own changes."""
    cache, key = node.runtime.cache, ("webhooks", world.app_id)
    bodies = {"/webhooks/server": {}, "/webhooks/server/triggers": {"triggerIds": ["a"]}}
    await world.post("/webhooks", {"id": "server", "name": "My server", "webhookURL": URL})
    cache.put(key, "remembered", app_id="any", version=cache.version)
    assert cache.get(key) == "remembered"
    method = "PUT" if path == "/webhooks/server" else "POST"
    await world.call(
        method, path, bodies.get(path, {"id": "other", "name": "Other", "webhookURL": URL})
    )

    assert cache.get(key) is None


# Delete ------------------------------------------------------------------------------------------


async def test_a_webhook_is_deleted(door: Door) -> None:
    """A deleted webhook is gone, with its triggers; another one of its id begins anew."""
    first = await door.create()
    await door.attach("server", "message_sent")
    done = await door.call("DELETE", "/webhooks/server")

    assert done == {"success": True, "message": "Deleted Webhook successfully."}
    assert await door.call("GET", "/webhooks") == []
    for method, path, body in CALLS:
        await door.refused(method, f"/webhooks/server{path}", body, status=404, code=NOT_FOUND)
    again = await door.create()
    assert await door.attached("server") == []
    assert again["secret"] != first["secret"]


# Who may -----------------------------------------------------------------------------------------


async def test_both_doors_lead_to_the_same_webhooks(node: Node, world: World) -> None:
    """Changes that are made at one door are seen at the other."""
    own, managed = doors_of(node, world).values()
    await own.create("own")
    await managed.create("managed")
    await managed.attach("own", "message_sent")

    assert await own.call("GET", "/webhooks") == await managed.call("GET", "/webhooks")
    assert await own.attached("own") == ["message_sent"]
    await own.call("PUT", "/webhooks/managed", {"name": "Changed"})
    assert (await managed.call("GET", "/webhooks/managed"))["name"] == "Changed"
    await managed.call("DELETE", "/webhooks/own")
    await own.refused("GET", "/webhooks/own", status=404, code=NOT_FOUND)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
async def test_webhooks_of_other_apps_are_not_found(
    node: Node, world: World, method: str, path: str, body: Any
) -> None:
    """No call reaches the webhook of another app, at either door."""
    other = await node.world()
    (owner, _), doors = doors_of(node, world).values(), doors_of(node, other).values()
    await owner.create()
    before = await owner.call("GET", "/webhooks/server")
    for door in doors:
        await door.refused(method, f"/webhooks/server{path}", body, status=404, code=NOT_FOUND)

    assert await owner.call("GET", "/webhooks/server") == before


async def test_an_app_that_does_not_exist(node: Node, world: World) -> None:
    """A manager's call about an app that never was, or was deleted, is refused."""
    manager = node.manager()
    await manager.post(
        f"/apps/{world.app_id}/webhooks", {"id": "server", "name": "S", "webhookURL": URL}
    )
    await manager.delete(f"/apps/{world.app_id}")
    create = ("POST", "/webhooks", {"id": "other", "name": "O", "webhookURL": URL})
    about = [(method, f"/webhooks/server{path}", body) for method, path, body in CALLS]
    for app_id in ("nobodys-app", world.app_id, world.app_id.upper(), "a_b"):
        for method, path, body in (("GET", "/triggers", None), create, *about):
            await manager.refused(
                method, f"/apps/{app_id}{path}", body, status=404, code="ERR_APP_NOT_FOUND"
            )


async def test_a_manager_needs_no_prefix(node: Node, world: World) -> None:
    """A manager's paths are served without `/v3`, too; those of an app are not."""
    manager = node.manager()
    manager.prefix = ""
    world.prefix = ""

    assert await manager.get(f"/apps/{world.app_id}/webhooks") == []
    await world.refused("GET", "/webhooks", status=404, code="ERR_API_NOT_FOUND")


@pytest.mark.parametrize("path", ["%20", "a%00b", "%ff", "x" * 300, "nobody", ".."])
async def test_an_id_that_is_none(world: World, path: str) -> None:
    """An id that no webhook can have is refused, and nothing fails."""
    answer = await world.ask("GET", f"/webhooks/{path}")

    assert answer.status in {400, 404}
