"""Tokens, and what users are told, looked up for several joining sessions at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from tests.world import Node, World

from hubbub.domain.access.credentials import learn_tokens
from hubbub.outbox.log import read_log
from hubbub.outbox.registry import KINDS
from hubbub.realtime.feeds.admission import Arrival, read_admissions
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.visibility import go_on

CURSORS = (None, 0, 3, 8)


@dataclass(frozen=True, slots=True)
class Place:
    """An app with Anna, who has two tokens, Ben, who has left a group, and a user who is gone."""

    name: str
    world: World
    tokens: Sequence[str]
    refused: str


async def make_place(node: Node, name: str) -> Place:
    """Make an app; the ids of users are the same in each."""
    world = await node.world()
    await world.users("anna", "ben", "gone")
    await world.put("/users/anna", {"name": f"Anna of {name}"})
    for guid in ("stays", "left"):
        group = {"guid": guid, "name": guid, "type": "public", "owner": "anna"}
        await world.post("/groups", group)
        await world.post(f"/groups/{guid}/members", {"participants": ["ben"]})
    await world.delete("/groups/left/members/ben")
    tokens = [await world.token(uid) for uid in ("anna", "anna", "ben")]
    refused = await world.token("gone")
    await world.delete("/users/gone")
    return Place(name, world, tokens, refused)


@pytest.fixture
async def places(node: Node) -> list[Place]:
    """Two apps."""
    return [await make_place(node, name) for name in ("One", "Other")]


async def test_sessions_are_told_the_same_together_as_alone(
    node: Node, places: list[Place]
) -> None:
    """Each token has its own user of its own app, from its own cursor on; others are refused."""
    one, other = places
    for here, elsewhere in ((one, other), (other, one)):
        tokens = [*here.tokens, here.refused, *elsewhere.tokens, "unknown"]
        hashes = [node.runtime.sealer.hash(token) for token in tokens]
        arrivals = [Arrival(hash_, since) for hash_ in hashes for since in CURSORS]

        together = await read_admissions(node.runtime, here.world.app_id, arrivals)
        alone = [
            (await read_admissions(node.runtime, here.world.app_id, [arrival]))[0]
            for arrival in arrivals
        ]

        assert together == alone
        found = [each for each in together if each is not None]
        assert found == together[: len(here.tokens) * len(CURSORS)]
        assert {each.user.name for each in found} == {f"Anna of {here.name}", "Ben"}
        assert len({id(each.visibility) for each in found}) == len(found), "each has its own"


async def test_tokens_of_all_apps_are_learned_at_once(node: Node, places: list[Place]) -> None:
    """Each token leads to its user and app; keys, unknown tokens and gone users have none."""
    for place in places:
        await place.world.delete("/users", {"uidsToDeactivate": ["ben"]})
    one, other = places
    asked = [*one.tokens, one.world.key, *other.tokens, "unknown", one.refused, one.tokens[0]]

    learned = await learn_tokens(node.runtime, asked)

    users = [(each.app_id, each.uid) if each is not None else None for each in learned]
    anna, elsewhere = (one.world.app_id, "anna"), (other.world.app_id, "anna")
    key = (one.world.app_id, None)
    assert users == [anna, anna, None, key, elsewhere, elsewhere, None, None, None, anna]


async def test_visibility_that_follows_the_log(node: Node, places: list[Place]) -> None:
    """Changes of groups and roles lead from what was read to what is read later."""
    runtime, world = node.runtime, places[0].world
    arrivals = [Arrival(runtime.sealer.hash(token), None) for token in places[0].tokens]
    before = await read_admissions(runtime, world.app_id, arrivals)
    await world.post("/roles", {"role": "reader", "name": "Reader"})
    await world.put("/users/ben", {"role": "reader"})
    for role, category in (("reader", "custom"), ("default", "message"), ("reader", "message")):
        permissions = {"listMessages.allowedMessageCategories": [category]}
        await world.put(f"/roles/{role}/permissions", {"permissions": permissions})
    await world.post("/groups/left/members", {"participants": ["ben"]})
    await world.delete("/groups/stays/members/ben")
    after = await read_admissions(runtime, world.app_id, arrivals)

    assert before[0] is not None
    number, kinds = before[0].position.number, [kind.struct for kind in KINDS.values()]
    batch = await runtime.database.read(
        world.app_id, lambda snapshot: read_log(snapshot, number, kinds, limit=100)
    )
    for early, late in zip(before, after, strict=True):
        assert early is not None
        assert late is not None
        for entry in batch.entries:
            go_on(early.visibility, Told(entry, ()))
        assert early.visibility == late.visibility
