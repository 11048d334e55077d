"""Latencies at half of the highest rate, alone, and while users are erased."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace

import msgspec
import uvloop

from bench.load import sends
from bench.load.generator import Measured
from bench.load.requests import Load, encode_request
from bench.load.scenarios import Scenario, Trial
from bench.load.scene import ERASABLE, MESSAGES_OF_ERASABLE
from bench.load.sends import CONNECTIONS

SATURATING_SECONDS = 3.0
SHARE = 0.5
MOST_ERASURES_PER_SECOND = 2.0


def _run_alone(trial: Trial) -> Measured:
    return trial.run(_half_of_highest(trial))


def _run_with_erasures(trial: Trial) -> Measured:
    erasures = _erasures(trial)
    load = _half_of_highest(trial)
    with trial.metered():
        return uvloop.run(_both(trial, load, erasures))


async def _both(trial: Trial, load: Load, erasures: Load) -> Measured:
    measured, _ = await asyncio.gather(trial.measure(load), trial.measure(erasures))
    return measured


def _half_of_highest(trial: Trial) -> Load:
    """Return sends at half of the rate at which the nodes answer them without a pause."""
    load = sends.one_to_one(trial.scene)
    highest = replace(trial, seconds=SATURATING_SECONDS, meter=nullcontext()).run(load).rate
    return replace(load, rate=highest * SHARE)


def _erasures(trial: Trial) -> Load:
    """Return erasures of users with many messages; there are enough for the whole time."""
    body = msgspec.json.encode({"permanent": True})
    requests = [
        encode_request(f"/v3/users/{uid}", {"apikey": trial.scene.key}, body, "DELETE")
        for uid in trial.scene.make_erasable()
    ]
    seconds = trial.warm_up_seconds + trial.seconds
    rate = min(MOST_ERASURES_PER_SECOND, (ERASABLE - 1) / seconds)
    return Load(requests, b'"success":true', rate=rate)


ABOUT = f"{CONNECTIONS} connections, at half of the highest rate"
STEADY = (
    Scenario("steady", ABOUT, "sends", _run_alone),
    Scenario(
        "erasures",
        f"{ABOUT}, users with {MESSAGES_OF_ERASABLE} messages erased meanwhile",
        "sends",
        _run_with_erasures,
    ),
)
