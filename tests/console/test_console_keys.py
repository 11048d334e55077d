"""Keys and webhooks in the console: shown when asked for, changed by the verbs of the interface."""

import re

from tests.console.conftest import SignIn
from tests.world import Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.domain.webhooks.manage import get_webhook
from hubbub.records.audit.model import AuditFilter
from hubbub.records.operators.model import OperatorRole

HOOK = {"id": "hook", "name": "Our server", "url": "https://hooks.example.com/chat"}


async def actions(node: Node, app: str) -> list[str]:
    """Return what was done in an app, sorted: the clock stands still."""
    found = await list_audit(node.runtime, AuditFilter(app=app), limit=100)
    return sorted(each.action for each in found)


async def test_keys_are_shown_when_asked_for(world: World, node: Node, signed_in: SignIn) -> None:
    """The list has no key; showing one is recorded; no address and no entry has it."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    page = await visitor.get(f"/apps/{world.app_id}/keys")
    assert world.key not in page
    assert world.auth_key not in page

    shown = [
        await visitor.post(path, status=200)
        for path in re.findall(r'action="/console(/apps/[^"]+/show)"', page)
    ]

    assert sum(world.key in each for each in shown) == 1
    assert sum(world.auth_key in each for each in shown) == 1
    assert world.key not in str(re.findall(r'(?:action|href)="[^"]*"', "".join(shown)))
    found = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=10)
    assert {each.action for each in found} == {"key.show"}
    assert world.key not in str(found)


async def test_keys_are_created_and_deleted(world: World, node: Node, signed_in: SignIn) -> None:
    """A new key opens the interface at once; a deleted one does not any more."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    keys = f"/apps/{world.app_id}/keys"

    page = await visitor.post(keys, {"name": "A key", "scope": "fullAccess"}, status=200)
    key = re.findall(r'class="secret">([0-9a-f]+)<', page)[0]
    await world.get("/users", key=key)
    row = page[page.index("<bdi>A key</bdi></th>") :]
    where = re.findall(r'action="/console([^"]+/delete)"', row)[0]
    await visitor.post(where)

    await world.refused("GET", "/users", key=key, status=401, code="AUTH_ERR_APIKEY_NOT_FOUND")
    assert await actions(node, world.app_id) == ["key.create", "key.delete"]
    await visitor.post(where, status=404)


async def test_webhooks_are_made_and_changed(world: World, node: Node, signed_in: SignIn) -> None:
    """A webhook is created, attached, disabled, given another secret and deleted."""
    visitor = await signed_in(OperatorRole.DEVELOPER, world.app_id)
    all_, app = f"/apps/{world.app_id}/webhooks", world.app_id

    await visitor.post(all_, HOOK | {"url": "ftp://x"}, status=400)
    await visitor.post(all_, HOOK | {"url": "http://127.0.0.1/"}, status=400)
    await visitor.post(all_, HOOK | {"id": "no id"}, status=400)
    assert await visitor.post(all_, HOOK) == f"/console{all_}/hook"
    first = (await get_webhook(node.runtime, app, "hook")).secret
    page = await visitor.get(f"{all_}/hook")
    assert first not in page

    assert first in await visitor.post(f"{all_}/hook/secret", status=200)
    rotated = await visitor.post(f"{all_}/hook/rotate", status=200)
    second = (await get_webhook(node.runtime, app, "hook")).secret
    assert second != first
    assert second in rotated
    await visitor.post(f"{all_}/hook/triggers", {"triggers": "message_sent,user_mentioned,none"})
    assert {each["id"] for each in await world.get("/webhooks/hook/triggers")} == {
        "message_sent",
        "user_mentioned",
    }
    await visitor.post(f"{all_}/hook/triggers", {"triggers": "message_sent"})
    await visitor.post(f"{all_}/hook/enabled", {"enabled": "false"})
    await visitor.post(f"{all_}/hook/test", status=400)
    await visitor.post(f"{all_}/hook/delete", {"confirm": "other"}, status=400)
    await visitor.post(f"{all_}/hook/delete", {"confirm": "hook"})

    await world.refused("GET", "/webhooks/hook", status=404, code="ERR_WEBHOOK_NOT_FOUND")
    assert await actions(node, app) == [
        "webhook.attach",
        "webhook.create",
        "webhook.delete",
        "webhook.detach",
        "webhook.disable",
        "webhook.rotate",
        "webhook.secret",
    ]
