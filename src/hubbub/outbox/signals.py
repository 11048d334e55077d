"""Signals: what sessions are told at once and nothing stores, such as that someone is typing.

A signal may be lost. Whoever needs to know looks at what is stored.
"""

from collections.abc import Callable

import msgspec

from hubbub.bus.interface import Alone, Bus

SignalListener = Callable[[str, msgspec.Struct], None]
"""Gets the app id and the signal."""
_encode = msgspec.json.Encoder().encode


def subject_of(app_id: str) -> str:
    """Return the subject on which nodes tell each other of an app."""
    return f"app.{app_id}"


class Signals:
    """Sends signals to the sessions of this node, and to the other nodes by the bus."""

    def __init__(self) -> None:
        self.bus: Bus = Alone()
        self._listeners: list[SignalListener] = []

    def send(self, app_id: str, signal: msgspec.Struct) -> None:
        """Send a signal; it has a tag that tells its kind."""
        for listener in self._listeners:
            listener(app_id, signal)
        if self.bus.is_configured:
            self.bus.publish(subject_of(app_id), _encode(signal))

    def listen(self, listener: SignalListener) -> None:
        """Have `listener` called with each signal of this node."""
        self._listeners.append(listener)

    def ignore(self, listener: SignalListener) -> None:
        """Call `listener` no longer."""
        self._listeners.remove(listener)


class HeldSignals(Signals):
    """The signals of one call whose transaction is not committed yet: kept, and sent after it.

    The call may run on the thread of SQLite's writer, where nothing else may be told.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: list[tuple[str, msgspec.Struct]] = []

    def send(self, app_id: str, signal: msgspec.Struct) -> None:
        self._held.append((app_id, signal))

    def release_to(self, signals: Signals) -> None:
        """Send what is held."""
        for app_id, signal in self._held:
            signals.send(app_id, signal)
