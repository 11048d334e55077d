"""Refused messages: the code, the place of the fault, and that nothing is stored."""

import json
from typing import Any

import pytest
from tests.api.messages.talk import events, group, join, say, stored, to_group, to_user
from tests.engines import one_engine
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
DATA = "ERR_INVALID_MESSAGE_DATA"
FULL = 10_240


def media(attachments: Any, **data: Any) -> Json:
    """Return the body of a media message."""
    return {"type": "image", "data": {"attachments": attachments, **data}}


def custom(data: Any, type_: Any = "poll") -> Json:
    """Return the body of a custom message."""
    return {"category": "custom", "type": type_, "data": data}


def form(*fields: Any) -> Json:
    """Return the body of a form with those elements."""
    data = {"interactiveData": {"formFields": list(fields)}}
    return {"category": "interactive", "type": "form", "data": data}


def label(element_id: str) -> Json:
    """Return an element with that id."""
    return {"elementType": "label", "elementId": element_id, "text": "Hi"}


REFUSED: list[tuple[Json, str, str]] = [
    ({"receiver": None}, BAD, "receiver"),
    ({"receiver": ""}, "ERR_EMPTY_RECEIVER", "receiver"),
    ({"receiver": "ben keller"}, BAD, "receiver"),
    ({"receiver": "b" * 101}, BAD, "receiver"),
    ({"receiver": "bén"}, BAD, "receiver"),
    ({"receiver": "ben\n"}, BAD, "receiver"),
    ({"receiver": "ben\0"}, BAD, "receiver"),
    ({"receiver": 7}, BAD, "receiver"),
    ({"receiver": ["ben"]}, BAD, "receiver"),
    ({"receiverType": None}, BAD, "receiverType"),
    ({"receiverType": ""}, "ERR_INVALID_RECEIVER_TYPE", "receiverType"),
    ({"receiverType": "User"}, "ERR_INVALID_RECEIVER_TYPE", "receiverType"),
    ({"receiverType": "bot"}, "ERR_INVALID_RECEIVER_TYPE", "receiverType"),
    ({"receiverType": 1}, BAD, "receiverType"),
    ({"data": None}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": None}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": ""}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": 5}}, "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": False}}, "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": ["Hi"]}}, "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": {"a": 1}}}, "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"data": "Hi"}, DATA, "data"),
    ({"data": ["Hi"]}, DATA, "data"),
    ({"data": 0}, DATA, "data"),
    ({"data": False}, DATA, "data"),
    ({"data": []}, DATA, "data"),
    ({"data": {"text": "Hi", "metadata": "x"}}, "ERR_INVALID_METADATA", "data.metadata"),
    ({"data": {"text": "Hi", "metadata": []}}, "ERR_INVALID_METADATA", "data.metadata"),
    ({"data": {"text": "Hi", "metadata": None}}, "ERR_INVALID_METADATA", "data.metadata"),
    ({"category": ""}, "ERR_EMPTY_MESSAGE_CATEGORY", "category"),
    ({"category": "Message"}, "ERR_INVALID_MESSAGE_CATEGORY", "category"),
    ({"category": "action"}, "ERR_INVALID_MESSAGE_CATEGORY", "category"),
    ({"category": "call"}, "ERR_INVALID_MESSAGE_CATEGORY", "category"),
    ({"category": 5}, BAD, "category"),
    ({"type": ""}, "ERR_EMPTY_MESSAGE_TYPE", "type"),
    ({"type": "gif"}, "ERR_INVALID_MESSAGE_TYPE", "type"),
    ({"type": "form"}, "ERR_INVALID_MESSAGE_TYPE", "type"),
    ({"type": 5}, BAD, "type"),
    (custom({"customData": {}}, None), "ERR_EMPTY_MESSAGE_TYPE", "type"),
    (custom({"customData": {}}, ""), "ERR_EMPTY_MESSAGE_TYPE", "type"),
    (custom({"customData": {}}, "t" * 101), "ERR_INVALID_MESSAGE_TYPE", "type"),
    (custom({"customData": {}}, "a\0"), BAD, "type"),
    (custom({}), "ERR_EMPTY_CUSTOM_DATA", "data.customData"),
    (custom(None), "ERR_EMPTY_CUSTOM_DATA", "data.customData"),
    (custom({"text": "Hi", "customData": None}), "ERR_EMPTY_CUSTOM_DATA", "data.customData"),
    (custom({"customData": "x"}), "ERR_INVALID_CUSTOM_DATA", "data.customData"),
    (custom({"custom_data": [1]}), "ERR_INVALID_CUSTOM_DATA", "data.customData"),
    (custom({"customData": {}, "custom_data": 0}), "ERR_INVALID_CUSTOM_DATA", "data.customData"),
    (custom({"customData": {}, "metadata": 1}), "ERR_INVALID_METADATA", "data.metadata"),
    (media(None), "ERR_EMPTY_MESSAGE_FILE", "data.attachments"),
    (media([]), "ERR_EMPTY_MESSAGE_FILE", "data.attachments"),
    (media("x"), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments"),
    (media({"url": "https://a.example"}), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments"),
    (media([{}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([None]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([{"url": ""}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([{"url": 5}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([{"url": "peak.jpg"}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([{"url": "file:///x"}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (media([{"url": "javascript:x"}]), "ERR_INVALID_MEDIA_MESSAGE", "data.attachments.0.url"),
    (
        media([{"url": "https://a.example"}, {"url": "x"}]),
        "ERR_INVALID_MEDIA_MESSAGE",
        "data.attachments.1.url",
    ),
    (media([{"url": "https://a.example"}], text=5), "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"category": "interactive", "type": "quiz", "data": {}}, "ERR_INVALID_MESSAGE_TYPE", "type"),
    ({"category": "interactive", "data": {}}, "ERR_EMPTY_MESSAGE_TYPE", "type"),
    ({"category": "interactive", "type": "form", "data": {}}, DATA, "data.interactiveData"),
    (form(5), DATA, "data.interactiveData.formFields.0"),
    (
        form({"elementType": "label", "elementId": "a"}),
        DATA,
        "data.interactiveData.formFields.0.text",
    ),
    (form(label("")), DATA, "data.interactiveData.formFields.0.elementId"),
    (form(label("🏔" * 256)), DATA, "data.interactiveData.formFields.0.elementId"),
    (form(label("a"), label("a\0")), DATA, "data.interactiveData.formFields.1.elementId"),
    ({"tags": "a"}, BAD, "tags"),
    ({"tags": [5]}, BAD, "tags.0"),
    ({"tags": ["a", ""]}, BAD, "tags.1"),
    ({"tags": ["a\0b"]}, BAD, "tags.0"),
    ({"tags": ["a", None]}, BAD, "tags.1"),
    ({"muid": ""}, BAD, "muid"),
    ({"muid": "m" * 256}, BAD, "muid"),
    ({"muid": "m\0"}, BAD, "muid"),
    ({"muid": 5}, BAD, "muid"),
    ({"updateConversation": "true"}, BAD, "updateConversation"),
    ({"sendNotification": 1}, BAD, "sendNotification"),
    ({"conversationText": 1}, BAD, "conversationText"),
    ({"conversationText": "🏔" * 256}, BAD, "conversationText"),
    ({"conversationText": "a\0"}, BAD, "conversationText"),
]


@pytest.mark.parametrize(("change", "code", "path"), REFUSED, ids=str)
@one_engine
async def test_a_single_fault(world: World, change: Json, code: str, path: str) -> None:
    """A single fault refuses a message with its code and place, and nothing is stored."""
    await world.users("anna", "ben")

    body = {**to_user("ben"), **change}
    details = await world.refused("POST", "/messages", body, status=400, code=code, as_="anna")

    assert list(details) == [path]
    assert all(sentence.endswith(".") for sentence in details[path])
    assert await world.get("/messages") == []


@pytest.mark.parametrize("name", ["receiver", "receiverType"])
async def test_required_fields(world: World, name: str) -> None:
    """Without receiver or receiver type a message is refused, with the field named."""
    await world.users("anna", "ben")
    body = {key: value for key, value in to_user("ben").items() if key != name}

    details = await world.refused("POST", "/messages", body, status=400, code=BAD, as_="anna")
    assert details == {name: [f"The {name} field is required."]}


def with_data(data: str) -> bytes:
    """Return a body with `data` as written by hand."""
    return b'{"receiver":"ben","receiverType":"user","data":%b}' % data.encode(
        "utf-8", "surrogatepass"
    )


def nested(depth: int) -> str:
    """Return JSON with lists nested `depth` deep in an object."""
    return '{"text":"Hi","x":' + "[" * depth + "]" * depth + "}"


UNREADABLE = {
    "surrogate": with_data(r'{"text":"\ud800"}'),
    "surrogate_in_key": with_data(r'{"text":"Hi","\udfff":1}'),
    "surrogate_pair_reversed": with_data(r'{"text":"\udc00\ud800"}'),
    "surrogate_in_metadata": with_data(r'{"text":"Hi","metadata":{"a":["\uDABC"]}}'),
    "surrogate_bytes": with_data('{"text":"\ud800"}'),
    "overlong": with_data('{"text":"Hi"}').replace(b"Hi", b"\xc0\x80"),
    "cut_off": with_data('{"text":"Hi"}').replace(b"Hi", b"\xf0\x9f\x8f"),
    "latin": with_data('{"text":"Hi"}').replace(b"Hi", b"Z\xfcrich"),
    "raw_nul": with_data('{"text":"Hi"}').replace(b"Hi", b"\0"),
    "raw_tab": with_data('{"text":"a\tb"}'),
    "huge_number": with_data('{"text":"Hi","x":1e400}'),
    "huge_negative_number": with_data('{"text":"Hi","x":-1e400}'),
    "endless_integer": with_data('{"text":"Hi","x":' + "9" * 5_000 + "}"),
    "nan": with_data('{"text":"Hi","x":NaN}'),
    "infinity": with_data('{"text":"Hi","x":-Infinity}'),
    "leading_zero": with_data('{"text":"Hi","x":01}'),
    "comma": with_data('{"text":"Hi",}'),
    "single_quotes": with_data("{'text':'Hi'}"),
    "too_deep": with_data(nested(63)),
    "far_too_deep": with_data(nested(100_000)),
    "unclosed": with_data('{"text":"Hi"'),
    "list": b"[]",
    "text": b'"Hi"',
    "null": b"null",
    "two": with_data('{"text":"Hi"}') * 2,
    "byte_order_mark": b"\xef\xbb\xbf" + with_data('{"text":"Hi"}'),
}


@pytest.mark.parametrize("name", UNREADABLE)
@one_engine
async def test_unreadable_bodies(world: World, name: str) -> None:
    """A body that is not a JSON object in UTF-8, or endless, is refused as a whole."""
    await world.users("anna", "ben")

    await world.refused("POST", "/messages", UNREADABLE[name], status=400, code=BAD, as_="anna")
    assert await world.get("/messages") == []


async def test_how_deep_data_may_be(world: World) -> None:
    """A body may be 64 levels deep; brackets inside text do not count."""
    await world.users("anna", "ben")

    await world.post("/messages", with_data(nested(62)), as_="anna")
    await world.post("/messages", with_data('{"text":"' + "[{" * 200 + '"}'), as_="anna")
    assert len(await world.get("/messages", as_="ben")) == 2


async def test_a_body_that_is_too_large(world: World) -> None:
    """A body of more than 1 MiB is refused before any other check."""
    await world.users("anna", "ben")

    body = with_data('{"text":"' + "x" * 1024 * 1024 + '"}')
    await world.refused(
        "POST", "/messages", body, status=413, code="ERR_PAYLOAD_TOO_LARGE", as_="anna"
    )


# Limits


def sized(size: int, filler: str) -> Json:
    """Return data of exactly `size` bytes of compact JSON."""
    rest = size - len('{"text":"","more":""}')
    count, ones = divmod(rest, len(filler.encode()))
    return {"text": filler * count, "more": "x" * ones}


@pytest.mark.parametrize("filler", ["x", "é", "語", "🏔"])
async def test_how_large_data_may_be(world: World, filler: str) -> None:
    """Data may have 10,240 bytes of compact JSON in UTF-8, and not one more."""
    await world.users("anna", "ben")
    fits, too_large = sized(FULL, filler), sized(FULL + 1, filler)
    assert len(json.dumps(fits, ensure_ascii=False, separators=(",", ":")).encode()) == FULL

    said = await say(world, "anna", {**to_user("ben"), "data": fits})
    await world.refused(
        "POST", "/messages", {**to_user("ben"), "data": too_large}, status=400, code=DATA
    )

    assert said["data"]["text"] == fits["text"]
    assert len(await world.get("/messages")) == 1


async def test_how_data_is_written_does_not_count(world: World) -> None:
    """White space, escapes, and keys that the server removes do not count."""
    await world.users("anna", "ben")
    data = json.dumps({**sized(FULL, "🏔"), "entities": "x" * 20_000}, indent=8)

    assert await world.post("/messages", with_data(data), as_="anna")


async def test_attachments_are_not_counted(world: World) -> None:
    """The size of data is that without its attachments."""
    await world.users("anna", "ben")
    attachments = [
        {"url": f"https://a.example/{number}", "name": "n" * 200} for number in range(99)
    ]
    fits = {**sized(FULL, "x"), "attachments": attachments}

    assert await say(world, "anna", {**to_user("ben"), "type": "image", "data": fits})
    body = {**to_user("ben"), "type": "image", "data": {**fits, "more": "xxx"}}
    await world.refused("POST", "/messages", body, status=400, code=DATA, as_="anna")


async def test_how_many_tags_there_may_be(world: World) -> None:
    """25 tags of 100 characters of any script are accepted, a 26th or a 101st is not."""
    await world.users("anna", "ben")
    tags = [chr(0x1F600 + number) * 100 for number in range(25)]

    said = await say(world, "anna", to_user("ben", tags=tags))

    assert said["tags"] == tags
    for wrong in ([*tags, "x"], ["x"] * 26, ["🏔" * 101]):
        body = to_user("ben", tags=wrong)
        await world.refused("POST", "/messages", body, status=400, code=BAD, as_="anna")
    assert len(await world.get("/messages")) == 1


async def test_how_long_an_element_id_may_be(world: World) -> None:
    """An element id may have 255 characters of any script, and so may the element used by it."""
    await world.users("anna", "ben")
    long = "🏔" * 255

    said = await say(world, "anna", {**to_user("ben"), **form(label(long))})

    assert said["data"]["interactiveData"]["formFields"][0]["elementId"] == long
    used = {"interactions": [long]}
    told = await world.patch(f"/messages/{said['id']}/interacted", used, as_="ben")
    assert told["data"]["interactions"][0]["elementId"] == long


async def test_every_fault_of_a_form_is_named(world: World) -> None:
    """All faults of an interactive message are reported at once, each under its path."""
    await world.users("anna", "ben")
    body = {
        **to_user("ben"),
        **form(
            {"elementType": "checkbox", "elementId": "a"},
            {"elementType": "slider", "elementId": "a"},
            {"elementType": "radio", "elementId": "b", "options": [{"value": 1, "label": "x"}]},
            {"elementType": "button", "elementId": "c", "action": {"actionType": "urlNavigation"}},
        ),
    }

    details = await world.refused("POST", "/messages", body, status=400, code=DATA, as_="anna")

    place = "data.interactiveData.formFields"
    expected = ["0.label", "1.elementType", "1.elementId", "2.options.0.value", "3.action.url"]
    assert list(details) == [f"{place}.{rest}" for rest in expected]


# Receivers and senders

NOBODY = (404, "ERR_UID_NOT_FOUND")
NO_GROUP = (404, "ERR_GUID_NOT_FOUND")
OUTSIDE = (403, "ERR_GROUP_NOT_JOINED")
BANNED = (403, "ERR_BANNED_GROUPMEMBER")
ACCESS: list[tuple[str, Json, tuple[int, str]]] = [
    ("anna", to_user("nobody"), NOBODY),
    ("nobody", to_user("anna"), NOBODY),
    ("anna", to_user("app_system"), NOBODY),
    ("anna", to_user("hikers"), NOBODY),
    ("anna", to_user("gone"), NOBODY),
    ("gone", to_user("anna"), NOBODY),
    ("gone", to_group("hikers"), NOBODY),
    ("anna", to_user("asleep"), NOBODY),
    ("asleep", to_user("anna"), NOBODY),
    ("anna", to_group("nowhere"), NO_GROUP),
    ("anna", to_group("ben"), NO_GROUP),
    ("nobody", to_group("hikers"), NOBODY),
    ("ben", to_group("hikers"), OUTSIDE),
    ("ben", to_group("vault"), OUTSIDE),
    ("ben", to_group("secret"), NO_GROUP),
    ("clara", to_group("hikers"), BANNED),
    ("clara", to_group("secret"), NO_GROUP),
]


@pytest.fixture
async def town(world: World) -> World:
    """Anna is in three groups, Ben in none, Clara is banned; a user is deleted, one deactivated."""
    await world.users("anna", "ben", "clara", "gone", "asleep")
    await world.delete("/users/gone")
    await world.delete("/users", {"uidsToDeactivate": ["asleep"]})
    await group(world, "hikers", "anna")
    await group(world, "secret", "anna", type="private")
    await group(world, "vault", "anna", type="password", password="open")
    for guid in ("hikers", "secret"):
        assert (await join(world, guid, "clara", isBanned=True))["success"]
    return world


@pytest.mark.parametrize(("sender", "body", "refusal"), ACCESS, ids=str)
async def test_receivers_that_may_not_be_written_to(
    town: World, sender: str, body: Json, refusal: tuple[int, str]
) -> None:
    """A refusal to write gives the reason; receivers that the user may not see do not exist."""
    status, code = refusal

    details = await town.refused("POST", "/messages", body, status=status, code=code, as_=sender)

    assert details == {}
    assert await town.get("/messages") == []


async def test_absent_and_hidden_groups_are_answered_alike(town: World) -> None:
    """A private group is answered to others like a missing one."""
    for uid in ("ben", "clara"):
        hidden = await town.ask("POST", "/messages", to_group("secret"), as_=uid)
        absent = await town.ask("POST", "/messages", to_group("nowhere"), as_=uid)
        assert hidden.body.replace(b"secret", b"nowhere") == absent.body


async def test_a_refused_message_leaves_no_trace(node: Node, town: World) -> None:
    """After refusals there is no new conversation, number or event."""
    before = await events(node, town)
    for sender, body, _ in ACCESS:
        await town.ask("POST", "/messages", body, as_=sender)

    assert await events(node, town) == before
    assert await stored(
        node, town, "SELECT count(*) FROM conversations WHERE app_id = :app_id AND kind = 'user'"
    ) == [(0,)]
    assert (await say(town, "anna", to_user("ben")))["id"] == "1"


async def test_a_refused_muid_is_free(world: World) -> None:
    """A muid of a refused message is still free."""
    await world.users("anna", "ben")
    body = to_user("nobody", muid="m")
    await world.refused("POST", "/messages", body, status=404, code=NOBODY[1], as_="anna")

    assert (await say(world, "anna", to_user("ben", muid="m")))["receiver"] == "ben"


async def test_the_auth_key_may_not_write(world: World) -> None:
    """A key that may only sign users in cannot send messages."""
    await world.users("anna", "ben")

    for how in ({}, {"as_": "anna"}):
        await world.refused(
            "POST",
            "/messages",
            to_user("ben"),
            status=403,
            code="AUTH_ERR_NO_ACCESS",
            key=world.auth_key,
            **how,  # type: ignore[arg-type]  # both are ways to call
        )
