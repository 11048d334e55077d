"""Rests: an app that has used much rests as long while others ask for something, else never."""

import pytest

from hubbub.kernel.rests import LONGEST_SECONDS, RECENT_SECONDS, Rests


class Moment:
    """A time that the test sets."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def now(self) -> float:
        return self.seconds


@pytest.fixture
def moment() -> Moment:
    """The time."""
    return Moment()


@pytest.fixture
def rests(moment: Moment) -> Rests:
    """Rests of apps that have not asked for anything yet."""
    return Rests(moment.now)


def test_alone_an_app_never_rests(rests: Rests) -> None:
    """However much an app asks for and uses, it goes on while no other asks."""
    for _ in range(3):
        rests.note_call("loud")

        assert rests.after("loud", 5.0) == 0.0


def test_beside_another_app_each_rests_as_long_as_it_used(rests: Rests) -> None:
    """While two apps ask, both rest for what they have used."""
    rests.note_call("loud")
    rests.note_call("quiet")
    rests.note_call("loud")

    assert rests.after("loud", 0.02) == 0.02
    assert rests.after("quiet", 0.01) == 0.01


def test_an_app_that_has_asked_for_nothing_lately_counts_no_more(
    rests: Rests, moment: Moment
) -> None:
    """A second after the last call of the others an app is alone again."""
    rests.note_call("quiet")
    rests.note_call("loud")
    moment.seconds += RECENT_SECONDS / 2
    rests.note_call("loud")
    assert rests.after("loud", 0.02) == 0.02

    moment.seconds += RECENT_SECONDS
    rests.note_call("loud")
    assert rests.after("loud", 0.02) == 0.0


def test_the_newest_of_the_others_counts(rests: Rests, moment: Moment) -> None:
    """Of several others the one that asked last is remembered, between the calls of the app."""
    rests.note_call("early")
    moment.seconds += RECENT_SECONDS
    for app in ("loud", "late", "loud"):
        rests.note_call(app)
    moment.seconds += RECENT_SECONDS / 2

    assert rests.after("loud", 0.02) == 0.02


def test_a_rest_is_bounded(rests: Rests) -> None:
    """A moment of use is followed by no rest, and a long one by a short rest."""
    rests.note_call("loud")
    rests.note_call("quiet")

    assert rests.after("loud", 0.0001) == 0.0
    assert rests.after("loud", 60.0) == LONGEST_SECONDS
