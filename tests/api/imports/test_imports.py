"""What all four imports have in common: wrappers, rows, keys, who may import."""

import json
from typing import Any

import pytest
from tests.api.imports.rows import BAD, HIKERS, KINDS, row_of, rows_of
from tests.api.messages.talk import (
    group,
    import_past,
    import_rows,
    past,
    say,
    stored,
    texts,
    to_user,
)
from tests.clock import START
from tests.engines import one_engine
from tests.world import Node, World


@pytest.fixture
async def ready(world: World) -> World:
    """A world in which rows of every kind can be imported."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna")
    await import_rows(world, "users", {f"u{n}": {"uid": f"u{n}", "name": "U"} for n in range(50)})
    return world


async def counts(node: Node, world: World) -> list[Any]:
    """Return the number of stored rows of each kind."""
    tables = ("users", "groups", "members", "messages")
    return [
        (await stored(node, world, f"SELECT count(*) FROM {table} WHERE app_id = :app_id"))[0][0]
        for table in tables
    ]


@pytest.mark.parametrize("kind", KINDS)
async def test_fifty_rows_at_once(world: World, kind: str) -> None:
    """Fifty rows are imported at once, each answered under its key, in order."""
    if kind != "users":
        await import_rows(world, "users", rows_of("users", 50))
        await world.users("anna", "ben")
        await group(world, "hikers", "anna")

    made = await import_rows(world, kind, rows_of(kind, 50))

    assert list(made) == list(rows_of(kind, 50))
    assert all(outcome["success"] is True for outcome in made.values())


@pytest.mark.parametrize("kind", KINDS)
async def test_too_many_rows(node: Node, ready: World, kind: str) -> None:
    """Of 51 rows none is imported."""
    before = await counts(node, ready)

    body = {kind: rows_of(kind, 51)}
    details = await ready.refused("POST", f"/data_import/{kind}", body, status=400, code=BAD)

    assert list(details) == [kind]
    assert await counts(node, ready) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [[], [{"uid": "a"}], "x", 5, None, True, "missing"], ids=str)
@one_engine
async def test_a_wrapper_of_the_wrong_type(world: World, kind: str, rows: Any) -> None:
    """The rows must be an object by id; anything else has its own error code."""
    body = {} if rows == "missing" else {kind: rows}
    code = f"ERR_IMPORT_INVALID_{kind[:-1].upper()}_FORMAT"

    details = await world.refused("POST", f"/data_import/{kind}", body, status=400, code=code)
    assert list(details) == [kind]


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_to_import(world: World, kind: str) -> None:
    """Without rows there are no outcomes."""
    assert await import_rows(world, kind, {}) == {}


@pytest.mark.parametrize("value", [None, 5, "x", [], True, {}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
@one_engine
async def test_a_malformed_row(ready: World, kind: str, value: Any) -> None:
    """A row that is not an object, or an empty one, does not affect the others."""
    key, good = row_of(kind, 7)
    good = {**good, "uid": "ben", "memberId": "hikers_member_ben"} if kind == "members" else good
    key = {"users": "new", "members": "hikers_member_ben"}.get(kind, key)
    good = {**good, "uid": "new"} if kind == "users" else good

    made = await import_rows(ready, kind, {"odd": value, key: good})

    assert made["odd"]["success"] is False
    assert made["odd"]["error"]["code"] == BAD
    assert made[key]["success"] is True


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_that_differs_from_its_row(node: Node, ready: World, kind: str) -> None:
    """A row whose id is not its key is refused with the field named."""
    key, row = row_of(kind, 60)
    field = {"users": "uid", "groups": "guid", "members": "memberId", "messages": "muid"}[kind]
    before = await counts(node, ready)

    made = await import_rows(ready, kind, {key + "x": row})

    assert made[key + "x"]["error"]["code"] == BAD
    assert list(made[key + "x"]["error"]["details"]) == [field]
    assert await counts(node, ready) == before


@pytest.mark.parametrize("kind", KINDS)
async def test_who_may_import(world: World, kind: str) -> None:
    """Imports need a key of full access; users cannot import."""
    await world.users("anna")
    token = await world.token("anna")

    for how in ({"key": world.auth_key}, {"key": "", "token": token}):
        await world.refused(
            "POST",
            f"/data_import/{kind}",
            {kind: {}},
            status=403,
            code="AUTH_ERR_NO_ACCESS",
            **how,  # type: ignore[arg-type]  # both are ways to call
        )


@pytest.mark.parametrize("kind", KINDS)
@one_engine
async def test_bodies_that_cannot_be_read(world: World, kind: str) -> None:
    """A body that is not a JSON object, or is nested too deep, is refused as a whole."""
    deep = b'{"%b":{"a":' % kind.encode() + b"[" * 63 + b"]" * 63 + b"}}"
    for body in (b"[]", b"{", b'{"a":"\\ud800"}', b"\xff", deep):
        await world.refused("POST", f"/data_import/{kind}", body, status=400, code=BAD)


async def test_the_other_prefix(world: World) -> None:
    """Imports are also served under `/v3.0`, as their documentation writes it."""
    world.prefix = "/v3.0"

    assert (await import_rows(world, "users", rows_of("users", 1)))["u0"]["success"]


async def test_an_import_may_be_large(world: World) -> None:
    """An import may have more than a megabyte, but at most eight."""
    await world.users("anna", "ben")
    attachments = [{"url": "https://a.example/" + "x" * 2900} for _ in range(10)]
    body = {**to_user("ben"), "type": "image", "data": {"attachments": attachments}}
    rows = {f"m{number}": past("anna", body, START) for number in range(50)}
    assert len(json.dumps(rows)) > 1024 * 1024

    assert all(outcome["success"] for outcome in (await import_past(world, **rows)).values())
    await world.refused(
        "POST",
        "/data_import/messages",
        b'{"messages":{}' + b" " * 8 * 1024 * 1024 + b"}",
        status=413,
        code="ERR_PAYLOAD_TOO_LARGE",
    )


@pytest.mark.parametrize("kind", KINDS)
async def test_an_unknown_rule_for_conflicts(world: World, kind: str) -> None:
    """`onConflict` has few values; only users and groups can be updated."""
    wrong = ["replace", "SKIP"] + (["update"] if kind in {"members", "messages"} else [])
    for rule in wrong:
        path = f"/data_import/{kind}?onConflict={rule}"
        details = await world.refused("POST", path, {kind: {}}, status=400, code=BAD)
        assert list(details) == ["onConflict"]


async def test_apps_are_sealed(node: Node) -> None:
    """The same ids in two apps are different users, groups and messages."""
    apps = [await node.world(), await node.world()]
    for number, app in enumerate(apps):
        await app.users("anna", "ben")
        await group(app, "hikers", "anna", name=f"Hikers {number}")
        body = to_user("ben", f"said in {number}", muid="m")
        assert (await say(app, "anna", body))["id"] == "1"
        made = await import_past(app, n=past("ben", to_user("anna", f"past of {number}"), 5))
        assert made["n"]["data"]["id"] == "2"

    for number, app in enumerate(apps):
        everything = [f"past of {number}", f"said in {number}"]
        for path in ("/messages", "/users/ben/messages", "/messages?conversationId=anna_user_ben"):
            assert await texts(app, path, as_="anna") == everything
        made = await import_rows(app, "groups", {"hikers": HIKERS}, "?onConflict=skip")
        assert made["hikers"]["data"]["name"] == f"Hikers {number}"
