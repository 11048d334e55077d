"""What this node has committed and not indexed yet: neither log nor rows need to be read."""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from hubbub.outbox.log import LogBatch, LogEntry
from hubbub.records.messages.events import MessageSent
from hubbub.records.messages.model import Message, MessageView
from hubbub.storage.interface import Announced, Event

MOST_EVENTS = 10_000
MOST_CHARACTERS = 8_000_000
"""With more of them, of all apps, everything is forgotten: the log has it."""


@dataclass(frozen=True, slots=True)
class Commit:
    """The events of a commit, and the number of characters of its messages."""

    announced: Announced
    characters: int

    @property
    def before(self) -> int:
        """Return the number of the event before its first one."""
        return self.announced.last - len(self.announced.events)

    def follows(self, other: "Commit") -> bool:
        """Return whether its first event is the one after the last one of another commit."""
        epoch, last = other.announced.epoch, other.announced.last
        return self.announced.epoch == epoch and self.before == last


@dataclass(slots=True)
class RecentEvents:
    """The newest events of each app, consecutive, until a consumer asks for later ones."""

    most_events: int = MOST_EVENTS
    most_characters: int = MOST_CHARACTERS
    _commits: dict[str, deque[Commit]] = field(default_factory=dict)
    _events: int = 0
    _characters: int = 0

    def note(self, announced: Announced) -> None:
        """Keep the events of a commit; those before it only if they are the ones right before."""
        commit = Commit(announced, _count_characters(announced))
        commits = self._commits.setdefault(announced.app_id, deque())
        while commits and not commit.follows(commits[-1]):
            self._discount(commits.popleft())
        commits.append(commit)
        self._events += len(announced.events)
        self._characters += commit.characters
        if self._events > self.most_events or self._characters > self.most_characters:
            self._commits.clear()
            self._events = self._characters = 0

    def has_any(self, app_id: str) -> bool:
        """Return whether events of an app are kept."""
        return app_id in self._commits

    def next_batch(
        self, app_id: str, after: int, kinds: Collection[type[Event]], *, limit: int
    ) -> LogBatch | None:
        """Return the events after a number, and forget those up to it; None if the log has more.

        The messages that were sent are in `about`, by the numbers of their events, which are not in
        `entries`.
        """
        commits = self._forget(app_id, after)
        if not commits or commits[0].before > after:
            return None
        upto = min(commits[-1].announced.last, after + limit)
        entries: list[LogEntry] = []
        about: dict[int, object] = {}
        for commit in commits:
            if (before := commit.before) >= upto:
                break
            epoch, views = str(commit.announced.epoch), commit.announced.about
            begin = max(0, after - before)
            for place, event in enumerate(commit.announced.events[begin : upto - before], begin):
                message = _sent_message(event, views.get(place))
                if message is not None:
                    about[before + place + 1] = message
                elif type(event) in kinds:
                    entries.append(LogEntry(before + place + 1, epoch, event))
        return LogBatch(app_id, after, upto, entries, about=about)

    def _forget(self, app_id: str, upto: int) -> deque[Commit] | None:
        """Drop the commits of an app all of whose events are up to a number; return the others."""
        commits = self._commits.get(app_id)
        while commits and commits[0].announced.last <= upto:
            self._discount(commits.popleft())
        return commits or self._commits.pop(app_id, None)

    def _discount(self, commit: Commit) -> None:
        self._events -= len(commit.announced.events)
        self._characters -= commit.characters


def _count_characters(announced: Announced) -> int:
    views = announced.about.values()
    return sum([len(each.message.data) for each in views if type(each) is MessageView])


def _sent_message(event: Event, about: object) -> Message | None:
    """Return the message of an event that says that it was sent; one that grows has to be read."""
    if type(event) is not MessageSent or type(about) is not MessageView or event.growing:
        return None
    return about.message if about.message.id == event.message else None
