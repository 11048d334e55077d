"""Who may see and do what: every page and form, by each role, for all apps, one's own, another."""

import re

import pytest
from tests.console.conftest import SignIn
from tests.console.visitors import Visitor
from tests.world import Node, World

from hubbub.console.page import PAGES
from hubbub.records.operators.model import OperatorRole

O, A, M, D = OperatorRole.OWNER, OperatorRole.ADMIN, OperatorRole.MODERATOR, OperatorRole.DEVELOPER  # noqa: E741
ALL = {O, A, M, D}
MAY = {
    "GET ": ALL,
    "GET /account": ALL,
    "GET /apps": ALL,
    "GET /apps/{app}": ALL,
    "GET /troubles": ALL,
    "GET /apps/{app}/keys": {O, A, D},
    "GET /apps/{app}/people": {O, A, M},
    "GET /apps/{app}/people/{uid}": {O, A, M},
    "GET /apps/{app}/moderation": {O, A, M},
    "GET /apps/{app}/moderation/waiting": {O, A, M},
    "POST /apps/{app}/moderation/{kind}/{message}/approve": {O, A, M},
    "POST /apps/{app}/moderation/{kind}/{message}/ban": {O, A, M},
    "POST /apps/{app}/moderation/{kind}/{message}/deactivate": {O, A, M},
    "POST /apps/{app}/moderation/{kind}/{message}/refuse": {O, A, M},
    "GET /apps/{app}/keywords": {O, A, M},
    "GET /apps/{app}/keywords/{keywords}": {O, A, M},
    "POST /apps/{app}/keywords": {O, A, M},
    "POST /apps/{app}/keywords/{keywords}": {O, A, M},
    "POST /apps/{app}/keywords/{keywords}/delete": {O, A, M},
    "POST /apps/{app}/keywords/{keywords}/file": {O, A, M},
    "GET /apps/{app}/retention": {O, A},
    "POST /apps/{app}/retention/holds": {O, A},
    "POST /apps/{app}/retention/holds/lift": {O, A},
    "GET /apps/{app}/reasons": {O, A, M},
    "POST /apps/{app}/reasons": {O, A, M},
    "POST /apps/{app}/reasons/{reason}": {O, A, M},
    "POST /apps/{app}/reasons/{reason}/delete": {O, A, M},
    "GET /apps/{app}/rules": {O, A, M},
    "GET /apps/{app}/rules/{rule}": {O, A, M},
    "POST /apps/{app}/rules": {O, A, M},
    "POST /apps/{app}/rules/{rule}": {O, A, M},
    "POST /apps/{app}/rules/{rule}/conditions": {O, A, M},
    "POST /apps/{app}/rules/{rule}/conditions/{position}/remove": {O, A, M},
    "POST /apps/{app}/rules/{rule}/delete": {O, A, M},
    "POST /apps/{app}/rules/{rule}/enabled": {O, A, M},
    "POST /apps/{app}/rules/{rule}/filters": {O, A, M},
    "POST /apps/{app}/rules/{rule}/filters/{position}/remove": {O, A, M},
    "POST /apps/{app}/rules/{rule}/try": {O, A, M},
    "POST /apps/{app}/people/{uid}/ban": {O, A, M},
    "POST /apps/{app}/people/{uid}/deactivate": {O, A, M},
    "POST /apps/{app}/people/{uid}/erase": {O, A},
    "POST /apps/{app}/people/{uid}/exports": {O, A},
    "POST /apps/{app}/people/{uid}/exports/{export}/open": {O, A},
    "POST /apps/{app}/people/{uid}/reactivate": {O, A, M},
    "POST /apps/{app}/people/{uid}/tokens/revoke": {O, A, M},
    "POST /apps/{app}/people/{uid}/sessions/{session}/end": {O, A, M},
    "GET /apps/{app}/identity": {O, A, D},
    "POST /apps/{app}/identity": {O, A, D},
    "POST /apps/{app}/identity/delete": {O, A, D},
    "POST /apps/{app}/identity/revoke": {O, A, D},
    "GET /apps/{app}/webhooks": {O, A, D},
    "GET /apps/{app}/webhooks/{webhook}": {O, A, D},
    "POST /apps/{app}/keys": {O, A, D},
    "POST /apps/{app}/keys/{key}/delete": {O, A, D},
    "POST /apps/{app}/keys/{key}/show": {O, A, D},
    "POST /apps/{app}/webhooks": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/delete": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/deliveries/{delivery}/replay": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/enabled": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/portal": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/portal/revoke": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/replay": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/rotate": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/secret": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/test": {O, A, D},
    "POST /apps/{app}/webhooks/{webhook}/triggers": {O, A, D},
    "GET /system": {O, A},
    "GET /system/figures": {O, A},
    "GET /audit": {O, A},
    "GET /audit/save": {O, A},
    "POST /account/codes": ALL,
    "POST /account/codes/end": ALL,
    "POST /account/password": ALL,
    "POST /apps": {O, A},
    "POST /apps/{app}/delete": {O},
    "POST /sign-out": ALL,
    "GET /apps/{app}/moving/imports/{run}": {O, A},
    "GET /apps/{app}/moving": {O, A},
    "GET /apps/{app}/moving/progress": {O, A},
    "POST /apps/{app}/moving/exports": {O, A},
    "POST /apps/{app}/moving/exports/{export}/delete": {O, A},
    "POST /apps/{app}/moving/exports/{export}/open": {O, A},
    "POST /apps/{app}/moving/imports": {O, A},
    "POST /apps/{app}/moving/imports/{run}/cancel": {O, A},
    "GET /apps/{app}/notifications": ALL,
    "GET /apps/{app}/notifications/check": ALL,
    "GET /apps/{app}/providers": {O, A, D},
    "GET /apps/{app}/providers/channels/{kind}": {O, A, D},
    "POST /apps/{app}/providers/apns": {O, A, D},
    "POST /apps/{app}/providers/channels/{kind}": {O, A, D},
    "POST /apps/{app}/providers/channels/{kind}/delete": {O, A, D},
    "POST /apps/{app}/providers/channels/{kind}/test": {O, A, D},
    "POST /apps/{app}/providers/push/{kind}/{provider}/test": {O, A, D},
    "POST /apps/{app}/providers/fcm": {O, A, D},
    "POST /apps/{app}/providers/push/{kind}/{provider}/default": {O, A, D},
    "POST /apps/{app}/providers/push/{kind}/{provider}/delete": {O, A, D},
    "POST /apps/{app}/providers/webpush": {O, A, D},
    "GET /apps/{app}/bots": {O, A, D},
    "GET /apps/{app}/settings": {O, A, D},
    "POST /apps/{app}/bots": {O, A, D},
    "POST /apps/{app}/bots/{uid}": {O, A, D},
    "POST /apps/{app}/bots/{uid}/delete": {O, A, D},
    "POST /apps/{app}/settings/{key}": {O, A, D},
    "POST /apps/{app}/settings/{key}/reset": {O, A, D},
    "GET /apps/{app}/conversations": {O, A, M},
    "GET /apps/{app}/conversations/{conversation}": {O, A, M},
    "GET /apps/{app}/groups": {O, A, M},
    "GET /apps/{app}/groups/{guid}": {O, A, M},
    "GET /apps/{app}/messages": {O, A, M},
    "GET /apps/{app}/messages/{message}": {O, A, M},
    "POST /apps/{app}/groups/{guid}/bans/{uid}/lift": {O, A, M},
    "POST /apps/{app}/groups/{guid}/delete": {O, A, M},
    "POST /apps/{app}/groups/{guid}/members/{uid}/ban": {O, A, M},
    "POST /apps/{app}/groups/{guid}/members/{uid}/kick": {O, A, M},
    "POST /apps/{app}/groups/{guid}/members/{uid}/scope": {O, A, M},
    "POST /apps/{app}/messages/{message}/delete": {O, A, M},
}
"""Each page, and who may see it."""
_NO_APP = re.compile(r"The app [\w-]+ does not exist")
FOR_ALL_APPS = {"POST /apps", "GET /system", "GET /system/figures"}
"""Those of operators of all apps alone."""


def test_every_page_is_in_the_table() -> None:
    """A new page has its place in the table."""
    assert {f"{method} {path}" for method, path in PAGES} == MAY.keys()


@pytest.mark.parametrize("role", list(OperatorRole))
async def test_who_may_do_what(
    signed_in: SignIn, world: World, node: Node, role: OperatorRole
) -> None:
    """Each page is refused to the roles that may not see it, and in apps of others to all."""
    other = await node.world()
    of_all, of_one = await signed_in(role), await signed_in(role, world.app_id)
    found: dict[str, list[str]] = {}
    for name in sorted(MAY, key=lambda each: each == "POST /sign-out"):
        for visitor, target in ((of_all, world), (of_one, world), (of_one, other)):
            method, path = name.replace("{app}", target.app_id).split(" ", 1)
            found.setdefault(name, []).append(await how_it_goes(visitor, method, path))

    assert found == {name: wanted_of(name, may=role in roles) for name, roles in MAY.items()}


def wanted_of(name: str, *, may: bool) -> list[str]:
    """Return what operators of all apps, of the app, and of another app are told."""
    of_all = "let in" if may else "refused"
    of_one = "refused" if name in FOR_ALL_APPS else of_all
    return [of_all, of_one, "not found" if "{app}" in name else of_one]


async def how_it_goes(visitor: Visitor, method: str, path: str) -> str:
    """Return what an operator is told.

    A form without its fields, or about something that does not exist, is let in, and refused then.
    """
    body = b"" if method == "GET" else f"csrf={await visitor.csrf()}".encode()
    if path == "/sign-out":
        return "let in"  # any session has one; test_signing_in.py ends it
    answer = await visitor.ask(method, f"/console{path}", body)
    if answer.status == 404 and _NO_APP.search(answer.body.decode()):
        return "not found"
    return "refused" if answer.status == 403 else "let in"
