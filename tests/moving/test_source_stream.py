"""Exports of Stream Chat: channels with members, messages, threads and reactions."""

from pathlib import Path
from typing import Any

import pytest
from tests.moving.reading import Read, tree_of
from tests.moving.readings import at

from hubbub.moving.sources.interface import Reading, SourceUnreadable
from hubbub.moving.sources.stream import StreamChat
from hubbub.moving.sources.uids import Uids

THEO = Uids().of("Theo B")
GENERAL = {"receiverType": "group", "receiver": "messaging-general"}


def message(id_: str) -> dict[str, Any]:
    """Return a message of the fixture."""
    return Read("stream").message(id_)


def test_users() -> None:
    """Users are described by the export of users, or by what else names them."""
    assert Read("stream").of("user") == [
        {
            "uid": "rosa", "name": "Rosa L.", "createdAt": at("2024-02-01T00:00"),
            "lastActiveAt": at("2024-03-05T00:00"),
        },
        {
            "uid": THEO, "name": "Theo", "avatar": "https://example.com/t.png",
            "deactivatedAt": at("2024-05-01T00:00"),
        },
        {"uid": "spam", "name": "spam"},
        {"uid": "ines", "name": "Ines"},
    ]  # fmt: skip


def test_channels() -> None:
    """A channel of exactly two members is no group; that of a livestream is public."""
    found = Read("stream")

    assert found.of("group") == [
        {
            "guid": "messaging-general", "name": "General", "groupType": "private",
            "icon": "https://example.com/g.png", "owner": "rosa",
            "createdAt": at("2024-03-01T10:00"),
        },
        {
            "guid": "livestream-show", "name": "show", "groupType": "public",
            "createdAt": at("2024-03-04T09:00"),
        },
    ]  # fmt: skip
    general = {"guid": "messaging-general"}
    assert found.of("member") == [
        {**general, "uid": "rosa", "scope": "admin", "joinedAt": at("2024-03-01T10:00")},
        {**general, "uid": THEO, "scope": "moderator", "joinedAt": at("2024-03-01T10:01")},
        {**general, "uid": "spam", "isBanned": True},
    ]


def test_messages() -> None:
    """A message keeps its text with mentions, and when it was edited and pinned."""
    sent_at = at("2024-03-02T10:00")
    assert message("m1") == {
        "muid": "m1", "sender": "rosa", **GENERAL, "sentAt": sent_at, "readAt": sent_at,
        "data": {"text": f"Hello <@uid:{THEO}>"}, "editedAt": at("2024-03-02T10:05"),
        "pinnedAt": at("2024-03-02T11:00"),
    }  # fmt: skip
    assert message("m5")["deletedAt"] == at("2024-03-02T10:07")
    assert (message("d1")["receiverType"], message("d1")["receiver"]) == ("user", THEO)
    assert message("v1")["receiver"] == "livestream-show"


def test_threads_and_quotations() -> None:
    """A reply to a reply belongs to the first message of the thread."""
    for id_ in ("m2", "m3"):
        assert (message(id_)["parentMuid"], message(id_)["parentSender"]) == ("m1", "rosa")
    assert (message("m4")["quotedMuid"], message("m4")["quotedSender"]) == ("m2", THEO)
    assert "parentMuid" not in message("m7")


def test_files_keep_their_links() -> None:
    """A file is a link; previews of links are left out."""
    assert message("m4")["messageType"] == "file"
    assert message("m4")["data"]["attachments"] == [
        {
            "url": "https://example.com/plan.pdf", "name": "plan.pdf", "extension": "pdf",
            "mimeType": "application/pdf", "size": 12,
        }
    ]  # fmt: skip


def test_reactions() -> None:
    """Names of emoji become emoji; other names stay."""
    assert Read("stream").of("reaction") == [
        {
            "muid": "m1", "sender": "rosa", "uid": THEO, "reaction": "👍",
            "at": at("2024-03-02T10:01"),
        },
        {"muid": "m1", "sender": "rosa", "uid": "ines", "reaction": "love"},
        {
            "muid": "v1", "sender": "ines", "uid": "rosa", "reaction": "🎉",
            "at": at("2024-03-04T10:01"),
        },
    ]  # fmt: skip


def test_what_is_left_out_is_counted_or_refused() -> None:
    """System messages, previews and reactions by unknown people are counted."""
    found = Read("stream")

    assert found.dropped == {
        "system messages": 1,
        "previews of links": 1,
        "attachments without a link to a file": 1,
        "replies to messages that are not in the export": 1,
        "reactions of which the export does not say by whom": 3,
        "reactions to messages that are not in the export": 1,
    }
    assert [(source, place) for source, place, _ in found.faults()] == [
        ("channels.json", 12), ("channels.json", 13), ("users.jsonl", 6),
    ]  # fmt: skip


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A source without channels of Stream says what to export."""
    (tmp_path / "a.json").write_text("[]")

    with pytest.raises(SourceUnreadable, match="Export the channels"):
        list(StreamChat().read(tree_of(tmp_path), Reading()))
