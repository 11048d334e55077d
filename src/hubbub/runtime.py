"""The parts of a node that an operation may use besides its arguments."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from hubbub.bus.interface import Alone, Bus
from hubbub.config import Settings
from hubbub.files.store import FileStore
from hubbub.kernel.allowances import Allowances
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock, Steps
from hubbub.kernel.ids import Ids
from hubbub.kernel.measures import SocketMeasures
from hubbub.kernel.pieces import Pieces
from hubbub.kernel.rates import Rates
from hubbub.kernel.rests import Rests
from hubbub.kernel.sealing import Sealer
from hubbub.kernel.threads import Threads
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.measures import CallMeasures, NotificationMeasures
from hubbub.outbox.consumer import ConsumerState
from hubbub.outbox.heads import Heads, NewestPositions
from hubbub.outbox.signals import Signals
from hubbub.records.growing.buffer import Growing
from hubbub.records.identity.memory import KeySets
from hubbub.records.messages.model import MessageView
from hubbub.records.moderation.memory import CompiledRules, RecentSends
from hubbub.records.search.recent import RecentEvents
from hubbub.records.users.model import User
from hubbub.storage.batched import Batches
from hubbub.storage.gate import WriteGate
from hubbub.storage.interface import Database
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.timekeeper import Timekeeper

Attributes = Mapping[str, str | int | float | bool]


class BeginSpan(Protocol):
    """Begins a span: of the request under way, or else of a trace of its own."""

    def __call__(
        self, name: str, attributes: Attributes | None = None
    ) -> AbstractContextManager[object]:
        """Return a context whose block the span covers; an error in it is noted."""
        ...


def no_span(name: str, attributes: Attributes | None = None) -> AbstractContextManager[object]:
    """Return a context that records nothing: traces are off."""
    return _NOTHING


_NOTHING = nullcontext()


@dataclass(slots=True)
class Runtime:
    """The parts of a node, made once by `bootstrap.py`."""

    settings: Settings
    database: Database
    clock: Clock
    ids: Ids
    sealer: Sealer
    threads: Threads
    files: FileStore
    pictures: Threads
    """Threads only for looking at pictures: a difficult one delays nothing else."""
    outbound: OutboundClient
    cache: ExpiringCache[Any]
    """Apps and credentials by id or keyed hash, settings; verbs drop the entries they change."""
    rates: Rates
    show: Callable[[MessageView | User], bytes]
    """Returns a message or a user as JSON, as users are shown them: pushes have it so."""
    timekeeper: Timekeeper | None = None
    """Sets the clock by that of the database, if nodes share one; None if the clock was given."""
    bus: Bus = field(default_factory=Alone)
    """Messages to the other nodes."""
    measures: EngineMeasures = field(default_factory=EngineMeasures)
    """What the engine of the database measures."""
    webhook_calls: CallMeasures = field(default_factory=CallMeasures)
    notifications: NotificationMeasures = field(default_factory=NotificationMeasures)
    node: str = ""
    """The id of this node: random, made when it starts."""
    sockets: SocketMeasures = field(default_factory=SocketMeasures)
    rests: Rests = field(default_factory=Rests)
    """Which apps ask for something at the moment, and how long one rests that has used much."""
    allowances: Allowances = field(default_factory=lambda: Allowances(Rests()))
    """What apps may use of the event loop for calls without a turn, while others ask, too."""
    frame_allowances: Allowances = field(default_factory=lambda: Allowances(Rests()))
    """The same for frames about messages that grow: no number of appends holds them up."""
    pieces: Pieces = field(default_factory=Pieces)
    """Long work on the event loop, such as the writing of long pages, in turns by app."""
    begin_span: BeginSpan = no_span
    """Begins a span of a trace, for work whose time should be seen; does nothing without traces."""
    heads: Heads = field(default_factory=Heads)
    """How far the logs of the apps go, and who hears of new events."""
    signals: Signals = field(default_factory=Signals)
    """What is told to sessions at once and never stored."""
    growing: Growing = field(default_factory=Growing)
    """The messages that grow and that this node holds."""
    key_sets: KeySets = field(default_factory=KeySets)
    """The public keys of the identity providers of apps."""
    compiled_rules: CompiledRules = field(default_factory=CompiledRules)
    """The rules of moderation of apps that send."""
    recent_sends: RecentSends = field(default_factory=RecentSends)
    """How much the users of apps with such a rule have sent lately."""
    recent_events: RecentEvents = field(default_factory=RecentEvents)
    """What this node has committed and not indexed yet."""
    gate: WriteGate = field(default_factory=WriteGate)
    """Refuses what is written while the embedded store is copied elsewhere."""
    consumers: defaultdict[str, ConsumerState] = field(init=False)
    """What this node keeps of each consumer of the log, by its name."""
    steps: Steps = field(init=False)
    """The steps of the clock while this node runs."""
    batches: Batches = field(init=False)
    """Where drafts of `Batched` writes are stored."""
    newest: NewestPositions = field(init=False)
    """The newest positions of the logs, also of what other nodes commit."""

    def __post_init__(self) -> None:
        self.node = self.node or self.ids.hexadecimal(16)
        self.steps = Steps(self.clock)
        self.consumers = defaultdict(partial(ConsumerState, self.clock))
        self.batches = Batches(self.database, self.clock)
        is_shared = bool(self.settings.database_url)
        self.newest = NewestPositions(self.database, self.heads, is_shared=is_shared)

    def in_one_transaction(
        self, database: Database, cache: ExpiringCache[Any], signals: Signals
    ) -> "Runtime":
        """Return these parts for one call whose writes are one transaction, shared with none."""
        runtime = replace(self, database=database, cache=cache, signals=signals)
        runtime.batches.is_shared = False
        return runtime

    async def close(self) -> None:
        """Finish the accepted work, then close the store, the threads and the files."""
        await self.batches.drain()
        await self.bus.close()
        await self.outbound.close()
        await self.database.close()
        for threads in (self.threads, self.pictures, self.files.threads):
            await threads.drain()
            threads.close()
