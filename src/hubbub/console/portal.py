"""The portal of a webhook: who receives its deliveries sees them, and replays them.

It has no session and no cookie: the signed link is all that opens it, and it opens nothing else.
"""

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import msgspec

from hubbub.console.page import PageForm, quote_part
from hubbub.console.render import render
from hubbub.console.requests import check_origin, find_client, read_form
from hubbub.domain.audit.record import Deed, carry_out_recorded
from hubbub.domain.deliveries import find, replay
from hubbub.domain.webhooks.portal import PortalClosed, PortalLink, check_replays, open_link
from hubbub.http.answer import Answer
from hubbub.http.decoding.decode import decode_query
from hubbub.http.errors import status_of
from hubbub.http.request import Request
from hubbub.kernel.errors import Refusal
from hubbub.records.audit.model import PORTAL_LINK, Doer
from hubbub.records.webhooks.deliveries import Position
from hubbub.records.webhooks.model import State, Webhook
from hubbub.rest.webhooks.wire.deliveries import delivery_shape
from hubbub.runtime import Runtime

PORTAL = "/portal/{app}/{webhook}/{ends}/{signature}"
REPLAY = PORTAL + "/deliveries/{delivery}/replay"
PER_PAGE = 25
DeliveryPlace = Annotated[
    str, msgspec.Meta(max_length=60, pattern=r"^([0-9]{1,16}\.-?[0-9]{1,18}\.-?[0-9]{1,9})?$(?!\n)")
]
"""A position in a list of deliveries, as text; empty at its beginning."""
_ENDS = re.compile(r"[0-9]{1,15}")


async def find_deliveries(
    runtime: Runtime, app: str, webhook: str, state: str | None, before: str
) -> find.LatestDeliveries:
    """Return the deliveries of a page: those in a state, before a position."""
    parts = tuple(map(int, before.split("."))) if before else ()
    place = (parts[0], parts[1], parts[2]) if parts else None
    wanted = State(state) if state else None
    return await find.list_latest(runtime, app, webhook, wanted, place, limit=PER_PAGE)


def place_of(position: Position | None) -> str:
    """Return a position as text."""
    return ".".join(map(str, position)) if position is not None else ""


class PortalQuery(PageForm):
    """Which deliveries are wanted, and whether one was just replayed."""

    state: Literal["", "pending", "delivered", "failed"] = ""
    before: DeliveryPlace = ""
    replayed: bool = False


def portal_address(link: PortalLink) -> str:
    """Return the path of a link."""
    parts = (link.app_id, link.webhook_id, str(link.ends_at), link.signature)
    return "/portal/" + "/".join(map(quote_part, parts))


class PortalPage:
    """The deliveries of the webhook of a link, and their replay."""

    def __init__(self, runtime: Runtime, answer_page: Callable[..., Answer]) -> None:
        self._runtime = runtime
        self._answer_page = answer_page

    async def show(self, request: Request, parts: Sequence[str]) -> Answer:
        """Show the deliveries, the newest first."""
        try:
            link = _parse(parts)
            webhook = await open_link(self._runtime, link)
            query = decode_query(request.query.decode("latin-1"), PortalQuery)
            return await self._show(link, webhook, query)
        except Refusal as refusal:
            return self._refuse(refusal)

    async def replay(self, request: Request, parts: Sequence[str]) -> Answer:
        """Make one delivery again."""
        delivery = parts[-1]
        try:
            check_origin(request)
            await read_form(request)
            link = _parse(parts)
            webhook = await open_link(self._runtime, link)
            check_replays(self._runtime, link.app_id, webhook)
            await self._replay(request, link, delivery)
        except Refusal as refusal:
            return self._refuse(refusal)
        answer = self._answer_page(b"", status=303)
        answer.set_header("Location", f"{portal_address(link)}?replayed=true")
        return answer

    async def _show(self, link: PortalLink, webhook: Webhook, query: PortalQuery) -> Answer:
        found = await find_deliveries(
            self._runtime, link.app_id, webhook.id, query.state, query.before
        )
        facts = {
            "title": webhook.name,
            "webhook": webhook,
            "here": portal_address(link),
            "ends_at": link.ends_at,
            "older": place_of(found.onward),
            "deliveries": [delivery_shape(each) for each in found.items],
            "query": query,
            "given": {"state": query.state} if query.state else {},
        }
        return self._answer_page(render("portal.html", facts))

    async def _replay(self, request: Request, link: PortalLink, delivery: str) -> None:
        deed = Deed(
            action="webhook.replay",
            subject=link.webhook_id,
            app=link.app_id,
            after={"delivery": delivery},
        )
        await carry_out_recorded(
            self._runtime,
            Doer(PORTAL_LINK, find_client(request, self._runtime.settings)),
            deed,
            lambda runtime: replay.replay_delivery(runtime, link.app_id, link.webhook_id, delivery),
        )

    def _refuse(self, refusal: Refusal) -> Answer:
        status = status_of(type(refusal))
        facts = {"problem": refusal, "title": str(status), "status": status}
        return self._answer_page(render("portal_closed.html", facts), status=status)


def _parse(parts: Sequence[str]) -> PortalLink:
    """Return the link at the beginning of a path.

    Raises:
        PortalClosed: the path has no valid form.
    """
    app_id, webhook_id, ends, signature, *_ = parts
    if not _ENDS.fullmatch(ends) or any("\0" in each for each in parts):
        raise PortalClosed
    return PortalLink(app_id, webhook_id, int(ends), signature)
