"""Imports and exports at the console: asked for, followed while they run, ended, downloaded."""

from collections.abc import AsyncIterator
from functools import partial

import pytest
from tests.console.conftest import SignIn
from tests.console.test_console_frame import EVIL, Elements
from tests.console.test_console_keys import actions
from tests.console.visitors import Visitor
from tests.files.uploads import stored_files
from tests.wire import Asked
from tests.world import Node, World

from hubbub.domain.audit.find import list_audit
from hubbub.domain.imports.jobs import source_path
from hubbub.kernel.errors import Unavailable
from hubbub.records.attachments.model import path_of
from hubbub.records.audit.model import AuditFilter
from hubbub.records.exports import store as exports
from hubbub.records.imports import store as imports
from hubbub.records.imports.model import DONE, FAILED, RefusedRow
from hubbub.records.operators.model import OperatorRole

ADMIN = OperatorRole.ADMIN
SOURCE = "https://example.com/export.zip"


@pytest.fixture
async def admin(world: World, signed_in: SignIn) -> Visitor:
    """An admin of the app."""
    return await signed_in(ADMIN, world.app_id)


async def one_piece(content: bytes) -> AsyncIterator[bytes]:
    """Yield a file as one piece."""
    yield content


async def test_an_import_is_followed(world: World, node: Node, admin: Visitor) -> None:
    """An import is asked for by its address; a part that renews itself shows how far it is."""
    base = f"/apps/{world.app_id}"

    await admin.post(
        f"{base}/moving/imports", {"url": SOURCE, "origin": "slack", "rehearses": "true"}
    )

    (asked,) = await world.get("/imports")
    assert (asked["source"], asked["from"], asked["dryRun"]) == (SOURCE, "slack", True)
    assert f'hx-get="/console{base}/moving/progress"' in await admin.get(f"{base}/moving")
    run = partial(imports.set_total, import_id=asked["id"], total=4_000, dropped="{}")
    await node.runtime.database.write(world.app_id, run)
    part = await admin.get(f"{base}/moving/progress")
    assert "0 of 4,000" in part
    assert "<html" not in part
    await admin.post(f"{base}/moving/imports/{asked['id']}/cancel")

    (ended,) = await world.get("/imports")
    assert ended["state"] == "cancelled"
    assert "cancelled" in await admin.get(f"{base}/moving/progress")
    assert await actions(node, world.app_id) == ["import.ask", "import.cancel"]


async def test_no_password_of_an_address_is_shown(world: World, node: Node, admin: Visitor) -> None:
    """Of an address the audit log has the host; no page shows its credentials, nor the API."""
    base = f"/apps/{world.app_id}"

    await admin.post(
        f"{base}/moving/imports", {"url": "https://ben:pa@ss@example.com/export.zip?key=token1"}
    )

    (asked,) = await world.get("/imports")
    assert asked["source"] == "https://example.com/export.zip?key=token1"
    (entry,) = await list_audit(node.runtime, AuditFilter(app=world.app_id), limit=9)
    assert (entry.action, entry.subject) == ("import.ask", "example.com")
    assert "token1" not in repr(entry)
    assert "pa@ss" not in await admin.get(f"{base}/moving")


async def test_a_file_is_imported(world: World, node: Node, admin: Visitor) -> None:
    """A file that is sent with the form is stored for the import, which is recorded."""
    base, runtime = f"/apps/{world.app_id}", node.runtime

    await admin.upload(f"{base}/moving/imports", {"rehearses": "true"}, "chats.jsonl", b"{}")

    (asked,) = await world.get("/imports")
    assert (asked["source"], asked["dryRun"], asked["state"]) == ("chats.jsonl", True, "waiting")
    path = source_path(world.app_id, asked["id"])
    assert b"".join([each async for each in await runtime.files.read(path, 0, 2)]) == b"{}"
    assert await actions(node, world.app_id) == ["import.ask"]


@pytest.mark.parametrize(
    ("fields", "csrf"), [({"url": SOURCE}, None), ({"origin": "pigeons"}, None), ({}, "0" * 64)]
)
async def test_no_file_of_a_refused_form_stays(
    world: World, node: Node, admin: Visitor, fields: dict[str, str], csrf: str | None
) -> None:
    """If a form with a file is refused, such as one of another page, its file is removed."""
    before = stored_files(node)

    path = f"/apps/{world.app_id}/moving/imports"
    status = await admin.upload(path, fields, "chats.jsonl", b"{}", csrf=csrf)

    assert status == (400 if csrf is None else 403)
    assert await world.get("/imports") == []
    assert stored_files(node) == before


async def test_who_may_not_import_sends_no_file(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """The file of who may not import is not even stored."""
    moderator = await signed_in(OperatorRole.MODERATOR, world.app_id)

    path = f"/apps/{world.app_id}/moving/imports"
    assert await moderator.upload(path, {}, "chats.jsonl", b"{}") == 403


async def test_an_end_is_recorded_before_it_is_made(
    world: World, admin: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import or export whose end can't be recorded does not end."""
    base = f"/apps/{world.app_id}/moving"
    await admin.post(f"{base}/imports", {"url": SOURCE})
    await admin.post(f"{base}/exports")
    (run,), (export,) = await world.get("/imports"), await world.get("/exports")

    async def fail(*_: object) -> None:
        raise Unavailable("The disk is full.")

    monkeypatch.setattr("hubbub.domain.audit.record.insert_entry", fail)
    for path in (f"imports/{run['id']}/cancel", f"exports/{export['id']}/delete"):
        await admin.post(f"{base}/{path}", status=503)

    assert (await world.get("/imports"))[0]["state"] == "waiting"
    assert (await world.get("/exports"))[0]["state"] == "waiting"


async def test_a_wrong_import_is_refused(world: World, admin: Visitor) -> None:
    """Without a proper address, or from an unknown system, nothing is begun."""
    base = f"/apps/{world.app_id}"
    for fields in (
        {},
        {"url": "file:///etc/passwd"},
        {"url": "javascript:alert(1)"},
        {"url": SOURCE, "origin": "pigeons"},
        {"url": SOURCE, "conflicts": "ignore"},
    ):
        await admin.post(f"{base}/moving/imports", fields, status=400)
    await admin.post(f"{base}/moving/imports/none/cancel", status=404)

    assert await world.get("/imports") == []


async def test_refused_rows_are_only_text(world: World, node: Node, admin: Visitor) -> None:
    """The rows that an import refused, its error and its source are shown as they are."""
    base, database = f"/apps/{world.app_id}", node.runtime.database
    await admin.post(
        f"{base}/moving/imports", {"url": f"https://example.com/?{EVIL.replace(' ', '+')}"}
    )
    (asked,) = await world.get("/imports")
    rows = [
        RefusedRow(1, EVIL, 7, EVIL, '{"name": "<script>alert(1)"}'),
        RefusedRow(2, "b", 8, "It is no row.", EVIL),
    ]
    refuse = partial(imports.insert_refusals, import_id=asked["id"], rows=rows)
    await database.write(world.app_id, refuse)
    now = node.clock.now()
    end = partial(imports.end_run, import_id=asked["id"], state=FAILED, now=now, error=EVIL)
    await database.write(world.app_id, end)

    pages = [
        await admin.get(f"{base}/moving/imports/{asked['id']}"),
        await admin.get(f"{base}/moving"),
    ]

    assert pages[0].count("&lt;script&gt;alert(1)") >= 5
    assert "It is no row." not in await admin.get(f"{base}/moving/imports/{asked['id']}?after=2")
    for page in pages:
        tags = [tag for tag, given in Elements(page).found if not (tag == "script" and given)]
        assert not {"img", "script"} & set(tags)
    assert "import.read" in await actions(node, world.app_id)


async def test_an_export_is_followed_and_downloaded(
    world: World, node: Node, admin: Visitor
) -> None:
    """An export is asked for, its file is opened by a link, and it is deleted with its file."""
    base, runtime = f"/apps/{world.app_id}", node.runtime
    await world.users("anna")

    await admin.post(f"{base}/moving/exports", {"user": "Anna", "since": "2026-01-01"})
    (asked,) = await world.get("/exports")
    assert (asked["user"], asked["since"], asked["state"]) == ("anna", 1_767_225_600, "waiting")
    await admin.post(f"{base}/moving/exports/{asked['id']}/open", status=404)
    await runtime.files.write(path_of(world.app_id, asked["id"]), one_piece(b"zip"))
    now = node.clock.now()
    end = partial(exports.end_export, export_id=asked["id"], state=DONE, now=now, size=3)
    await runtime.database.write(world.app_id, end)
    assert "Download 3 B" in await admin.get(f"{base}/moving/progress")
    link = await admin.post(f"{base}/moving/exports/{asked['id']}/open")
    assert (await node.sender.send(Asked("GET", link))).body == b"zip"

    await admin.post(f"{base}/moving/exports/{asked['id']}/delete")

    assert await world.get("/exports") == []
    assert (await node.sender.send(Asked("GET", link))).status == 404
    assert await actions(node, world.app_id) == ["export.ask", "export.delete", "export.open"]


async def test_a_wrong_export_is_refused(world: World, admin: Visitor) -> None:
    """An export that can't be made is refused with the reason, and nothing is begun."""
    base = f"/apps/{world.app_id}"
    for fields, status in (
        ({"user": "nobody"}, 404),
        ({"group": "nothing"}, 404),
        ({"user": "a b"}, 400),
        ({"since": "yesterday"}, 400),
        ({"since": "2026-01-02", "until": "2026-01-02"}, 400),
    ):
        await admin.post(f"{base}/moving/exports", fields, status=status)

    assert await world.get("/exports") == []


async def test_imports_and_exports_of_another_app(
    world: World, node: Node, signed_in: SignIn, admin: Visitor
) -> None:
    """An admin of another app follows, opens and ends nothing here, by whatever id."""
    base, other = f"/apps/{world.app_id}", await node.world()
    await admin.post(f"{base}/moving/imports", {"url": SOURCE})
    await admin.post(f"{base}/moving/exports")
    run, export = (await world.get("/imports"))[0]["id"], (await world.get("/exports"))[0]["id"]
    stranger = await signed_in(ADMIN, other.app_id)

    for app in (world.app_id, other.app_id):
        for path in (f"imports/{run}/cancel", f"exports/{export}/open", f"exports/{export}/delete"):
            await stranger.post(f"/apps/{app}/moving/{path}", status=404)
        await stranger.get(f"/apps/{app}/moving/imports/{run}", status=404)
    await stranger.get(f"{base}/moving/progress", status=404)

    assert (await world.get("/imports"))[0]["state"] == "waiting"
    assert (await world.get("/exports"))[0]["state"] == "waiting"
