"""The fields of a push: which there are, what they say, and what people share."""

from typing import Any

import msgspec
import pytest
from tests.notices.talks import BEN_MENTIONED, REACTION, to_hikers
from tests.world import Json

from hubbub.domain.notices.fields import Fields, PushFields
from hubbub.domain.notices.occasions import (
    Occasion,
    of_change,
    of_member,
    of_message,
    of_reaction,
)
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings
from hubbub.rest.payloads.samples.records import (
    GUID,
    NOW,
    PAIR,
    RECEIVER,
    member_action,
    message,
    message_action,
    user_entity,
)

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
TOMBSTONE: Json = {"id": "101", "conversationId": PAIR, "deletedAt": NOW + 30, "deletedBy": "anna"}


def fields(about: Occasion, uid: str = "ben", *, is_private: bool = False, **push: Any) -> Fields:
    """Return the fields for a person in an app with these push settings."""
    settings = NotificationSettings(push=PushSettings(**push))
    return PushFields(settings, about).of(uid, is_private=is_private)


def test_message_to_a_user() -> None:
    """A message has all fields of the interface, with the time in milliseconds as text."""
    assert fields(of_message(message("Hi"))) == {
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
    assert fields(of_message(to_hikers("Hi"))) == {
        "title": "Anna @ Hikers",
        "body": "Hi",
        **FROM_ANNA,
        **IN_GROUP,
        "tag": "101",
        "sentAt": str(NOW * 1000),
    }


def test_reaction() -> None:
    """A reaction comes from who reacted, and has the tag of the message that it is about."""
    found = fields(of_reaction(REACTION, message()), "anna")

    expected = {**FROM_BEN, **TO_ANNA, **IN_PAIR, "tag": "101", "sentAt": str((NOW + 20) * 1000)}
    assert found == {"title": "Ben", "body": "Has reacted 👍 to your message", **expected}


def test_reaction_of_the_sender_to_their_own_message() -> None:
    """The receiver is the other one of the conversation, whoever reacts."""
    reaction = {**REACTION, "uid": "anna", "reactedBy": {"uid": "anna", "name": "Anna"}}

    assert fields(of_reaction(reaction, message())).items() >= {**FROM_ANNA, **TO_BEN}.items()


def test_reaction_in_a_group_named_like_a_user() -> None:
    """The receiver is the group, also if its guid is the uid of who reacted."""
    reaction = {**REACTION, "uid": GUID, "reactedBy": {"uid": GUID, "name": "Mr Hikers"}}

    found = fields(of_reaction(reaction, to_hikers()), "anna")

    assert found.items() >= {**IN_GROUP, "sender": GUID, "senderName": "Mr Hikers"}.items()


def test_reaction_in_a_group() -> None:
    """Without their entity, who reacted in a group has no avatar."""
    about = of_reaction(REACTION, to_hikers())
    known = of_reaction(REACTION, to_hikers(), user_entity("ben")["entity"])

    assert fields(about, "anna").items() >= {**IN_GROUP, "sender": "ben", "tag": "101"}.items()
    assert "senderAvatar" not in fields(about, "anna")
    assert fields(known, "anna").items() >= FROM_BEN.items()


@pytest.mark.parametrize(
    ("action", "on"),
    [("edited", message("Hello!")), ("deleted", TOMBSTONE), ("deleted", message(deletedAt=NOW))],
    ids=["edited", "deleted", "deleted, with its sender"],
)
def test_change_of_a_message(action: str, on: Json) -> None:
    """An edit or deletion has the tag of its message, and the time at which it was done."""
    found = fields(of_change(message_action(action, on)))

    expected = {**FROM_ANNA, **TO_BEN, **IN_PAIR, "tag": "101", "sentAt": str((NOW + 30) * 1000)}
    assert found.items() >= expected.items()


def test_change_by_a_moderator() -> None:
    """A moderator's change of a message of another user comes from the moderator."""
    action = message_action("edited", to_hikers())
    action["sender"] = action["data"]["entities"]["by"]["entity"]["uid"] = "ben"
    action |= {"receiverType": "group", "receiver": GUID}

    found = fields(of_change(action), "carl")

    assert found.items() >= {**IN_GROUP, "sender": "ben", "tag": "101"}.items()


def test_change_by_the_app() -> None:
    """The app's change of a message comes from its sender, so that people know where it was."""
    action = message_action("edited", message())
    action["sender"] = SYSTEM_UID
    action["data"]["entities"]["by"] = user_entity(SYSTEM_UID)

    about = of_change(action)

    assert fields(about).items() >= {**FROM_ANNA, **TO_BEN, **IN_PAIR}.items()
    assert not about.may_concern("anna")


def test_member_action() -> None:
    """A change of members has the guid as its tag."""
    found = fields(of_member(member_action("added", "anna")), "carl")

    expected = {**FROM_ANNA, **IN_GROUP, "tag": GUID, "sentAt": str(NOW * 1000)}
    assert found == {"title": "Anna @ Hikers", "body": "Has added Ben", **expected}


def test_unknown_values_are_left_out() -> None:
    """Users without avatars, and groups without icons, have none in a push."""
    sent = message()
    del sent["data"]["entities"]["sender"]["entity"]["avatar"]

    assert "senderAvatar" not in fields(of_message(sent))
    assert None not in fields(of_message(sent)).values()


def with_metadata() -> Json:
    """Return a message with metadata of its own and of those who take part."""
    sent = message("é" * 300, data={"metadata": {"a": 1}})
    sender = user_entity("anna", metadata={"b": 2})
    sent["data"]["entities"] = {"sender": sender, "receiver": user_entity("ben", metadata={"c": 3})}
    return sent


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
    sent = with_metadata()
    expected = with_metadata()
    if missing:
        inner = expected["data"]
        for key in missing[:-1]:
            inner = inner[key]
        del inner[missing[-1]]

    found = fields(of_message(sent), include_message_object=True, **push)

    assert found["message"] == expected
    assert sent == with_metadata()


def test_text_of_the_message_object_is_trimmed() -> None:
    """Only the text in the message object is cut; without the setting, nothing is."""
    about = of_message(with_metadata())

    found = fields(about, include_message_object=True, trim_text=True)
    whole = fields(about, include_message_object=True)

    assert found["message"]["data"]["text"] == "é" * 255 + "…"
    assert found["body"] == whole["message"]["data"]["text"] == "é" * 300


def test_message_object_of_a_deletion_has_no_content() -> None:
    """Of a deleted message there is the tombstone."""
    about = of_change(message_action("deleted", TOMBSTONE))

    assert fields(about, include_message_object=True)["message"] == TOMBSTONE


def test_message_is_not_in_the_push_by_default() -> None:
    """An app has to ask for the message object."""
    assert "message" not in fields(of_message(message()))


def test_custom_json() -> None:
    """The JSON that an app adds to each push is there, unless it is empty."""
    assert fields(of_message(message()), custom_json={"a": [1]})["custom"] == {"a": [1]}
    assert "custom" not in fields(of_message(message()), custom_json={})


def test_people_share_their_fields() -> None:
    """There are as many mappings as there are texts, however many people there are."""
    about = of_message(to_hikers(data={"mentions": BEN_MENTIONED}))
    pushes = PushFields(NotificationSettings(), about)

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
    found = fields(of_message(with_metadata()), include_message_object=True, custom_json={"a": 1})

    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert RECEIVER["entity"]["uid"] == "ben"
