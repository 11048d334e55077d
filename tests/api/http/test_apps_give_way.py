"""Apps give way to each other only while several of them make calls."""

import pytest
from tests.world import Node, World

from hubbub.kernel.rests import Rests

SECONDS = 0.05


@pytest.fixture
def rests(node: Node, world: World, monkeypatch: pytest.MonkeyPatch) -> Rests:
    """The rests of the node, from now on."""
    rests = Rests()
    monkeypatch.setattr(node.runtime, "rests", rests)
    return rests


async def test_calls_are_noted_by_app(node: Node, world: World, rests: Rests) -> None:
    """An app alone never rests, whatever it asks for; beside the calls of another one it does."""
    await world.users("anna", "ben")
    assert rests.after(world.app_id, SECONDS) == 0.0

    other = await node.world()
    await other.users("anna")
    await world.get("/users")

    assert rests.after(world.app_id, SECONDS) == SECONDS
    assert rests.after(other.app_id, SECONDS) == SECONDS


async def test_calls_of_operators_and_strangers_are_not_noted(
    node: Node, world: World, rests: Rests
) -> None:
    """Those who manage the installation, and those who know no key, make no app give way."""
    await world.users("anna")

    assert (await node.manager().ask("GET", "/apps")).status == 200
    assert (await world.ask("GET", "/users", key="wrong")).status == 401

    assert rests.after(world.app_id, SECONDS) == 0.0
