"""A small town's history as lines: everything that an import takes, made from a seed."""

import random
from collections.abc import Iterator

from tests.moving.mover import AT, group, member, message, user
from tests.world import Json


def history(messages: int, *, people: int = 12, seed: int = 1) -> list[Json]:
    """Return the lines of a town, in no order."""
    chance = random.Random(seed)
    lines = [*_places(people), *_talk(chance, messages, people)]
    chance.shuffle(lines)
    return lines


def _places(people: int) -> Iterator[Json]:
    for number in range(people):
        yield user(f"u{number}", tags=["town"] if number % 2 else None)
    for number in range(people // 3):
        owner = f"u{number}"
        yield group(f"g{number}", owner, groupType="private")
        for other in range(number + 1, people, 2):
            yield member(f"g{number}", f"u{other}", scope="moderator" if other % 3 else "admin")


def _talk(chance: random.Random, messages: int, people: int) -> Iterator[Json]:
    earlier: dict[tuple[str, ...], list[Json]] = {}
    for number in range(messages):
        sent = _said(chance, number, people)
        place = tuple(sorted((sent["sender"], sent["receiver"])))
        if sent["receiverType"] == "group":
            place = (sent["receiver"],)
        before = earlier.setdefault(place, [])
        if before and chance.random() < 0.3:
            other = chance.choice(before)
            kind = "quoted" if "parentMuid" in other or chance.random() < 0.5 else "parent"
            sent |= {f"{kind}Muid": other["muid"], f"{kind}Sender": other["sender"]}
        before.append(sent)
        yield sent
        if chance.random() < 0.2:
            named = {"muid": sent["muid"], "sender": sent["sender"]}
            yield {"type": "reaction", **named, "uid": sent["sender"], "reaction": "👍"}


def _said(chance: random.Random, number: int, people: int) -> Json:
    sender, other = chance.sample(range(people), 2)
    fields: Json = {"sentAt": AT + number // 3}
    if chance.random() < 0.1:
        fields["editedAt"] = fields["sentAt"] + 5
    if chance.random() < 0.05:
        fields["deletedAt"] = fields["sentAt"] + 9
    if chance.random() < 0.5:
        place = f"g{chance.randrange(people // 3)}"
        return message(f"m{number}", f"u{sender}", place, receiverType="group", **fields)
    return message(f"m{number}", f"u{sender}", f"u{other}", **fields)
