"""Lines that others wrote: what they say is checked like what clients send."""

import asyncio
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import NewSettings
from tests.moving.conftest import Filled
from tests.moving.moves import import_, make_app
from tests.wire import InProcess
from tests.world import World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.keys.manage import create_key
from hubbub.http.app import make_app as make_http
from hubbub.kernel.passwords import hash_password
from hubbub.rest.operations import OPERATIONS

_numbers = itertools.count(1)
Line = dict[str, Any]
ANNA: Line = {"type": "user", "uid": "anna", "name": "Anna"}
BEN: Line = {"type": "user", "uid": "ben", "name": "Ben"}
CLUB: Line = {"type": "group", "guid": "club", "name": "Club", "groupType": "public"}
HELLO: Line = {
    "type": "message",
    "muid": "1",
    "sender": "anna",
    "receiver": "club",
    "receiverType": "group",
    "sentAt": 1_700_000_000,
    "data": {"text": "Hello"},
}
ACTION: Line = {**HELLO, "category": "action", "messageType": "groupMember"}
JOINED = {"action": "joined", "on": "ben"}
TO_BEN: Line = {**HELLO, "receiver": "ben", "receiverType": "user"}
DEAR = "$argon2id$v=19$m=4194304,t=2,p=1$" + "A" * 22 + "$" + "A" * 43
VAULT: Line = {**CLUB, "guid": "vault", "groupType": "password"}
FINE = [ANNA, BEN, CLUB, HELLO]


@pytest.fixture(scope="module")
def settings(new_settings: NewSettings) -> Settings:
    """A store for the apps of all tests."""
    return new_settings(log_requests=False)


def bring(settings: Settings, folder: Path, *lines: Line, app: str = "") -> tuple[str, Any]:
    """Import lines into a new app, or another; return the app, and the report."""
    app = app or make_app(settings, f"lines-{next(_numbers)}")
    source = folder / f"{next(_numbers)}.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = import_(settings, app, source, "--refused", str(folder / "refused.jsonl"))
    return app, done.json


async def read(settings: Settings, app: str, path: str) -> Any:
    """Return what an operation answers."""
    async with open_runtime(settings) as runtime:
        key = await create_key(runtime, app, "Reader", "fullAccess")
        world = World(InProcess(make_http(runtime, OPERATIONS)), app, key.api_key, "")
        return await world.get(path)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({**ACTION, "muid": "2", "data": {"x": 1}}, "action"),
        ({**ACTION, "muid": "2", "data": {"action": "hacked", "on": "ben"}}, "action"),
        ({**ACTION, "muid": "2", "data": {"action": "joined", "on": "b/n"}}, "on"),
        ({**ACTION, "muid": "2", "messageType": "message", "data": JOINED}, "of the type"),
        ({**ACTION, **TO_BEN, "muid": "2", "data": JOINED}, "to a group"),
        ({**HELLO, "muid": "2", "category": "x", "deletedAt": 1_700_000_001, "data": {}}, "categ"),
        ({**HELLO, "muid": "2", "messageType": "x", "deletedAt": 1_700_000_001, "data": {}}, "ype"),
        ({**HELLO, "muid": "2", "data": {"text": "a", "grown": {"status": "?"}}}, "status"),
        ({**VAULT, "passwordHash": "secret"}, "hash"),
        ({**VAULT, "passwordHash": DEAR}, "hash"),
        ({**VAULT}, "password"),
        ({**CLUB, "guid": "c", "permissions": {"guest": {"sendMessage": "deny"}}}, "scope"),
        ({**CLUB, "guid": "c", "permissions": {"admin": {"fly": "deny"}}}, "fly"),
        ({"type": "role", "role": "r", "name": "R", "permissions": {"fly": "deny"}}, "fly"),
        ({"type": "role", "role": "r", "name": "R", "restricted": {"fly": 1}}, "fly"),
        ({"type": "block", "uid": "ben", "blocked": "ben"}, "block themselves"),
        ({"type": "block", "uid": "ben", "blocked": "nobody"}, "nobody"),
        ({"type": "friend", "uid": "ben", "friend": "ben"}, "friend"),
        ({"type": "contact", "uid": "ben", "email": "no address"}, "e-mail"),
        ({"type": "contact", "uid": "ben", "phoneNumber": "12"}, "phone"),
        ({"type": "contact", "uid": "nobody", "email": "a@example.com"}, "nobody"),
    ],
)
def test_a_bad_line_is_refused_alone(
    settings: Settings, tmp_path: Path, line: Line, says: str
) -> None:
    """The line is refused for its reason, the others are stored, and all can be read."""
    app, report = bring(settings, tmp_path, *FINE, line)
    [refusal] = (tmp_path / "refused.jsonl").read_text().splitlines()

    assert says in json.loads(refusal)["error"]
    refused = {kind: counts["refused"] for kind, counts in report["kinds"].items()}
    assert refused == {**dict.fromkeys(refused, 0), line["type"]: 1}
    messages = asyncio.run(read(settings, app, "/groups/club/messages"))
    assert [each["data"]["text"] for each in messages] == ["Hello"]


def test_a_hash_of_ours_opens_the_group(settings: Settings, tmp_path: Path) -> None:
    """Whoever knows the password of a group that was moved joins it."""
    vault = {**VAULT, "passwordHash": hash_password("secret")}
    app, report = bring(settings, tmp_path, ANNA, BEN, vault)
    assert report["kinds"]["group"]["imported"] == 1

    async def join() -> Any:
        async with open_runtime(settings) as runtime:
            key = await create_key(runtime, app, "Joiner", "fullAccess")
            world = World(InProcess(make_http(runtime, OPERATIONS)), app, key.api_key, "")
            await world.refused(
                *("POST", "/groups/vault/members", {"password": "wrong"}),
                as_="ben",
                status=403,
                code="ERR_WRONG_GROUP_PASS",
            )
            await world.post("/groups/vault/members", {"password": "secret"}, as_="ben")
            return await world.uids("/groups/vault/members")

    assert "ben" in asyncio.run(join())


def test_replies_to_what_was_deleted_before_are_stored(settings: Settings, tmp_path: Path) -> None:
    """A thread goes on below a message that is deleted, and was imported long before."""
    deleted = {**HELLO, "deletedAt": 1_700_000_005}
    reply = {**HELLO, "muid": "2", "sentAt": 1_700_000_009, "parentMuid": "1"}
    app, _ = bring(settings, tmp_path, ANNA, BEN, CLUB, deleted)
    _, report = bring(settings, tmp_path, reply, app=app)

    assert report["kinds"]["message"]["imported"] == 1


def test_the_same_lines_again_change_nothing(settings: Settings, tmp_path: Path) -> None:
    """Blocks, friends and contact details that are stored alike are skipped; others differ."""
    lines: list[Line] = [
        ANNA,
        BEN,
        {"type": "block", "uid": "ben", "blocked": "anna", "at": 5},
        {"type": "friend", "uid": "ben", "friend": "anna", "at": 6},
        {"type": "contact", "uid": "ben", "email": "ben@example.com"},
    ]
    app, first = bring(settings, tmp_path, *lines)
    _, again = bring(settings, tmp_path, *lines, app=app)
    changed = [{**lines[2], "at": 7}, {**lines[4], "email": "other@example.com"}]
    _, other = bring(settings, tmp_path, *changed, app=app)

    assert [first["kinds"][kind]["imported"] for kind in ("block", "friend", "contact")] == [1] * 3
    assert [again["kinds"][kind]["skipped"] for kind in ("block", "friend", "contact")] == [1] * 3
    assert [other["kinds"][kind]["refused"] for kind in ("block", "contact")] == [1, 1]


def test_unread_counts_come_along(filled: Filled, tmp_path: Path) -> None:
    """Everybody has as many unread messages in each conversation as before the move."""
    settings = replace(filled.settings, log_requests=False)
    app = make_app(settings, f"moved-{next(_numbers)}")
    done = import_(settings, app, filled.exported)
    assert done.code == 0, done

    async def unread(app: str) -> dict[str, Any]:
        async with open_runtime(settings) as runtime:
            key = await create_key(runtime, app, "Counter", "fullAccess")
            world = World(InProcess(make_http(runtime, OPERATIONS)), app, key.api_key, "")
            return {
                uid: {
                    each["conversationId"]: each["unreadMessageCount"]
                    for each in await world.get("/conversations", as_=uid)
                }
                for uid in ("anna", "ben", "cora")
            }

    before, after = asyncio.run(unread(filled.app)), asyncio.run(unread(app))
    # Messages that were deleted permanently counted until they were read, and did not move. A reply
    # to one of them stands by itself now.
    changed = {
        (uid, id_): int(after[uid][id_]) - int(count)
        for uid, counts in before.items()
        for id_, count in counts.items()
        if after[uid][id_] != count
    }
    assert changed == {
        ("anna", "anna_user_ben"): -1,
        ("anna", "group_club"): -1,
        ("cora", "group_club"): -1,
        ("ben", "anna_user_ben"): 1,
    }
    assert before["ben"]["anna_user_ben"] == "4"
