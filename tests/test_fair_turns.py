"""Turns at what apps share: whoever has used the least is next; queues are each app's own."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubbub.kernel.turns import IDLE_APPS, QueueFull, Turn, Turns

APPS, USERS = ("a", "b", "c", "d"), ("", "anna", "ben")
MOST_RUNNING = 2

steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(APPS), st.sampled_from(USERS)),
        st.tuples(st.just("take")),
        st.tuples(st.just("end"), st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0, 7.0])),
        st.tuples(st.just("drop"), st.integers(0, 9)),
        st.tuples(st.just("begin"), st.sampled_from(APPS)),
        st.tuples(st.just("rest"), st.sampled_from(APPS)),
        st.tuples(st.just("end rest"), st.integers(0, 9)),
    ),
    max_size=120,
)


@dataclass
class Plain:
    """The same in plain words: lists that are searched through."""

    waiting: list[Turn[int]] = field(default_factory=list)
    running: list[Turn[int]] = field(default_factory=list)
    quick: list[str] = field(default_factory=list)
    used: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    rests: list[str] = field(default_factory=list)
    floor: float = 0.0

    def may_begin(self, app: str) -> bool:
        return app not in self.rests and self.count(app) < MOST_RUNNING

    def is_waiting(self, app: str) -> bool:
        return any(turn.app.key == app for turn in self.waiting)

    def count(self, app: str) -> int:
        return sum(turn.app.key == app for turn in self.running) + self.quick.count(app)

    def first_apps(self) -> list[str]:
        """Return the apps that may be next: several if they are equal."""
        able = [app for app in APPS if self.is_waiting(app) and self.may_begin(app)]
        ranks = {app: (self.count(app), self.used[app]) for app in able}
        return [app for app in able if ranks[app] == min(ranks.values())]

    def joins(self, app: str) -> None:
        if not self.is_waiting(app) and not self.count(app):
            self.used[app] = max(self.used[app], self.floor)

    def ended(self, app: str, seconds: float) -> None:
        if self.waiting:
            self.used[app] += seconds
        elif not self.running and not self.quick:
            self.floor = max([self.floor, *self.used.values()])

    def begun(self, app: str) -> None:
        self.floor = max(self.floor, self.used[app])


@given(steps)
def test_as_in_plain_words(steps: list[tuple[str, ...]]) -> None:
    """Whatever comes in whatever order, the next one is of an app that the plain rule names.

    What a user has asked for begins in order, nothing is lost, and no place stays empty while
    something waits that may begin.
    """
    turns: Turns[int] = Turns(most_waiting=1_000, most_running=MOST_RUNNING)
    plain = Plain()
    for number, (step, *how) in enumerate(steps):
        if step == "add":
            plain.joins(how[0])
            plain.waiting.append(turns.add(how[0], number, how[1]))
        elif step == "begin":
            may = not plain.waiting and plain.may_begin(how[0])
            assert turns.begin(how[0]) == may
            plain.quick += [how[0]] * may
        elif step == "take":
            check_take(turns, plain)
        elif step == "drop" and plain.waiting:
            turns.drop(plain.waiting.pop(int(how[0]) % len(plain.waiting)))
        elif step == "end" and plain.running:
            turn = plain.running.pop(int(how[0]) % len(plain.running))
            turns.end_turn(turn, float(how[1]))
            plain.ended(turn.app.key, float(how[1]))
        elif step == "end" and plain.quick:
            app = plain.quick.pop()
            turns.end(app, float(how[1]))
            plain.ended(app, float(how[1]))
        elif step == "rest":
            turns.rest(how[0])
            plain.rests.append(how[0])
        elif step == "end rest" and plain.rests:
            turns.end_rest(plain.rests.pop(int(how[0]) % len(plain.rests)))
        assert turns.waiting == len(plain.waiting)
        assert turns.depths() == Counter(turn.app.key for turn in plain.waiting)


def check_take(turns: Turns[int], plain: Plain) -> None:
    """Take the next item, and compare."""
    firsts = plain.first_apps()
    turn = turns.take()
    if turn is None:
        assert firsts == []
        return
    assert turn.app.key in firsts
    beside = [
        each
        for each in plain.waiting
        if (each.app.key, each.user.key) == (turn.app.key, turn.user.key)
    ]
    assert turn is beside[0]
    plain.waiting.remove(turn)
    plain.begun(turn.app.key)
    plain.running.append(turn)


def serve(turns: Turns[str], seconds: float = 1.0) -> str:
    """Take one item and end it; return it."""
    turn = turns.take()
    assert turn is not None
    turns.end_turn(turn, seconds)
    return turn.item


@given(st.integers(1, 300), st.integers(0, 300))
def test_who_asks_for_little_is_next(much: int, served: int) -> None:
    """However much an app has waiting, and whatever it was given, another one is next."""
    turns: Turns[str] = Turns(most_waiting=1_000)
    for _ in range(much):
        turns.add("loud", "much")
    for _ in range(min(served, much - 1)):
        serve(turns)
    turns.add("quiet", "little")

    assert "little" in (serve(turns), serve(turns)), "one that was under way may come before"


def test_users_of_an_app_take_turns() -> None:
    """In an app, who asks for little does not wait behind a user who asks for much."""
    turns: Turns[str] = Turns(most_waiting=1_000)
    for _ in range(100):
        turns.add("app", "much", "anna")
    serve(turns)
    turns.add("app", "little", "ben")

    assert "little" in (serve(turns), serve(turns))


def test_apps_get_the_same_time() -> None:
    """Two apps that always want something get the same time, whatever each thing takes."""
    turns: Turns[str] = Turns(most_waiting=1_000)
    used = {"slow": 0.0, "quick": 0.0}
    for _ in range(900):
        turns.add("slow", "slow")
        turns.add("quick", "quick")
    while used["quick"] < 100:
        item = turns.take()
        assert item is not None
        seconds = 5.0 if item.item == "slow" else 1.0
        turns.end_turn(item, seconds)
        used[item.item] += seconds

    assert abs(used["slow"] - used["quick"]) <= 5.0


def test_no_time_is_owed_to_who_wanted_nothing() -> None:
    """Who comes after a long time does not go before the others until they have caught up."""
    turns: Turns[str] = Turns(most_waiting=1_000)
    for _ in range(200):
        turns.add("busy", "busy")
    for _ in range(100):
        serve(turns)
    for _ in range(50):
        turns.add("late", "late")

    order = [serve(turns) for _ in range(20)]
    assert 9 <= order.count("busy") <= 11


def test_a_full_queue_is_that_of_one_app() -> None:
    """Beyond its limit an app is refused; a user may fill a part of it only; others go on."""
    turns: Turns[str] = Turns(most_waiting=8)
    turns.add("a", "1", "anna")
    turns.add("a", "2", "anna")
    with pytest.raises(QueueFull):
        turns.add("a", "3", "anna")
    for _ in range(6):
        turns.add("a", "of the app")
    with pytest.raises(QueueFull):
        turns.add("a", "of another user", "ben")
    turns.add("b", "of another app")

    assert turns.depths() == {"a": 8, "b": 1}


def test_memory_is_bounded() -> None:
    """Of very many apps that come and go few are remembered, also beside one that always comes."""
    turns: Turns[int] = Turns(most_waiting=10)
    for number in range(10 * IDLE_APPS):
        for app in ("busy", f"app-{number}"):
            turns.add(app, number)
        turn = turns.take()
        assert turn is not None
        turns.end_turn(turn, 1.0)
        while turns.waiting > 1:
            turn = turns.take()
            assert turn is not None
            turns.end_turn(turn, 1.0)

    assert turns.remembered <= 2 * IDLE_APPS + 2
