"""Every caller makes every call, and gets the answer in the table; see `access_table.py`."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from tests.api.access import access_table, access_table_messages
from tests.api.access.access_table import (
    DOORS,
    KINDS,
    NOT_ABOUT_PEOPLE,
    Case,
    Table,
    code_of,
    read_cases,
    read_tables,
    status_of,
)
from tests.api.access.crowd import CALLERS, OTHERS, Crowd, body_of, filled
from tests.api.http.samples import path_of
from tests.api.messages.talk import group, import_past, past, say, to_user
from tests.clock import START
from tests.contract import load_contract
from tests.wire import Answer
from tests.world import CallOptions, Json, World

from hubbub.http.operation import Operation
from hubbub.kernel.text import SYSTEM_UID
from hubbub.rest.operations import OPERATIONS

TYPES = ("public", "password", "private")
NO_MESSAGE = "999999"
NUMBERS = itertools.count(1)
QUERIES = {("GET", "/notifications/push/v1/tokens"): "?authToken=unknown"}
"""The queries of operations that need one."""
Names = dict[str, str]
"""Values for the names in braces of a call."""
SOME_TARGETS = ("other-participant", "other-stranger", "other-banned", "nobody")
ALIASES = ("/bannedusers", "/banned_members")
NO_ACCESS = "AUTH_ERR_NO_ACCESS"
NOBODY = "ERR_UID_NOT_FOUND"


def tables(name: str) -> list[Table]:
    """Return the tables of that name."""
    texts = (getattr(source, name, "") for source in (access_table, access_table_messages))
    return [table for text in texts if text for table in read_tables(text)]


def with_aliases(found: Iterable[Table]) -> Iterator[Table]:
    """Yield the tables, with another one for each call that has two paths."""
    for table in found:
        yield table
        if ALIASES[0] in table.path:
            yield Table(table.method, table.path.replace(*ALIASES), table.body, table.cases)


IN_GROUPS, ON_MEMBERS = list(with_aliases(tables("IN_GROUPS"))), tables("ON_MEMBERS")
SHOWN, BETWEEN_TWO, ON_USERS = tables("SHOWN"), tables("BETWEEN_TWO"), tables("ON_USERS")
ABOUT_MESSAGES = tables("ABOUT_MESSAGES")
KIND_OF = {
    tuple(call.split()): kind
    for source in (access_table, access_table_messages)
    for kind, calls in source.KINDS.items()
    for call in calls.strip().split("\n")
}
ALL_ROWS = [*IN_GROUPS, *ON_MEMBERS, *SHOWN, *BETWEEN_TWO, *ON_USERS]
DOOR = {
    (case.about, case.caller): case.cell
    for block in DOORS.strip("\n").split("\n\n")
    for case in read_cases(block)
}


def template_of(table: Table) -> str | None:
    """Return the path of the operation that a table is about."""
    return load_contract().template_of(f"/v3{table.path.partition('?')[0]}")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call of one caller."""

    who: str
    how: CallOptions
    about: str
    cell: str
    uid: str = ""

    def fault(self, answer: Answer) -> str | None:
        """Return what is wrong with the answer, or None."""
        found = f"{answer.status} {outcome(answer)}"
        cell = self.cell
        if cell == "ok":
            wanted = "200 ok"
        elif cell.startswith("("):
            wanted = f"200 ({code_of(cell.strip('()'))})"
        else:
            wanted = f"{status_of(code_of(cell))} {code_of(cell)}"
        if found == wanted:
            return None
        return f"{self.who}, {self.about} {self.uid}: {found} in place of {wanted}"


def outcome(answer: Answer) -> str:
    """Return the code of an answer, that of an item in parentheses, or `ok`."""
    if answer.status != 200:
        return str(answer.error["code"])
    return next((f"({code})" for code in _refused_items(answer.json.get("data"))), "ok")


def _refused_items(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if data.get("success") is False:
            yield data["error"]["code"]
        for value in data.values():
            yield from _refused_items(value)


def check(faults: Sequence[str | None]) -> None:
    """Check that there were attempts and that none is wrong."""
    assert faults
    found = [fault for fault in faults if fault is not None]
    assert not found, "\n".join(found)


# --- The table is complete -----------------------------------------------------------------------


def test_the_table_has_every_operation() -> None:
    """The table lists exactly the declared operations, each as its kind of call."""
    declared = {key_of(entry) for entry in OPERATIONS}

    assert declared - KIND_OF.keys() == set()
    assert KIND_OF.keys() - declared == set()


def test_the_table_says_who_may_do_what_to_people() -> None:
    """Every operation that touches users, groups or messages has rows."""
    described = {(table.method, template_of(table)) for table in ALL_ROWS}
    about_people = {call for call in KIND_OF if not call[1].startswith(NOT_ABOUT_PEOPLE)}

    assert described == about_people


# --- Credentials ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_accepted_credentials(world: World, kind: str) -> None:
    """Each kind of call accepts some credentials and refuses the others."""
    crowd = Crowd(world)
    await crowd.gather("anna", "ben", "gerd")
    await world.delete("/users", {"uidsToDeactivate": ["gerd"]})
    operations = [entry for entry in OPERATIONS if KIND_OF.get(key_of(entry)) == kind]
    callers = [caller for about, caller in DOOR if about == kind]
    assert operations
    assert len(callers) == 12

    faults = [
        await try_credentials(crowd, entry, caller, DOOR[kind, caller])
        for entry in operations
        for caller in callers
    ]

    check(faults)


async def try_credentials(crowd: Crowd, entry: Operation, caller: str, cell: str) -> str | None:
    """Return what is wrong with the answer to a caller's credentials, or None."""
    path, anna, uid = path_of(entry) + QUERIES.get(key_of(entry), ""), "anna", "emil"
    if "uid" in entry.path_parameters:  # some calls delete her
        anna = uid = f"anna-{len(crowd.tokens)}"
        await crowd.gather(anna)
        path = path.replace("/anna", f"/{anna}")
    ((who, how),) = crowd.ways(caller.replace("anna", anna))
    answer = await crowd.world.ask(entry.method, path, sample_body(entry, uid), **how)
    attempt = Attempt(who, how, f"{entry.method} {path}", cell)
    is_unnamed = answer.status == 400 and "onBehalfOf" in answer.error.get("details", {})
    is_in = answer.status != 401 and outcome(answer) not in {NO_ACCESS, NOBODY} and not is_unnamed
    if cell == "in":
        return None if is_in else f"{who}, {attempt.about}: {answer}"
    return f"{who}, {attempt.about}: {answer}" if is_in else attempt.fault(answer)


def sample_body(entry: Operation, uid: str) -> Any:
    """Return a body that the table has for an operation, or an empty one."""
    if entry.body is None:
        return None
    described = ((table, template_of(table)) for table in ALL_ROWS if table.body)
    bodies = [table.body for table, path in described if (table.method, path) == key_of(entry)]
    return body_of(bodies[0], uid=uid, guid="hikers", id="1") if bodies else {}


def key_of(entry: Operation) -> tuple[str, str]:
    """Return the method and path of an operation."""
    return entry.method, entry.path


# --- In groups -----------------------------------------------------------------------------------


@pytest.fixture
async def crowd(world: World) -> Crowd:
    """A user for every standing, and others to act on."""
    crowd = Crowd(world)
    await crowd.gather(*CALLERS, others=OTHERS)
    return crowd


@pytest.mark.parametrize("table", IN_GROUPS, ids=str)
async def test_rights_in_a_group(crowd: Crowd, table: Table) -> None:
    """A user's rights in a group depend on their scope and the group's type."""
    targets = SOME_TARGETS if names_user(table) else ("",)
    attempts = [
        Attempt(who, how, case.about, case.cell, uid)
        for case in table.cases
        for who, how in crowd.ways(case.caller)
        for uid in targets
    ]

    check(await walk(crowd, table, attempts))


@pytest.mark.parametrize("table", ON_MEMBERS, ids=str)
async def test_rights_over_members(crowd: Crowd, table: Table) -> None:
    """A member's rights over another depend on the scopes of both, in groups of any type."""
    attempts = [
        Attempt(who, how, type_, case.cell, target(case.caller, case.about))
        for type_ in TYPES
        for case in table.cases
        for who, how in crowd.ways(case.caller)
    ]

    check(await walk(crowd, table, attempts))


def names_user(table: Table) -> bool:
    """Return whether the call names a user to act on."""
    return "{uid}" in table.path + table.body


def target(caller: str, about: str) -> str:
    """Return the uid of the member to act on; there is only one owner."""
    if about == "oneself":
        return caller
    return about if about in {"owner", "nobody", SYSTEM_UID} else f"other-{about}"


async def walk(crowd: Crowd, table: Table, attempts: list[Attempt]) -> list[str | None]:
    """Make each call; calls that may change a group get a new group each."""
    shared = dict(zip(TYPES, await crowd.found(TYPES), strict=True))
    changing = [each.about for each in attempts if _may_change(table, each)]
    is_said = any(word in str(table) for word in ("{id}", "{own}", "conversation"))
    fresh = iter(await crowd.found(changing, with_messages=is_said))
    faults = []
    for each in attempts:
        guid = next(fresh) if _may_change(table, each) else shared.get(each.about, "absent")
        names = {"uid": each.uid, **names_in(crowd, guid)}
        faults.append(each.fault(await ask(crowd.world, table, names, each.how)))
        if faults[-1] and guid in shared.values():  # it may have done what it should not
            shared[each.about] = (await crowd.found([each.about]))[0]
    return faults


def names_in(crowd: Crowd, guid: str) -> Names:
    """Return the names of a group and its messages."""
    ids = (crowd.messages, crowd.own_messages)
    id_, own = (known.get(guid, NO_MESSAGE) for known in ids)
    return {"guid": guid, "id": id_, "own": own}


def _may_change(table: Table, attempt: Attempt) -> bool:
    return attempt.cell == "ok" and table.method != "GET"


async def ask(world: World, table: Table, names: Names, how: CallOptions) -> Answer:
    """Return the answer to the call of a table."""
    body = body_of(table.body, **names)
    return await world.ask(table.method, filled(table.path, **names), body, **how)


@pytest.mark.parametrize("table", SHOWN, ids=str)
async def test_what_lists_show_of_groups(crowd: Crowd, table: Table) -> None:
    """Lists show everything that their reader may see, and nothing else."""
    founded = dict(zip(TYPES, await crowd.found(TYPES), strict=True))
    faults = []
    for case in table.cases:
        for who, how in crowd.ways(case.caller):
            rows = await crowd.world.get(table.path, **how)
            shown = {guid_of(row) for row in rows}
            is_right = (founded[case.about] in shown) is (case.cell == "shown")
            faults.append(None if is_right else f"{who}: {case.about} is not {case.cell}")

    check(faults)


def guid_of(row: Json) -> str:
    """Return the guid of a group, of a message's group, or of a conversation's group."""
    guid: str = row.get("guid") or row.get("receiver") or row["conversationWith"]["guid"]
    return guid


async def test_an_owner_is_ignored_on_behalf_of_a_user(crowd: Crowd) -> None:
    """The `owner` of a change is ignored with onBehalfOf, and used with the owner's token."""
    (guid,) = await crowd.found(["public"])
    path, body, token = f"/groups/{guid}", {"owner": "admin"}, crowd.tokens["owner"]

    assert (await crowd.world.put(path, body, as_="owner"))["owner"] == "owner"
    assert (await crowd.world.put(path, body, as_="owner", token=token))["owner"] == "owner"
    assert (await crowd.world.put(path, body, token=token))["owner"] == "admin"


# --- Invisible objects ---------------------------------------------------------------------------


@pytest.mark.parametrize("caller", ["stranger", "banned"])
async def test_a_private_group_looks_missing(crowd: Crowd, caller: str) -> None:
    """For non-members a private group, and all in it, answers byte for byte like a missing one."""
    (hidden,) = await crowd.found(["private"])
    absent = hidden.replace("private", "nothing")

    for table in IN_GROUPS:
        if not any(caller in case.caller for case in table.cases):
            continue  # a call that only the app may make
        for _, how in crowd.ways(caller):
            for uid in (*SOME_TARGETS, "owner", caller) if names_user(table) else ("",):
                there = {"uid": uid, **names_in(crowd, hidden)}
                nowhere = {"uid": uid, "guid": absent, "id": "9", "own": "8"}
                answer = await refused_alike(crowd.world, table, (there, nowhere), how)
                if table.path.startswith("/messages/replies"):  # it leaves them out
                    assert answer.data == []
                    continue
                if table.path == "/messages/append":  # it has an outcome for each message
                    assert answer.data[0]["error"]["code"] == "ERR_MESSAGE_ID_NOT_FOUND"
                    continue
                assert answer.status == 404, f"{table}: {answer}"


@pytest.mark.parametrize(
    ("method", "path", "caller", "standing"),
    [
        ("DELETE", "/members/participant", "participant", "stranger"),
        ("DELETE", "/members/participant", "owner", "stranger"),
        ("POST", "/bannedusers/participant", "owner", "banned"),
        ("DELETE", "/bannedusers/banned", "owner", "stranger"),
    ],
)
async def test_former_members_lose_their_rights(
    crowd: Crowd, method: str, path: str, caller: str, standing: str
) -> None:
    """A user who left, was kicked, banned or unbanned has the rights of the new standing."""
    uid = path.rsplit("/", 1)[1]
    names = dict(zip(TYPES, await crowd.found(TYPES), strict=True))
    for guid in names.values():
        await crowd.world.call(method, f"/groups/{guid}{path}", as_=caller)
    faults = []
    for table in IN_GROUPS:
        for case in table.cases:
            if case.caller == standing and case.about in TYPES and not _lets_in(table, case):
                guid = names[case.about]
                filling = {"uid": "other-admin", **names_in(crowd, guid)}
                for who, how in crowd.ways(uid):
                    answer = await ask(crowd.world, table, filling, how)
                    fault = Attempt(who, how, case.about, case.cell).fault(answer)
                    faults.append(f"{table}: {fault}" if fault else None)

    check(faults)


def _lets_in(table: Table, case: Case) -> bool:
    return table.method != "GET" and case.cell == "ok"


async def test_messages_of_others_look_missing(world: World) -> None:
    """For others a conversation, and all in it, answers byte for byte like a missing one."""
    crowd = Crowd(world)
    await crowd.gather("anna", "ben", "clara")
    assert (await say(world, "anna", to_user("ben")))["id"] == "1"
    await say(world, "clara", to_user("ben"))

    hi = '{"text": "Hi"}'
    for table in ABOUT_MESSAGES:
        (case,) = table.cases
        for who, how in crowd.ways("clara"):
            there = {"id": "1", "uid": "anna", "hi": hi}
            nowhere = {"id": "9", "uid": "emma", "hi": hi}
            answer = await refused_alike(world, table, (there, nowhere), how)
            assert Attempt(who, how, str(table), case.cell).fault(answer) is None
    for path in ("/messages", "/users/anna/messages", "/users/ben/messages"):
        senders = {row["sender"] for row in await world.get(path, as_="clara")}
        assert senders <= {"clara"}, path


async def refused_alike(
    world: World, table: Table, pair: tuple[Names, Names], how: CallOptions
) -> Answer:
    """Return the answer to the first of two calls; they differ only in the ids that they name."""
    answers = [await ask(world, table, names, how) for names in pair]
    bare = []
    for answer, names in zip(answers, pair, strict=True):
        text = answer.body
        for name, value in names.items():
            whole = rf"(?<![0-9a-z]){re.escape(value)}(?![0-9a-z])"
            text = re.sub(whole.encode(), name.encode(), text)
        headers = {
            name: value
            for name, value in answer.headers.items()
            if name not in {"x-request-id", "x-rate-limit-remaining"}
        }
        bare.append((answer.status, headers, text))
    assert bare[0] == bare[1], f"{table} {how}"
    return answers[0]


# --- Between two users, and on users -------------------------------------------------------------


@pytest.mark.parametrize("about", ["no block", "blocks ben", "is blocked"])
async def test_rights_between_two_users(world: World, about: str) -> None:
    """Messages between two users are theirs alone; a block by either stops only messages."""
    crowd = Crowd(world)
    await crowd.gather("anna", "ben", "clara")
    await group(world, "club", "anna", "ben")
    faults = []
    for table in BETWEEN_TWO:
        await set_block(world, about)
        for case in table.cases:
            for who, how in crowd.ways(case.caller):
                if case.about == about:
                    answer = await ask(world, table, {"id": await send_new_message(world)}, how)
                    fault = Attempt(who, how, about, case.cell).fault(answer)
                    faults.append(f"{table}: {fault}" if fault else None)

    check(faults)


async def set_block(world: World, about: str) -> None:
    """Block Ben by Anna, or Anna by Ben, or lift both blocks."""
    await world.delete("/users/anna/blockedusers", {"blockedUids": ["ben"]})
    if about != "no block":
        one, other = ("anna", "ben") if about == "blocks ben" else ("ben", "anna")
        await world.post(f"/users/{one}/blockedusers", {"blockedUids": [other]})


async def send_new_message(world: World) -> str:
    """Send a new message from Anna to Ben, despite any block, and return its id."""
    muid = f"m-{next(NUMBERS)}"
    made = await import_past(world, **{muid: past("anna", to_user("ben"), START)})
    id_: str = made[muid]["data"]["id"]
    return id_


@pytest.mark.parametrize("table", ON_USERS, ids=str)
async def test_rights_over_users(world: World, table: Table) -> None:
    """A deactivated or deleted user is answered as if they did not exist."""
    crowd = Crowd(world)
    await crowd.gather("anna")
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    faults = []
    for number, case in enumerate(table.cases):
        for way in range(1 + (case.caller in {"anna", "oneself"})):
            uid = SYSTEM_UID if case.about == SYSTEM_UID else f"carl-{number}-{way}"
            await set_state(crowd, uid, case.about)
            who, how = crowd.ways(case.caller.replace("oneself", uid))[way]
            names = {"uid": uid, "authToken": crowd.tokens.get(uid, "0" * 40)}
            answer = await ask(world, table, names, how)
            faults.append(Attempt(who, how, case.about, case.cell).fault(answer))

    check(faults)


async def set_state(crowd: Crowd, uid: str, about: str) -> None:
    """Make the user active, deactivated or deleted."""
    if about in {"nobody", SYSTEM_UID}:
        return
    await crowd.gather(uid)
    if about == "deactivated":
        await crowd.world.delete("/users", {"uidsToDeactivate": [uid]})
    if about == "deleted":
        await crowd.world.delete(f"/users/{uid}", {"permanent": False})
