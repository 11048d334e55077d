"""Decide whether a rule is about a message at all, by its sender and its receiver."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.records.groups.model import Group
from hubbub.records.moderation.rules.model import SENDER, USER, Filter
from hubbub.records.users.model import User

CREATED_AT, TAGS = "createdAt", "tags"


@dataclass(frozen=True, slots=True)
class Parties:
    """Who sends a message, and who receives it: a user or a group. None for who is not there."""

    sender: User | None
    receiver: User | None
    group: Group | None
    now: int
    """The time of the message, in seconds."""

    def named(self, type_: str, entity: str) -> User | Group | None:
        """Return whom a filter is about."""
        if type_ == SENDER:
            return self.sender
        return self.receiver if entity == USER else self.group


def applies(filters: Iterable[Filter], parties: Parties) -> bool:
    """Return whether a rule with these filters is about a message."""
    return all(_matches(each, parties) is not each.exempt for each in filters)


def _matches(each: Filter, parties: Parties) -> bool:
    subject = parties.named(each.type, each.entity)
    if subject is None:
        return False  # the receiver is a user and not a group, or the other way round
    if each.operand == CREATED_AT:
        return _is_then(each, subject.created_at, parties.now)
    if each.operand == TAGS:
        return _has(each, subject.tag_list)
    return _has(each, [getattr(subject, each.operand)])


def _is_then(each: Filter, created_at: int, now: int) -> bool:
    times = [int(value) + now if value.startswith("-") else int(value) for value in each.value]
    if each.operator == "lessThan":
        return any(created_at < time for time in times)
    if each.operator == "greaterThan":
        return any(created_at > time for time in times)
    if each.operator in ("startsWith", "endsWith"):
        return _has(each, [str(created_at)])
    return (created_at in times) is (each.operator in ("equals", "in"))


def _has(each: Filter, values: Sequence[str]) -> bool:
    """Return whether any of the values is as a filter wants it; with `not`, none may be equal."""
    return _OPERATORS[each.operator](values, each.value)


def _is_any(values: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(value in wanted for value in values)


_OPERATORS: Mapping[str, Callable[[Sequence[str], Sequence[str]], bool]] = {
    "equals": _is_any,
    "in": _is_any,
    "notEquals": lambda values, wanted: not _is_any(values, wanted),
    "notIn": lambda values, wanted: not _is_any(values, wanted),
    "startsWith": lambda values, wanted: any(value.startswith(tuple(wanted)) for value in values),
    "endsWith": lambda values, wanted: any(value.endswith(tuple(wanted)) for value in values),
}
