"""What becomes of messages by the rulings of rules: on sends, edits, and what is not stored."""

from typing import Any

import pytest
from tests.api.messages.talk import group, say, texts, to_group, to_user
from tests.api.moderation.ruling import make_rule
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.growing.finish import end_silent

FLAGGED, BLOCKED = "/moderation/flagged-messages", "/moderation/blocked-messages"
REFUSED: Any = {"status": 403, "code": "ERR_BLOCKED_BY_EXTENSION"}


@pytest.fixture
async def pair(ruled: World) -> World:
    """Two users of an app with rules."""
    await ruled.users("anna", "ben")
    return ruled


async def test_what_no_rule_matches_is_approved(pair: World) -> None:
    """It is sent, and says so, whatever a client writes into its moderation."""
    data = {"text": "Hello", "moderation": {"status": "pending"}}
    sent = await say(pair, "anna", to_user("ben") | {"data": data})

    assert sent["data"]["moderation"] == {"status": "approved"}
    assert await pair.get("/messages/1", as_="ben") == sent
    assert await pair.get(FLAGGED) == await pair.get(BLOCKED) == []


async def test_without_rules_nothing_is_said(world: World) -> None:
    """In an app without rules messages have no moderation."""
    await world.users("anna", "ben")

    assert "moderation" not in (await say(world, "anna", to_user("ben")))["data"]


@pytest.mark.parametrize("word", ["dropped", "bounced"])
async def test_a_refused_message_is_not_stored(pair: World, word: str) -> None:
    """The refusal names the rule; only one that its sender may mend gives the reason."""
    details = await pair.refused(
        "POST", "/messages", to_user("ben", f"It is {word}"), as_="anna", **REFUSED
    )

    expected = {"rule": [word]}
    if word == "bounced":
        expected["reason"] = ["Not bounced, please."]
        assert pair.answer.error["message"] == "Not bounced, please."
    assert details == expected
    assert await pair.get("/messages") == await pair.get(BLOCKED) == []
    assert (await say(pair, "anna", to_user("ben", "Hello")))["id"] == "1"


async def test_a_masked_message_has_stars(pair: World) -> None:
    """Everybody, the sender too, sees stars in place of the word."""
    sent = await say(pair, "anna", to_user("ben", "Well, it is masked."))

    assert sent["data"]["text"] == "Well, it is ***."
    assert sent["data"]["moderation"] == {"status": "approved", "masked": True}
    for uid in (None, "anna", "ben"):
        assert await pair.get("/messages/1", as_=uid) == sent


async def test_a_flagged_message_is_delivered(pair: World, clock: ManualClock) -> None:
    """It is sent as ever, and listed as flagged by the rule."""
    sent = await say(pair, "anna", to_user("ben", "It is flagged"))

    assert sent["data"]["moderation"] == {"status": "approved"}
    assert await pair.get("/messages/1", as_="ben") == sent
    [row] = await pair.get(FLAGGED)
    assert row["message"] == sent
    assert row["flags"] == [{"uid": "app_system", "ruleId": "flagged", "flaggedAt": clock.now()}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("dropped bounced blocked masked flagged", 403),
        ("bounced blocked masked flagged", 403),
        ("blocked masked flagged", 200),
        ("masked flagged", 200),
    ],
)
async def test_the_strictest_rule_wins(pair: World, text: str, code: int) -> None:
    """Of several rules the strictest decides; the flag of a message that is sent is set besides."""
    answer = await pair.ask("POST", "/messages", to_user("ben", text), as_="anna")

    assert answer.status == code
    if code == 403:
        assert answer.error["details"]["rule"] == [text.split(maxsplit=1)[0]]
    flagged = [row["flags"][0]["ruleId"] for row in await pair.get(FLAGGED)]
    assert flagged == (["flagged"] if text == "masked flagged" else [])
    blocked = [row["ruleId"] for row in await pair.get(BLOCKED)]
    assert blocked == (["blocked"] if text.startswith("blocked") else [])


async def test_several_receivers_have_an_outcome_each(pair: World) -> None:
    """A message to many is held or refused for each of them."""
    await group(pair, "hikers", "anna", "ben")
    many = {"multipleReceivers": {"uids": ["ben"], "guids": ["hikers"]}}
    body = {"category": "message", "type": "text", **many}
    held = await pair.post("/messages", body | {"data": {"text": "It is blocked"}}, as_="anna")

    both = [held["users"]["ben"], held["groups"]["hikers"]]
    assert [each["data"]["data"]["moderation"]["status"] for each in both] == ["pending"] * 2
    assert len(await pair.get(BLOCKED)) == 2
    dropped = await pair.post("/messages", body | {"data": {"text": "dropped"}}, as_="anna")
    outcome = dropped["users"]["ben"]
    assert (outcome["success"], outcome["error"]["code"]) == (False, REFUSED["code"])
    assert await pair.get("/messages") == []


async def test_the_app_is_not_moderated(pair: World) -> None:
    """The app itself sends what it wants, and that is not marked."""
    sent = await pair.post("/messages", to_user("ben", "It is dropped"))

    assert "moderation" not in sent["data"]


# Edits


@pytest.mark.parametrize("word", ["dropped", "bounced", "blocked"])
async def test_an_edit_is_refused(pair: World, word: str) -> None:
    """An edit that would be kept back is refused, and the text stays."""
    before = await say(pair, "anna", to_user("ben", "Hello"))
    edit = {"data": {"text": f"It is {word}"}}

    details = await pair.refused("PUT", "/messages/1", edit, as_="anna", **REFUSED)
    assert details["rule"] == [word]
    assert await pair.get("/messages/1") == before
    assert await pair.get(BLOCKED) == []
    await pair.put("/messages/1", edit)  # the app may
    assert await texts(pair, "/messages?category=message") == [f"It is {word}"]


async def test_an_edit_is_masked_and_flagged(pair: World) -> None:
    """An edit that passes has stars, is flagged, and says that it has passed."""
    await say(pair, "anna", to_user("ben", "Hello"))
    await pair.put("/messages/1", {"data": {"text": "masked and flagged"}}, as_="anna")

    shown = await pair.get("/messages/1", as_="ben")
    assert shown["data"]["text"] == "*** and flagged"
    assert shown["data"]["moderation"] == {"status": "approved", "masked": True}
    [row] = await pair.get(FLAGGED)
    assert (row["message"]["id"], row["flags"][0]["ruleId"]) == ("1", "flagged")
    await pair.put("/messages/1", {"data": {"text": "Fine"}}, as_="anna")
    shown = await pair.get("/messages/1", as_="ben")
    assert shown["data"]["moderation"] == {"status": "approved"}


# Messages that grow


async def grow(world: World, text: str) -> str:
    """Begin a message of Anna, and append a text; return its id."""
    begun = await say(world, "anna", to_user("ben", "Once", growing=True))
    await world.post(
        f"/messages/{begun['id']}/append",
        {"text": text, "sequence": 1, "durable": True},
        as_="anna",
    )
    return str(begun["id"])


@pytest.mark.parametrize("word", ["dropped", "bounced", "blocked"])
@pytest.mark.parametrize("is_silent", [False, True])
async def test_a_message_that_grew_is_hidden(
    node: Node, pair: World, clock: ManualClock, word: str, *, is_silent: bool
) -> None:
    """Its whole text is judged at its end: kept back, it is deleted, and flagged by the rule."""
    id_ = await grow(pair, f" it was {word}")
    if is_silent:
        clock.advance(3600)
        await end_silent(node.runtime)
    else:
        await pair.post(f"/messages/{id_}/finish", {}, as_="anna")

    shown = await pair.get(f"/messages/{id_}", as_="ben")
    assert (shown["deletedBy"], "text" in shown["data"]) == ("app_system", False)
    kept = await pair.get(f"/messages/{id_}")
    assert kept["data"]["moderation"] == {"status": "disapproved"}
    [row] = await pair.get(FLAGGED)
    assert (row["message"]["id"], row["flags"][0]["ruleId"]) == (id_, word)


async def test_a_message_that_grew_is_masked(pair: World) -> None:
    """Its end has stars, also where a word came in two appends."""
    id_ = await grow(pair, " it was mas")
    await pair.post(f"/messages/{id_}/append", {"text": "ked", "sequence": 2}, as_="anna")
    ended = await pair.post(f"/messages/{id_}/finish", {}, as_="anna")

    assert ended["data"]["text"] == "Once it was ***"
    assert ended["data"]["moderation"] == {"status": "approved", "masked": True}
    assert ended["data"]["grown"] == {"status": "done", "appends": 2}


@pytest.mark.parametrize("action", ["dropMessage", "kick"])
async def test_a_reply_is_judged_by_the_receiver_of_its_thread(world: World, action: str) -> None:
    """A reply without a receiver is one to the group of its thread, for filters and penalties."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna", "ben")
    parent = await say(world, "anna", to_group("hikers"))
    about = {"type": "receiver", "entity": "group", "operand": "guid", "operator": "equals"}
    condition = {"operand": "text", "category": "word", "value": ["spam"]}
    rule = {"filters": [{**about, "value": "hikers"}], "conditions": [condition], "action": action}
    await world.post("/moderation/rules", rule)
    reply = {"category": "message", "type": "text", "data": {"text": "spam"}}
    await world.ask("POST", f"/messages/{parent['id']}/thread", reply, as_="ben")

    assert len(await world.get(f"/messages/{parent['id']}/thread")) == (action == "kick")
    left = await world.uids("/groups/hikers/members")
    assert left == (["anna"] if action == "kick" else ["ben", "anna"])


@pytest.mark.parametrize("word", ["dropped", "bounced", "blocked"])
async def test_no_message_begins_that_would_be_kept_back(pair: World, word: str) -> None:
    """The text at the beginning is judged, too; what would be held is refused, as it grows."""
    body = to_user("ben", f"It is {word}", growing=True)

    await pair.refused("POST", "/messages", body, as_="anna", **REFUSED)
    assert await pair.get("/messages") == await pair.get(BLOCKED) == []


# Penalties


@pytest.mark.parametrize("ruling", ["dropMessage", "blockMessage", None])
async def test_a_sender_is_banned(world: World, ruling: str | None) -> None:
    """A ban follows whatever becomes of the message: refused, held, or sent."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna", "ben")
    await make_rule(world, "away", *([ruling] if ruling else []), "ban")
    await world.ask("POST", "/messages", to_group("hikers", "Go away"), as_="ben")

    assert await world.uids("/groups/hikers/bannedusers") == ["ben"]
    assert await world.uids("/groups/hikers/members") == ["anna"]
    sent = [row for row in await world.get("/messages") if row["category"] == "message"]
    assert len(sent) == (ruling is None)


async def test_other_penalties(world: World) -> None:
    """A sender is kicked, blocked by the receiver, or deactivated."""
    await world.users("anna", "ben", "clara", "dora")
    await group(world, "hikers", "anna", "ben")
    for penalty in ("kick", "block", "deactivate"):
        await make_rule(world, f"{penalty}-me", penalty)
    await say(world, "ben", to_group("hikers", "kick-me"))
    await say(world, "clara", to_user("anna", "block-me"))
    await say(world, "dora", to_user("anna", "deactivate-me"))

    assert await world.uids("/groups/hikers/members") == ["anna"]
    assert await world.uids("/users/anna/blockedusers") == ["clara"]
    await world.refused("GET", "/users", as_="dora", status=404, code="ERR_UID_NOT_FOUND")
    assert len(await world.get("/users/anna/messages")) == 2


async def test_a_penalty_that_is_impossible_changes_nothing(world: World) -> None:
    """Nobody is banned from a group that does not exist, or kicked from a conversation of two."""
    await world.users("anna", "ben")
    await make_rule(world, "away", "ban", "kick")

    body = to_group("absent", "Go away")
    await world.refused(
        "POST", "/messages", body, as_="anna", status=404, code="ERR_GUID_NOT_FOUND"
    )
    await make_rule(world, "dropped", "dropMessage")
    body = to_group("absent", "dropped, go away")
    await world.refused("POST", "/messages", body, as_="anna", **REFUSED)
    assert (await say(world, "anna", to_user("ben", "Go away")))["id"]


async def test_a_retry_is_not_punished(world: World) -> None:
    """A sender who is let in again is not kicked by the retry of the same message."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna", "ben")
    await make_rule(world, "away", "kick")
    body: Json = to_group("hikers", "Go away", muid="m1")
    await say(world, "ben", body)
    await world.post("/groups/hikers/members", {"participants": ["ben"]})
    await say(world, "ben", body)

    assert sorted(await world.uids("/groups/hikers/members")) == ["anna", "ben"]
