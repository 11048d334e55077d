"""Fields and parameters that an operation does not have: named in a header, or refused."""

from typing import Any

import pytest
from tests.api.messages.talk import group, say, to_group, to_user
from tests.engines import one_engine
from tests.files.uploads import TO_BEN, TYPE, File, form
from tests.world import Json, Node, World

from hubbub.http.operation import MANAGEMENT, Operation
from hubbub.rest.operations import OPERATIONS

BAD = "ERR_BAD_REQUEST"
ANNA: Json = {"uid": "anna", "name": "Anna"}


@pytest.fixture
async def town(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


def ignored(world: World) -> str | None:
    """Return the header of the latest answer."""
    return world.answer.headers.get("hubbub-ignored")


# Named in a header


@pytest.mark.parametrize("number", ["1e999", "9" * 5000])
async def test_an_unknown_number_may_be_of_any_size(world: World, number: str) -> None:
    """The value of a field that is not read is not judged."""
    await world.post("/users", f'{{"uid": "anna", "name": "Anna", "zz": {number}}}'.encode())

    assert ignored(world) == "zz"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({}, None),
        ({"metadata": {"colour": 1, "nested": {"limt": 2}}}, None),
        ({"colour": 1}, "colour"),
        (
            {"colour": {"a": 1}, "Name": "x", "with_auth_token": True},
            "colour, Name, with_auth_token",
        ),
        ({"colour": None, "metadata": {"a": 1}}, "colour"),
    ],
)
async def test_unknown_fields_are_named(world: World, body: Json, names: str | None) -> None:
    """The answer names the fields that were ignored; free objects may have any."""
    await world.post("/users", ANNA | body)

    assert ignored(world) == names


async def test_nested_fields_have_their_path(town: World) -> None:
    """A field of a nested object is named with its path."""
    body = {"multipleReceivers": {"uids": ["ben"], "uuids": []}, "data": {"text": "Hi", "x": 1}}
    await town.post("/messages", body, as_="anna")
    assert ignored(town) == "multipleReceivers.uuids"

    settings = {"listUsers": "all", "sendTo": "all"}
    await town.post("/roles", {"role": "guest", "name": "Guest", "settings": settings})
    assert ignored(town) == "settings.sendTo"


async def test_an_error_names_them_too(world: World) -> None:
    """A misspelt required field is missing, and named as ignored."""
    details = await world.refused(
        "POST", "/users", {"uidd": "anna", "name": "Anna"}, status=400, code=BAD
    )

    assert list(details) == ["uid"]
    assert ignored(world) == "uidd"


@pytest.mark.parametrize("path", ["/users", "/users/anna", "/groups", "/apikeys"])
async def test_unknown_parameters_are_named(town: World, path: str) -> None:
    """Parameters are named, also of an operation that has none."""
    await town.get(f"{path}?limt=5&colour[]=red&colour[]=blue&x")
    assert ignored(town) == "limt, colour, x"

    await town.get(f"{path}?")
    assert ignored(town) is None


async def test_a_form_names_its_unknown_parts(town: World) -> None:
    """Parts of a form without files in them are fields, too."""
    fields = {**TO_BEN, "colour": "red", "multipleReceivers": None}
    await town.post("/messages", form(fields, File("a.txt", b"x")), as_="anna", headers=TYPE)

    assert ignored(town) == "colour"


HOSTILE = [
    ("a\r\nSet-Cookie: x=1", "a%0D%0ASet-Cookie%3A%20x%3D1"),
    ("a, b", "a%2C%20b"),
    ("größe", "gr%C3%B6%C3%9Fe"),
    ("\U0001f600" * 30, "%F0%9F%98%80" * 10 + "..."),
    ("\0", "%00"),
    ("", ""),
    ("%0d", "%250d"),
    ("a.b-c_d~e", "a.b-c_d~e"),
    ("x" * 10_000, "x" * 40 + "..."),
    ("\x7f\x80\xff", "%7F%C2%80%C3%BF"),
]


@pytest.mark.parametrize(("name", "shown"), HOSTILE, ids=lambda text: repr(text[:20]))
async def test_hostile_names(world: World, name: str, shown: str) -> None:
    """A name in the header is short and has no character that a header or a list may not have."""
    await world.post("/users", {**ANNA, name: 1})

    assert ignored(world) == shown


async def test_many_names_are_cut_off(world: World) -> None:
    """Ten names are shown, however many there are."""
    first = ", ".join(f"n{number}" for number in range(10))
    await world.post("/users", ANNA | {f"n{number}": 1 for number in range(10)})
    assert ignored(world) == first

    await world.put("/users/anna", {f"n{number}": 1 for number in range(15_000)})
    assert ignored(world) == f"{first}, ..."
    await world.get("/users?" + "&".join(f"n{number}" for number in range(150)))
    assert ignored(world) == f"{first}, ..."
    await world.put("/users/anna", {"\U0001f600" * 90 + str(number): 1 for number in range(99)})
    assert len(ignored(world) or "") < 1500


async def test_a_repeated_write_names_them_again(town: World) -> None:
    """A write with an `Idempotency-Key` names them each time; they do not make it another one."""
    headers = {"Idempotency-Key": "k"}
    first = await town.post("/messages", {**to_user("ben"), "a": 1}, as_="anna", headers=headers)
    assert ignored(town) == "a"

    again = await town.post("/messages", {**to_user("ben"), "b": 1}, as_="anna", headers=headers)
    assert (again, ignored(town)) == (first, "b")
    assert town.answer.headers["idempotent-replayed"] == "true"


async def test_pages_may_read_the_header(town: World) -> None:
    """The header is readable for pages of other origins."""
    token = await town.token("anna")
    await town.get("/users", token=token, headers={"Origin": "https://one.example"})

    exposed = town.answer.headers["access-control-expose-headers"]
    assert "Hubbub-Ignored" in exposed


# Refused by operations of our own

DOORS = ("", "/apps/{appId}")
OF_WEBHOOKS = (
    ("GET", "/webhooks/{webhookId}/secret"),
    ("POST", "/webhooks/{webhookId}/secret/rotate"),
    ("GET", "/webhooks/{webhookId}/deliveries"),
    ("GET", "/webhooks/{webhookId}/deliveries/{deliveryId}"),
    ("POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/replay"),
    ("POST", "/webhooks/{webhookId}/replay"),
    ("POST", "/webhooks/{webhookId}/test"),
)
SMTP = "/notifications/email/v1/providers/smtp"
PLACES = ("/users/{uid}", "/groups/{guid}")
WEB_PUSH = "/notifications/push/v1/providers/webpush"
OWN = [each for each in OPERATIONS if each.is_own]


def test_which_operations_are_our_own() -> None:
    """These operations are not part of the v3 interface."""
    assert {f"{each.method} {each.path}" for each in OWN} == {
        "GET /events",
        *(f"{method} {at}/conversation/retention" for method in ("GET", "PUT") for at in PLACES),
        *(f"PUT {at}/legal_hold" for at in ("", *PLACES)),
        "GET /legal_holds",
        "GET /retention_runs",
        "GET /events/set-aside",
        "GET /settings",
        "PUT /settings",
        "DELETE /settings",
        "POST /users/{uid}/conversation/pin",
        "DELETE /users/{uid}/conversation/pin",
        "POST /groups/{guid}/conversation/pin",
        "DELETE /groups/{guid}/conversation/pin",
        *(f"{method} /exports" for method in ("GET", "POST")),
        *(f"{method} /exports/{{exportId}}" for method in ("GET", "DELETE")),
        "POST /moderation/rules/{ruleId}/try",
        *(f"{method} /imports" for method in ("GET", "POST")),
        *(f"{method} /imports/{{importId}}" for method in ("GET", "DELETE")),
        "GET /imports/{importId}/refused",
        "GET /messages/replies",
        *(f"{method} /identity_provider" for method in ("GET", "PUT", "DELETE")),
        "POST /identity_provider/revoke",
        "GET /users/{uid}/sessions",
        "DELETE /users/{uid}/sessions/{sessionId}",
        "GET /messages/{id}/receipts",
        "GET /messages/{id}/history",
        "POST /messages/append",
        *(f"POST /messages/{{id}}/{verb}" for verb in ("append", "finish", "stop", "appeal")),
        *(f"{method} /scheduled-messages/{{id}}" for method in ("GET", "PATCH", "DELETE")),
        "GET /scheduled-messages",
        "GET /reminders",
        *(f"{method} /messages/{{id}}/reminders" for method in ("POST", "DELETE")),
        "GET /drafts",
        *(
            f"{method} /conversations/{{conversationId}}/draft"
            for method in ("GET", "PUT", "DELETE")
        ),
        "POST /scheduled-messages/{id}/send",
        "GET /messages/{id}/submissions",
        "POST /messages/{id}/submissions",
        *(f"{method} /messages/{{id}}/votes" for method in ("GET", "POST", "DELETE")),
        "POST /messages/{id}/votes/close",
        *(f"{method} {door}{path}" for method, path in OF_WEBHOOKS for door in DOORS),
        *(f"{method} {SMTP}" for method in ("GET", "POST", "PUT", "DELETE")),
        *(f"{method} {WEB_PUSH}" for method in ("GET", "POST")),
        f"DELETE {WEB_PUSH}/{{providerId}}",
        "POST /notifications/v1/test",
    }


BODIES: dict[str, Json] = {
    "set_identity_provider": {"issuer": "i", "audience": "a", "secret": "s" * 32},
    "set_settings": {"settings": {}},
    **{f"set_{each}_retention": {"days": 30} for each in ("user", "group")},
    **{f"set_{each}_hold": {"hold": True} for each in ("app", "user", "group")},
    "reset_settings": {"keys": []},
    "submit_message_form": {"formData": {}},
    "vote_in_poll": {"options": [0]},
    "ask_for_export": {},
    "try_moderation_rule": {},
    "ask_for_import": {"url": "https://example.org/export.zip"},
    "append_message": {"text": "a", "sequence": 1},
    "append_messages": {"appends": [{"id": "1", "text": "a", "sequence": 1}]},
    "finish_message": {},
    "change_scheduled_message": {},
    "set_reminder": {"at": 1_800_000_000},
    "put_draft": {"data": {}},
    "appeal_blocked_message": {},
    "rotate_webhook_secret": {},
    "rotate_webhook_secret_of_app": {},
    "test_notification": {"uid": "ben", "messageId": "1"},
    "add_webpush_provider": {"subject": "mailto:chat@example.com"},
    "save_smtp_provider": {
        "host": "mail.example.com",
        "port": 25,
        "security": "tls",
        "senderName": "Chat",
        "senderEmail": "chat@example.com",
    },
    "update_smtp_provider": {},
    "replay_webhook_deliveries": {"fromTimestamp": 0, "toTimestamp": 1},
    "replay_webhook_deliveries_of_app": {"fromTimestamp": 0, "toTimestamp": 1},
}


@pytest.mark.parametrize("entry", OWN, ids=lambda entry: str(entry.name))
@one_engine
async def test_our_own_operations_refuse_them(node: Node, town: World, entry: Operation) -> None:
    """An unknown parameter or field is refused by name; the error says which exist."""
    await group(town, "hikers", "anna", "ben")
    sent = await say(town, "anna", to_user("ben"))
    names = {"uid": "ben", "guid": "hikers", "id": sent["id"], "appId": town.app_id}
    path = entry.path.format(
        **names,
        webhookId="server",
        deliveryId="1-1",
        conversationId="anna_user_ben",
        providerId="web",
        importId="1",
        exportId="1",
        ruleId="email_filter",
        sessionId="0123456789abcdef0123456789abcdef",
    )
    caller = node.manager() if entry.key is MANAGEMENT else town
    how: Any = {"status": 400, "code": BAD, "as_": "anna" if entry.is_for_users else None}

    details = await caller.refused(entry.method, f"{path}?limt=5", BODIES.get(entry.name), **how)
    assert list(details) == ["limt"]
    for name in entry.names:
        assert name in details["limt"][0]
    if entry.name in BODIES:
        body = BODIES[entry.name] | {"colour": 1, "x" * 1000: 2}
        details = await caller.refused(entry.method, path, body, **how)
        assert list(details) == ["colour", "x" * 200]


async def test_nothing_is_done_that_is_refused(town: World) -> None:
    """A refused change is not made."""
    body = {"settings": {"limits.groupMembers": 7}, "colour": 1}
    await town.refused("PUT", "/settings", body, status=400, code=BAD)

    values = {row["key"]: row["value"] for row in await town.get("/settings")}
    assert values["limits.groupMembers"] != 7


# `limit` and `perPage`


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/users?limit=2", 2),
        ("/users?perPage=1&limit=2", 1),
        ("/users?limit=2&perPage=1", 1),
        ("/users?limit=2&perPage=", 2),
        ("/users?limit=", 3),
        ("/messages?perPage=2", 2),
        ("/messages?limit=1&perPage=2", 1),
        ("/messages/1/receipts?perPage=1", 1),
    ],
)
async def test_limit_and_per_page(town: World, path: str, count: int) -> None:
    """One is taken for the other where an operation has only one; its own one counts."""
    await town.user("clara")
    await group(town, "hikers", "anna", "ben", "clara")
    for _ in range(3):
        await say(town, "anna", to_group("hikers"))
    if "receipts" in path:
        path = path.replace("1", (await town.get("/messages"))[-1]["id"], 1)
        for uid in ("ben", "clara"):
            await town.post("/groups/hikers/conversation/read", as_=uid)

    assert len(await town.get(path)) == count
    assert ignored(town) is None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("/users?limit=0", "limit"),
        ("/users?limit=x", "limit"),
        ("/users?perPage=x&limit=1", "perPage"),
        ("/messages?perPage=1001", "perPage"),
        ("/messages?perPage=5%00", "perPage"),
        ("/messages?limit=x&perPage=1", "limit"),
    ],
)
async def test_a_wrong_size_is_named_as_sent(world: World, query: str, field: str) -> None:
    """The error names the parameter by the name that was sent."""
    details = await world.refused("GET", query, status=400, code=BAD)

    assert list(details) == [field]
    assert field in details[field][0]
