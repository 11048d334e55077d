"""Random histories of a poll against a plain model: votes, changes of mind, erasures, the end."""

import asyncio
import random
from dataclasses import dataclass, field

import pytest
from tests.api.messages.ballots import ask, counts, do_due, happened, own
from tests.api.messages.talk import group
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all

OPTIONS = 3
UIDS = [f"voter{at}" for at in range(8)]
STEPS = 40


@dataclass(slots=True)
class Ballots:
    """The plain model: what each has voted for."""

    most: int
    is_closed: bool = False
    votes: dict[str, set[int]] = field(default_factory=dict)

    def vote(self, uid: str, options: list[int]) -> int:
        """Vote for options, or for none; return the status of the answer."""
        if self.is_closed:
            return 409
        if len(set(options)) > self.most or any(each >= OPTIONS for each in options):
            return 400
        self.votes.pop(uid, None)
        if options:
            self.votes[uid] = set(options)
        return 200

    @property
    def counts(self) -> list[int]:
        """Return the votes of each option, and at the end the number of voters."""
        of_options = [sum(at in each for each in self.votes.values()) for at in range(OPTIONS)]
        return [*of_options, len(self.votes)]


async def _cast(world: World, id_: str, uid: str, options: list[int]) -> int:
    path = f"/messages/{id_}/votes"
    if options:
        return (await world.ask("POST", path, {"options": options}, as_=uid)).status
    return (await world.ask("DELETE", path, as_=uid)).status


@pytest.mark.parametrize("seed", range(6))
async def test_votes_agree_with_the_model(
    world: World, node: Node, clock: ManualClock, seed: int
) -> None:
    """After each step the counts are those of the model, and in the end one end was announced."""
    chance = random.Random(seed)
    await world.users("olga", *UIDS)
    await group(world, "hikers", "olga", *UIDS)
    model = Ballots(most=chance.randint(1, OPTIONS))
    end = clock.now() + STEPS
    id_ = await ask(world, "olga", "hikers", votesPerUser=model.most, closesAt=end)
    uids = list(UIDS)

    for _ in range(STEPS + 5):
        clock.advance(chance.choice([0, 1, 1, 2]))
        model.is_closed = model.is_closed or clock.now() >= end
        chosen = chance.sample(uids, chance.randint(1, len(uids)))
        cast = {uid: chance.choices(range(OPTIONS + 1), k=chance.randint(0, 3)) for uid in chosen}
        statuses = await asyncio.gather(*(_cast(world, id_, *each) for each in cast.items()))
        assert statuses == [model.vote(uid, options) for uid, options in cast.items()]
        kind = chance.random()
        if kind < 0.05 and len(uids) > 4:
            gone = uids.pop(chance.randrange(len(uids)))
            await world.delete(f"/users/{gone}", {"permanent": True})
            await erase_all(node.runtime)
            model.votes.pop(gone, None)
        elif kind < 0.08:
            await world.post(f"/messages/{id_}/votes/close", as_="olga")
            model.is_closed = True
        elif kind < 0.5:
            await do_due(node)
        assert await counts(world, id_) == model.counts

    for uid in uids:
        assert await own(world, id_, uid) == sorted(model.votes.get(uid, ()))
    clock.advance(STEPS)
    await do_due(node)
    assert (await happened(node, world)).count("poll_closed") == 1
    listed = await world.get(f"/messages/{id_}/votes")
    assert {each["uid"]: set(each["options"]) for each in listed} == model.votes
