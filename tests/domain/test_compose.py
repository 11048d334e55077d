"""Composing messages: any input becomes a draft or is refused, and nothing else happens."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.messages.compose import WRITTEN_BY_SERVER, MessageInput, compose, encode_data
from hubbub.kernel.errors import BadInput
from hubbub.records.messages.model import LARGEST_DATA_BYTES, Draft

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(
    ["text", "attachments", "customData", "custom_data", "metadata", "interactiveData"]
)
DATA = st.dictionaries(NAMES | st.sampled_from(WRITTEN_BY_SERVER) | TEXT, JSON, max_size=6)
HELLO = MessageInput(
    receiver="ben", receiver_type="user", category=None, type=None, data={"text": "Hello"}
)


def outcome_of(sending: MessageInput) -> Draft | BadInput:
    """Return the outcome of Anna's message: a draft or a refusal."""
    try:
        return compose(Actor("anna"), sending)
    except BadInput as refusal:
        return refusal


@given(
    data=DATA | JSON,
    category=st.sampled_from([None, "", "message", "custom", "interactive", "call"]),
    type_=st.sampled_from([None, "", "text", "image", "form", "card", "scheduler", "poll"]),
)
def test_any_data_is_composed_or_refused(
    data: Any, category: str | None, type_: str | None
) -> None:
    """Any JSON as data becomes a draft that contains it, or a refusal that names the place."""
    outcome = outcome_of(replace(HELLO, category=category, type=type_, data=data))

    if isinstance(outcome, BadInput):
        assert outcome.details
        assert outcome.code.startswith("ERR_")
    else:
        kept = {name: value for name, value in data.items() if name not in WRITTEN_BY_SERVER}
        assert json.dumps(json.loads(outcome.data)) == json.dumps(kept)


@given(receiver=TEXT, receiver_type=TEXT | st.sampled_from(["user", "group"]))
def test_any_receiver_is_composed_or_refused(receiver: str, receiver_type: str) -> None:
    """Any text as a receiver becomes a draft with an id, or a refusal."""
    outcome = outcome_of(replace(HELLO, receiver=receiver, receiver_type=receiver_type))

    if isinstance(outcome, BadInput):
        assert set(outcome.details or ()) <= {"receiver", "receiverType"}
    else:
        assert outcome.receiver.isascii()


@given(data=st.dictionaries(TEXT, JSON, max_size=4), extra=st.integers(0, 3))
def test_data_is_measured_in_bytes_of_compact_json(data: dict[str, Any], extra: int) -> None:
    """Data of 10,240 bytes is accepted and more is refused, with any other content."""
    data = {name: value for name, value in data.items() if name != "attachments"} | {"pad": ""}
    size = len(encode_data(data).encode())
    data["pad"] = "x" * (LARGEST_DATA_BYTES - size + extra)

    if extra:
        with pytest.raises(BadInput):
            encode_data(data)
    else:
        assert len(encode_data({**data, "attachments": ["x" * 50_000]})) > LARGEST_DATA_BYTES


def test_two_people_have_one_conversation() -> None:
    """Messages between two users are in the same conversation, whoever sends them."""
    there = compose(Actor("anna"), HELLO)
    back = compose(Actor("ben"), replace(HELLO, receiver="anna"))

    assert there.key == back.key == ("user", "anna", "ben")
    assert compose(Actor("anna"), replace(HELLO, receiver_type="group")).key == ("group", "ben", "")


@pytest.mark.parametrize("given_option", [None, True, False])
def test_a_message_updates_its_conversation_by_default(
    given_option: bool | None,
) -> None:
    """Only `updateConversation: false` prevents a message from moving its conversation."""
    draft = compose(Actor("anna"), replace(HELLO, update_conversation=given_option))

    assert draft.updates_conversation is (given_option is not False)
    assert (draft.options is None) is (given_option is None)
