"""Legal holds and the report of retention in the console, as by the interface."""

from tests.api.messages.talk import group, say, to_user
from tests.api.retention.removals import DAY, keep, remove_due
from tests.console.conftest import SignIn
from tests.console.test_console_keys import actions
from tests.world import Node, World

from hubbub.records.operators.model import OperatorRole


async def test_holds_are_set_and_lifted(world: World, node: Node, signed_in: SignIn) -> None:
    """A setting of the console is true for the interface, and has its entry of the audit log."""
    await world.users("anna")
    await group(world, "club", "anna")
    visitor = await signed_in(OperatorRole.ADMIN, world.app_id)
    retention = f"/apps/{world.app_id}/retention"
    assert "Nothing is on hold" in await visitor.get(retention)
    for kind, subject in (("user", "Anna"), ("group", "club"), ("app", "ignored")):
        await visitor.post(f"{retention}/holds", {"kind": kind, "subject": subject})
    await visitor.post(f"{retention}/holds", {"kind": "user", "subject": "nobody"}, status=404)
    await visitor.post(f"{retention}/holds", {"kind": "user", "subject": ""}, status=400)
    await visitor.post(f"{retention}/holds", {"kind": "friend", "subject": "anna"}, status=400)

    listed = await world.get("/legal_holds")
    assert [each["kind"] for each in listed] == ["app", "group", "user"]

    await visitor.post(f"{retention}/holds/lift", {"kind": "app"})
    assert [each["kind"] for each in await world.get("/legal_holds")] == ["group", "user"]
    assert await actions(node, world.app_id) == ["hold.lift", *["hold.set"] * 3]


async def test_the_report_is_shown(world: World, node: Node, signed_in: SignIn) -> None:
    """The page says how long messages are kept, and what a run has removed."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))
    visitor = await signed_in(OperatorRole.ADMIN, world.app_id)
    retention = f"/apps/{world.app_id}/retention"
    assert "No run has removed a message yet" in await visitor.get(retention)
    await keep(world, days=1)
    node.clock.advance(2 * DAY)
    await remove_due(node)

    visitor = await signed_in(OperatorRole.ADMIN, world.app_id)  # sessions end while days pass
    shown = await visitor.get(retention)
    assert "removed after 1 days" in shown
    assert "<td>1</td>" in shown
