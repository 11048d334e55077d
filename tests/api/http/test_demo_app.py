"""The demo chat: who may have its tokens, what the app is filled with, and how it is served."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.resources import files

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.engines import one_engine
from tests.wire import Answer, Asked, InProcess, request_of
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.cli.demo.bot import DemoBot, is_asked, read_answers
from hubbub.cli.demo.fill import DemoContent
from hubbub.cli.greet import APP_ID, PEOPLE, fill_demo
from hubbub.domain.apps.manage import get_app
from hubbub.http.app import make_app
from hubbub.http.pages.demo.caller import NotOfThisMachine, check_caller
from hubbub.http.pages.demo.page import FILES, add_demo
from hubbub.rest.operations import OPERATIONS

OWN = {"host": "127.0.0.1:8080", "origin": "http://127.0.0.1:8080"}
"""What a page of the demo sends, as a browser does."""
LIST, TOKEN = ("GET", "/demo/people"), ("POST", "/demo/people/anna/token")
LARGEST_KB = 60


@pytest.fixture
async def demo(new_settings: NewSettings, clock: ManualClock) -> AsyncIterator[Node]:
    """A node that serves the demo."""
    async with open_runtime(new_settings(log_requests=False), clock) as runtime:
        await fill_demo(runtime)
        app = make_app(runtime, OPERATIONS)
        add_demo(app.routes, runtime, APP_ID, DemoContent(runtime, app, APP_ID).complete)
        yield Node(runtime, clock, InProcess(app), {})


def asked_as(method: str, path: str, *, client: str = "127.0.0.1", **headers: str) -> Asked:
    """Return a call of the page; other headers replace its own, and empty ones are not sent."""
    given = {name.replace("_", "-"): text for name, text in {**OWN, **headers}.items()}
    return Asked(method, path, {name: text for name, text in given.items() if text}, client=client)


async def ask(
    node: Node, method: str, path: str, *, client: str = "127.0.0.1", **headers: str
) -> Answer:
    """Return the answer to a call of the page."""
    return await node.sender.send(asked_as(method, path, client=client, **headers))


async def world_of(node: Node) -> World:
    """Return the world of the demo app."""
    _, keys = await get_app(node.runtime, APP_ID)
    by_scope = {key.scope: key.api_key for key in keys}
    return World(node.sender, APP_ID, by_scope["fullAccess"], by_scope["authOnly"])


@one_engine
async def test_a_page_gets_a_token_of_a_person(demo: Node) -> None:
    """The token is that person's, and asking again makes no other one."""
    first = await ask(demo, *TOKEN)
    again = await ask(demo, *TOKEN)

    assert first.headers["cache-control"] == "no-store"
    assert first.data == again.data
    world = await world_of(demo)
    assert await world.get("/users/anna", token=first.data["authToken"], key="")


@one_engine
async def test_a_page_at_another_name_of_this_machine_gets_a_token(demo: Node) -> None:
    """Localhost and the address of IPv6 are this machine, too."""
    for host in ("localhost:8080", "[::1]:8080", "127.0.0.1"):
        answer = await ask(demo, *TOKEN, host=host, origin=f"http://{host}", client="::1")
        assert answer.status == 200, host


REFUSED = {
    "another machine": {"client": "192.0.2.7"},
    "a socket file, behind which is a proxy": {"client": ""},
    "a name that was rebound": {"host": "evil.example:8080", "origin": "http://evil.example:8080"},
    "a name that begins like ours": {"host": "localhost.evil.example"},
    "no name": {"host": "127.0.0.1:port"},
    "a page of another origin": {"origin": "http://evil.example"},
    "a page of another port": {"origin": "http://127.0.0.1:3000"},
    "a page of another scheme": {"origin": "https://127.0.0.1:8080"},
    "a page without an origin": {"origin": "null"},
    "a frame of another site": {"sec_fetch_site": "cross-site"},
    "a page of another port, by the browser": {"sec_fetch_site": "same-site"},
    "a proxy, by Forwarded": {"forwarded": "for=192.0.2.7"},
    "a proxy, by X-Forwarded-For": {"x_forwarded_for": "192.0.2.7"},
    "a proxy, by X-Forwarded-Host": {"x_forwarded_host": "chat.example.com"},
    "a proxy, by X-Forwarded-Proto": {"x_forwarded_proto": "http"},
    "a proxy, by X-Real-Ip": {"x_real_ip": "192.0.2.7"},
    "a proxy, by Via": {"via": "1.1 proxy"},
    "a proxy, by the address of its client": {"true_client_ip": "192.0.2.7"},
    "a proxy that adds no header": {"connection": "close"},
    "no page": {"origin": ""},
}


@pytest.mark.parametrize("how", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("call", [LIST, TOKEN], ids=["list", "token"])
def test_others_are_refused(call: tuple[str, str], how: dict[str, str]) -> None:
    """Whatever is not sure to be a page of the demo on this machine is refused."""
    with pytest.raises(NotOfThisMachine) as refused:
        check_caller(request_of(asked_as(*call, **how)), has_proxies=False)

    assert refused.value.code == "AUTH_ERR_NO_ACCESS"


@one_engine
async def test_both_calls_are_refused_to_others(demo: Node) -> None:
    """The list and the token answer 403 to who may not have them."""
    for call in (LIST, TOKEN):
        answer = await ask(demo, *call, host="evil.example:8080")
        assert (answer.status, answer.error["code"]) == (403, "AUTH_ERR_NO_ACCESS")


@one_engine
async def test_a_browser_may_leave_out_the_origin_of_a_reading(demo: Node) -> None:
    """A GET of the page itself has no Origin, but says that it is of the same origin."""
    assert (await ask(demo, *LIST, origin="", sec_fetch_site="same-origin")).status == 200
    assert (await ask(demo, *TOKEN, origin="", sec_fetch_site="same-origin")).status == 403


@one_engine
async def test_a_node_with_proxies_gives_no_tokens(demo: Node) -> None:
    """Where proxies pass on requests, nobody can be told from this machine."""
    settings = replace(demo.runtime.settings, trusted_proxies="127.0.0.9")
    runtime = replace(demo.runtime, settings=settings)
    app = make_app(runtime, OPERATIONS)
    add_demo(app.routes, runtime, APP_ID, DemoContent(runtime, app, APP_ID).complete)

    answer = await ask(replace(demo, sender=InProcess(app)), *TOKEN)

    assert answer.status == 403


@one_engine
async def test_a_person_who_does_not_exist_has_no_token(demo: Node) -> None:
    """An unknown uid is not found."""
    answer = await ask(demo, "POST", "/demo/people/nobody/token")

    assert (answer.status, answer.error["code"]) == (404, "ERR_UID_NOT_FOUND")


@one_engine
async def test_without_the_option_there_is_no_demo(node: Node) -> None:
    """A node that serves no demo has none of its paths."""
    for method, path in (LIST, TOKEN, *(("GET", path) for path in FILES)):
        assert (await ask(node, method, path)).status == 404


async def test_the_app_is_filled_once(demo: Node) -> None:
    """Listing the people makes everything that the story has; later nothing is made again."""
    world = await world_of(demo)
    assert set(await world.uids("/users")) == set(PEOPLE)

    people = (await ask(demo, *LIST)).data
    counts = [await world.get("/messages?count=true&hideReplies=true", as_=uid) for uid in PEOPLE]
    assert isinstance(demo.sender, InProcess)
    await DemoContent(demo.runtime, demo.sender.app, APP_ID).complete()

    assert [person["uid"] for person in people[:4]] == sorted(PEOPLE)
    assert [person["uid"] for person in people if person["isBot"]] == ["sage"]
    assert len(people) == 8
    assert counts == [
        await world.get("/messages?count=true&hideReplies=true", as_=uid) for uid in PEOPLE
    ]
    assert sum(each["count"] for each in counts[0]) > 200


@one_engine
async def test_there_is_something_to_show(demo: Node) -> None:
    """Anna has unread conversations, groups, a thread, a form, a card, a picture and a file."""
    await ask(demo, *LIST)
    world = await world_of(demo)

    conversations = await world.get("/conversations", as_="anna")
    unread = {each["conversationId"]: int(each["unreadMessageCount"]) for each in conversations}
    launch = await world.get("/groups/launch/messages?affix=prepend&limit=100", as_="anna")
    with_ben = await world.get("/users/ben/messages?affix=prepend", as_="anna")
    with_dai = await world.get("/users/dai/messages?affix=prepend", as_="anna")

    assert unread["anna_user_ben"] == 2
    assert unread["group_launch"] == 3
    assert unread["group_design-round"] == 0
    assert {"form", "image", "text"} <= {message["type"] for message in launch}
    assert any("parentId" in message for message in launch)
    assert with_ben[-1]["type"] == "card"
    assert with_dai[-1]["data"]["attachments"][0]["name"] == "release-notes.txt"
    assert any(message["data"].get("reactions") for message in launch)


@one_engine
async def test_the_bot_answers(demo: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is read, and answered by a message that has grown."""
    monkeypatch.setattr("hubbub.cli.demo.bot.WORD_SECONDS", 0)
    assert isinstance(demo.sender, InProcess)
    content = DemoContent(demo.runtime, demo.sender.app, APP_ID)
    await content.complete()
    world = await world_of(demo)
    to_bot = {"receiver": "sage", "receiverType": "user", "data": {"text": "Some code?"}}
    question = await world.post("/messages", to_bot, as_="ben")

    await DemoBot(await content.wait_complete()).reply(question)

    asked, answer = await world.get("/users/sage/messages", as_="ben")
    assert "readAt" in asked
    assert answer["data"]["grown"]["status"] == "done"
    assert answer["data"]["text"] == next(text for words, text in read_answers() if "code" in words)


def test_the_bot_answers_questions_alone() -> None:
    """It answers who writes to it, or mentions it in a group, not itself, files, or replies."""
    asked = {"category": "message", "sender": "anna", "receiver": "sage", "data": {"text": "Hi"}}
    mention = {**asked, "receiver": "launch", "data": {"text": "<@uid:sage> Hi"}}

    assert is_asked(asked)
    assert is_asked(mention)
    assert not is_asked({**asked, "receiver": "ben"})
    assert not is_asked({**mention, "sender": "sage"})
    assert not is_asked({**asked, "data": {}})
    assert not is_asked({**asked, "parentId": "1"})
    assert not is_asked({**asked, "category": "action"})


@one_engine
async def test_the_files_are_served_as_they_should_be(demo: Node) -> None:
    """Each has its type and a tag, and may load nothing from elsewhere, nor run what it is sent."""
    for path, (_, content_type) in FILES.items():
        answer = await ask(demo, "GET", path)
        again = await ask(demo, "GET", path, if_none_match=answer.headers["etag"])

        assert answer.headers["content-type"] == content_type
        assert again.status == 304
        policy = dict(
            part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; ")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"


@one_engine
async def test_the_files_are_small(demo: Node) -> None:
    """All together have at most 60 KB as they are sent."""
    sizes = [len((await ask(demo, "GET", path, accept_encoding="gzip")).body) for path in FILES]

    assert sum(sizes) < LARGEST_KB * 1000


def test_the_files_name_no_other_server() -> None:
    """Nothing in them would be loaded from elsewhere."""
    folder = files("hubbub.http.pages.demo") / "static"
    text = "".join((folder / name).read_text() for name, _ in FILES.values())

    assert not re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", text)
    assert "url(http" not in text
