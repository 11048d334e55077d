"""Transport: HTTPS, proxies, other origins, request ids, the log, the size of headers."""

import json

import pytest
from tests.live import LiveNode
from tests.soon import until
from tests.wire import LOOPBACK
from tests.world import Node, World

from hubbub.http.answer import Answer

STRANGER = "203.0.113.9"
PROXY = "10.0.0.5"
HTTPS_REQUIRED = "ERR_HTTPS_REQUIRED"
PAGE = {"Origin": "https://chat.example.com"}


# HTTPS


@pytest.mark.parametrize("path", ["/users", "/apikeys", "/nothing", "/openapi.json"])
async def test_a_stranger_comes_over_https(world: World, path: str) -> None:
    """Plain HTTP from elsewhere is refused, and the answer names the settings that help."""
    answer = await world.ask("GET", path, client=STRANGER)

    assert (answer.status, answer.error["code"]) == (403, HTTPS_REQUIRED)
    assert "--tls-cert" in answer.error["devMessage"]
    assert "HUBBUB_TRUSTED_PROXIES" in answer.error["devMessage"]
    assert await world.get("/users", client=STRANGER, scheme="https") == []


async def test_nothing_is_done_over_plain_http(world: World) -> None:
    """A refused request changes nothing."""
    body = {"uid": "anna", "name": "Anna"}
    await world.refused("POST", "/users", body, client=STRANGER, status=403, code=HTTPS_REQUIRED)

    assert await world.uids("/users") == []


@pytest.mark.parametrize("client", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
async def test_a_client_on_this_machine_may_use_http(world: World, client: str) -> None:
    """A client on the same machine needs no HTTPS."""
    assert await world.get("/users", client=client) == []


@pytest.mark.parametrize("client", ["128.0.0.1", "::2", "::ffff:203.0.113.9", "127.0.0.1.example"])
async def test_only_a_client_on_this_machine_may_use_http(world: World, client: str) -> None:
    """An address that only resembles a local one is refused."""
    await world.refused("GET", "/users", client=client, status=403, code=HTTPS_REQUIRED)


async def test_http_on_this_machine_can_be_forbidden(node: Node) -> None:
    """With the setting off, plain HTTP is refused on this machine, too."""
    world = await node.with_settings(allow_loopback_http=False).world()

    await world.refused("GET", "/users", status=403, code=HTTPS_REQUIRED)
    assert await world.get("/users", scheme="https") == []


@pytest.mark.parametrize("said", ["https", "HTTPS", "https, http", " https "])
async def test_a_trusted_proxy_says_https(node: Node, said: str) -> None:
    """A trusted proxy's word that its client used HTTPS is accepted."""
    world = await node.with_settings(trusted_proxies=f"10.0.0.4, {PROXY}").world()

    headers = {"X-Forwarded-Proto": said}
    assert await world.get("/users", client=PROXY, headers=headers) == []


@pytest.mark.parametrize("said", ["http", "", "http, https", "httpsx"])
async def test_a_trusted_proxy_says_http(node: Node, said: str) -> None:
    """If a trusted proxy reports plain HTTP, or nothing, the request is refused."""
    world = await node.with_settings(trusted_proxies=PROXY).world()
    headers = {"X-Forwarded-Proto": said}

    await world.refused(
        "GET", "/users", client=PROXY, headers=headers, status=403, code=HTTPS_REQUIRED
    )


async def test_the_header_of_a_stranger_is_ignored(node: Node) -> None:
    """The header of any other client is ignored."""
    world = await node.with_settings(trusted_proxies=PROXY).world()
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": LOOPBACK}

    await world.refused(
        "GET", "/users", client=STRANGER, headers=headers, status=403, code=HTTPS_REQUIRED
    )


async def test_a_proxy_on_this_machine_decides_by_its_header(node: Node) -> None:
    """A trusted proxy on this machine does not count as a local client."""
    world = await node.with_settings(trusted_proxies=LOOPBACK).world()

    await world.refused("GET", "/users", status=403, code=HTTPS_REQUIRED)
    assert await world.get("/users", headers={"X-Forwarded-Proto": "https"}) == []


# Other origins


def preflight(*headers: str) -> dict[str, str]:
    """Make a browser's preflight for a request with these headers."""
    return {
        **PAGE,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": ",".join(headers),
    }


async def test_a_page_may_call_with_a_token(world: World) -> None:
    """A preflight for a user's token is granted to every origin, without a key or token."""
    headers = preflight("authtoken", "content-type", "onbehalfof", "appid")
    answer = await world.ask("OPTIONS", "/users", key="", headers=headers)

    assert answer.status == 204
    assert answer.body == b""
    assert answer.headers["access-control-allow-origin"] == "*"
    allowed = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authtoken", "content-type", "onbehalfof", "appid"} <= set(allowed)
    assert not {"apikey", "key", "secret", "*"} & set(allowed)
    assert "PUT" in answer.headers["access-control-allow-methods"].split(", ")


@pytest.mark.parametrize("header", ["apikey", "apiKey", "key", "secret", "authtoken, apikey"])
async def test_a_page_may_not_call_with_a_key(world: World, header: str) -> None:
    """A preflight for a key is refused: browsers must not have keys."""
    answer = await world.ask("OPTIONS", "/users", key="", headers=preflight(header))

    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-headers" not in answer.headers


async def test_a_page_reads_the_answers_to_its_tokens(world: World) -> None:
    """Answers and refusals to a token are readable by every page, without cookies."""
    await world.user("anna")
    token = await world.token("anna")

    for path, status in [("/users", 200), ("/users/nobody", 404), ("/apikeys", 403), ("/x", 404)]:
        answer = await world.ask("GET", path, token=token, headers=PAGE)

        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "x-request-id" in answer.headers["access-control-expose-headers"].lower()
        assert "access-control-allow-credentials" not in answer.headers


async def test_a_page_reads_no_answer_to_a_key(node: Node, world: World) -> None:
    """Answers to an app's key, or to management credentials, are readable by no page."""
    for answer in (
        await world.ask("GET", "/users", headers=PAGE),
        await world.ask("GET", "/users", key="0" * 40, headers=PAGE),
        await node.manager().ask("GET", "/apps", headers=PAGE),
    ):
        assert "access-control-allow-origin" not in answer.headers


async def test_a_request_without_origin_gets_no_cors_headers(world: World) -> None:
    """A request without an origin is answered without such headers."""
    answer = await world.ask("GET", "/users")

    assert not [name for name in answer.headers if name.startswith("access-control")]


# Request ids and the log


async def test_every_answer_has_an_id_of_its_own(world: World) -> None:
    """Answers of every kind have a request id, each a different one."""
    asked = [("GET", "/users"), ("GET", "/nothing"), ("PATCH", "/users"), ("OPTIONS", "/users")]
    ids = [
        (await world.ask(method, path)).headers["x-request-id"]
        for method, path in asked
        for _ in range(3)
    ]

    assert len(set(ids)) == len(ids)
    assert all(len(request_id) == 20 for request_id in ids)


async def test_a_request_is_in_the_log(live: LiveNode) -> None:
    """Each request is a line of JSON with its id, its operation and its outcome."""
    world = await live.world()
    answers = [
        await world.ask("GET", "/users"),
        await world.ask("GET", "/users/nobody"),
        await world.ask("GET", "/nothing"),
    ]
    ids = [answer.headers["x-request-id"] for answer in answers]
    await until(lambda: all(request_id in live.output for request_id in ids))

    lines = [json.loads(line) for line in live.output.splitlines() if line.startswith("{")]
    by_id = {line.get("request_id"): line for line in lines}
    told = [
        tuple(by_id[request_id][name] for name in ("app", "method", "operation", "status", "error"))
        for request_id in ids
    ]
    assert told == [
        (world.app_id, "GET", "list_users", 200, None),
        (world.app_id, "GET", "get_user", 404, "ERR_UID_NOT_FOUND"),
        (None, "GET", None, 404, "ERR_API_NOT_FOUND"),
    ]
    assert all(by_id[request_id]["ms"] > 0 for request_id in ids)


async def test_no_secret_is_in_the_log(live: LiveNode) -> None:
    """Keys, tokens, and texts of users are in no line of the log, from paths or bodies."""
    world = await live.world()
    await world.user("anna", name="Unspeakable", metadata={"x": "unwritable"})
    token = await world.token("anna")
    await world.get("/users?searchKey=unutterable", token=token)
    await world.get(f"/users/anna/auth_tokens/{token}")
    await world.get(f"/apikeys/{world.auth_key}")
    await world.ask("GET", f"/apikeys/{world.auth_key}/nothing")
    await world.delete("/users/anna", {"permanent": True})
    last = world.answer.headers["x-request-id"]
    await until(lambda: last in live.output)

    secrets = [world.key, world.auth_key, token, *live.management.values()]
    written = ["Unspeakable", "unwritable", "unutterable"]
    assert not [text for text in [*secrets, *written] if text in live.output]


# The size of headers


async def test_headers_of_32_kb_are_read(world: World) -> None:
    """Headers may have 32 KB in total; more is refused."""
    assert await world.get("/users", headers={"X-Large": "x" * 32_000}) == []

    await world.refused(
        "GET", "/users", headers={"X-Large": "x" * 32_768}, status=431, code="ERR_BAD_REQUEST"
    )
    many = {f"X-{number}": "x" * 100 for number in range(400)}
    await world.refused("GET", "/users", headers=many, status=431, code="ERR_BAD_REQUEST")


@pytest.mark.parametrize("text", ["a\r\nb", "a\nSet-Cookie: b", "a\0", "é"])
def test_a_header_of_an_answer_is_one_line(text: str) -> None:
    """A text that would end a header, or be read in several ways, is not sent."""
    answer = Answer()
    with pytest.raises(ValueError, match="x-name"):
        answer.set_header("x-name", text)

    assert answer.headers == {}
