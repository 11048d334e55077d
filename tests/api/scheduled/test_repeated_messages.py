"""Messages of bots with `repeat`: sent at each of their times."""

import pytest
from tests.api.scheduled.later import ALL, Later
from tests.world import Json

DAY = 86_400
DAILY: Json = {"repeat": "FREQ=DAILY;COUNT=3"}


async def repeat(later: Later, **fields: object) -> Json:
    """Schedule a message of the app that is repeated."""
    kept: Json = await later.schedule("tick", 60, **{"as_": None, **DAILY, **fields})
    return kept


async def texts(later: Later) -> list[str]:
    """Return what Ben was sent."""
    return await later.texts("/messages", "ben")


async def test_a_message_is_repeated(later: Later) -> None:
    """It is sent at each of its times, once, and is gone after the last one."""
    kept = await repeat(later, timeZone="Europe/Berlin")
    await later.send_due(after=60)
    [left] = await later.world.get(ALL)
    for _ in range(4):
        await later.send_due()
        await later.send_due(after=DAY)

    assert kept["repeat"] == DAILY["repeat"]
    assert left["scheduledId"] == kept["scheduledId"]
    assert left["sendAt"] == kept["sendAt"] + DAY
    assert await texts(later) == ["tick"] * 3
    assert await later.waiting() == []


async def test_times_that_were_missed(later: Later) -> None:
    """Of times that passed while no node ran, the first is sent late, the others are left out."""
    await repeat(later)
    await later.send_due(after=60 + DAY)
    await later.send_due()

    assert await texts(later) == ["tick"]
    await later.send_due(after=DAY)
    assert await texts(later) == ["tick"] * 2
    assert await later.waiting() == []


async def test_a_time_that_fails(later: Later) -> None:
    """A message that may not be sent at one time is told as failed, and sent at the next."""
    kept = await repeat(later, receiver="carla")
    await later.world.delete("/users", {"uidsToDeactivate": ["carla"]})
    await later.send_due(after=60)
    [left] = await later.world.get(ALL)
    await later.world.put("/users", {"uidsToActivate": ["carla"]})
    await later.send_due(after=DAY)

    assert left["status"] == "pending"
    assert left["failure"]["code"] == "ERR_UID_NOT_FOUND"
    [told] = await later.events("scheduled_message_failed")
    assert told["scheduledId"] == kept["scheduledId"]
    assert await later.texts("/messages", "carla") == ["tick"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"as_": "anna"}, "repeat"),
        ({"repeat": "FREQ=DAILY"}, "repeat"),
        ({"repeat": "FREQ=MONTHLY;BYMONTHDAY=1;COUNT=2"}, "sendAt"),
        ({"timeZone": "Mars/Phobos"}, "timeZone"),
        ({"repeat": None, "timeZone": "Europe/Berlin"}, "timeZone"),
        ({"sendAt": None}, "sendAt"),
    ],
)
async def test_what_is_not_repeated(later: Later, fields: Json, named: str) -> None:
    """Users repeat nothing; a rule, a zone or a first time that does not fit is refused."""
    body: Json = {
        "receiver": "ben",
        "receiverType": "user",
        "data": {"text": "tick"},
        "sendAt": later.clock.now() + 60,
        **DAILY,
        **fields,
    }
    answer = await later.world.ask("POST", "/messages", body, as_=body.pop("as_", None))

    assert answer.status == 400
    assert list(answer.error["details"]) == [named]
    assert await later.waiting() == []
