"""The portal of a webhook: what its links open, what they don't, and how they end."""

import re

import pytest
from tests.api.webhooks.past_deliveries import Made, Shelf
from tests.console.conftest import SignIn
from tests.console.test_console_frame import Elements
from tests.console.visitors import Visitor
from tests.wire import Answer, InProcess
from tests.world import Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.domain.webhooks.portal import REPLAYS_A_MINUTE
from hubbub.records.audit.model import PORTAL_LINK, AuditFilter
from hubbub.records.operators.model import OperatorRole
from hubbub.records.webhooks.model import State

EVIL = "<script>alert(1)</script>"
HOOKS = ("server", "other")
DAY = 86_400


@pytest.fixture
async def shelves(node: Node, world: World) -> dict[str, Shelf]:
    """Two webhooks, each with a delivery that failed and one that was made."""
    made = {}
    for number, id_ in enumerate(HOOKS):
        hook = {"id": id_, "name": f"{id_} {EVIL}", "webhookURL": f"https://{id_}.example.com/in"}
        await world.post("/webhooks", hook)
        made[id_] = await Shelf.of(node, world, id_)
        event = 10 * number
        await made[id_].put(Made(event + 1, state=State.FAILED), Made(event + 2))
    return made


async def make_link(visitor: Visitor, world: World, id_: str = "server", days: str = "7") -> str:
    """Return the path of a link to the portal of a webhook."""
    where = f"/apps/{world.app_id}/webhooks/{id_}/portal"
    page = await visitor.post(where, {"days": days}, status=200)
    found = re.search(r'class="secret">(/portal/[^<]+)<', page)
    assert found is not None
    return found[1]


async def ask(console: InProcess, path: str, method: str = "GET", body: bytes = b"") -> Answer:
    """Return what is answered to somebody who has a link and nothing else."""
    return await Visitor(console).ask(method, path, body)


@pytest.mark.parametrize("state", ["", "pending", "delivered", "failed"])
async def test_older_deliveries_follow_by_the_link(
    shelves: dict[str, Shelf],
    world: World,
    signed_in: SignIn,
    state: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the links to older ones all deliveries in a state are found, each once, newest first."""
    monkeypatch.setattr("hubbub.console.portal.PER_PAGE", 2)
    monkeypatch.setattr("hubbub.domain.deliveries.find.LOOKED_THROUGH", 3)
    shelf = shelves["server"]
    states = [State.DELIVERED, *[State.FAILED] * 6, State.PENDING, State.DELIVERED]
    made = [Made(100 + number, state=each) for number, each in enumerate(states)]
    await shelf.put(*made)
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)

    seen: list[str] = []
    path = (
        f"/apps/{world.app_id}/webhooks/server?state={state}"
        if state
        else (f"/apps/{world.app_id}/webhooks/server")
    )
    while path:
        page = await visitor.get(path)
        seen += re.findall(r"<code>(\d+-\d+)</code>", page)
        link = page.partition('rel="next" href="/console')[2].partition('"')[0]
        path = link.replace("&amp;", "&")

    of_all = [*made, Made(1, state=State.FAILED), Made(2)]
    ordered = sorted(of_all, key=lambda each: (each.at, each.event), reverse=True)
    assert seen == [shelf.id_of(each.event) for each in ordered if state in ("", each.state)]


async def test_a_link_shows_the_deliveries_of_one_webhook(
    shelves: dict[str, Shelf], world: World, node: Node, console: InProcess, signed_in: SignIn
) -> None:
    """It shows them with their attempts, no address, no secret, and nothing that is signed in."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    link = await make_link(visitor, world)

    answer = await ask(console, link)

    page = answer.body.decode()
    assert answer.status == 200
    assert shelves["server"].id_of(1) in page
    assert shelves["server"].id_of(2) in page
    assert shelves["other"].id_of(11) not in page
    assert "example.com" not in page
    assert "Oops" in page
    assert EVIL not in page
    assert "/console" not in page.replace("/portal/console.css", "")
    assert "set-cookie" not in answer.headers
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    Elements(page)
    failed = (await ask(console, f"{link}?state=failed")).body.decode()
    assert shelves["server"].id_of(2) not in failed
    assert (await ask(console, f"{link}?before=1.2")).status == 400
    assert (await ask(console, "/portal/console.css")).status == 200
    [entry] = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=10)
    assert (entry.operator, entry.action, entry.subject) == (
        visitor.name,
        "webhook.portal",
        "server",
    )
    assert link.rpartition("/")[2] not in str(entry)


async def test_a_link_replays_a_delivery_of_its_webhook_alone(
    shelves: dict[str, Shelf], world: World, node: Node, console: InProcess, signed_in: SignIn
) -> None:
    """Its replays are recorded; a delivery of another webhook is not found by its id."""
    link = await make_link(await signed_in(OperatorRole.DEVELOPER), world)
    own, other = shelves["server"].id_of(1), shelves["other"].id_of(11)

    answer = await ask(console, f"{link}/deliveries/{own}/replay", "POST")

    assert (answer.status, answer.headers["location"]) == (303, f"{link}?replayed=true")
    assert (await world.get(f"/webhooks/server/deliveries/{own}"))["state"] == "pending"
    for wrong in (other, "none"):
        refused = await ask(console, f"{link}/deliveries/{wrong}/replay", "POST")
        assert refused.status == 404
    assert (await world.get(f"/webhooks/other/deliveries/{other}"))["state"] == "failed"
    wanted = AuditFilter(app=world.app_id, action="webhook.replay")
    [entry] = await list_audit(node.runtime, wanted, limit=10)
    assert (entry.operator, entry.subject, entry.after) == (
        PORTAL_LINK,
        "server",
        f'{{"delivery":"{own}"}}',
    )


async def test_no_other_link_opens_anything(
    shelves: dict[str, Shelf], world: World, node: Node, console: InProcess, signed_in: SignIn
) -> None:
    """A link whose app, webhook, end or signature was changed is not found, nor is the console."""
    other_world = await node.world()
    await other_world.post(
        "/webhooks", {"id": "server", "name": "S", "webhookURL": "https://a.eu/"}
    )
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    link = await make_link(visitor, world)
    _, _, app, webhook, ends, signature = link.split("/")
    forged = [
        (other_world.app_id, webhook, ends, signature),
        (app, "other", ends, signature),
        (app, "none", ends, signature),
        ("none", webhook, ends, signature),
        (app, webhook, str(int(ends) + 1), signature),
        (app, webhook, f"0{ends}", signature[:-1]),
        (app, webhook, "9" * 30, signature),
        (app, webhook, "x", signature),
        (app, webhook, ends, signature[:-1] + ("0" if signature[-1] != "0" else "1")),
        (app, webhook, ends, "%E2%82%AC"),
        (app, "%00", ends, signature),
        ("%00", webhook, ends, signature),
        (app, webhook, ends, "%00"),
    ]

    for parts in forged:
        path = "/portal/" + "/".join(parts)
        assert (await ask(console, path)).status == 404, parts
        replay = f"{path}/deliveries/{shelves['server'].id_of(1)}/replay"
        assert (await ask(console, replay, "POST")).status == 404, parts
    for delivery in ("none", "%00", "%FF", "x" * 5_000):
        replay = f"{link}/deliveries/{delivery}/replay"
        assert (await ask(console, replay, "POST")).status == 404, delivery
    for path in ("", f"/apps/{app}", f"/apps/{app}/webhooks/server"):
        assert (await ask(console, f"/console{path}")).status == 303
    state = await world.get(f"/webhooks/server/deliveries/{shelves['server'].id_of(1)}")
    assert state["state"] == "failed"


async def test_links_end(
    shelves: dict[str, Shelf], world: World, node: Node, console: InProcess, signed_in: SignIn
) -> None:
    """A link leads nowhere after its days; days beyond the most are refused."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    link = await make_link(visitor, world, days="1")
    where = f"/apps/{world.app_id}/webhooks/server/portal"
    for days in ("0", "91", "x"):
        await visitor.post(where, {"days": days}, status=400)

    node.clock.advance(DAY - 1)
    assert (await ask(console, link)).status == 200
    node.clock.advance(1)
    assert (await ask(console, link)).status == 404


async def test_links_are_revoked(
    shelves: dict[str, Shelf], world: World, console: InProcess, signed_in: SignIn
) -> None:
    """All links of a webhook end at once, those of others stay, and new ones are valid."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    links = [await make_link(visitor, world) for _ in range(2)]
    of_other = await make_link(visitor, world, "other")

    await visitor.post(f"/apps/{world.app_id}/webhooks/server/portal/revoke")

    assert [(await ask(console, link)).status for link in links] == [404, 404]
    assert (await ask(console, of_other)).status == 200
    assert (await ask(console, await make_link(visitor, world))).status == 200


async def test_a_link_ends_with_its_webhook(
    shelves: dict[str, Shelf], world: World, console: InProcess, signed_in: SignIn
) -> None:
    """A later webhook with the same id is not opened by a link to the former one."""
    link = await make_link(await signed_in(OperatorRole.DEVELOPER), world)
    await world.delete("/webhooks/server")
    assert (await ask(console, link)).status == 404
    hook = {"id": "server", "name": "Again", "webhookURL": "https://server.example.com/in"}
    await world.post("/webhooks", hook)

    assert (await ask(console, link)).status == 404


async def test_replays_are_limited(
    shelves: dict[str, Shelf], world: World, node: Node, console: InProcess, signed_in: SignIn
) -> None:
    """More than 60 replays within a minute are refused, and any by a page of another site."""
    link = await make_link(await signed_in(OperatorRole.DEVELOPER), world)
    path = f"{link}/deliveries/{shelves['server'].id_of(1)}/replay"
    foreign = {"origin": "https://evil.example", "host": "chat.example.com"}
    assert (await Visitor(console).ask("POST", path, headers=foreign)).status == 403
    statuses = [(await ask(console, path, "POST")).status for _ in range(REPLAYS_A_MINUTE + 1)]

    assert statuses == [303] * REPLAYS_A_MINUTE + [429]
    assert (await ask(console, link)).status == 200
    node.clock.advance(60)
    assert (await ask(console, path, "POST")).status == 303
