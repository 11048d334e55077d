"""Requests to a store full of messages: pages, searches, lists of conversations, and sends."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import msgspec
from tests.wire import Answer, Asked, InProcess

from bench.crowd import FROM, RARE_NAME, UPTO
from bench.history.archive import OF_VIEWER, VIEWER, Archive, Talk
from bench.history.words import COMMON_WORD, RARE_CHINESE, RARE_WORD
from bench.timing import CLIENTS
from hubbub.records.conversations.model import GROUP, USER

PAGE = 50
KINDS = {USER: "one-to-one", GROUP: "group"}
WORDS = {
    "a rare word": RARE_WORD,
    "a rare Chinese word": RARE_CHINESE,
    "a common word": COMMON_WORD,
}

PAGES = f"{PAGE} messages of a conversation that has about so many"
CONVERSATIONS = f"the {OF_VIEWER:,} conversations of a user"
SEARCH = f"search, and the number of messages with the word; at most {PAGE} are answered"
SENDS = "a message to a group, by its number of members"

_encode = msgspec.json.Encoder().encode
NextRequest = Callable[[], Asked]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of request; where columns are compared, the last may cost little more."""

    about: str
    name: str
    columns: Mapping[str, NextRequest]
    is_right: Callable[[Answer], bool]
    """Whether an answer is right."""
    by_many: bool = False
    """Whether it is also measured with many concurrent clients."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A filled store, and the node that serves it."""

    sender: InProcess
    archive: Archive

    async def send(self, asked: Asked) -> Answer:
        """Make a request; the answer must not be an error."""
        answer = await self.sender.send(asked)
        assert answer.status == 200, f"{asked}: {answer}"
        return answer

    def get(self, path: str, query: Mapping[str, object], uid: str | None = VIEWER) -> Asked:
        """Return the request for a list, of a user or of the app itself."""
        return Asked("GET", f"/v3/{path}?{urlencode(query)}", self._headers(uid))

    def post(self, path: str, uid: str, body: object) -> Asked:
        """Return the request of a user for a change."""
        return Asked("POST", f"/v3/{path}", self._headers(uid), _encode(body))

    def _headers(self, uid: str | None) -> dict[str, str]:
        acting = {} if uid is None else {"onBehalfOf": uid}
        return {"apikey": self.archive.key, **acting}


async def make_cases(scene: Scene) -> list[Case]:
    """Return all kinds of requests; those that change the store come last."""
    pages = [case for kind in KINDS for case in await _pages(scene, kind)]
    return [*pages, *_conversations(scene), *_searches(scene), _sends(scene)]


async def _pages(scene: Scene, kind: str) -> list[Case]:
    archive = scene.archive
    talks = {
        f"{archive.size.small:,}": archive.small[kind],
        f"{archive.size.large:,}": archive.large[kind],
    }
    newest = {size: _always(_page(scene, talk)) for size, talk in talks.items()}
    middle = {size: _always(await _middle(scene, talk)) for size, talk in talks.items()}
    return [
        Case(PAGES, f"{KINDS[kind]}, newest", newest, _holds(PAGE), by_many=True),
        Case(PAGES, f"{KINDS[kind]}, middle", middle, _holds(PAGE), by_many=True),
    ]


def _page(scene: Scene, talk: Talk, **query: object) -> Asked:
    return scene.get(_path(talk), {"affix": "prepend", "limit": PAGE, **query})


def _path(talk: Talk) -> str:
    if talk.is_group:
        return f"groups/{talk.guid}/messages"
    return f"users/{talk.receiver(VIEWER)}/messages"


async def _middle(scene: Scene, talk: Talk) -> Asked:
    """Return the path of the page after a page in the middle, by its cursor."""
    found = await scene.send(_page(scene, talk, sentAt=(FROM + UPTO) // 2))
    cursor = found.meta["previous"]
    return _page(scene, talk, sentAt=cursor["sentAt"], id=cursor["id"])


def _always(asked: Asked) -> NextRequest:
    return lambda: asked


def _holds(count: int) -> Callable[[Answer], bool]:
    return lambda answer: len(answer.data) == count


def _conversations(scene: Scene) -> Iterator[Case]:
    pages = OF_VIEWER // PAGE
    queries: tuple[tuple[str, Mapping[str, object], int], ...] = (
        (f"first {PAGE}", {"perPage": PAGE}, PAGE),
        (f"first {2 * PAGE}", {"perPage": 2 * PAGE}, 2 * PAGE),
        (f"next {PAGE}", {"perPage": PAGE, "page": 2}, PAGE),
        (f"{PAGE} in the middle", {"perPage": PAGE, "page": pages // 2}, PAGE),
        (f"{PAGE} unread ones", {"perPage": PAGE, "unread": "true"}, PAGE),
    )
    for name, query, count in queries:
        asked = scene.get("conversations", query)
        yield Case(CONVERSATIONS, name, {"": _always(asked)}, _holds(count))
    named = scene.get("conversations", {"perPage": PAGE, "searchKey": RARE_NAME})
    yield Case(CONVERSATIONS, "search for a name", {"": _always(named)}, _are_named(RARE_NAME))


def _are_named(name: str) -> Callable[[Answer], bool]:
    return lambda answer: (
        bool(answer.data) and all(name in each["conversationWith"]["name"] for each in answer.data)
    )


def _searches(scene: Scene) -> Iterator[Case]:
    """Yield searches in a conversation, in a group, in all of a user's, and in the app."""
    archive = scene.archive
    viewed = [talk for talk in archive.talks if talk.is_viewed]
    for named, word in WORDS.items():
        for kind, talk in archive.large.items():
            name = f"{named}, {KINDS[kind]}"
            yield _search(scene, name, word, [talk], _path(talk), VIEWER)
        yield _search(scene, f"{named}, all of a user", word, viewed, "messages", VIEWER)
        yield _search(scene, f"{named}, all of the app", word, archive.talks, "messages", None)


def _search(
    scene: Scene, name: str, word: str, talks: Iterable[Talk], path: str, uid: str | None
) -> Case:
    count = scene.archive.count_holding(word, talks)
    asked = scene.get(path, {"searchKey": word, "affix": "prepend", "limit": PAGE}, uid)
    return Case(SEARCH, f"{name}: {count:,}", {"": _always(asked)}, _hold(word, min(PAGE, count)))


def _hold(word: str, count: int) -> Callable[[Answer], bool]:
    return lambda answer: (
        len(answer.data) == count and all(word in each["data"]["text"] for each in answer.data)
    )


def _sends(scene: Scene) -> Case:
    rooms = {f"{len(talk.people):,}": _sending(scene, talk) for talk in scene.archive.rooms}
    return Case(SENDS, "send", rooms, lambda answer: "id" in answer.data, by_many=True)


def _sending(scene: Scene, talk: Talk) -> NextRequest:
    """Return a function that makes requests to send, by each member in turn."""
    body = {
        "receiver": talk.guid,
        "receiverType": GROUP,
        "category": "message",
        "type": "text",
        "data": {"text": "could you please send me the photos"},
    }
    requests = [scene.post("messages", uid, body) for uid in talk.people[:CLIENTS]]
    return itertools.cycle(requests).__next__
