"""Erasures of several apps: no app delays the others, by length or by failure."""

from operator import attrgetter

import pytest
from tests.api.groups.clubs import change_store
from tests.api.messages.talk import say, stored, texts, to_user
from tests.world import Node, World

from hubbub.domain.erasure.erase import (
    CHUNK,
    LONGEST_REST,
    erase_all,
    erase_of_each_app,
    seconds_to_rest,
)


@pytest.fixture
async def worlds(node: Node) -> list[World]:
    """Two apps, in the order in which they are erased; each with messages of two users."""
    await erase_all(node.runtime)  # left by other tests
    both = sorted([await node.world(), await node.world()], key=attrgetter("app_id"))
    for world in both:
        await world.users("anna", "ben")
        for number in range(CHUNK + 2):
            await say(world, "anna", to_user("ben", f"Hi {number}"))
    return both


async def stored_texts(node: Node, world: World) -> int:
    """Return the number of stored messages of an app."""
    query = "SELECT count(*) FROM messages WHERE app_id = :app_id"
    ((count,),) = await stored(node, world, query)
    return int(count)


async def test_apps_take_turns(node: Node, worlds: list[World]) -> None:
    """Each app's next chunk is erased before any app's chunk after that."""
    for world in worlds:
        await world.delete("/users/anna", {"permanent": True})
    left, failed = [], set[str]()
    while await erase_of_each_app(node.runtime, failed):
        left.append([await stored_texts(node, world) for world in worlds])

    assert (left[:2], failed) == ([[2, 2], [0, 0]], set())


async def test_a_defect_in_one_app_is_no_other_s(node: Node, worlds: list[World]) -> None:
    """A failure in one app leaves its data there, and all erasures of other apps are completed."""
    first, second = worlds
    row = "'conversation', 'of no number', 9, 9, 9"
    columns = "app_id, kind, subject, upto_message, upto_event, requested_at"
    await change_store(
        node, first, f"INSERT INTO erasures ({columns}) VALUES (CAST(:app_id AS TEXT), {row})"
    )
    await second.delete("/users/anna", {"permanent": True})
    try:
        await erase_all(node.runtime)
        assert await stored_texts(node, second) == 0
        assert len(await texts(first, "/users/ben/messages", as_="anna")) == CHUNK + 2
    finally:
        await change_store(node, first, "DELETE FROM erasures WHERE app_id = :app_id")


def test_erasures_go_on_soon_after_the_machine_was_stopped() -> None:
    """A chunk in which the machine was stopped for an hour is not followed by as long a pause."""
    assert seconds_to_rest(0.01, is_busy=False) == 0.01
    assert seconds_to_rest(0.01, is_busy=True) == 0.03
    assert seconds_to_rest(3_600, is_busy=True) == LONGEST_REST
