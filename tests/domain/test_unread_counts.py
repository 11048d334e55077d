"""Unread counts: marks move them as in a plain list of messages, of which some are erased."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from hubbub.records.conversations.model import GROUP, USER, Conversation, Participant
from hubbub.records.receipts.model import (
    DELIVERED,
    READ,
    ReceiptPosition,
    mark_unread,
    read,
    unread_after,
    unread_position,
)

Step = tuple[str, int]
steps = st.lists(
    st.tuples(st.sampled_from(("get", "send", "erase", "read", "unread")), st.integers(0, 20)),
    max_size=40,
)


@dataclass
class Talk:
    """Anna's conversation as a plain list, beside the stored numbers of it."""

    conversation: Conversation
    anna: Participant
    own: set[int] = field(default_factory=set)
    erased: set[int] = field(default_factory=set)
    unread: set[int] = field(default_factory=set)
    """The ids of messages that Anna has not read: those erased later count until they are read."""

    @property
    def last(self) -> int:
        return self.conversation.counted

    def take(self, step: str, number: int) -> None:
        """Get or send a message, erase one, or mark the conversation up to one."""
        at = number % (self.last + 1)
        if step in ("get", "send"):
            self._add(is_own=step == "send")
        elif step == "erase" and at:
            self.erased.add(at)
        elif step == "read":
            self._read(at)
        elif step == "unread":
            self._mark_unread(at)

    def _add(self, *, is_own: bool) -> None:
        self.conversation.counted += 1
        self.conversation.last_id = self.last
        if not is_own:
            self.unread.add(self.last)
            return
        self.own.add(self.last)
        if self.conversation.kind == USER:
            self.conversation.count_own("anna")
        else:
            self.anna.own += 1

    def _read(self, upto: int) -> None:
        position = ReceiptPosition(upto, upto)
        had = self._others(self.anna.read_id, upto)
        own = self.own_after(upto)
        read(self.anna, self.conversation, position, own=own, had=had, now=0)
        if upto >= self.anna.read_id:
            self.unread = {each for each in self.unread if each > upto}

    def _mark_unread(self, after: int) -> None:
        position = unread_position(self.anna, ReceiptPosition(after, after))
        if position is None:
            return
        back, upto = self._others(after, self.anna.read_id), self.anna.read_id
        mark_unread(self.anna, self.conversation, position, own=self.own_after(after), back=back)
        self.unread |= set(range(after + 1, upto + 1)) - self.own - self.erased

    def own_after(self, after: int) -> int:
        """Return the number of Anna's messages after one."""
        return sum(each > after for each in self.own)

    def _others(self, after: int, upto: int) -> int:
        return len(set(range(after + 1, upto + 1)) - self.own - self.erased)


def talk_of(kind: str) -> Talk:
    """Return an empty conversation."""
    anna = Participant(1, "anna", 0, 0, 0, 0, 0, 0, 0, 0, "[]")
    return Talk(Conversation(1, kind, "anna", "ben", 0, 0, 0, 0, 0, 0, 0), anna)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from((USER, GROUP)), steps)
def test_unread_is_what_was_not_read(kind: str, steps: list[Step]) -> None:
    """Without erased messages, exactly those are unread that a plain list has."""
    talk = talk_of(kind)
    for step, number in steps:
        if step != "erase":
            talk.take(step, number)
            assert talk.anna.unread_in(talk.conversation) == len(talk.unread)
            assert talk.anna.own_in(talk.conversation) == talk.own_after(talk.anna.read_id)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from((USER, GROUP)), steps)
def test_marks_with_erased_messages(kind: str, steps: list[Step]) -> None:
    """A read mark makes no message unread, an unread mark none that was erased before."""
    talk = talk_of(kind)
    for step, number in steps:
        before, listed = talk.anna.unread_in(talk.conversation), len(talk.unread)
        talk.take(step, number)
        after = talk.anna.unread_in(talk.conversation)
        assert after >= len(talk.unread)
        if step == "read":
            assert after <= before
        if step == "unread":
            assert after - before == len(talk.unread) - listed


def test_too_many_to_count() -> None:
    """Where messages are not counted, ordinals tell how many are unread."""
    talk = talk_of(GROUP)
    for _ in range(9):
        talk.take("get", 0)
    talk.take("erase", 4)
    position = ReceiptPosition(6, 6)

    receipts = read(talk.anna, talk.conversation, position, own=0, had=None, now=7)
    assert [(each.kind, each.after_id, each.upto_id, each.at) for each in receipts] == [
        (READ, 0, 6, 7),
        (DELIVERED, 0, 6, 7),
    ]
    assert talk.anna.unread_in(talk.conversation) == 3

    mark_unread(talk.anna, talk.conversation, ReceiptPosition(2, 2), own=0, back=None)
    assert talk.anna.unread_in(talk.conversation) == 7
    assert unread_after(talk.conversation, position, own=2) == 1
