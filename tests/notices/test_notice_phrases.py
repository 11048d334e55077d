"""The texts of what is no new message: reactions, edits, deletions and changes of members."""

import pytest
from tests.notices.talks import REACTION, texts, to_hikers

from hubbub.domain.notices.occasions import of_change, of_member, of_reaction
from hubbub.domain.notices.templates import LONGEST_TEXT
from hubbub.records.notifications.templates import Templates, TemplateSet, TextTemplate
from hubbub.rest.payloads.samples.records import (
    NOW,
    member_action,
    message,
    message_action,
    user_entity,
)


@pytest.mark.parametrize(
    ("is_private", "to_author", "to_others"),
    [
        (False, "Has reacted 👍 to your message", "Has reacted 👍 to a message"),
        (True, "Has reacted to your message", "Has reacted to a message"),
    ],
)
def test_reaction(is_private: bool, to_author: str, to_others: str) -> None:
    """The title names who reacted; the author is told that it is their message."""
    about = of_reaction(REACTION, to_hikers("A secret"))

    assert texts(about, "anna", is_private=is_private) == ("Ben @ Hikers", to_author)
    assert texts(about, "carl", is_private=is_private) == ("Ben @ Hikers", to_others)


@pytest.mark.parametrize(
    ("is_private", "body"), [(False, "Edited: Hello Ben!"), (True, "Has edited a message")]
)
def test_edit(is_private: bool, body: str) -> None:
    """An edit shows the new text, unless that is private."""
    action = message_action("edited", message("Hello Ben!", editedAt=NOW, editedBy="anna"))

    assert texts(of_change(action), is_private=is_private) == ("Anna", body)


def test_edit_of_a_long_text_is_cut() -> None:
    """The body of an edit has the greatest length of a body."""
    action = message_action("edited", message("x" * 65_536))

    assert len(texts(of_change(action))[1]) == LONGEST_TEXT


def test_reaction_is_one_short_line() -> None:
    """A reaction is any text of a user: it is shown as one line, and cut."""
    hostile = {**REACTION, "reaction": "👍\n" + "x" * 1000}

    _, body = texts(of_reaction(hostile, message()), "anna")

    assert body.startswith("Has reacted 👍 xx")
    assert len(body) < 300


@pytest.mark.parametrize("is_private", [False, True])
def test_deletion(is_private: bool) -> None:
    """A deletion shows no content."""
    gone = {"id": "101", "conversationId": "anna_user_ben", "deletedAt": NOW, "deletedBy": "anna"}

    about = of_change(message_action("deleted", gone))

    assert texts(about, is_private=is_private) == ("Anna", "Has deleted a message")


@pytest.mark.parametrize(
    ("action", "by", "scopes", "title", "body"),
    [
        ("joined", "ben", {}, "Ben @ Hikers", "Has joined the group"),
        ("left", "ben", {}, "Ben @ Hikers", "Has left the group"),
        ("added", "anna", {}, "Anna @ Hikers", "Has added Ben"),
        ("kicked", "anna", {}, "Anna @ Hikers", "Has removed Ben"),
        ("banned", "anna", {}, "Anna @ Hikers", "Has banned Ben"),
        ("unbanned", "anna", {}, "Anna @ Hikers", "Has lifted the ban of Ben"),
        ("scopeChanged", "anna", {"scope": "admin"}, "Anna @ Hikers", "Has made Ben an admin"),
        (
            "scopeChanged",
            "anna",
            {"scope": "moderator"},
            "Anna @ Hikers",
            "Has made Ben a moderator",
        ),
        (
            "scopeChanged",
            "anna",
            {"scope": "participant"},
            "Anna @ Hikers",
            "Has made Ben a participant",
        ),
    ],
)
def test_member_actions(
    action: str, by: str, scopes: dict[str, str], title: str, body: str
) -> None:
    """Changes of members say who did what to whom, and where."""
    assert texts(of_member(member_action(action, by, **scopes)), "carl") == (title, body)


def test_name_of_a_member_is_not_expanded() -> None:
    """A member whose name looks like a part of the phrase changes nothing in it."""
    action = member_action("scopeChanged", "anna", scope="admin")
    action["data"]["entities"]["on"] = user_entity("ben", name="{scope}{name}\n", scope="admin")

    assert texts(of_member(action))[1] == "Has made {scope}{name} an admin"


def test_templates_show_fields_of_a_reaction_by_its_reactor() -> None:
    """`senderDetails` and the sender of `message` are who reacted, also in one-to-one chats."""
    entity = "{{{{message.data.entities.{}.entity.uid}}}}"
    parties = f"{entity.format('sender')} to {entity.format('receiver')}"
    template = TextTemplate(title_one_on_one=f"{{{{senderDetails.uid}}}}: {parties}")
    templates = Templates(default=TemplateSet(text_message=template))

    title, _ = texts(of_reaction(REACTION, message()), "anna", templates=templates)

    assert title == "ben: ben to anna"
