"""The table of routes: which path leads where, and with which values."""

from collections.abc import Sequence

import pytest

from hubbub.http.answer import Answer
from hubbub.http.request import Request
from hubbub.http.routes import Routes

PATHS = (
    "/",
    "/users",
    "/users/{uid}",
    "/users/{uid}/friends",
    "/providers/{id}",
    "/providers/default/{id}",
    "/providers/default/{id}/log/{day}",
    "/{any}/log",
)


async def answer(request: Request, values: Sequence[str]) -> Answer:
    """Answer nothing."""
    return Answer()


@pytest.fixture
def routes() -> Routes:
    """Routes with literal parts beside parameters."""
    routes = Routes()
    for path in PATHS:
        routes.add(path, "GET", answer)
    return routes


@pytest.mark.parametrize(
    ("path", "route", "values"),
    [
        ("/", "/", []),
        ("//", "/", []),
        ("/users", "/users", []),
        ("/users/", "/users", []),
        ("//users", "/users", []),
        ("/%75sers", "/users", []),
        ("/users/anna", "/users/{uid}", ["anna"]),
        ("/users/anna/", "/users/{uid}", ["anna"]),
        ("/users//", "/users/{uid}", [""]),
        ("/users/a%2Fb%2fc", "/users/{uid}", ["a/b/c"]),
        ("/users/%2F", "/users/{uid}", ["/"]),
        ("/users/J%C3%BCrgen/friends", "/users/{uid}/friends", ["Jürgen"]),
        ("/users/%zz%", "/users/{uid}", ["%zz%"]),
        ("/users/a+b", "/users/{uid}", ["a+b"]),
        ("/providers/mine", "/providers/{id}", ["mine"]),
        ("/providers/default", "/providers/{id}", ["default"]),
        ("/providers/default/x", "/providers/default/{id}", ["x"]),
        ("/providers/default/x/log/1", "/providers/default/{id}/log/{day}", ["x", "1"]),
        ("/providers/log", "/providers/{id}", ["log"]),
        ("/users/log", "/users/{uid}", ["log"]),
        ("/other/log", "/{any}/log", ["other"]),
    ],
)
def test_a_path_leads_to_its_route(
    routes: Routes, path: str, route: str, values: list[str]
) -> None:
    """A literal part is preferred, a slash at the end ignored, and the values are decoded."""
    found, given = routes.find(path.encode())

    assert found is not None
    assert (found.path, list(given)) == (route, values)


@pytest.mark.parametrize(
    "path",
    [
        *("/user", "/userss", "/Users", "*", "/users%2Fa"),
        *("/users/a/b", "/users/a/friends/b", "/users/a//"),
    ],
)
def test_other_paths_lead_nowhere(routes: Routes, path: str) -> None:
    """A path without a route is not found."""
    assert routes.find(path.encode()) == (None, ())


def test_a_path_names_its_methods(routes: Routes) -> None:
    """Several methods of a path are one route."""
    routes.add("/users/{name}", "DELETE", answer)
    route, _ = routes.find(b"/users/anna")

    assert route is not None
    assert route.allowed == "DELETE, GET, OPTIONS"
    assert sorted(each.path for each in routes) == sorted(PATHS)
