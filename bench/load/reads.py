"""Requests for pages of 50: always the same one, so that its rows are in memory."""

from bench.load.requests import Load, encode_request
from bench.load.scene import PAGE, Scene, Talk

CONNECTIONS = 16
OF_MESSAGE, OF_REACTED, OF_CONVERSATION = b'"receiverType":', b'"reactions":', b'"lastMessage":'
"""Pieces of text that each row of a page has once."""


def newest(scene: Scene) -> Load:
    """Return the newest page of a one-to-one history."""
    return _page(scene, scene.talk, scene.newest(scene.talk), OF_MESSAGE)


def middle(scene: Scene) -> Load:
    """Return a page in the middle of a one-to-one history."""
    return _page(scene, scene.talk, scene.middle(scene.talk), OF_MESSAGE)


def newest_of_room(scene: Scene) -> Load:
    """Return the newest page of a group's history, with reactions, mentions and receipts."""
    return _page(scene, scene.room, scene.newest(scene.room), OF_REACTED)


def middle_of_room(scene: Scene) -> Load:
    """Return such a page in the middle."""
    return _page(scene, scene.room, scene.middle(scene.room), OF_REACTED)


def conversations(scene: Scene) -> Load:
    """Return the first page of a user's conversations."""
    return _get(scene, scene.lister, f"/v3/conversations?perPage={PAGE}", OF_CONVERSATION)


def _page(scene: Scene, talk: Talk, target: str, expected: bytes) -> Load:
    return _get(scene, talk.reader, target, expected)


def _get(scene: Scene, reader: str, target: str, expected: bytes) -> Load:
    headers = {"apikey": scene.key, "onBehalfOf": reader}
    request = encode_request(target, headers, method="GET")
    return Load([request], expected, times=PAGE, connections=CONNECTIONS)
