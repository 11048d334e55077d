"""Measures of the calls of webhooks, and of what providers answer to notifications."""

from collections import Counter
from itertools import product

from hubbub.kernel.measures import Histogram

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
ACCEPTED, REFUSED, LOST = "accepted", "refused", "lost"


class CallMeasures:
    """How calls ended, and the time that they took."""

    def __init__(self) -> None:
        self.durations = Histogram(SECONDS)
        self.outcomes = dict.fromkeys((ACCEPTED, REFUSED, LOST), 0)
        """Calls that were answered with 2xx, with another status, or not at all."""

    def note(self, outcome: str, seconds: float) -> None:
        """Note a call that has ended."""
        self.outcomes[outcome] += 1
        self.durations.observe(seconds)


PROVIDERS = ("fcm", "apns", "webpush", "sendgrid", "smtp", "twilio", "custom")
OUTCOMES = ("sent", "gone", "refused", "later", "slower")


class NotificationMeasures:
    """What became of notifications at their providers."""

    def __init__(self) -> None:
        self.outcomes = Counter(dict.fromkeys(product(PROVIDERS, OUTCOMES), 0))
        """Answers by the kind of the provider, such as `fcm`, and the outcome, such as `sent`."""
