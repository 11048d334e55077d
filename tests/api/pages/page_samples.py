"""Generated pages of messages of every kind, with all that may be shown with them."""

import json

from hypothesis import strategies as st

from hubbub.domain.views.messages import MessagePage, Related
from hubbub.domain.views.receipt_times import ReceiptTimes
from hubbub.files.links import reference
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.groups.model import Group
from hubbub.records.mentions.model import ALL
from hubbub.records.messages.model import (
    ACTION,
    CUSTOM,
    GROUP_MEMBER,
    INTERACTIVE,
    MESSAGE,
    OF_MESSAGE,
    Includes,
    Interaction,
    Message,
    PollState,
    ReactionCount,
    muid_for_receiver,
)
from hubbub.records.users.model import SYSTEM, User

UIDS = ("anna", "ben", "carla_user_x")
GUIDS = ("reading", "running")
ERASED = ("gone",)
MEMBER_ACTION = json.dumps({"action": "kicked", "on": "ben", "scope": "admin"})
FILE = reference("0123456789abcdef" * 2, "png")
MOST = 10

times = st.integers(1, 2_000_000_000)
maybe_times = st.none() | times
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
json_values = st.none() | st.booleans() | st.integers(-5, 5) | texts | st.lists(texts, max_size=2)
data_objects: st.SearchStrategy[dict[str, object]] = st.one_of(
    st.just({}),
    st.dictionaries(texts, json_values, max_size=3),
    st.just({"attachments": [{"url": FILE}]}),
)
option_objects = st.fixed_dictionaries(
    {},
    optional={
        "updateConversation": st.booleans(),
        "sendNotification": st.booleans(),
        "conversationText": texts,
    },
)


@st.composite
def _users(draw: st.DrawFn, uid: str) -> User:
    return User(
        uid=uid,
        name=draw(texts),
        avatar=draw(st.none() | texts),
        link=draw(st.none() | texts),
        tags=json.dumps(draw(st.lists(texts, max_size=2))),
        updated_at=draw(maybe_times),
    )


@st.composite
def _groups(draw: st.DrawFn, guid: str) -> Group:
    return Group(
        guid=guid,
        name=draw(texts),
        type="public",
        icon=draw(st.none() | texts),
        description=draw(st.none() | texts),
        owner="anna",
        metadata=None,
        tags="[]",
        members_count=draw(st.integers(0, 5)),
        conversation=1,
        created_at=1,
        updated_at=draw(maybe_times),
        updated_by=draw(st.none() | st.sampled_from(UIDS)),
        permissions=None,
    )


@st.composite
def messages(draw: st.DrawFn, id_: int) -> Message:
    """Return a message of any kind; half of them have nothing but a text."""
    is_in_group = draw(st.booleans())
    category = draw(st.sampled_from([MESSAGE, MESSAGE, CUSTOM, INTERACTIVE, ACTION]))
    type_ = draw(st.sampled_from(["text", "image", 'a "type"']))
    data = json.dumps(draw(data_objects), separators=(",", ":"), ensure_ascii=False)
    if category == ACTION:
        type_ = draw(st.sampled_from([GROUP_MEMBER, OF_MESSAGE]))
        on = draw(st.integers(1, MOST + 2))
        about = json.dumps({"action": "deleted", "on": on})
        data = MEMBER_ACTION if type_ == GROUP_MEMBER else about
    is_rare = draw(st.booleans())

    def rare(strategy: "st.SearchStrategy[object]") -> "st.SearchStrategy[object]":
        return strategy if is_rare else st.none()

    options = draw(rare(st.none() | option_objects))
    deleted_at = draw(rare(maybe_times))
    receiver = draw(st.sampled_from(GUIDS if is_in_group else (*UIDS, *ERASED)))
    muids = st.sampled_from(["one", 'tw"o', muid_for_receiver("many", "user", "ben")])
    return Message(
        id=id_,
        conversation=draw(st.integers(1, 2)),
        muid=draw(st.none() | muids),
        sender=draw(st.sampled_from((*UIDS, *ERASED, SYSTEM_UID))),
        receiver_type="group" if is_in_group else "user",
        receiver=receiver,
        category=category,
        type=type_,
        parent_id=draw(st.none() | st.integers(1, MOST)),
        quoted_id=draw(rare(st.none() | st.integers(1, MOST))),  # type: ignore[arg-type]
        data=data,
        tags=json.dumps(draw(st.lists(texts, max_size=2)) if is_rare else []),
        options=None if options is None else json.dumps(options),
        sent_at=draw(times),
        updated_at=draw(times),
        edited_at=draw(maybe_times),
        edited_by=draw(st.none() | st.sampled_from(UIDS)),
        deleted_at=deleted_at,  # type: ignore[arg-type]
        deleted_by=None if deleted_at is None else draw(st.sampled_from(UIDS)),
        delivered_at=draw(rare(maybe_times)),  # type: ignore[arg-type]
        read_at=draw(rare(maybe_times)),  # type: ignore[arg-type]
        counts=True,
        shows=True,
        ordinal=id_,
        is_erased=draw(st.booleans()) if is_rare else False,
        traits=0,
    )


@st.composite
def pages(draw: st.DrawFn) -> MessagePage:
    """Return a page with messages, the messages that they refer to, and records of all of these."""
    shown = [draw(messages(id_)) for id_ in range(1, draw(st.integers(1, 4)) + 1)]
    others = draw(st.sets(st.integers(len(shown) + 1, MOST), max_size=3))
    referenced = {each.id: each for each in shown} | {id_: draw(messages(id_)) for id_ in others}
    related = draw(_related(list(referenced.values())))
    return MessagePage(shown, related, referenced, Includes(parents=draw(st.booleans())))


_polls = st.builds(
    PollState,
    st.integers(0, 9),
    st.lists(st.integers(0, 9), min_size=2, max_size=4),
    st.integers(0, 3),
    st.none() | times,
    st.none() | times,
)


@st.composite
def _related(draw: st.DrawFn, of: list[Message]) -> Related:
    ids = st.sampled_from(sorted({each.id for each in of}))
    mentions = st.lists(st.sampled_from((*UIDS, *ERASED, ALL)), min_size=1, unique=True)
    counts = st.builds(ReactionCount, texts, st.integers(1, 9), st.booleans())
    used = st.builds(Interaction, texts, times)
    return Related(
        users={SYSTEM_UID: SYSTEM, **{uid: draw(_users(uid)) for uid in UIDS}},
        groups={guid: draw(_groups(guid)) for guid in GUIDS[:1]},
        targets={each.id: "ben" for each in of if each.type == GROUP_MEMBER},
        polls=draw(st.dictionaries(ids, _polls)),
        times=ReceiptTimes(
            draw(st.dictionaries(ids, times)),
            draw(st.dictionaries(ids, times)),
        ),
        mentions=draw(st.dictionaries(ids, mentions)),
        blocked_by_viewer=draw(st.dictionaries(st.sampled_from(UIDS), times)),
        has_blocked_viewer=draw(st.dictionaries(st.sampled_from(UIDS), times)),
        reactions=draw(st.dictionaries(ids, st.lists(counts, min_size=1, max_size=3))),
        pinned=draw(st.dictionaries(ids, times)),
        saved=draw(st.dictionaries(ids, times)),
        interactions=draw(st.dictionaries(ids, st.lists(used, min_size=1, max_size=2))),
    )
