"""The fields of a push: which there are, what they say, and what people share."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.notifications.talks import (
    ANNA,
    BEN,
    HIKERS,
    NOW,
    PAIR,
    changed,
    changed_member,
    reacted,
    said,
    said_in_group,
    show,
    user,
    view,
)
from tests.world import Json

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.fields import Fields, PushFields
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.messages.model import MessageView
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings
from hubbub.records.notifications.items import Item
from hubbub.records.users.model import SYSTEM

GUID = HIKERS.guid
ANNA_AVATAR, BEN_AVATAR = "https://example.com/anna.png", "https://example.com/ben.png"
FROM_ANNA = {"sender": "anna", "senderName": "Anna", "senderAvatar": ANNA_AVATAR}
FROM_BEN = {"sender": "ben", "senderName": "Ben", "senderAvatar": BEN_AVATAR}
TO_BEN = {"receiver": "ben", "receiverName": "Ben", "receiverAvatar": BEN_AVATAR}
TO_ANNA = {"receiver": "anna", "receiverName": "Anna", "receiverAvatar": ANNA_AVATAR}
IN_PAIR = {"receiverType": "user", "conversationId": PAIR, "type": "chat"}
IN_GROUP = {
    "receiver": GUID,
    "receiverName": "Hikers",
    "receiverAvatar": "https://example.com/hikers.png",
    "receiverType": "group",
    "conversationId": f"group_{GUID}",
    "type": "chat",
}
DELETED: Json = {"deleted_at": NOW + 30, "deleted_by": "anna"}


def fields(about: Happening, uid: str = "ben", *, is_private: bool = False, **push: Any) -> Fields:
    """Return the fields for a person in an app with these push settings."""
    settings = NotificationSettings(push=PushSettings(**push))
    return PushFields(settings, about, show).of(uid, is_private=is_private)


def test_message_to_a_user() -> None:
    """A message has all fields of the interface, with the time in milliseconds as text."""
    assert fields(said("Hi")) == {
        "title": "Anna",
        "body": "Hi",
        **FROM_ANNA,
        **TO_BEN,
        **IN_PAIR,
        "tag": "101",
        "sentAt": str(NOW * 1000),
    }


def test_message_to_a_group() -> None:
    """In a group the receiver is the group, with its icon."""
    assert fields(said_in_group("Hi")) == {
        "title": "Anna @ Hikers",
        "body": "Hi",
        **FROM_ANNA,
        **IN_GROUP,
        "tag": "101",
        "sentAt": str(NOW * 1000),
    }


def test_reaction() -> None:
    """A reaction comes from who reacted, and has the tag of the message that it is about."""
    found = fields(reacted(view()), "anna")

    expected = {**FROM_BEN, **TO_ANNA, **IN_PAIR, "tag": "101", "sentAt": str((NOW + 20) * 1000)}
    assert found == {"title": "Ben", "body": "Has reacted 👍 to your message", **expected}


def test_reaction_of_the_sender_to_their_own_message() -> None:
    """The receiver is the other one of the conversation, whoever reacts."""
    assert fields(reacted(view(), by=ANNA)).items() >= {**FROM_ANNA, **TO_BEN}.items()


def test_reaction_in_a_group_named_like_a_user() -> None:
    """The receiver is the group, also if its guid is the uid of who reacted."""
    found = fields(reacted(view(to=HIKERS), by=user(GUID, name="Mr Hikers")), "anna")

    assert found.items() >= {**IN_GROUP, "sender": GUID, "senderName": "Mr Hikers"}.items()


def test_reaction_in_a_group() -> None:
    """In a group, too, a reaction comes from who reacted."""
    found = fields(reacted(view(to=HIKERS)), "anna")

    assert found.items() >= {**IN_GROUP, **FROM_BEN, "tag": "101"}.items()


@pytest.mark.parametrize(
    ("item", "about"),
    [
        (Item.EDITED, view("Hello!")),
        (Item.DELETED, view(**DELETED)),
        (Item.DELETED, view(None, is_erased=True, **DELETED)),
    ],
    ids=["edited", "deleted", "deleted permanently"],
)
def test_change_of_a_message(item: Item, about: MessageView) -> None:
    """An edit or deletion has the tag of its message, and the time at which it was done."""
    found = fields(changed(item, about))

    expected = {**FROM_ANNA, **TO_BEN, **IN_PAIR, "tag": "101", "sentAt": str((NOW + 30) * 1000)}
    assert found.items() >= expected.items()


def test_change_by_a_moderator() -> None:
    """A moderator's change of a message of another user comes from the moderator."""
    found = fields(changed(Item.EDITED, view(to=HIKERS), by=BEN), "carl")

    assert found.items() >= {**IN_GROUP, **FROM_BEN, "title": "Ben @ Hikers", "tag": "101"}.items()


def test_change_by_the_app() -> None:
    """The app's change of a message comes from its sender, so that people know where it was."""
    about = replace(changed(Item.EDITED, view(), by=SYSTEM), by=ANNA)

    assert about.actor == SYSTEM_UID

    assert fields(about).items() >= {**FROM_ANNA, **TO_BEN, **IN_PAIR}.items()
    assert not about.may_concern("anna")


def test_member_action() -> None:
    """A change of members has the guid as its tag."""
    found = fields(changed_member(Item.MEMBER_ADDED, ANNA), "carl")

    expected = {**FROM_ANNA, **IN_GROUP, "tag": GUID, "sentAt": str(NOW * 1000)}
    assert found == {"title": "Anna @ Hikers", "body": "Has added Ben", **expected}


def test_unknown_values_are_left_out() -> None:
    """Users without avatars, and groups without icons, have none in a push."""
    found = fields(said(sender=user("anna", avatar=None)))

    assert "senderAvatar" not in found
    assert None not in found.values()


def with_metadata() -> Happening:
    """Return a message with metadata of its own and of those who take part."""
    return said(
        "é" * 300,
        sender=user("anna", metadata='{"b":2}'),
        to=user("ben", metadata='{"c":3}'),
        data={"metadata": {"a": 1}},
    )


@pytest.mark.parametrize(
    ("push", "missing"),
    [
        ({}, None),
        ({"include_message_metadata": False}, ("metadata",)),
        ({"include_sender_metadata": False}, ("entities", "sender", "entity", "metadata")),
        ({"include_receiver_metadata": False}, ("entities", "receiver", "entity", "metadata")),
    ],
)
def test_message_object(push: Json, missing: tuple[str, ...] | None) -> None:
    """The message is in the push if the app wants it, without what the app leaves out."""
    expected: Any = show(with_metadata().view)
    if missing:
        inner = expected["data"]
        for key in missing[:-1]:
            inner = inner[key]
        del inner[missing[-1]]

    found = fields(with_metadata(), include_message_object=True, **push)

    assert found["message"] == expected


def test_text_of_the_message_object_is_trimmed() -> None:
    """Only the text in the message object is cut; without the setting, nothing is."""
    about = with_metadata()

    found = fields(about, include_message_object=True, trim_text=True)
    whole = fields(about, include_message_object=True)

    assert found["message"]["data"]["text"] == "é" * 255 + "…"
    assert found["body"] == whole["message"]["data"]["text"] == "é" * 300


def test_message_object_of_a_deletion_has_no_content() -> None:
    """Of a deleted message it is said who took part, and when it was deleted."""
    about = changed(Item.DELETED, view("A secret", **DELETED))
    found = fields(about, include_message_object=True)["message"]

    assert set(found["data"]) == {"entities"}
    assert (found["deletedAt"], found["deletedBy"]) == (NOW + 30, "anna")


def test_message_is_not_in_the_push_by_default() -> None:
    """An app has to ask for the message object."""
    assert "message" not in fields(said())


def test_custom_json() -> None:
    """The JSON that an app adds to each push is there, unless it is empty."""
    assert fields(said(), custom_json={"a": [1]})["custom"] == {"a": [1]}
    assert "custom" not in fields(said(), custom_json={})


def test_people_share_their_fields() -> None:
    """There are as many mappings as there are texts, however many people there are."""
    about = said_in_group(mentions=[BEN])
    pushes = PushFields(NotificationSettings(), about, show)

    uids = ["ben", *(f"user-{number}" for number in range(100))]
    made = {
        id(pushes.of(uid, is_private=is_private)) for uid in uids for is_private in (True, False)
    }

    assert len(made) == 4
    assert pushes.of("user-1", is_private=False) is pushes.of("user-2", is_private=False)
    assert pushes.of("ben", is_private=False) is not pushes.of("user-2", is_private=False)
    assert pushes.of("ben", is_private=True) is not pushes.of("ben", is_private=False)


def test_fields_are_json() -> None:
    """All values can be sent as they are."""
    found = fields(with_metadata(), include_message_object=True, custom_json={"a": 1})

    assert msgspec.json.decode(msgspec.json.encode(found)) == found
