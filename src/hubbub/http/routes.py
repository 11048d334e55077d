"""The table of routes: which path and method leads to which endpoint."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from hubbub.http.answer import Answer
from hubbub.http.request import Request

Endpoint = Callable[[Request, Sequence[str]], Awaitable[Answer]]
"""Answers a request; its second argument are the decoded parameters of the path, in order."""


@dataclass(slots=True)
class Route:
    """The endpoints of one path, by method."""

    path: str
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    has_preflight: bool = True
    """Whether pages of other origins may ask for it, with OPTIONS."""

    @property
    def allowed(self) -> str:
        """Return its methods for the header `Allow`."""
        return ", ".join([*sorted(self.endpoints), *(["OPTIONS"] if self.has_preflight else [])])


@dataclass(slots=True)
class _Node:
    """A place in a path: what may follow there, and the route that ends there."""

    literals: dict[str, "_Node"] = field(default_factory=dict)
    parameter: "_Node | None" = None
    route: Route | None = None


class Routes:
    """Routes by path. A slash at the end of a path makes no difference.

    Where a path fits a literal part and a parameter, the literal wins.
    """

    def __init__(self) -> None:
        self._root = _Node()
        self._whole: dict[bytes, Route] = {}
        """The paths without parameters, as most clients write them."""

    def add(self, path: str, method: str, endpoint: Endpoint) -> None:
        """Add an endpoint; parameters of the path are written `{name}`."""
        node = self._root
        for part in _split(path):
            if part.startswith("{"):
                node.parameter = node = node.parameter or _Node()
            else:
                node = node.literals.setdefault(part, _Node())
        if node.route is None:
            node.route = Route(path)
        assert method not in node.route.endpoints, f"{method} {path} is there twice"
        node.route.endpoints[method] = endpoint
        if "{" not in path:
            self._whole[path.encode()] = node.route

    def add_private(self, path: str, method: str, endpoint: Endpoint) -> None:
        """Add an endpoint under exactly this spelling of its path, by which rules know it."""
        self._whole[path.encode()] = Route(path, {method: endpoint}, has_preflight=False)

    def find(self, path: bytes) -> tuple[Route | None, Sequence[str]]:
        """Return the route of a path as it was sent, and the values of its parameters."""
        route = self._whole.get(path)
        return (route, ()) if route is not None else self._walk(path.decode("latin-1"))

    def _walk(self, path: str) -> tuple[Route | None, Sequence[str]]:
        # Decoded after the split: an encoded slash is part of a value.
        values: list[str] = []
        route = _descend(self._root, [unquote(part) for part in _split(path)], values)
        return (route, values) if route is not None else (None, ())

    def __iter__(self) -> Iterator[Route]:
        """Return an iterator over the routes."""
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.route is not None:
                yield node.route
            waiting += node.literals.values()
            waiting += [node.parameter] if node.parameter else []


def _descend(node: _Node, parts: Sequence[str], values: list[str]) -> Route | None:
    """Return the route of `parts` below a node, and append the values of its parameters."""
    if not parts:
        return node.route
    following = node.literals.get(parts[0])
    route = _descend(following, parts[1:], values) if following is not None else None
    if route is None and node.parameter is not None:
        known = len(values)
        values.append(parts[0])
        route = _descend(node.parameter, parts[1:], values)
        if route is None:
            del values[known:]
    return route


def _split(path: str) -> list[str]:
    parts = path.lstrip("/").split("/")
    return parts[:-1] if len(parts) > 1 and parts[-1] == "" else parts
