"""Kill the server while it sends pushes to a gateway that often fails: nobody misses one."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.certificate import Certificate, make_certificate
from tests.crash.conftest import Victim
from tests.crash.talk import Talk
from tests.crash.test_kill_webhooks import PEOPLE, SENDERS, send_all
from tests.gateways.faults import LOST, RESET
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import PATH, GoogleTokenGateway
from tests.postgres import HOST, free_port
from tests.providers.push.accounts import KEY_ID, PROJECT, SENDER
from tests.soon import until

from hubbub.kernel.clock import SystemClock

SEED = 15
SHARE = 0.1
"""The part of all calls that fail."""
PASSING = (*["INTERNAL"] * 12, *["html"] * 6, RESET, LOST)
"""How they fail; when a connection is reset, the answers to a hundred calls are lost with it."""
SENDING_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the gateways listen, and by which certificate they are known."""

    certificate: Certificate
    fcm_port: int
    google_port: int


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of a run."""

    messages: int
    kills: int


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Ports of the gateways: those that a node is told before they listen."""
    return Place(make_certificate(tmp_path), free_port(), free_port())


@pytest.fixture
def environment(place: Place) -> Mapping[str, str]:
    """Have the node call the local gateways."""
    return {
        "HUBBUB_OUTBOUND_ALLOW": "127.0.0.0/8",
        "HUBBUB_OUTBOUND_CA": str(place.certificate.cert),
        "HUBBUB_FCM_URL": f"https://{HOST}:{place.fcm_port}",
        "HUBBUB_GOOGLE_TOKEN_URL": f"https://{HOST}:{place.google_port}{PATH}",
        "HUBBUB_NOTIFICATION_RETRY_SECONDS": "0.05,0.1,0.2",
        "HUBBUB_LOG_REQUESTS": "false",
    }


async def test_pushes_after_kills(victim: Victim, place: Place) -> None:
    """With failures and some kills, each push arrives, and no token is removed."""
    await kill_and_check(victim, place, Size(messages=200, kills=2))


@pytest.mark.campaign
async def test_ten_minutes_of_failures(victim: Victim, place: Place) -> None:
    """With failures and many kills, tens of thousands of pushes arrive, and no token is removed.

    On PostgreSQL the lease of a node that was killed must end first, for half a minute.
    """
    is_shared = victim.postgres is not None
    size = Size(messages=20_000, kills=20) if is_shared else Size(messages=90_000, kills=270)
    await kill_and_check(victim, place, size)


async def kill_and_check(victim: Victim, place: Place, size: Size) -> None:
    """Send messages, kill the node meanwhile, and check what the gateway was sent."""
    chance = random.Random(SEED)
    key = generate_private_key(65537, 2048)
    google = GoogleTokenGateway(SystemClock())  # type: ignore[arg-type]  # only `now` is used
    google.keys[SENDER] = KEY_ID, key.public_key()
    fcm = FcmGateway(PROJECT, google)
    await google.start(place.certificate, place.google_port)
    await fcm.start(place.certificate, place.fcm_port)
    fcm.faults.answer_at_random(SHARE, *PASSING, seed=SEED)
    world = await victim.node.world()
    await world.users(*PEOPLE)
    async with Talk(victim.node.port, world.key) as talk:
        tokens = await set_up(talk, key)
    serial = itertools.count(1)
    answered: set[str] = set()
    killer = asyncio.create_task(kill_often(victim, fcm, size, chance))
    await asyncio.gather(
        *(
            send_all(victim, world.key, serial, size.messages, answered, chance.random())
            for _ in range(SENDERS)
        )
    )
    await killer
    arrivals = Arrivals(fcm)
    await until(lambda: arrivals.count() >= len(answered), SENDING_SECONDS)
    async with Talk(victim.node.port, world.key) as talk:
        await until_logged(talk, len(answered))
        await check(talk, fcm, answered, tokens)
    await fcm.stop()
    await google.stop()


async def set_up(talk: Talk, key: RSAPrivateKey) -> dict[str, str]:
    """Add FCM, and register a device of each person; return the auth tokens."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "project_id": PROJECT,
        "client_email": SENDER,
        "private_key": pem,
        "private_key_id": KEY_ID,
    }
    path = "/notifications/push/v1/providers/fcm"
    assert (await talk.ask("POST", path, {"serviceAccountCreds": account}))[0] == 200
    tokens: dict[str, str] = {}
    for uid in PEOPLE:
        _, answer = await talk.ask("POST", f"/users/{uid}/auth_tokens", {"force": True})
        tokens[uid] = answer["data"]["authToken"]
        device = {
            "authToken": tokens[uid],
            "platform": "fcm_android",
            "fcmToken": f"device-of-{uid}",
        }
        status, answer = await talk.ask("POST", "/notifications/push/v1/tokens", device)
        assert status == 200, answer
    return tokens


async def kill_often(victim: Victim, fcm: FcmGateway, size: Size, chance: random.Random) -> None:
    """Kill the node, and start it, at random moments while it sends."""
    for turn in range(1, size.kills + 1):
        goal = size.messages * (turn - chance.random()) / (size.kills + 1)
        await until(lambda goal=goal: len(fcm.received) >= goal, SENDING_SECONDS)  # type: ignore[misc]
        await asyncio.to_thread(victim.node.kill)
        await asyncio.to_thread(victim.node.start)


class Arrivals:
    """The ids of the messages that were pushed."""

    def __init__(self, fcm: FcmGateway) -> None:
        self._fcm = fcm
        self._found: set[str] = set()
        self._seen = 0

    def find(self) -> set[str]:
        """Return all ids."""
        received = self._fcm.received
        self._found |= {push["data"]["tag"] for push in received[self._seen :]}
        self._seen = len(received)
        return self._found

    def count(self) -> int:
        """Return their number."""
        return len(self.find())


async def until_logged(talk: Talk, count: int) -> None:
    """Wait until so many pushes are in the log, or no more come."""
    async with asyncio.timeout(SENDING_SECONDS):
        while len(await list_logged(talk)) < count:  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.2)


async def check(talk: Talk, fcm: FcmGateway, answered: set[str], tokens: Mapping[str, str]) -> None:
    """Check that each message was pushed to its receiver, and that all tokens are left."""
    assert Arrivals(fcm).find() == answered
    assert fcm.refused == [] or all("asked for" in each for each in fcm.refused)
    collapse_ids: dict[str, set[str]] = {}
    for push in fcm.received:
        assert push["token"] == f"device-of-{push['data']['receiver']}"
        tag = push["data"]["tag"]
        collapse_ids.setdefault(tag, set()).add(push["android"]["collapse_key"])
    assert {len(ids) for ids in collapse_ids.values()} == {1}, "repeats replace"
    for token in tokens.values():
        _, answer = await talk.ask("GET", f"/notifications/push/v1/tokens?authToken={token}")
        assert len(answer["data"]["pushTokens"]) == 1
    assert Counter(await list_logged(talk)) == Counter(answered), "logged once"


async def list_logged(talk: Talk) -> list[str]:
    """Return the messages of all successful entries of the log."""
    found: list[str] = []
    cursor = ""
    while True:
        target = f"/notifications/v1/logs?success=true{cursor}"
        status, answer = await talk.ask("GET", target)
        assert status == 200, answer
        found += [str(entry["messageId"]) for entry in answer["data"]]
        if not answer["data"]:
            return found
        cursor = f"&affix=prepend&logId={answer['data'][0]['_id']}"
