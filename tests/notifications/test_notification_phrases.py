"""The texts of what is no new message: reactions, edits, deletions and changes of members."""

import pytest
from tests.notifications.talks import (
    ANNA,
    BEN,
    HIKERS,
    NOW,
    changed,
    changed_member,
    reacted,
    texts,
    user,
    view,
)

from hubbub.domain.notifications.rendering.templates import LONGEST_TEXT
from hubbub.records.notifications.items import Item
from hubbub.records.notifications.templates import Templates, TemplateSet, TextTemplate
from hubbub.records.users.model import User


@pytest.mark.parametrize(
    ("is_private", "to_author", "to_others"),
    [
        (False, "Has reacted 👍 to your message", "Has reacted 👍 to a message"),
        (True, "Has reacted to your message", "Has reacted to a message"),
    ],
)
def test_reaction(is_private: bool, to_author: str, to_others: str) -> None:
    """The title names who reacted; the author is told that it is their message."""
    about = reacted(view("A secret", to=HIKERS))

    assert texts(about, "anna", is_private=is_private) == ("Ben @ Hikers", to_author)
    assert texts(about, "carl", is_private=is_private) == ("Ben @ Hikers", to_others)


@pytest.mark.parametrize(
    ("is_private", "body"), [(False, "Edited: Hello Ben!"), (True, "Has edited a message")]
)
def test_edit(is_private: bool, body: str) -> None:
    """An edit shows the new text, unless that is private."""
    about = changed(Item.EDITED, view("Hello Ben!", edited_at=NOW, edited_by="anna"))

    assert texts(about, is_private=is_private) == ("Anna", body)


def test_edit_of_a_long_text_is_cut() -> None:
    """The body of an edit has the greatest length of a body."""
    about = changed(Item.EDITED, view("x" * 65_536))

    assert len(texts(about)[1]) == LONGEST_TEXT


def test_reaction_is_one_short_line() -> None:
    """A reaction is any text of a user: it is shown as one line, and cut."""
    hostile = "👍\n" + "x" * 1000

    _, body = texts(reacted(view(), reaction=hostile), "anna")

    assert body.startswith("Has reacted 👍 xx")
    assert len(body) < 300


@pytest.mark.parametrize("is_private", [False, True])
def test_deletion(is_private: bool) -> None:
    """A deletion shows no content."""
    about = changed(Item.DELETED, view("A secret", deleted_at=NOW, deleted_by="anna"))

    assert texts(about, is_private=is_private) == ("Anna", "Has deleted a message")


@pytest.mark.parametrize(
    ("item", "by", "scope", "title", "body"),
    [
        (Item.MEMBER_JOINED, BEN, None, "Ben @ Hikers", "Has joined the group"),
        (Item.MEMBER_LEFT, BEN, None, "Ben @ Hikers", "Has left the group"),
        (Item.MEMBER_ADDED, ANNA, None, "Anna @ Hikers", "Has added Ben"),
        (Item.MEMBER_KICKED, ANNA, None, "Anna @ Hikers", "Has removed Ben"),
        (Item.MEMBER_BANNED, ANNA, None, "Anna @ Hikers", "Has banned Ben"),
        (Item.MEMBER_UNBANNED, ANNA, None, "Anna @ Hikers", "Has lifted the ban of Ben"),
        (Item.MEMBER_SCOPE_CHANGED, ANNA, "admin", "Anna @ Hikers", "Has made Ben an admin"),
        (Item.MEMBER_SCOPE_CHANGED, ANNA, "moderator", "Anna @ Hikers", "Has made Ben a moderator"),
        (
            Item.MEMBER_SCOPE_CHANGED,
            ANNA,
            "participant",
            "Anna @ Hikers",
            "Has made Ben a participant",
        ),
    ],
)
def test_member_actions(item: Item, by: User, scope: str | None, title: str, body: str) -> None:
    """Changes of members say who did what to whom, and where."""
    assert texts(changed_member(item, by, scope=scope), "carl") == (title, body)


def test_name_of_a_member_is_not_expanded() -> None:
    """A member whose name looks like a part of the phrase changes nothing in it."""
    hostile = user("ben", name="{scope}{name}\n")
    about = changed_member(Item.MEMBER_SCOPE_CHANGED, ANNA, hostile, "admin")

    assert texts(about)[1] == "Has made {scope}{name} an admin"


def test_templates_show_fields_of_a_reaction_by_its_reactor() -> None:
    """`senderDetails` and the sender of `message` are who reacted, also in one-to-one chats."""
    entity = "{{{{message.data.entities.{}.entity.uid}}}}"
    parties = f"{entity.format('sender')} to {entity.format('receiver')}"
    template = TextTemplate(title_one_on_one=f"{{{{senderDetails.uid}}}}: {parties}")
    templates = Templates(default=TemplateSet(text_message=template))

    title, _ = texts(reacted(view()), "anna", templates=templates)

    assert title == "ben: ben to anna"
