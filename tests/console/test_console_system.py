"""The page of the installation: nodes, checks, figures, the last errors."""

import re
from functools import partial
from html import unescape

from tests.console.conftest import SignIn
from tests.console.test_console_frame import EVIL, Elements
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.domain.log.consumers import CONSUMERS
from hubbub.domain.presence.nodes import beat
from hubbub.outbox.consumer import count_lags
from hubbub.outbox.set_aside import SetAside, insert_set_aside
from hubbub.records.operators.model import OperatorRole
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.storage.interface import INSTALLATION

FIGURES = "/system/figures"


async def test_nodes_are_shown(node: Node, signed_in: SignIn) -> None:
    """A node that has said lately that it runs is running; else it is silent."""
    admin = await signed_in(OperatorRole.ADMIN)
    own = re.compile(rf"<code>{node.runtime.node}</code> this one</th><td><span [^>]*>(\w+)<")

    async def state() -> str:
        found = own.search(await admin.get(FIGURES))
        assert found is not None
        return found[1]

    await beat(node.runtime)
    assert await state() == "running"
    node.clock.advance(LATE_SECONDS)
    assert await state() == "silent"


async def test_figures_are_those_of_the_store(world: World, node: Node, signed_in: SignIn) -> None:
    """The lags of consumers are shown to the unit, as metrics have them; a part renews itself."""
    await world.users("anna", "ben")
    body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
    await world.post("/messages", body, as_="anna")
    admin = await signed_in(OperatorRole.ADMIN)
    lags = await node.runtime.database.read(
        INSTALLATION, lambda snapshot: count_lags(snapshot, CONSUMERS)
    )

    page = await admin.get(FIGURES)

    assert "<html" not in page
    row = page.partition("hubbub_consumer_lag_events")[2].partition("</tr>")[0]
    assert lags["metrics"] > 0
    for name, events in lags.items():
        assert f"{name}: {events:,}<" in row
    for metric in ("waiting", "disk_free_bytes", "wal_bytes", "sockets", "webhooks"):
        assert f"<code>hubbub_{metric}</code>" in page
    assert f'hx-get="/console{FIGURES}"' in await admin.get("/system")


@one_engine
async def test_findings_say_what_to_do(node: Node, signed_in: SignIn) -> None:
    """The checks of the doctor on this node are shown, with remedies of what is not right."""
    admin = await signed_in(OperatorRole.ADMIN)

    page = unescape(await admin.get("/system"))

    assert "configuration" in page
    assert str(node.runtime.settings.data) in page
    assert re.search(r"disk:? ?.*GiB are free", page)
    assert page.count("To do:") == len(re.findall('class="finding', page))


async def test_the_last_errors_are_shown(world: World, node: Node, signed_in: SignIn) -> None:
    """Events that could not be processed are shown with app and reason, which are only text."""
    event = SetAside(node.clock.now(), 7, "search", "0-7", "message_sent", f"KeyError {EVIL}")
    await node.runtime.database.write(world.app_id, partial(insert_set_aside, event=event))
    admin = await signed_in(OperatorRole.ADMIN)

    page = await admin.get("/system")

    errors = page.partition('id="errors"')[2]
    assert world.app_id in errors
    assert "KeyError &lt;script&gt;" in errors
    assert "img" not in {tag for tag, _ in Elements(page).found}
