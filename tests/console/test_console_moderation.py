"""The moderation queue in the console: what it shows, what is decided, and by two at once."""

import asyncio
import re
from collections import Counter
from urllib.parse import urlencode

import pytest
from tests.api.messages.talk import group, join, say, texts, to_group, to_user
from tests.console.conftest import SignIn
from tests.console.test_console_keys import actions
from tests.console.visitors import Visitor
from tests.world import Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.records.audit.model import AuditEntry, AuditFilter
from hubbub.records.operators.model import OperatorRole

EVIL = "<script>alert(1)</script>"
BLOCKING = {
    "id": "blocking",
    "name": f"No spam {EVIL}",
    "conditions": [{"operand": "text", "category": "word", "value": ["spam"]}],
}
HOUR = 3600


@pytest.fixture
async def queue(world: World) -> World:
    """In the team Anna said 1, Ben's 2 is held, Anna said 3; Ben's 4 to Anna is held, too."""
    await world.users("anna", "ben", "chiara")
    await group(world, "team")
    for uid in ("anna", "ben"):
        await join(world, "team", uid)
    await world.post("/moderation/rules", BLOCKING)
    await say(world, "anna", to_group("team", "Before it"))
    await say(world, "ben", to_group("team", f"It is spam {EVIL}"))
    await say(world, "anna", to_group("team", "After it"))
    await say(world, "ben", to_user("anna", "More spam"))
    return world


def where(world: World, rest: str = "") -> str:
    """Return the path of the queue."""
    return f"/apps/{world.app_id}/moderation{rest}"


def listed(page: str) -> list[str]:
    """Return the ids of the messages that a page asks about, in its order."""
    return re.findall(r'<li id="w-(\d+)"', page)


async def entries(node: Node, world: World) -> list[AuditEntry]:
    """Return the entries about decisions."""
    wanted = AuditFilter(app=world.app_id, action="moderation")
    found = await list_audit(node.runtime, wanted, limit=50_000)
    return [each for each in found if each.action != "moderation.read"]


async def test_the_queue_shows_why_and_what_was_said_around(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """The oldest is first, with rule, term and context, as text; the look at it is recorded."""
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    page = await visitor.get(where(queue))

    assert listed(page) == ["2", "4"]
    first = page[page.index('id="w-2"') : page.index('id="w-4"')]
    assert first.index("Before it") < first.index("It is spam") < first.index("After it")
    assert "<mark><bdi>spam</bdi></mark>" in first
    assert "No spam &lt;script&gt;" in first
    assert EVIL not in page
    assert "2 blocked and 0 flagged messages wait" in page
    [look] = await list_audit(node.runtime, AuditFilter(app=queue.app_id), limit=10)
    assert (look.operator, look.action) == (visitor.name, "moderation.read")
    assert look.after == '{"messages":["2","4"]}'


async def test_flags_are_shown_with_their_reasons(queue: World, signed_in: SignIn) -> None:
    """A flagged message is in the queue with who flagged it, why, and what they say."""
    await queue.post("/moderation/reasons", {"id": "rude", "name": "It is rude"})
    flag = {"reasonId": "rude", "remark": f"Look {EVIL}"}
    await queue.post("/messages/3/flagged", flag, as_="ben")
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    page = await visitor.get(where(queue, "?only=flagged"))

    assert listed(page) == ["3"]
    assert "It is rude" in page
    assert "Look &lt;script&gt;" in page
    assert listed(await visitor.get(where(queue, "?only=held"))) == ["2", "4"]
    assert "2 blocked and 1 flagged message wait" in await visitor.get(where(queue, "/waiting"))


async def test_an_approved_message_is_delivered(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """It is in the history; the reviewer goes on with the next; the interface says who it was."""
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    to = await visitor.post(where(queue, "/held/2/approve"), {"only": "held", "next": "4"})

    assert to == f"/console{where(queue)}?only=held#w-4"
    said = await texts(queue, "/groups/team/messages", as_="anna")
    assert said == ["Before it", f"It is spam {EVIL}", "After it"]
    [reviewed] = await queue.get("/moderation/reviewed-messages")
    assert reviewed["reviewedBy"] == f"operator:{visitor.name}"
    assert listed(await visitor.get(where(queue))) == ["4"]
    [entry] = await entries(node, queue)
    assert (entry.operator, entry.action, entry.subject, entry.after) == (
        visitor.name,
        "moderation.approve",
        "2",
        '{"kind":"held"}',
    )


async def test_a_refused_message_stays_hidden(queue: World, node: Node, signed_in: SignIn) -> None:
    """A held message that is refused is delivered to nobody; a flagged one is deleted softly."""
    await queue.post("/messages/3/flagged", {}, as_="ben")
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    await visitor.post(where(queue, "/held/2/refuse"))
    await visitor.post(where(queue, "/flagged/3/refuse"))

    history = await queue.get("/groups/team/messages?hideDeleted=true", as_="anna")
    assert [each["id"] for each in history if each["category"] == "message"] == ["1"]
    assert await actions(node, queue.app_id) == ["moderation.refuse", "moderation.refuse"]


async def test_an_author_is_banned_with_the_refusal(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """Refusal and ban are one change; who is banned already is no obstacle."""
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)
    await visitor.post(where(queue, "/held/4/ban"), status=400)  # no group

    await visitor.post(where(queue, "/held/2/ban"))

    assert await queue.uids("/groups/team/bannedusers") == ["ben"]
    assert listed(await visitor.get(where(queue))) == ["4"]
    [entry] = await entries(node, queue)
    assert entry.after == '{"kind":"held","banned":"ben","group":"team"}'
    await queue.post("/messages/3/flagged", {}, as_="anna")
    await queue.post("/groups/team/bannedusers/anna")
    await visitor.post(where(queue, "/flagged/3/ban"))
    assert listed(await visitor.get(where(queue))) == ["4"]


async def test_an_author_that_cannot_be_banned_leaves_the_message(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """Where the ban is refused, as that of the app itself is, the message waits on."""
    said = await queue.post("/messages", to_group("team", "By the app"))
    await queue.post(f"/messages/{said['id']}/flagged", {}, as_="ben")
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    for decision, status in (("ban", 403), ("deactivate", 404)):
        where_to = where(queue, f"/flagged/{said['id']}/{decision}")
        await visitor.post(where_to, status=status)

    page = await visitor.get(where(queue))
    assert listed(page) == ["2", "4", said["id"]]
    assert f"/flagged/{said['id']}/ban" not in page
    assert await entries(node, queue) == []


async def test_an_author_is_deactivated_with_the_refusal(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """The author is deactivated, and the message refused, with one entry."""
    visitor = await signed_in(OperatorRole.MODERATOR, queue.app_id)

    await visitor.post(where(queue, "/held/4/deactivate"))

    await queue.refused("GET", "/users/ben", status=404, code="ERR_UID_NOT_FOUND")
    [entry] = await entries(node, queue)
    assert entry.after == '{"kind":"held","deactivated":"ben"}'


async def test_nothing_is_decided_twice(queue: World, node: Node, signed_in: SignIn) -> None:
    """Who comes second is told who decided, and when; what does not wait is not found."""
    first = await signed_in(OperatorRole.MODERATOR, queue.app_id)
    second = await signed_in(OperatorRole.MODERATOR)
    await first.post(where(queue, "/held/2/refuse"))

    for decision in ("approve", "refuse", "ban", "deactivate"):
        page = await second.post(where(queue, f"/held/2/{decision}"), status=409)
        assert f"was disapproved by operator:{first.name} at 20" in page
        assert listed(page) == ["4"]

    for path in ("/held/1/approve", "/held/99/approve", "/none/4/approve", "/flagged/1/refuse"):
        await second.post(where(queue, path), status=404)
    await second.post(where(queue, "/held/x/approve"), status=400)
    await second.post(where(queue, "/held/4/approve"), {"next": "x"}, status=400)
    assert len(await entries(node, queue)) == 1
    assert await queue.uids("/groups/team/bannedusers") == []
    await queue.get("/users/ben")


async def test_later_pages_follow(world: World, signed_in: SignIn) -> None:
    """Each page has ten messages; together they have each once, also those of one second."""
    await world.users("anna", "ben")
    await world.post("/moderation/rules", BLOCKING)
    for number in range(23):
        await say(world, "anna", to_user("ben", f"spam {number}"))
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)

    seen, path = [], where(world)
    for _ in range(3):
        page = await visitor.get(path)
        seen.append(listed(page))
        onward = re.search(r'rel="next" href="/console([^"]+)"', page)
        path = onward[1].replace("&amp;", "&") if onward else ""

    assert path == ""
    assert [len(each) for each in seen] == [10, 10, 3]
    assert [int(each) for part in seen for each in part] == list(range(1, 24))
    assert "Nothing waits beyond" in await visitor.get(where(world, "?after=9999999999-1"))
    await visitor.get(where(world, "?after=x"), status=400)


async def test_a_long_wait_is_on_the_first_page(
    queue: World, node: Node, signed_in: SignIn
) -> None:
    """After an hour it is told to who moderates the app, and to nobody of another app."""
    other = await node.world()
    moderator = await signed_in(OperatorRole.MODERATOR, queue.app_id)
    assert "for a review" not in await moderator.get()
    node.clock.advance(HOUR)

    moderator = await signed_in(OperatorRole.MODERATOR, queue.app_id)
    assert "Messages wait for a review" in await moderator.get()
    for who in (
        await signed_in(OperatorRole.MODERATOR, other.app_id),
        await signed_in(OperatorRole.DEVELOPER, queue.app_id),
    ):
        assert "for a review" not in await who.get()


async def fill_queue(world: World, count: int) -> None:
    """Send messages of which every other one is held, and the rest is flagged."""
    await world.users("anna", "ben")
    await world.post("/moderation/rules", BLOCKING)
    for number in range(count):
        if number % 2:
            await say(world, "anna", to_user("ben", f"spam {number}"))
        else:
            said = await say(world, "anna", to_user("ben", f"Fine {number}"))
            await world.post(f"/messages/{said['id']}/flagged", {}, as_="ben")


async def work_off(visitor: Visitor, world: World) -> tuple[Counter[str], list[str]]:
    """Decide what waits until nothing does; return what was answered, and what was decided."""
    answers, decided = Counter[str](), list[str]()
    token = await visitor.csrf()
    while True:
        page = await visitor.get(where(world))
        forms = re.findall(r'formaction="/console(/[^"]+/(\d+)/(?:approve|refuse))"', page)
        if not forms:
            return answers, decided
        for path, message in forms[int(message_parity(visitor)) :: 2]:
            body = urlencode({"csrf": token}).encode()
            answer = await visitor.ask("POST", f"/console{path}", body)
            answers[str(answer.status)] += 1
            if answer.status == 303:
                decided.append(message)
            else:
                assert "was approved by" in answer.body.decode() or (
                    "was disapproved by" in answer.body.decode()
                )


def message_parity(visitor: Visitor) -> bool:
    """Return whether a reviewer refuses what the other one approves."""
    return visitor.name.startswith(OperatorRole.ADMIN)


async def check_two_reviewers(world: World, node: Node, signed_in: SignIn, count: int) -> None:
    """Check that of two reviewers, who disagree, just one decides each message."""
    await fill_queue(world, count)
    one = await signed_in(OperatorRole.MODERATOR, world.app_id)
    other = await signed_in(OperatorRole.ADMIN)

    outcomes = await asyncio.gather(work_off(one, world), work_off(other, world))

    decided = [message for _, messages in outcomes for message in messages]
    assert sorted(map(int, decided)) == list(range(1, count + 1))
    answers = sum((each for each, _ in outcomes), Counter[str]())
    assert set(answers) <= {"303", "409"}
    assert answers["409"] > 0, "they never met, so this shows nothing"
    done = {each.subject: (each.operator, each.action) for each in await entries(node, world)}
    assert len(done) == count
    for visitor, (_, messages) in zip((one, other), outcomes, strict=True):
        action = "moderation.refuse" if message_parity(visitor) else "moderation.approve"
        assert {done[each] for each in messages} <= {(visitor.name, action)}


async def test_two_reviewers_never_decide_twice(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """Two who work off a queue of 200 at once decide each message once, with one entry."""
    await check_two_reviewers(world, node, signed_in, 200)


@pytest.mark.campaign
async def test_two_reviewers_and_a_long_queue(world: World, node: Node, signed_in: SignIn) -> None:
    """The same with 10,000 messages."""
    await check_two_reviewers(world, node, signed_in, 10_000)
