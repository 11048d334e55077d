"""Recount a sample of the numbers that are kept, and compare."""

import random
import time
from collections.abc import Sequence

from hubbub.doctor.finding import Finding, ok, wrong
from hubbub.records.totals import store
from hubbub.records.totals.model import Difference, SampledConversation, StoredApp
from hubbub.storage.interface import Inspection, Snapshot

CONVERSATIONS = 20
PARTICIPANTS = 5
LARGEST = 100_000
"""Conversations with more counting messages take too long to recount."""
DIFFERENCES_SHOWN = 5
_REMEDY = (
    "A defect of Hubbub, or another program has changed the store. Make a backup, and report it."
)


async def check_counts(
    inspection: Inspection, apps: Sequence[StoredApp], seconds: float
) -> Finding:
    """Compare the totals of apps, and the unread counts and members of some conversations.

    Apps are taken in random order until the time is over.
    """
    ends_at = time.monotonic() + seconds
    sample = [app for app in apps if not app.is_archived]
    random.shuffle(sample)
    recount, done = _Recount(ends_at), 0
    for app in sample:
        if time.monotonic() > ends_at:
            break
        await inspection.read(app.id, recount.compare_app)
        done += 1
    scope = f"{done} of {len(sample)} apps, {recount.conversations} conversations"
    if not recount.differences:
        return ok("counts", f"kept and recounted numbers agree: {scope}")
    shown = "; ".join(map(str, recount.differences[:DIFFERENCES_SHOWN]))
    count = len(recount.differences)
    return wrong("counts", f"{count} kept numbers are wrong ({scope}): {shown}.", _REMEDY)


class _Recount:
    def __init__(self, ends_at: float) -> None:
        self._ends_at = ends_at
        self.conversations = 0
        self.differences: list[Difference] = []

    async def compare_app(self, snapshot: Snapshot) -> None:
        kept = await store.find_kept(snapshot)
        if kept is None:
            return
        app = f"app {snapshot.app_id}"
        self._compare(f"users of {app}", kept.users, await store.count_users(snapshot))
        self._compare(f"groups of {app}", kept.groups, await store.count_groups(snapshot))
        sessions, online = await store.find_kept_presence(snapshot)
        self._compare(f"sessions of {app}", sessions, await store.count_sessions(snapshot))
        self._compare(f"online users of {app}", online, await store.count_available(snapshot))
        numbers = (kept.message, kept.event, kept.conversation)
        names = ("newest message", "newest event", "newest conversation")
        found = await store.find_newest(snapshot)
        for name, number, highest in zip(names, numbers, found, strict=True):
            if highest > number:
                self.differences.append(Difference(f"{name} of {app}", number, highest))
        await self._compare_conversations(snapshot, kept.conversation)

    async def _compare_conversations(self, snapshot: Snapshot, newest: int) -> None:
        wanted = random.sample(range(1, newest + 1), min(CONVERSATIONS, newest))
        for conversation in await store.list_conversations(snapshot, wanted):
            if time.monotonic() > self._ends_at:
                return
            if conversation.counted <= LARGEST:
                await self._compare_conversation(snapshot, conversation)
                self.conversations += 1

    async def _compare_conversation(
        self, snapshot: Snapshot, conversation: SampledConversation
    ) -> None:
        number = conversation.number
        if conversation.members_count is not None:
            members = await store.count_members(snapshot, number)
            name = f"members of group {conversation.guid}"
            self._compare(name, conversation.members_count, members)
        # Messages that were deleted permanently are still counted: docs/decisions/receipts.md
        gone = conversation.counted - await store.count_counting(snapshot, number)
        for participant in await store.list_participants(snapshot, number, limit=PARTICIPANTS):
            unread = await store.count_unread(snapshot, number, participant)
            kept = participant.unread_in(conversation)
            if abs(kept - unread) > max(0, gone):
                name = f"unread of {participant.uid} in conversation {number}"
                self.differences.append(Difference(name, kept, unread))

    def _compare(self, what: str, kept: int, found: int) -> None:
        if kept != found:
            self.differences.append(Difference(what, kept, found))
