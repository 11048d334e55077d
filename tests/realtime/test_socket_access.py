"""The access table holds for sockets: every method answers as the operation that it is."""

import itertools
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import pytest
from tests.api.access import access_table_sockets
from tests.api.access.access_table import Table, code_of, read_tables
from tests.api.access.crowd import CALLERS, OTHERS, Crowd, body_of, filled
from tests.api.access.test_access_table import (
    BETWEEN_TWO,
    IN_GROUPS,
    TYPES,
    names_in,
    send_new_message,
    set_block,
    template_of,
)
from tests.api.messages.talk import group
from tests.realtime.chat import Client, Frame, Hall, hall_of
from tests.world import Node, World

from hubbub.realtime.protocol.methods import BY_NAME, METHODS, Chosen
from hubbub.realtime.protocol.own_methods import OWN_METHODS

Names = dict[str, str]
TWO = ("anna", "ben", "clara")
BLOCKS = ("no block", "blocks ben", "is blocked")


@dataclass(frozen=True, slots=True)
class SocketTable:
    """A table of the access table, and the method that makes its call."""

    table: Table
    method: str
    choice: Chosen | None = None
    """Which of its operations the method is here; None for those that only sockets have."""

    def __str__(self) -> str:
        return f"{self.method}: {self.table}"

    def params(self, names: Names) -> dict[str, Any]:
        """Return the parameters of the call, with names replaced."""
        body = body_of(self.table.body, **names) or {}
        if self.choice is None:
            return body
        path, _, query = filled(self.table.path, **names).partition("?")
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", BY_NAME[self.choice.operation].path)
        found = re.fullmatch(pattern, path)
        assert found is not None, path
        of_path = {param: found[name] for name, param in self.choice.path.items()}
        if self.choice.receiver_type:
            of_path["receiverType"] = self.choice.receiver_type
        return {**body, **dict(parse_qsl(query)), **of_path}


def over_sockets(tables: list[Table], own: str) -> Iterator[SocketTable]:
    """Yield those tables whose call is a method, and the tables of methods of sockets alone."""
    for (name, method), table in itertools.product(METHODS.items(), tables):
        for choice in method.choices:
            operation = BY_NAME[choice.operation]
            if (operation.method, operation.path) == (table.method, template_of(table)):
                yield SocketTable(table, name, choice)
    for table in read_tables(own):
        yield SocketTable(table, table.path)


OVER_GROUPS = list(over_sockets(IN_GROUPS, access_table_sockets.IN_GROUPS))
OVER_TWO = list(over_sockets(BETWEEN_TWO, access_table_sockets.BETWEEN_TWO))


@pytest.fixture
async def hall(node: Node, world: World) -> AsyncIterator[Hall]:
    """A server with sockets, and nobody in the app."""
    async with hall_of(world, node.runtime) as hall:
        yield hall


def test_every_method_has_a_table() -> None:
    """The access table says of every method who may do what with it.

    With `renew_token` a session is about itself alone.
    """
    tabled = {each.method for each in (*OVER_GROUPS, *OVER_TWO)}
    assert tabled == (METHODS.keys() | OWN_METHODS.keys()) - {"renew_token"}


@pytest.mark.parametrize("tabled", OVER_GROUPS, ids=str)
async def test_rights_in_a_group(hall: Hall, tabled: SocketTable) -> None:
    """A member's scope and the group's type decide over a method as over its operation."""
    crowd = Crowd(hall.world)
    await crowd.gather(*CALLERS, others=OTHERS)
    cases = [each for each in tabled.table.cases if is_by_socket(each.caller)]
    founded = iter(await crowd.found([each.about for each in cases if each.about in TYPES]))
    faults = []
    async with clients_of(hall, crowd, CALLERS) as clients:
        for case in cases:
            guid = next(founded) if case.about in TYPES else case.about
            params = tabled.params(names_in(crowd, guid))
            reply = await call(clients[uid_of(case.caller)], tabled.method, params)
            faults.append(fault_of(case.caller, case.about, case.cell, reply))

    check(faults)


@pytest.mark.parametrize("about", BLOCKS)
async def test_rights_between_two_users(hall: Hall, about: str) -> None:
    """A block by either of two users holds for methods as for operations."""
    crowd, world = Crowd(hall.world), hall.world
    await crowd.gather(*TWO)
    await group(world, "club", "anna", "ben")
    faults = []
    async with clients_of(hall, crowd, TWO) as clients:
        await set_block(world, about)
        for tabled in OVER_TWO:
            for case in tabled.table.cases:
                if case.about == about and is_by_socket(case.caller):
                    params = tabled.params({"id": await send_new_message(world)})
                    reply = await call(clients[uid_of(case.caller)], tabled.method, params)
                    fault = fault_of(case.caller, about, case.cell, reply)
                    faults.append(f"{tabled}: {fault}" if fault else None)

    check(faults)


def is_by_socket(caller: str) -> bool:
    """Return whether a caller of the table can have a socket: only users can, with their token."""
    return caller != "app" and not caller.startswith("as ")


def uid_of(caller: str) -> str:
    """Return the uid of a caller of the table."""
    return caller.removesuffix("'s token")


@asynccontextmanager
async def clients_of(
    hall: Hall, crowd: Crowd, uids: tuple[str, ...]
) -> AsyncIterator[dict[str, Client]]:
    """Yield a connected client of each user."""
    async with AsyncExitStack() as stack:
        yield {uid: await stack.enter_async_context(hall.client(uid)) for uid in uids}


async def call(client: Client, method: str, params: dict[str, Any]) -> Frame:
    """Call a method and return its reply; events before it are left out."""
    await client.say(op="call", ref="r", method=method, params=params)
    while (frame := await client.hear())["op"] != "reply":
        pass
    return frame


def fault_of(caller: str, about: str, cell: str, reply: Frame) -> str | None:
    """Return what is wrong with a reply, by the cell of the table."""
    found = reply["error"]["code"] if "error" in reply else "ok"
    wanted = "ok" if cell == "ok" else code_of(cell)
    return None if found == wanted else f"{caller}, {about}: {found} in place of {wanted}"


def check(faults: list[str | None]) -> None:
    """Check that there were calls, and that each was answered as in the table."""
    assert faults
    found = [each for each in faults if each is not None]
    assert not found, "\n".join(found)
