"""Links to files: signatures, ranges, and the headers for browsers."""

from urllib.parse import parse_qs, urlsplit

import pytest
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.files.uploads import File, attached, fetch, picture, send_files
from tests.wire import Asked
from tests.world import Json, Node, World

from hubbub.config import BadSetting

CONTENT = bytes(range(256)) * 4
SIZE = len(CONTENT)
NOT_FOUND = "ERR_FILE_NOT_FOUND"
DAY = 24 * 60 * 60
SCRIPT = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


@pytest.fixture
async def link(talk: World) -> str:
    """A link to a file."""
    return await link_to(talk, CONTENT)


async def link_to(world: World, content: bytes, name: str = "a.bin") -> str:
    """Return a link to a file with that content."""
    url: str = (await attached(world, content, name))["url"]
    return url


async def refused(node: Node, link: str, status: int = 404, code: str = NOT_FOUND) -> None:
    """Check that a link leads nowhere."""
    answer = await fetch(node.sender, link)
    assert (answer.status, answer.error["code"]) == (status, code), link


# Links


async def test_a_link_names_its_address(node: Node, talk: World, link: str) -> None:
    """Links begin with the address of the request, or with the one of the settings."""
    sent = (await talk.get("/messages"))[0]["id"]
    path = f"/messages/{sent}"
    asked: list[tuple[World, Json, str]] = [
        (talk, {"headers": {"host": "chat.example.com:8443"}}, "http://chat.example.com:8443/"),
        (talk, {"scheme": "https"}, "https://localhost/"),
        (talk, {"headers": {"x-forwarded-proto": "https"}}, "https://localhost/"),
        (talk, {"headers": {"host": 'a"b'}}, "/files/"),
    ]
    for world, how, beginning in asked:
        told = await world.get(path, **how)
        assert told["data"]["attachments"][0]["url"].startswith(beginning)

    elsewhere = node.with_settings(public_url="https://chat.example.com/")
    world = World(elsewhere.sender, talk.app_id, talk.key, talk.auth_key)
    told = await world.get(path)
    assert told["data"]["attachments"][0]["url"].startswith("https://chat.example.com/files/")
    assert link.startswith("http://localhost/files/")


@pytest.mark.parametrize("address", ["chat.example.com", "https://", 'https://a"b', "https://a b"])
async def test_an_invalid_public_address(node: Node, address: str) -> None:
    """A node does not start with an address that no link can begin with; the error names it."""
    with pytest.raises(BadSetting, match="HUBBUB_PUBLIC_URL"):
        node.with_settings(public_url=address)


async def test_a_link_lives_for_seven_days(
    node: Node, clock: ManualClock, talk: World, link: str
) -> None:
    """A link is valid for seven to eight days; the next read returns a new one."""
    clock.advance(7 * DAY - 1)
    assert (await fetch(node.sender, link)).body == CONTENT
    clock.advance(DAY + 1)
    await refused(node, link, 403, "ERR_FILE_LINK_EXPIRED")

    again = (await talk.get("/messages"))[0]["data"]["attachments"][0]["url"]
    assert (await fetch(node.sender, again)).body == CONTENT


async def test_a_link_is_the_same_for_a_day(clock: ManualClock, talk: World) -> None:
    """Links that are read on one day are the same, so that caches work."""
    clock.advance(DAY - clock.now() % DAY)
    sent = await send_files(talk, File("a.bin", CONTENT))
    clock.advance(DAY - 1)
    again = await talk.get(f"/messages/{sent['id']}")

    assert again["data"]["attachments"] == sent["data"]["attachments"]


async def test_a_link_may_be_sent_back(node: Node, clock: ManualClock, talk: World) -> None:
    """An edit that sends attachments back as they were read keeps the files."""
    sent = await send_files(talk, File("a.png", picture(2, 2)), type="image")
    data = {"text": "New", "attachments": sent["data"]["attachments"]}
    await talk.put(f"/messages/{sent['id']}", {"data": data}, as_="anna")
    clock.advance(30 * DAY)

    file = (await talk.get(f"/messages/{sent['id']}"))["data"]["attachments"][0]
    assert (await fetch(node.sender, file["url"])).status == 200
    assert (await fetch(node.sender, file["thumbnail"]["url"])).status == 200


async def test_a_link_in_another_message_stays_as_it_is(
    node: Node, clock: ManualClock, talk: World, link: str
) -> None:
    """A link to a file of one message, sent in another, is valid for as long as before."""
    data = {"attachments": [{"url": link}], "text": link}
    body = {"receiver": "ben", "receiverType": "user", "type": "file", "data": data}
    sent = await talk.post("/messages", body, as_="anna")
    assert sent["data"]["attachments"] == [{"url": link}]
    clock.advance(30 * DAY)

    again = await talk.get(f"/messages/{sent['id']}")
    assert again["data"]["attachments"] == [{"url": link}]
    await refused(node, link, 403, "ERR_FILE_LINK_EXPIRED")


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("signature=", "signature=0"),
        ("signature=", "sig="),
        ("signature=", "signature=%C3%A4"),
        ("expires=1", "expires=2"),
        ("expires=", "expires=-"),
        ("expires=", "expires=" + "9" * 5000),
        ("/1/", "/2/"),
        ("/1/", "/x/"),
        ("/1/", "/01/"),
        ("/files/", "/files/x"),
        (".bin", "-thumbnail.webp"),
        (".bin", ".bin.bin"),
        (".bin", "a.bin"),
        (".bin", "/.."),
    ],
)
@one_engine
async def test_a_link_that_was_tampered_with(node: Node, link: str, part: str, other: str) -> None:
    """A link that differs from what was signed leads nowhere."""
    assert part in link
    answer = await fetch(node.sender, link.replace(part, other, 1))

    assert answer.status == 404
    assert CONTENT not in answer.body


async def test_a_link_of_another_file_or_app(node: Node, talk: World, link: str) -> None:
    """A signature is valid for one file of one message of one app."""
    other = await node.world()
    await other.users("anna", "ben")
    foreign = await link_to(other, b"foreign")
    mine, its = urlsplit(link), urlsplit(foreign)

    await refused(node, f"{its.path}?{mine.query}")
    await refused(node, f"{mine.path}?{its.query}")
    await refused(node, f"{mine.path.replace(talk.app_id, other.app_id)}?{mine.query}")
    assert set(parse_qs(mine.query)) == {"expires", "signature"}


# Headers for browsers


async def test_a_file_comes_with_its_headers(node: Node, talk: World) -> None:
    """Browsers do not guess its type, share it from caches, or run anything in it."""
    answer = await fetch(node.sender, await link_to(talk, picture(1, 1), "a.png"))

    headers = answer.headers
    assert headers["content-type"] == "image/png"
    assert headers["content-disposition"] == "inline; filename=\"a.png\"; filename*=UTF-8''a.png"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert headers["cache-control"].startswith("private")
    assert headers["accept-ranges"] == "bytes"
    assert int(headers["content-length"]) == len(answer.body)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (SCRIPT, "a.svg"),
        (b'<?xml version="1.0"?><!-- x -->' + SCRIPT, "a.png"),
        (b"<!DOCTYPE html><script>alert(1)</script>", "a.html"),
        (b"<script>alert(1)</script>", "a.jpg"),
        (b"alert(1)", "a.js"),
        (b"%PDF-1.7\n", "a.pdf"),
        (b"Hello", "a.txt"),
        (b"\0\0", "a.svg"),
    ],
)
async def test_files_that_may_hold_scripts_are_downloads(
    node: Node, talk: World, content: bytes, name: str
) -> None:
    """Everything except images, sounds and videos is a download, whatever its type or name."""
    answer = await fetch(node.sender, await link_to(talk, content, name))

    assert answer.body == content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{name}"')


async def test_a_name_for_old_and_new_browsers(node: Node, talk: World) -> None:
    """A name with other than ASCII characters is written twice, and cannot break the header."""
    answer = await fetch(node.sender, await link_to(talk, b"x", "Grüße; a=b%22 😀.txt"))

    assert answer.headers["content-disposition"] == (
        'attachment; filename="Gr__e; a=b_22 _.txt"; '
        "filename*=UTF-8''Gr%C3%BC%C3%9Fe%3B%20a%3Db%2522%20%F0%9F%98%80.txt"
    )


# Ranges


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=0-9", 0, 9),
        ("bytes=10-", 10, SIZE - 1),
        ("bytes=-5", SIZE - 5, SIZE - 1),
        ("bytes=-99999", 0, SIZE - 1),
        ("bytes=1000-99999", 1000, SIZE - 1),
        ("Bytes = 1-2".replace(" ", ""), 1, 2),
        (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
    ],
)
async def test_a_range(node: Node, link: str, asked: str, first: int, last: int) -> None:
    """A single range is answered with exactly these bytes."""
    answer = await fetch(node.sender, link, {"range": asked})

    assert answer.status == 206
    assert answer.body == CONTENT[first : last + 1]
    assert answer.headers["content-range"] == f"bytes {first}-{last}/{SIZE}"
    assert int(answer.headers["content-length"]) == len(answer.body)


@pytest.mark.parametrize("asked", [f"bytes={SIZE}-", "bytes=-0", f"bytes={10**17}-{10**17}"])
async def test_a_range_beyond_the_file(node: Node, link: str, asked: str) -> None:
    """A range beyond the file is refused, and the answer gives the file's size."""
    answer = await fetch(node.sender, link, {"range": asked})

    assert (answer.status, answer.error["code"]) == (416, "ERR_BAD_REQUEST")
    assert answer.headers["content-range"] == f"bytes */{SIZE}"


@pytest.mark.parametrize(
    "asked", ["", "bytes=", "bytes=-", "bytes=5-1", "bytes=0-1,3-4", "items=0-1", "bytes=a-b"]
)
async def test_an_invalid_range(node: Node, link: str, asked: str) -> None:
    """An invalid range, or several, are answered with the whole file."""
    answer = await fetch(node.sender, link, {"range": asked})

    assert (answer.status, answer.body) == (200, CONTENT)


async def test_a_range_of_what_is_known(node: Node, link: str) -> None:
    """A range with the validator of another file is answered with the whole of this one."""
    etag = (await fetch(node.sender, link)).headers["etag"]
    asked = {"range": "bytes=0-1"}

    assert (await fetch(node.sender, link, {**asked, "if-range": etag})).status == 206
    assert (await fetch(node.sender, link, {**asked, "if-range": '"other"'})).body == CONTENT


async def test_a_cached_file(node: Node, link: str) -> None:
    """A client that has the file gets 304."""
    etag = (await fetch(node.sender, link)).headers["etag"]
    for known in (etag, f'"other", {etag}', "*"):
        answer = await fetch(node.sender, link, {"if-none-match": known})

        assert (answer.status, answer.body) == (304, b"")


async def test_only_the_head(node: Node, link: str) -> None:
    """HEAD answers like GET, without the file."""
    answer = await fetch(node.sender, link, method="HEAD")

    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) == SIZE
    part = await fetch(node.sender, link, {"range": "bytes=0-1"}, method="HEAD")
    assert (part.status, part.headers["content-length"]) == (206, "2")


async def test_an_empty_file(node: Node, talk: World) -> None:
    """An empty file is served, and has no range."""
    link = await link_to(talk, b"")

    assert (await fetch(node.sender, link)).body == b""
    assert (await fetch(node.sender, link, {"range": "bytes=0-"})).status == 416


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_a_link_is_for_reading(node: Node, link: str, method: str) -> None:
    """A link accepts no method other than reading."""
    assert (await fetch(node.sender, link, method=method)).status == 405


async def test_a_page_reads_files(node: Node, link: str) -> None:
    """Pages of every origin may show files: the link is enough."""
    answer = await fetch(node.sender, link, {"origin": "https://chat.example.com"})

    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"


async def test_strangers_come_over_https(node: Node, link: str) -> None:
    """A link is a secret: it is refused over plain HTTP."""
    target = link.removeprefix("http://localhost")
    answer = await node.sender.send(Asked("GET", target, client="203.0.113.9"))

    assert (answer.status, answer.error["code"]) == (403, "ERR_HTTPS_REQUIRED")
