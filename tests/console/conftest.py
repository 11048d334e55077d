"""The console of a node, and operators who use it."""

from collections.abc import Awaitable, Callable

import pytest
from tests.console.visitors import Visitor, make_operator
from tests.wire import InProcess
from tests.world import Node

from hubbub.console.site import add_console
from hubbub.http.app import make_app
from hubbub.records.operators.model import ALL_APPS, OperatorRole
from hubbub.rest.operations import OPERATIONS

SignIn = Callable[..., Awaitable[Visitor]]


def console_of(node: Node) -> InProcess:
    """Return what sends requests to a node with its console."""
    app = make_app(node.runtime, OPERATIONS)
    add_console(app.routes, node.runtime)
    return InProcess(app)


@pytest.fixture(scope="session")
def console(node: Node) -> InProcess:
    """Return what sends requests to the node, console included."""
    return console_of(node)


@pytest.fixture
def signed_in(node: Node, console: InProcess) -> SignIn:
    """A function that adds an operator, and signs them in."""

    async def sign_in(role: OperatorRole = OperatorRole.OWNER, app: str = ALL_APPS) -> Visitor:
        # The limit of attempts counts by address and minute.
        node.clock.advance(60)
        visitor = Visitor(console, await make_operator(node, role, app))
        await visitor.sign_in()
        return visitor

    return sign_in
