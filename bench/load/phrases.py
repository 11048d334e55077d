"""Texts of messages as people write them."""

import random

MEDIAN_PHRASES = 2
SPREAD = 0.9
MOST_PHRASES = 30
PHRASES = (
    "okay",
    "yes, of course",
    "see you tomorrow then",
    "could you please send me the photos",
    "I think the train is late again",
    "that sounds great, thank you so much",
    "what about the meeting on Thursday",
    "größer als nötig, aber naïve Leute im Café mögen es 🙂",
    "let me know when you are at home",
    "nobody told me about it",
)


def text(chance: random.Random) -> str:
    """Return a message: mostly a line, sometimes a paragraph."""
    count = round(chance.lognormvariate(0, SPREAD) * MEDIAN_PHRASES)
    return ", ".join(chance.choices(PHRASES, k=min(MOST_PHRASES, max(1, count))))
