"""Counters against a plain model, for messages sent and imported in any order.

The rules: a message counts unless it was read in the earlier system or does not update its
conversation; only a newer message becomes the last one; a sender's own message is not unread for
them; live messages never go back in time.
"""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.api.messages.talk import group, import_past, past, say, stored, to_group, to_user
from tests.clock import START
from tests.world import Json, Node, World

from hubbub.kernel.clock import MOST_AHEAD_SECONDS

Key = tuple[str, str, str]
MEMBERS = {"anna", "ben"}

PEOPLE = ["anna", "ben", "clara"]


@dataclass
class Talk:
    """A conversation of the model."""

    counted: int = 0
    last_id: int = 0
    shown_id: int = 0
    shown_at: int = 0
    newest_sent_at: int = 0
    own: dict[str, int] = field(default_factory=dict)


@dataclass
class Message:
    """A message that is sent or imported."""

    sender: str
    receiver: str
    updates: bool
    sent_at: int | None = None
    was_read: bool = False

    @property
    def key(self) -> Key:
        if self.receiver == "hikers":
            return ("group", "hikers", "")
        left, right = sorted([self.sender, self.receiver])
        return ("user", left, right)

    @property
    def body(self) -> Json:
        make = to_group if self.receiver == "hikers" else to_user
        return make(self.receiver, updateConversation=self.updates)


class Model:
    """The conversations according to the rules."""

    def __init__(self) -> None:
        self.talks = {("group", "hikers", ""): Talk(own=dict.fromkeys(MEMBERS, 0))}
        self.messages: list[tuple[Any, ...]] = []
        self.newest_live = 0

    def take(self, message: Message, now: int) -> None:
        """Add a message."""
        people = dict.fromkeys([message.sender, message.receiver], 0)
        talk = self.talks.setdefault(message.key, Talk(own=people))
        sent_at = message.sent_at
        if sent_at is None:
            before = self.newest_live if self.newest_live <= now + MOST_AHEAD_SECONDS else 0
            sent_at = self.newest_live = max(now, before, talk.newest_sent_at)
        counts = message.updates and not message.was_read
        talk.counted += counts
        talk.last_id = len(self.messages) + 1
        talk.newest_sent_at = max(talk.newest_sent_at, sent_at)
        if message.updates and sent_at >= talk.shown_at:
            talk.shown_id, talk.shown_at = talk.last_id, sent_at
        if message.sender in talk.own:
            talk.own[message.sender] += counts
        self.messages.append((talk.last_id, sent_at, counts, message.updates, talk.counted))


UID = st.sampled_from(PEOPLE)
LIVE = st.builds(Message, UID, st.sampled_from([*PEOPLE, "hikers"]), st.booleans()).filter(
    lambda message: message.receiver != "hikers" or message.sender in MEMBERS
)
PAST = st.builds(
    Message,
    UID,
    st.sampled_from([*PEOPLE, "hikers"]),
    st.booleans(),
    st.sampled_from([5, 10, START - 1, START, START + 250]),
    st.booleans(),
)
STEP = LIVE | st.lists(PAST, min_size=1, max_size=4) | st.integers(0, 2)


@given(steps=st.lists(STEP, min_size=1, max_size=14))
@settings(max_examples=50, deadline=None)
async def test_counters_against_a_model(node: Node, steps: list[Any]) -> None:
    """Conversations, participants and messages are stored as in the model."""
    world = await node.world()
    await world.users(*PEOPLE)
    await group(world, "hikers", *sorted(MEMBERS))
    model = Model()
    for step in steps:
        await take(node, world, model, step)

    assert await stored_messages(node, world) == model.messages
    assert await stored_talks(node, world) == model.talks


async def take(node: Node, world: World, model: Model, step: Any) -> None:
    """Make a step in the world and in the model."""
    if isinstance(step, int):
        node.clock.advance(step)
        return
    if isinstance(step, Message):
        await say(world, step.sender, step.body)
        model.take(step, node.clock.now())
        return
    first = len(model.messages)
    rows = {f"m{first + place}": row_of(message) for place, message in enumerate(step)}
    made = await import_past(world, **rows)
    assert all(outcome["success"] for outcome in made.values()), made
    for message in step:
        model.take(message, node.clock.now())


def row_of(message: Message) -> Json:
    """Return a row of an import."""
    assert message.sent_at is not None
    read = {"readAt": message.sent_at} if message.was_read else {}
    return past(message.sender, message.body, message.sent_at, **read)


async def stored_messages(node: Node, world: World) -> list[tuple[Any, ...]]:
    """Return the counters stored with messages."""
    rows = await stored(
        node,
        world,
        "SELECT id, sent_at, counts, shows, ordinal FROM messages"
        " WHERE app_id = :app_id ORDER BY id",
    )
    return [(id_, at, bool(counts), bool(shows), number) for id_, at, counts, shows, number in rows]


async def stored_talks(node: Node, world: World) -> dict[Key, Talk]:
    """Return the stored conversations, with the messages of each participant."""
    rows = await stored(
        node,
        world,
        "SELECT c.kind, c.left_id, c.right_id, c.counted, c.last_id, c.shown_id, c.shown_at,"
        " c.newest_sent_at, p.uid,"
        " p.own + CASE WHEN c.left_id = p.uid THEN c.left_own ELSE c.right_own END"
        " FROM conversations c JOIN participants p"
        " ON p.app_id = c.app_id AND p.conversation = c.number WHERE c.app_id = :app_id",
    )
    talks: dict[Key, Talk] = {}
    for kind, left, right, *counters, uid, own in rows:
        talks.setdefault((kind, left, right), Talk(*counters)).own[uid] = own
    return talks


async def test_the_order_of_imported_conversations(world: World) -> None:
    """Conversations are listed by the times of their messages, not by that of the import."""
    await world.users("anna", "ben")
    for guid in ("early", "late", "empty"):
        await group(world, guid, "anna", createdAt=1_400_000_000)
    rows = {
        "1": past("anna", to_group("late"), 1_500_000_300),
        "2": past("ben", to_user("anna"), 1_500_000_200),
        "3": past("anna", to_group("early"), 1_500_000_100),
    }
    await import_past(world, **rows)

    listed = await world.get("/conversations", as_="anna")
    assert [each["updatedAt"] for each in listed] == [
        1_500_000_300,
        1_500_000_200,
        1_500_000_100,
    ][: len(listed)]
    assert [each["conversationId"] for each in listed][:3] == [
        "group_late", "anna_user_ben", "group_early",
    ]  # fmt: skip
