"""The scenarios: one-to-one messages on many connections, on one, and their import."""

import random
from dataclasses import dataclass

import msgspec

from bench.load import SERIAL_PLACE, Load, encode_request

PEOPLE = 100
PREBUILT = 2_000
ROWS = 50
PREBUILT_IMPORTS = 20
SENT_AT = 1_700_000_000
MEDIAN_PHRASES = 2
SPREAD = 0.9
MOST_PHRASES = 30
PHRASES = (
    "okay",
    "yes, of course",
    "see you tomorrow then",
    "could you please send me the photos",
    "I think the train is late again",
    "that sounds great, thank you so much",
    "what about the meeting on Thursday",
    "größer als nötig, aber naïve Leute im Café mögen es 🙂",
    "let me know when you are at home",
    "nobody told me about it",
)

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Scenario:
    """A load with a name; `unit` is what its rate counts, `per_answer` of them in each answer."""

    name: str
    load: Load
    unit: str
    per_answer: int = 1


def uids() -> list[str]:
    """Return the uids of the users who write."""
    return [f"person-{number:03d}" for number in range(PEOPLE)]


def text(chance: random.Random) -> str:
    """Return a message as people write them: mostly a line, sometimes a paragraph."""
    count = round(chance.lognormvariate(0, SPREAD) * MEDIAN_PHRASES)
    return ", ".join(chance.choices(PHRASES, k=min(MOST_PHRASES, max(1, count))))


def make_scenarios(api_key: str, *, with_muid: bool = False) -> list[Scenario]:
    """Return all scenarios; the same requests each time."""
    chance = random.Random(1)
    sends = [_send(api_key, chance, with_muid=with_muid) for _ in range(PREBUILT)]
    imports = [_import(api_key, chance, batch) for batch in range(PREBUILT_IMPORTS)]
    return [
        Scenario("1 connection", Load(sends, b'"id":'), "sends"),
        Scenario("64 connections", Load(sends, b'"id":', connections=64), "sends"),
        Scenario(
            f"import, {ROWS} rows a request, 4 connections",
            Load(imports, b'"success":true', times=ROWS, connections=4),
            "rows",
            ROWS,
        ),
    ]


def _send(api_key: str, chance: random.Random, *, with_muid: bool) -> bytes:
    sender, receiver = chance.sample(uids(), 2)
    body = {
        "receiver": receiver,
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": text(chance)},
    }
    if with_muid:
        body["muid"] = SERIAL_PLACE.decode()
    return encode_request("/v3/messages", {"apikey": api_key, "onBehalfOf": sender}, _encode(body))


def _import(api_key: str, chance: random.Random, batch: int) -> bytes:
    rows = {}
    for number in range(ROWS):
        sender, receiver = chance.sample(uids(), 2)
        muid = f"{SERIAL_PLACE.decode()}-{number}"
        rows[muid] = {
            "muid": muid,
            "sender": sender,
            "receiver": receiver,
            "receiverType": "user",
            "category": "message",
            "type": "text",
            "data": {"text": text(chance)},
            "sentAt": SENT_AT + batch * ROWS + number,
        }
    body = _encode({"messages": rows})
    return encode_request("/v3.0/data_import/messages", {"apikey": api_key}, body)
