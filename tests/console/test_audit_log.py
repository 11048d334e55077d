"""The audit log: every change has an entry, which nothing changes; it is read, searched, saved."""

import csv
import io
import json
import re
from functools import partial

import pytest
from tests.api.messages.talk import events, say, to_user
from tests.console.conftest import SignIn
from tests.console.visitors import make_operator
from tests.world import Node, World

from hubbub.console.pages.audit import COLUMNS
from hubbub.domain.apps.manage import delete_app
from hubbub.domain.audit.find import list_audit
from hubbub.domain.audit.record import Deed, carry_out_recorded, record_look
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.domain.keys.manage import create_key, list_keys
from hubbub.domain.operators import manage
from hubbub.kernel.errors import Refusal
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.records.audit.model import AuditEntry, AuditFilter, Doer
from hubbub.records.operators.model import OperatorRole
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction
from hubbub.storage.queries import Query

ANNA = Doer("anna", "192.0.2.7")


async def entries_of(node: Node, app: str) -> list[AuditEntry]:
    """Return the entries about an app, the newest first."""
    return list(await list_audit(node.runtime, AuditFilter(app=app), limit=100))


async def test_a_change_has_an_entry(world: World, node: Node) -> None:
    """A change by a verb is recorded: when, who, what, to what, and from where."""
    deed = Deed(action="key.create", subject="A key", app=world.app_id, after={"scope": "authOnly"})

    await carry_out_recorded(
        node.runtime,
        ANNA,
        deed,
        lambda runtime: create_key(runtime, world.app_id, "A key", "authOnly"),
    )

    (entry,) = await entries_of(node, world.app_id)
    assert (entry.at, entry.operator, entry.address) == (
        node.clock.milliseconds(),
        "anna",
        "192.0.2.7",
    )
    assert (entry.action, entry.subject, entry.before) == ("key.create", "A key", None)
    assert json.loads(entry.after or "") == {"scope": "authOnly"}


async def test_an_entry_names_its_events(world: World, node: Node, signed_in: SignIn) -> None:
    """The entry of a change has the ids of the events by which the app hears of it."""
    await world.users("anna", "ben")
    sent = await say(world, "anna", to_user("ben", "Hello"))
    moderator = await signed_in(OperatorRole.MODERATOR, world.app_id)
    path = f"/apps/{world.app_id}"

    await moderator.post(f"{path}/messages/{sent['id']}/delete", {"how": "soft"})
    await moderator.post(f"{path}/people/ben/tokens/revoke")

    found = {entry.action: entry.events for entry in await entries_of(node, world.app_id)}
    rows = await events(node, world)
    [deleted] = [row for row in rows if row[2] == "message_deleted"]
    assert found["message.delete"] == deleted[1]
    assert found["user.revoke-tokens"] is None
    admin = await signed_in()
    assert deleted[1] in await admin.get(f"/audit?app={world.app_id}")


async def test_a_change_without_its_entry_is_none(
    world: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the entry can't be written, nothing is changed; a verb that refuses has no entry."""
    app, runtime = world.app_id, node.runtime
    before = await list_keys(runtime, app, None, None)

    async def refuse(runtime: Runtime) -> None:
        await create_key(runtime, app, "A key", "authOnly")
        raise Refusal("No.")

    with pytest.raises(Refusal):
        await carry_out_recorded(runtime, ANNA, Deed(action="a.b", subject="c", app=app), refuse)

    async def fail(tx: Transaction, entry: AuditEntry) -> None:
        raise Refusal("The disk is full.")

    monkeypatch.setattr("hubbub.domain.audit.record.insert_entry", fail)
    with pytest.raises(Refusal, match="disk"):
        await carry_out_recorded(
            runtime,
            ANNA,
            Deed(action="a.b", subject="c", app=app),
            lambda parts: create_key(parts, app, "A key", "authOnly"),
        )

    assert await list_keys(runtime, app, None, None) == before
    assert await entries_of(node, app) == []


@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET operator = 'nobody'", "DELETE FROM audit WHERE at > 0"]
)
async def test_no_entry_is_changed(world: World, node: Node, statement: str) -> None:
    """The engine itself refuses to change or delete entries, whoever asks."""
    await record_look(node.runtime, ANNA, Deed(action="a.b", subject="c", app=world.app_id))
    query = Query("tamper", statement)

    with pytest.raises(Exception, match="append-only"):
        await node.runtime.database.write(INSTALLATION, lambda tx: tx.run(query))

    (entry,) = await entries_of(node, world.app_id)
    assert entry.operator == "anna"


async def test_entries_are_found(world: World, node: Node, signed_in: SignIn) -> None:
    """The page finds entries by operator, action, subject and time, and goes on to older ones."""
    look = partial(record_look, node.runtime)
    for number in range(60):
        deed = Deed(action="key.show", subject=f"key-{number:02}", app=world.app_id)
        await look(Doer("ben" if number % 2 else "chiara"), deed)
        node.clock.advance(1)
    visitor = await signed_in()
    address = f"/audit?app={world.app_id}"

    first = await visitor.get(address)
    assert (first.count("key.show"), "key-59" in first, "key-09" in first) == (50, True, False)
    older = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = await visitor.get(older.removeprefix("/console"))
    assert (second.count("key.show"), "key-09" in second) == (10, True)

    assert (await visitor.get(f"{address}&operator=ben")).count("key.show") == 30
    assert (await visitor.get(f"{address}&action=key&subject=key-07")).count("key.show") == 1
    assert "No entry fits" in await visitor.get(f"{address}&action=keys")
    assert "No entry fits" in await visitor.get(f"{address}&since=2099-01-01")
    await visitor.get(f"{address}&since=yesterday", status=400)


async def test_entries_are_looked_through_in_parts(
    world: World, node: Node, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few entries of a long log are looked through at once; by the links all are found, once."""
    monkeypatch.setattr("hubbub.domain.audit.find.LOOKED_THROUGH", 4)
    for number in range(15):
        deed = Deed(action="key.show", subject=f"key-{number:02}", app=world.app_id)
        await record_look(node.runtime, Doer("ben" if number in (0, 6, 7) else "dai"), deed)
        node.clock.advance(1)
    visitor = await signed_in()

    found, path = [], f"/audit?app={world.app_id}&operator=ben"
    while path:
        page = await visitor.get(path)
        found += re.findall(r"key-\d\d", page)
        link = page.partition('rel="next" href="/console')[2].partition('"')[0]
        path = link.replace("&amp;", "&")

    assert found == ["key-07", "key-06", "key-00"]
    assert "key-00" in await visitor.get(f"/audit?app={world.app_id}&subject=key-00")


async def test_a_long_log_is_saved_in_order(
    world: World, node: Node, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The saved log has each entry once, the oldest first, also if it is read in several parts."""
    monkeypatch.setattr("hubbub.console.pages.audit.AT_ONCE", 3)
    for number in range(7):
        deed = Deed(action="key.show", subject=f"key-{number}", app=world.app_id)
        await record_look(node.runtime, ANNA, deed)
        node.clock.advance(1)
    visitor = await signed_in()
    wanted = [f"key-{number}" for number in range(7)]

    as_json = await visitor.get(f"/audit/save?format=json&app={world.app_id}&action=key")
    as_csv = await visitor.get(f"/audit/save?format=csv&app={world.app_id}&action=key")

    assert [entry["subject"] for entry in json.loads(as_json)] == wanted
    rows = list(csv.DictReader(io.StringIO(as_csv)))
    assert [row["subject"] for row in rows] == wanted
    empty = await visitor.get(f"/audit/save?format=json&app={world.app_id}&action=none")
    assert json.loads(empty) == []


async def test_who_sees_one_app_reads_of_one_app(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """An admin of one app reads, and saves, entries of that app alone, whatever they ask for."""
    other = await node.world()
    for app in (world.app_id, other.app_id):
        await record_look(node.runtime, ANNA, Deed(action="key.show", subject=f"of-{app}", app=app))
    admin = await signed_in(OperatorRole.ADMIN, world.app_id)

    for path in ("/audit", "/audit/save?format=json&", "/audit/save?format=csv&"):
        for asked in ("", f"?app={other.app_id}" if path == "/audit" else f"app={other.app_id}"):
            page = await admin.get(path + asked)

            assert f"of-{world.app_id}" in page
            assert f"of-{other.app_id}" not in page


async def test_entries_are_saved(world: World, node: Node, signed_in: SignIn) -> None:
    """The entries are saved as CSV and as JSON, the oldest first; no spreadsheet computes one."""
    app = world.app_id
    for subject in ('=HYPERLINK("https://evil.example")', 'a "quoted", one'):
        deed = Deed(action="key.show", subject=subject, app=app, after={"scope": "fullAccess"})
        await record_look(node.runtime, ANNA, deed)
        node.clock.advance(1)
    visitor = await signed_in()

    saved = await visitor.get(f"/audit/save?app={app}&format=csv")
    assert visitor.answer.headers["content-disposition"] == 'attachment; filename="audit.csv"'
    formula, quoted = list(csv.DictReader(io.StringIO(saved)))
    assert formula["subject"] == '\'=HYPERLINK("https://evil.example")'
    assert (quoted["subject"], quoted["operator"]) == ('a "quoted", one', "anna")

    rows = json.loads(await visitor.get(f"/audit/save?app={app}&format=json"))
    assert [row["subject"] for row in rows] == [
        '=HYPERLINK("https://evil.example")',
        'a "quoted", one',
    ]
    assert rows[0].keys() == set(COLUMNS)
    assert rows[0]["after"] == {"scope": "fullAccess"}
    page = await visitor.get(f"/audit?operator={visitor.name}&action=audit.save")
    assert page.count("<code>audit.save") == 2


async def test_operators_are_recorded(node: Node, signed_in: SignIn) -> None:
    """Who was added, signed in, got another password and was removed stands in the log."""
    visitor = await signed_in(OperatorRole.ADMIN)
    await manage.reset_password(node.runtime, ANNA, visitor.name, "another long password")
    await manage.remove_operator(node.runtime, ANNA, visitor.name)

    found = await list_audit(node.runtime, AuditFilter(subject=visitor.name), limit=100)

    assert {(each.action, each.operator) for each in found} == {
        ("operator.add", "(command line)"),
        ("operator.sign-in", visitor.name),
        ("operator.password", "anna"),
        ("operator.remove", "anna"),
    }
    assert all("long" not in f"{each.before}{each.after}" for each in found)


async def test_an_erased_app_leaves_no_operator(node: Node) -> None:
    """Whoever makes an app with the id of an erased one has no operators of that in it."""
    world = await node.world()
    name = await make_operator(node, OperatorRole.OWNER, world.app_id)
    await delete_app(node.runtime, world.app_id)
    node.clock.advance(ARCHIVED_SECONDS)
    await erase_archived_apps(node.runtime)

    assert name not in [each.name for each in await manage.list_operators(node.runtime)]
