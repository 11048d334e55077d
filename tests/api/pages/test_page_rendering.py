"""Pages of messages: what is written straight from a row is what the shape of the message is."""

import json
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.pages.page_samples import pages

from hubbub.domain.views.messages import MessagePage
from hubbub.records.messages.model import MESSAGE, Message, MessageView, erased_user
from hubbub.rest.messages.wire import page as rendering
from hubbub.rest.messages.wire.message import message_shape
from hubbub.rest.messages.wire.page import MOST_FRAMES, PageRenderer, render_sent

APP = "app"
flags = st.booleans()
generously = settings(
    max_examples=150,
    deadline=None,
    phases=[Phase.generate],  # to shrink a page takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)


@generously
@given(pages(), flags, flags, flags)
def test_rows_and_shapes_are_rendered_alike(
    page: MessagePage, is_app: bool, with_tags: bool, with_mention_tags: bool
) -> None:
    """Every message is rendered as its shape, byte by byte, whichever way is chosen for it."""
    renderer = PageRenderer(
        app_id=APP,
        page=page,
        is_app=is_app,
        with_tags=with_tags,
        with_mention_tags=with_mention_tags,
    )

    assert renderer.render() == [renderer.render_shape(message) for message in page.messages]


@generously
@given(pages(), st.text(max_size=5))
def test_users_are_shown_as_they_are_now(page: MessagePage, name: str) -> None:
    """Nothing that is kept from an earlier page is shown once a user has another name."""
    PageRenderer(app_id=APP, page=page, is_app=False).render()
    users = {
        uid: msgspec.structs.replace(user, name=name) for uid, user in page.related.users.items()
    }
    related = msgspec.structs.replace(page.related, users=users)
    later = PageRenderer(
        app_id=APP, page=msgspec.structs.replace(page, related=related), is_app=False
    )

    assert later.render() == [later.render_shape(message) for message in page.messages]


@generously
@given(pages(), flags)
def test_sent_messages_are_rendered_alike(page: MessagePage, is_app: bool) -> None:
    """A sent message, which nobody has reacted to or pinned yet, is rendered as its shape."""
    nothing_yet = {"reactions": (), "interactions": (), "pinned_at": None, "saved_at": None}
    for message in page.messages:
        view = msgspec.structs.replace(page.view(message), parent=None, **nothing_yet)
        shape = message_shape(view, with_tags=True, is_app=is_app)

        assert render_sent(APP, view, is_app=is_app) == msgspec.json.encode(shape)


def test_both_ways_are_taken() -> None:
    """Among the generated messages are those of either way: the comparison above has a meaning."""
    ways: Counter[str] = Counter()

    @settings(max_examples=50, database=None, deadline=None, derandomize=True)
    @given(pages())
    def count(page: MessagePage) -> None:
        renderer = PageRenderer(app_id=APP, page=page, is_app=False)
        for message, row in zip(page.messages, renderer.render(), strict=True):
            ways["row" if renderer.is_usual(message) else "shape"] += 1
            assert json.loads(row)["id"] == str(message.id)

    count()

    assert min(ways["row"], ways["shape"]) > 20


def text_of(sender: str) -> MessageView:
    """Return a text from a user to Ben."""
    unset: dict[str, Any] = dict.fromkeys(
        field for field in Message.__struct_fields__ if field != "within"
    )
    given: dict[str, Any] = {
        "sender": sender,
        "receiver_type": "user",
        "receiver": "ben",
        "category": MESSAGE,
    }
    content: dict[str, Any] = {
        "type": "text",
        "data": "{}",
        "tags": "[]",
        "id": 1,
        "sent_at": 1,
        "updated_at": 1,
    }
    message = Message(**{**unset, **given, **content})
    return MessageView(message=message, sender=erased_user(sender), receiver=erased_user("ben"))


def test_a_busy_app_leaves_others_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """An app with very many senders does not push out what is kept of another app's."""
    made: Counter[str] = Counter()
    make = rendering._make_frame

    def counted(message: Message, *records: Any) -> rendering.Frame:
        made[message.sender] += 1
        return make(message, *records)

    monkeypatch.setattr(rendering, "_make_frame", counted)
    render_sent("quiet", text_of("anna"), is_app=False)
    for number in range(MOST_FRAMES + 1):
        render_sent("busy", text_of(f"user{number}"), is_app=False)
    render_sent("quiet", text_of("anna"), is_app=False)
    render_sent("busy", text_of("anna"), is_app=False)

    assert made["anna"] == 2, "once for each app"
