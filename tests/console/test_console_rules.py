"""Rules, keyword lists and reasons in the console: made, tried and changed as by the interface."""

import re
from collections.abc import Mapping

from tests.api.messages.talk import say, to_user
from tests.console.conftest import SignIn
from tests.console.test_console_keys import actions
from tests.console.visitors import Visitor
from tests.world import Node, World

from hubbub.records.operators.model import OperatorRole

EVIL = "<script>alert(1)</script>"
BOUNDARY = "----boundary"


async def revision(world: World, rule: str) -> Mapping[str, str]:
    """Return the field of forms that says which revision was looked at."""
    shown = await world.get(f"/moderation/rules/{rule}")
    return {"revision": shown["revisionId"].rpartition("_")[2]}


async def test_a_rule_is_made_tried_and_enabled(
    world: World, node: Node, signed_in: SignIn
) -> None:
    """A new rule is disabled; a trial finds what it would block; enabled, it blocks that."""
    await world.users("anna", "ben")
    for text in ("Buy spam", "Fine", f"spam {EVIL}"):
        await say(world, "anna", to_user("ben", text))
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    rules = f"/apps/{world.app_id}/rules"
    new = {"id": "spam", "name": f"No spam {EVIL}", "kind": "words", "values": "spam\nscam\n"}

    assert await visitor.post(rules, new) == f"/console{rules}/spam"
    tried = await visitor.post(f"{rules}/spam/try", {"limit": "100"}, status=200)
    assert "<strong>2</strong> of 3 messages" in tried
    assert re.findall(r"/messages/(\d+)\"", tried) == ["3", "1"]
    assert EVIL not in tried
    await visitor.post(f"{rules}/spam/enabled", {"enabled": "true", "revision": "1"})

    shown = await world.get("/moderation/rules/spam")
    assert shown["enabled"] is True
    assert shown["action"] == ["blockMessage"]
    [condition] = shown["conditions"]
    assert (condition["category"], condition["value"]) == ("word", ["spam", "scam"])
    sent = await say(world, "anna", to_user("ben", "A scam"))
    assert sent["data"]["moderation"]["status"] == "pending"
    assert await actions(node, world.app_id) == ["rule.create", "rule.try", "rule.update"]
    assert "No spam &lt;script&gt;" in await visitor.get(rules)


async def test_the_parts_of_a_rule_are_changed(world: World, node: Node, signed_in: SignIn) -> None:
    """Conditions and filters are added and removed; the page has all revisions of the rule."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    rule = f"/apps/{world.app_id}/rules/spam"
    first = {"id": "spam", "name": "Spam", "kind": "parts", "values": "spam"}
    await visitor.post(f"/apps/{world.app_id}/rules", first)

    async def change(path: str, **fields: str) -> None:
        await visitor.post(rule + path, {**await revision(world, "spam"), **fields})

    await change("/conditions", kind="rate", values="5/10")
    await change("/filters", whose="sender-user", operand="role", operator="in", value="a,b")
    exempt = {"whose": "sender-user", "operand": "uid", "operator": "equals", "exempt": "true"}
    await change("/filters", value="anna", **exempt)
    await change("/conditions/0/remove")
    await change("/filters/0/remove")
    await change("", name="Floods", description="Not so fast", action="bounce,flagMessage")

    shown = await world.get("/moderation/rules/spam")
    assert [(each["operand"], each["value"]) for each in shown["conditions"]] == [
        ("rate", ["5/10"])
    ]
    [left] = shown["filters"]
    assert (left["operand"], left["value"], left["exempt"]) == ("uid", "anna", True)
    assert (shown["name"], shown["description"]) == ("Floods", "Not so fast")
    assert shown["action"] == ["bounce", "flagMessage"]
    page = await visitor.get(rule)
    revisions = page[page.index('id="revisions"') :]
    assert re.findall(r'<th scope="row">(\d)</th>', revisions) == list("7654321")
    for path, fields in (
        ("/conditions", {"kind": "patterns", "values": "("}),
        ("/conditions", {"kind": "rate", "values": "often"}),
        ("/conditions/9/remove", {}),
        ("/filters/x/remove", {}),
        ("/filters", {"whose": "sender-user", "operand": "guid", "operator": "in", "value": "a"}),
        ("", {"name": ""}),
    ):
        given = {**await revision(world, "spam"), **fields}
        await visitor.post(rule + path, given, status=400)
    lists = {**await revision(world, "spam"), "kind": "word-lists", "values": "no-list"}
    await visitor.post(f"{rule}/conditions", lists, status=404)
    assert (await revision(world, "spam"))["revision"] == "7"
    assert (await actions(node, world.app_id)).count("rule.update") == 6


async def test_a_rule_that_others_changed_stays(world: World, signed_in: SignIn) -> None:
    """A change of what is not the newest revision any more is refused, and changes nothing."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    rules = f"/apps/{world.app_id}/rules"
    await visitor.post(rules, {"id": "spam", "name": "Spam", "values": "spam"})
    await world.put("/moderation/rules/spam", {"name": "Other"})

    texts = {"revision": "1", "name": "Mine"}
    page = await visitor.post(f"{rules}/spam", texts, status=409)

    assert "was changed meanwhile" in page
    assert (await world.get("/moderation/rules/spam"))["name"] == "Other"


async def test_a_rule_is_deleted(world: World, signed_in: SignIn) -> None:
    """A rule is deleted once its id is typed; a built-in one has no such form, and stays."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    rules = f"/apps/{world.app_id}/rules"
    await visitor.post(rules, {"id": "spam", "name": "Spam", "values": "spam"})
    await visitor.post(f"{rules}/spam/delete", {"confirm": "ham"}, status=400)

    await visitor.post(f"{rules}/spam/delete", {"confirm": "spam"})

    await visitor.get(f"{rules}/spam", status=404)
    built_in = (await world.get("/moderation/rules"))[0]["id"]
    assert "/delete" not in await visitor.get(f"{rules}/{built_in}")
    await visitor.post(f"{rules}/{built_in}/delete", {"confirm": built_in}, status=403)


async def upload(visitor: Visitor, path: str, content: bytes, *, csrf: str | None = None) -> int:
    """Send a file by the form of a page; return the status of the answer."""
    token = await visitor.csrf() if csrf is None else csrf
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="'
    body = f'{head}csrf"\r\n\r\n{token}\r\n{head}file"; filename="terms.csv"\r\n\r\n'.encode()
    body += content + f"\r\n--{BOUNDARY}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    return (await visitor.ask("POST", f"/console{path}", body, headers)).status


async def test_a_list_is_made_and_filled(world: World, node: Node, signed_in: SignIn) -> None:
    """A list is typed, then replaced by a file; what is no valid file, or too large, is refused."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    lists = f"/apps/{world.app_id}/keywords"
    await visitor.post(lists, {"id": "bad", "name": "Bad words", "terms": "one\ntwo"})
    assert (await world.get("/moderation/keywords/bad"))["searchTerms"] == ["one", "two"]
    assert "one\ntwo" in await visitor.get(f"{lists}/bad")

    content = b'three,ignored\r\n"fo""ur"\r\n\r\nthree\r\n'
    assert await upload(visitor, f"{lists}/bad/file", content) == 303

    filled = await world.get("/moderation/keywords/bad")
    assert (filled["searchTerms"], filled["isCSV"]) == (["three", 'fo"ur'], True)
    for wrong, status in (
        (b"\xff\n", 400),
        (b"", 400),
        (b"x" * (2**20 + 1), 400),
        (b"x" * (2**20 + 300_000), 400),
    ):
        assert await upload(visitor, f"{lists}/bad/file", wrong) == status
    assert await upload(visitor, f"{lists}/bad/file", b"five\n", csrf="x") == 403
    await visitor.post(f"{lists}/bad/file", status=400)
    await visitor.post(f"{lists}/bad", {"name": "Renamed", "terms": ""})
    changed = await world.get("/moderation/keywords/bad")
    assert (changed["name"], changed["searchTerms"]) == ("Renamed", ["three", 'fo"ur'])
    assert await actions(node, world.app_id) == [
        "keywords.create",
        "keywords.update",
        "keywords.update",
    ]


async def test_a_list_in_use_stays(world: World, signed_in: SignIn) -> None:
    """A list to which a rule refers is not deleted; the page says which rule it is."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    app = f"/apps/{world.app_id}"
    await visitor.post(f"{app}/keywords", {"id": "bad", "name": "Bad", "terms": "one"})
    rule = {"id": "spam", "name": "Spam", "kind": "word-lists", "values": "bad"}
    await visitor.post(f"{app}/rules", rule)

    assert "/rules/spam" in await visitor.get(f"{app}/keywords/bad")
    await visitor.post(f"{app}/keywords/bad/delete", {"confirm": "bad"}, status=409)
    await visitor.post(f"{app}/rules/spam/delete", {"confirm": "spam"})
    await visitor.post(f"{app}/keywords/bad/delete", {"confirm": "bad"})
    await visitor.get(f"{app}/keywords/bad", status=404)


async def test_reasons_are_kept(world: World, node: Node, signed_in: SignIn) -> None:
    """Reasons are created, changed and deleted; what is not valid changes nothing."""
    visitor = await signed_in(OperatorRole.MODERATOR, world.app_id)
    reasons = f"/apps/{world.app_id}/reasons"
    assert "There is no reason yet" in await visitor.get(reasons)
    await visitor.post(reasons, {"id": "Rude", "name": "Rude"})
    await visitor.post(reasons, {"id": "rude", "name": "Again"}, status=409)
    await visitor.post(reasons, {"id": "x y", "name": "Again"}, status=400)

    await visitor.post(f"{reasons}/rude", {"name": "It is rude", "description": "Of people"})

    [reason] = await world.get("/moderation/reasons")
    assert (reason["id"], reason["name"], reason["description"]) == (
        "rude",
        "It is rude",
        "Of people",
    )
    assert 'value="It is rude"' in await visitor.get(reasons)
    await visitor.post(f"{reasons}/rude/delete")
    await visitor.post(f"{reasons}/rude/delete", status=404)
    assert await world.get("/moderation/reasons") == []
    assert await actions(node, world.app_id) == ["reason.create", "reason.delete", "reason.update"]
