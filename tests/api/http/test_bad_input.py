"""Bad input is refused with its field named, and nothing of it is stored."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from tests.engines import one_engine
from tests.world import Json, World

BAD = "ERR_BAD_REQUEST"
ANNA = {"uid": "anna", "name": "Anna"}
RAW = b'{"uid":"anna","name":"Anna",'


async def refuse(world: World, body: Any, *, status: int = 400, code: str = BAD) -> list[str]:
    """Return the fields that the refusal of a new user names; check that none was stored."""
    details = await world.refused("POST", "/users", body, status=status, code=code)
    assert await world.uids("/users?withDeactivated=true") == []
    assert world.answer.meta["pagination"]["total"] == 0
    return list(details)


def nested(depth: int) -> bytes:
    """Return a body with this many levels, counting itself."""
    return RAW + b'"metadata":{"x":' + b"[" * (depth - 2) + b"]" * (depth - 2) + b"}}"


# What is no JSON object


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"hello",
        b"{}{}",
        b"[]",
        b'[{"uid":"anna","name":"Anna"}]',
        b"null",
        b"1",
        b'"anna"',
        b" ",
        b"\0",
        b"uid=anna&name=Anna",
        RAW + b"}",
        RAW + b'"metadata":{"x":NaN}}',
        RAW + b'"metadata":{"x":Infinity}}',
        RAW + b'"metadata":{"x":01}}',
        RAW + b"'metadata':{}}",
        RAW + b'"metadata":{}} trailing',
        RAW + b'"metadata":{"x":"\0"}}',
        RAW + b'"metadata":{"x":"\n"}}',
        b"\xef\xbb\xbf" + json.dumps(ANNA).encode(),
        json.dumps(ANNA).encode("utf-16"),
        json.dumps(ANNA).encode("utf-32-le"),
    ],
)
@one_engine
async def test_a_malformed_body_is_refused(world: World, body: bytes) -> None:
    """A body that is not a JSON object in UTF-8 is a bad request."""
    await refuse(world, body)


@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b"\xc3",
        b"\xc0\xaf",
        b"\xe2\x82",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf8\x88\x80\x80\x80",
        "é".encode("latin-1"),
    ],
)
async def test_bad_utf_8_is_refused(world: World, text: bytes) -> None:
    """A body that is not UTF-8 is refused, wherever the fault is: name, metadata, unknown field."""
    for body in (
        b'{"uid":"anna","name":"' + text + b'"}',
        RAW + b'"metadata":{"x":"' + text + b'"}}',
        RAW + b'"metadata":{"' + text + b'":1}}',
        RAW + b'"unknown":"' + text + b'"}',
    ):
        await refuse(world, body)


@pytest.mark.parametrize(
    "text", [rb"\ud800", rb"\uD800", rb"\udc00", rb"\ud800A", rb"\ud800\u0041", rb"\udc00\ud800"]
)
async def test_a_lone_surrogate_is_refused(world: World, text: bytes) -> None:
    """Half of a surrogate pair is refused, wherever it occurs."""
    for body in (
        b'{"uid":"anna","name":"' + text + b'"}',
        RAW + b'"tags":["' + text + b'"]}',
        RAW + b'"metadata":{"x":["' + text + b'"]}}',
        RAW + b'"metadata":{"' + text + b'":1}}',
        RAW + b'"unknown":{"x":"' + text + b'"}}',
        RAW + b'"' + text + b'":1}',
    ):
        await refuse(world, body)


async def test_what_only_looks_like_a_surrogate_is_kept(world: World) -> None:
    """A whole pair is a character, and an escaped backslash begins no surrogate."""
    body = rb'{"uid":"anna","name":"\ud83d\ude00 \\ud800","metadata":{"x":"\\\\ud83d"}}'

    anna = await world.post("/users", body)
    assert anna["name"] == "😀 \\ud800"
    assert anna["metadata"] == {"x": "\\\\ud83d"}


@pytest.mark.parametrize("depth", [65, 100, 10_000, 200_000])
async def test_deep_nesting_is_refused(world: World, depth: int) -> None:
    """More than 64 levels are refused, in metadata and in unknown fields, closed or not."""
    brackets = min(depth, 200_000)
    for body in (
        nested(depth),
        RAW + b'"unknown":' + b"[" * brackets + b"]" * brackets + b"}",
        RAW + b'"unknown":' + b'{"x":' * brackets + b"1" + b"}" * brackets + b"}",
        RAW + b'"metadata":{"x":' + b"[" * brackets,
    ):
        if len(body) < 1024 * 1024:
            await refuse(world, body)


async def test_64_levels_are_kept(world: World) -> None:
    """64 levels are stored and returned unchanged."""
    anna = await world.post("/users", nested(64))

    assert anna["metadata"] == json.loads(nested(64))["metadata"]
    assert await world.get("/users/anna") == anna


async def test_brackets_in_text_are_no_nesting(world: World) -> None:
    """Only brackets outside of text count as levels."""
    metadata = {"x": "[{" * 500, '"]\\"[': '\\"[' * 100, "\\": "[" * 100, "y": "\\"}

    assert (await world.user("anna", metadata=metadata))["metadata"] == metadata


async def test_levels_around_text_are_counted(world: World) -> None:
    """Text with brackets, quotes and backslashes hides no level around it."""
    for text in (b'""', b'"]"', b'"\\\\"', b'"]\\"]"', b'"\\\\\\"]"'):
        body = RAW + b'"metadata":{"x":' + (b"[" + text + b",") * 63 + b"1" + b"]" * 63 + b"}}"
        await refuse(world, body)


async def test_a_text_without_end_is_refused_in_no_time(world: World) -> None:
    """A body that is designed to be slow to parse delays nobody."""
    body = RAW + b'"x":' + b"[" * 65 + b'"' + b'\\"' * 500_000

    await refuse(world, body)


# Sizes


async def test_a_body_over_1_mib_is_refused(world: World) -> None:
    """A body of 1 MiB and one byte is refused."""
    body = RAW + b'"unknown":"' + b"x" * (1024 * 1024 - len(RAW) - 13) + b'"}'

    await refuse(world, body + b" ", status=413, code="ERR_PAYLOAD_TOO_LARGE")


async def test_a_body_of_1_mib_is_read(world: World) -> None:
    """A body of 1 MiB is accepted."""
    body = RAW + b'"unknown":"' + b"x" * (1024 * 1024 - len(RAW) - 13) + b'"}'

    assert len(body) == 1024 * 1024
    await world.post("/users", body)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uid", "a" * 101),
        ("uid", ""),
        ("name", "n" * 101),
        ("name", ""),
        ("statusMessage", "s" * 256),
        ("avatar", "https://example.com/" + "a" * 2981),
        ("link", "https://example.com/" + "a" * 2981),
        ("tags", [f"tag {number}" for number in range(26)]),
        ("tags.1", ["ok", "t" * 101]),
        ("tags.0", [""]),
        ("metadata", {"x": "m" * 5113}),
        ("metadata", {"x": "é" * 2557}),
    ],
)
async def test_too_much_is_refused(world: World, field: str, value: Any) -> None:
    """A value over its limit is refused with its field named."""
    body = {**ANNA, field.partition(".")[0]: value}

    assert await refuse(world, body) == [field]


async def test_the_limits_themselves_are_kept(world: World) -> None:
    """Values of exactly the greatest length are stored; characters count, not bytes."""
    body: Json = {
        "uid": "a" * 100,
        "name": "😀" * 100,
        "statusMessage": "𝄞" * 255,
        "avatar": "https://example.com/" + "a" * 2980,
        "link": "https://example.com/" + "a" * 2980,
        "tags": [f"{number:02}{'😀' * 98}" for number in range(25)],
        "metadata": {"x": "m" * 5112},
    }
    anna = await world.post("/users", body)

    assert {name: anna[name] for name in body} == body
    assert await world.get(f"/users/{body['uid']}") == anna
    assert await world.uids(f"/users?tags={quote(body['tags'][3])}") == [body["uid"]]
    assert await world.uids(f"/users?searchKey={quote('😀' * 100)}") == [body["uid"]]


# Types and forms


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uid", 1),
        ("uid", None),
        ("uid", ["anna"]),
        ("name", 1.5),
        ("name", {}),
        ("name", True),
        ("name", None),
        ("avatar", 1),
        ("link", []),
        ("role", 1),
        ("statusMessage", {}),
        ("metadata", []),
        ("metadata", "{}"),
        ("metadata", 1),
        ("tags", "hiker"),
        ("tags", {}),
        ("tags.0", [1]),
        ("tags.2", ["a", "b", None]),
        ("withAuthToken", "true"),
        ("withAuthToken", 1),
        ("withAuthToken", None),
    ],
)
@one_engine
async def test_a_wrong_type_is_refused(world: World, field: str, value: Any) -> None:
    """A value of the wrong type is refused with its field named."""
    body = {**ANNA, field.partition(".")[0]: value}

    assert await refuse(world, body) == [field]


@pytest.mark.parametrize(
    "uid",
    [
        "anna keller",
        " anna",
        "anna\n",
        "anna\t",
        "anna.keller",
        "anna@example.com",
        "anna/keller",
        "änna",
        "ＡＮＮＡ",
        "\u212a",
        "安娜",
        "😀",
        "a\u200bnna",
        "a\u0000nna",
        "%61nna",
        "٣",
    ],
)
@one_engine
async def test_a_malformed_uid_is_refused(world: World, uid: str) -> None:
    """A uid has only a-z, 0-9, _ and -; others are refused in bodies, lists and paths alike."""
    body = {"uid": uid, "name": "Anna"}

    assert await refuse(world, body) == ["uid"]
    details = await world.refused(
        "DELETE", "/users", {"uidsToDeactivate": ["ben", uid]}, status=400, code=BAD
    )
    assert list(details) == ["uidsToDeactivate.1"]
    answer = await world.ask("GET", f"/users/{quote(uid, safe='')}")
    assert answer.status in {400, 404}
    assert "uid" in answer.error.get("details", {"uid": []})


@pytest.mark.parametrize(
    "url",
    [
        "example.com",
        "//example.com/a.png",
        "ftp://example.com/a.png",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "https://",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com/\0",
        "\nhttps://example.com/",
        "",
    ],
)
@pytest.mark.parametrize("field", ["avatar", "link"])
@one_engine
async def test_a_malformed_web_address_is_refused(world: World, field: str, url: str) -> None:
    """Avatars and links must be absolute http or https addresses."""
    body = {**ANNA, field: url}

    assert await refuse(world, body) == [field]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uid", "an\0na"),
        ("name", "\0"),
        ("name", "Anna\0Keller"),
        ("statusMessage", "a\0"),
        ("role", "a\0"),
        ("tags.1", ["a", "\0b"]),
    ],
)
async def test_nul_in_a_plain_field_is_refused(world: World, field: str, value: Any) -> None:
    """The character U+0000 is refused in plain text, with its field named."""
    body = {**ANNA, field.partition(".")[0]: value}

    assert await refuse(world, body) == [field]


async def test_nul_in_metadata_is_kept(world: World) -> None:
    """The character U+0000 inside metadata is stored and returned intact, in keys and values."""
    metadata = {"\0": ["\0", {"a\0b": "c\0"}], "plain": "\\u0000"}
    anna = await world.user("anna", metadata=metadata)

    assert anna["metadata"] == metadata
    assert (await world.get("/users/anna"))["metadata"] == metadata


@pytest.mark.parametrize(
    "text",
    [
        "1e999",
        "-1e999",
        "9" * 5_000,
        "1" * 400 + ".5",
    ],
)
async def test_a_number_beyond_all_bounds_is_refused(world: World, text: str) -> None:
    """A number that cannot be stored exactly is refused."""
    body = RAW + b'"metadata":{"x":' + text.encode() + b"}}"

    await refuse(world, body)


async def test_unusual_metadata_is_kept(world: World) -> None:
    """Big integers, small fractions, nulls, odd keys and characters come back unchanged."""
    metadata: Json = {
        "big": [2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**30],
        "small": [0, -0.0, 0.1, 1e-300, 1.7976931348623157e308],
        "nothing": [None, {}, [], "", False],
        "": {"__proto__": 1, "$ref": "#", "a.b": 2, "app_id": ":uid", "%s": "{x}"},
        "text": '\u2028\ufeff\ufffe\uffff\U0010ffff é e\u0301 \x7f\x01\t\r\n "\\/',
    }
    anna = await world.user("anna", metadata=metadata)

    assert anna["metadata"] == metadata
    assert (await world.get("/users/anna"))["metadata"] == metadata
    assert list(anna["metadata"]) == list(metadata)


async def test_four_byte_characters_are_kept(world: World) -> None:
    """Characters of every plane are stored in every text, without normalization."""
    text = "𝄞 😀👩‍👩‍👧 𠜎 e\u0301 ﬁ Ａ \u202e"
    anna = await world.user("anna", name=text, statusMessage=text, tags=[text])

    assert (anna["name"], anna["statusMessage"], anna["tags"]) == (text, text, [text])
    assert await world.get("/users/anna") == anna


async def test_sql_in_a_text_is_text(world: World) -> None:
    """Text with meaning for a database is stored as text."""
    text = "'; DROP TABLE users; -- \\ % _ $1 :uid {where}"
    anna = await world.user("anna", name=text, tags=[text], metadata={text: text})

    assert await world.get("/users/anna") == anna
    assert await world.uids(f"/users?tags={quote(text)}") == ["anna"]
    assert await world.uids(f"/users?searchKey={quote(text)}") == ["anna"]


async def test_null_is_what_was_not_given(world: World) -> None:
    """Null in an optional field is taken as absent, and never answered."""
    body = {**ANNA, "avatar": None, "role": None, "metadata": None, "tags": None}

    assert (await world.post("/users", body)).keys() == {
        "uid",
        "name",
        "status",
        "role",
        "createdAt",
    }
    await world.put("/users/anna", {"name": None, "metadata": {"x": 1}})
    assert (await world.put("/users/anna", {"metadata": None}))["metadata"] == {"x": 1}


async def test_the_last_of_two_wins(world: World) -> None:
    """If a key occurs twice, the last one counts."""
    anna = await world.post("/users", RAW + b'"name":"Ben","metadata":{"x":1,"x":2}}')

    assert (anna["name"], anna["metadata"]) == ("Ben", {"x": 2})


async def test_unknown_fields_are_ignored(world: World) -> None:
    """Unknown fields of a body are ignored."""
    body = {**ANNA, "createdAt": 1, "status": "available", "deactivatedAt": 1, "x": {"y": ["\0"]}}
    anna = await world.post("/users", body)

    assert anna["createdAt"] > 1
    assert anna["status"] == "offline"
    assert "x" not in anna


async def test_a_refused_change_changes_nothing(world: World) -> None:
    """When one field of a change is bad, none of it is stored."""
    before = await world.user("ben", tags=["hiker"])
    for wrong in (
        {"avatar": "nowhere"},
        {"tags": ["a", ""]},
        {"metadata": {"x": "m" * 5200}},
        {"role": "captain"},
        {"unset": ["uid"]},
    ):
        body = {"name": "Benjamin", "tags": ["diver"], **wrong}
        await world.refused("PUT", "/users/ben", body, status=400, code=BAD)

    assert await world.get("/users/ben") == before
    await world.delete("/users/ben", {"permanent": True})
