"""The template that applies to a message for a person, and the title and body that it gives."""

from typing import Any

import pytest
from tests.notifications.talks import BEN, said, said_in_group, texts, user
from tests.world import Json

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.templates import LONGEST_TEXT
from hubbub.domain.notifications.rendering.wording import LONGEST_TITLE
from hubbub.records.notifications.templates import (
    FallbackTemplate,
    GroupMentionTemplate,
    MediaTemplate,
    Templates,
    TemplateSet,
    TextTemplate,
    UserMentionTemplate,
)

NAMED = TemplateSet(
    text_message=TextTemplate("t1", "tg", "text"),
    media_message=MediaTemplate("t1", "tg", "image", "audio", "video", "file"),
    poll_message=FallbackTemplate("t1", "tg", "poll"),
    reminder_message=FallbackTemplate("t1", "tg", "reminder"),
    custom_message=FallbackTemplate("t1", "tg", "custom"),
    interactive_form=FallbackTemplate("t1", "tg", "form"),
    interactive_card=FallbackTemplate("t1", "tg", "card"),
    interactive_scheduler=FallbackTemplate("t1", "tg", "scheduler"),
    interactive_custom=FallbackTemplate("t1", "tg", "customInteractive"),
    user_mention=UserMentionTemplate("m1", "mg", "you", "you in a group"),
    group_mention=GroupMentionTemplate("ag", "everyone"),
)
"""Templates whose texts are their names."""
PRIVATE = TemplateSet(text_message=TextTemplate("p1", "pg", "private"))
TO_BEN: Json = {"mentions": [BEN]}
TO_ALL: Json = {"mentions_all": True}


@pytest.mark.parametrize(
    ("category", "type_", "body"),
    [
        ("message", "text", "text"),
        ("message", "image", "image"),
        ("message", "audio", "audio"),
        ("message", "video", "video"),
        ("message", "file", "file"),
        ("custom", "extension_poll", "poll"),
        ("custom", "extension_reminders", "reminder"),
        ("custom", "place", "custom"),
        ("custom", "image", "custom"),
        ("interactive", "form", "form"),
        ("interactive", "card", "card"),
        ("interactive", "scheduler", "scheduler"),
        ("interactive", "customInteractive", "customInteractive"),
        ("later", "text", "text"),
    ],
)
def test_template_of_each_type(category: str, type_: str, body: str) -> None:
    """The category and the type of a message choose its template; the chat chooses the title."""
    templates = Templates(default=NAMED)
    kind: Json = {"category": category, "type": type_}

    assert texts(said(**kind), templates=templates) == ("t1", body)
    assert texts(said_in_group(**kind), templates=templates) == ("tg", body)


@pytest.mark.parametrize(
    ("mentions", "in_pair", "in_group", "others"),
    [
        ({}, ("t1", "text"), ("tg", "text"), ("tg", "text")),
        (TO_BEN, ("m1", "you"), ("mg", "you in a group"), ("tg", "text")),
        (TO_ALL, ("t1", "text"), ("ag", "everyone"), ("ag", "everyone")),
        (
            TO_BEN | TO_ALL,
            ("m1", "you"),
            ("mg", "you in a group"),
            ("ag", "everyone"),
        ),
    ],
    ids=["nobody", "ben", "all", "both"],
)
def test_mention_outranks_the_type(
    mentions: Json, in_pair: Any, in_group: Any, others: Any
) -> None:
    """A mention is told to whom it is about; it outranks `@all`, which outranks the rest."""
    templates = Templates(default=NAMED)
    pair, group = (make(**mentions) for make in (said, said_in_group))

    assert texts(pair, templates=templates) == in_pair
    assert texts(group, templates=templates) == in_group
    assert texts(group, "carl", templates=templates) == others


def test_user_named_all_is_not_everybody() -> None:
    """A mention of the user with the uid `all` is theirs alone."""
    about = said_in_group(mentions=[user("all")])

    assert texts(about, "all", templates=Templates(default=NAMED)) == ("mg", "you in a group")
    assert texts(about, "ben", templates=Templates(default=NAMED)) == ("tg", "text")


@pytest.mark.parametrize(
    ("sent", "title", "body", "private"),
    [
        (said("Hi"), "Anna", "Hi", "New message"),
        (said_in_group("Hi"), "Anna @ Hikers", "Hi", "New message"),
        (said(type="image"), "Anna", "📷 Has sent an image", "New message"),
        (
            said("Hi <@uid:ben>", **TO_BEN),
            "Anna",
            "Has mentioned you: Hi @Ben",
            "Has mentioned you",
        ),
        (
            said_in_group("Hi <@all>", **TO_ALL),
            "Anna @ Hikers",
            "Has mentioned everyone: Hi @all",
            "Has mentioned everyone",
        ),
        (said("Hi <@uid:eve>"), "Anna", "Hi @eve", "New message"),
    ],
)
def test_default_texts(sent: Happening, title: str, body: str, private: str) -> None:
    """The default templates say what was sent, the privacy ones do not; mentions are readable."""
    assert texts(sent) == (title, body)
    assert texts(sent, is_private=True) == (title, private)


@pytest.mark.parametrize("is_private", [False, True])
def test_texts_come_from_the_set_that_is_asked_for(is_private: bool) -> None:
    """Default and privacy templates are two sets."""
    templates = Templates(default=NAMED, privacy=PRIVATE)

    found = texts(said(), templates=templates, is_private=is_private)

    assert found == (("p1", "private") if is_private else ("t1", "text"))


@pytest.mark.parametrize(
    ("template", "body"),
    [
        (FallbackTemplate(body="{{message.data.question}}", body_fallback="A poll"), "A poll"),
        (FallbackTemplate(body="{{message.data.text}}", body_fallback="A poll"), "Where?"),
        (FallbackTemplate(body="{{a}}", body_fallback="{{b}}"), "New message"),
        (FallbackTemplate(body="", body_fallback=" "), "New message"),
        (FallbackTemplate(body=" {{message.data.text}}", body_fallback="A poll"), " Where?"),
    ],
)
def test_fallback_of_a_body(template: FallbackTemplate, body: str) -> None:
    """A body that lacks a value, or has no text, is replaced by the next one that has both."""
    templates = Templates(default=TemplateSet(poll_message=template))
    poll = said("Where?", category="custom", type="extension_poll")

    assert texts(poll, templates=templates)[1] == body


def test_mention_without_text_falls_back_to_its_own_text() -> None:
    """The body of a mention gives way to its `body_fallback`, then to the body by the type."""
    sent = said(None, type="image", **TO_BEN)
    empty = UserMentionTemplate(body_one_on_one="{{a}}", body_fallback="{{b}}")

    assert texts(sent)[1] == "Has mentioned you"
    assert (
        texts(sent, templates=Templates(default=TemplateSet(user_mention=empty)))[1]
        == "📷 Has sent an image"
    )


def test_text_message_without_text() -> None:
    """A message of type text that has none is announced as a new message."""
    assert texts(said(None))[1] == "New message"


@pytest.mark.parametrize(
    ("options", "body"),
    [({}, "New message"), ({"conversationText": "🎉 A sticker"}, "🎉 A sticker")],
)
def test_custom_message_shows_its_preview_text(options: Json, body: str) -> None:
    """The preview text stands in for the text that a custom message does not have."""
    sticker = said(None, category="custom", type="sticker", options=options)

    assert texts(sticker)[1] == body


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("{{groupDetails.name}}", "Hikers"),
        ("{{sender.name}} ({{senderDetails.uid}})", "Anna (anna)"),
        ("{{nothing}}", "Anna"),
        ("", "Anna"),
        ("Hi\r\n{{senderDetails.name}}", "Hi Anna"),
        ("{{senderDetails.name}} {{nothing}}!", "Anna !"),
    ],
)
def test_title(title: str, shown: str) -> None:
    """A title is one line; values that are missing are left out, and it is never empty."""
    template = TextTemplate(title_group=title)
    templates = Templates(default=TemplateSet(text_message=template))

    assert texts(said_in_group(), templates=templates)[0] == shown


def test_values_are_not_expanded() -> None:
    """Names and texts that look like placeholders and mentions are shown as they were written."""
    secret = "{{message.data.metadata.secret}}"
    sent = said(
        f"<@uid:ben> {secret}",
        sender=user("anna", name=secret),
        mentions=[user("ben", name="<@uid:carl>" + secret)],
        data={"metadata": {"secret": "S3CRET"}},
    )

    title, body = texts(sent)

    assert title == secret
    assert body == f"Has mentioned you: @<@uid:carl>{secret} {secret}"


def test_long_texts_are_cut() -> None:
    """Titles and bodies have a greatest length."""
    title, body = texts(said("x" * 65_536, sender=user("anna", name="A" * 1000)))

    assert (len(title), len(body)) == (LONGEST_TITLE, LONGEST_TEXT)
