"""The tables `reactions` and `reaction_counts`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from hubbub.kernel.pages import SliceRequest
from hubbub.records.messages.model import ReactionCount
from hubbub.records.reactions.model import Reaction
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, reaction_columns=Reaction)

ReactionKey = tuple[int, str, str]
"""The message, the reaction, and the uid of the user who gave it."""
NO_VIEWER = ""
"""Bound as the uid of the viewer for the app, which gives no reactions."""


async def find_reactions(
    snapshot: Snapshot, keys: Iterable[ReactionKey]
) -> dict[ReactionKey, Reaction]:
    """Return the reactions with these keys, by key."""
    asked = [
        {"message": message, "reaction": reaction, "uid": uid}
        for message, reaction, uid in dict.fromkeys(keys)
    ]
    rows = await snapshot.fetch_many(SQL.find_reaction, asked)
    found = [Reaction(*row) for row in rows]
    return {reaction.key: reaction for reaction in found}


async def find_texts(snapshot: Snapshot, reactions: Iterable[tuple[int, int]]) -> dict[int, str]:
    """Return the texts of reactions, given by message and number, by number."""
    asked = [{"message": message, "number": number} for message, number in reactions]
    rows = await snapshot.fetch_many(SQL.find_text, asked)
    return {row[0]: row[1] for row in rows}


async def find_counts(
    snapshot: Snapshot, message_ids: Collection[int], viewer: str | None = None
) -> dict[int, list[ReactionCount]]:
    """Return the reactions to messages with their counts, by message id, the first given first."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(
        SQL.list_counts, messages=list(message_ids), viewer=viewer or NO_VIEWER
    )
    found: dict[int, list[ReactionCount]] = {}
    for message, reaction, count, is_mine in rows:
        found.setdefault(message, []).append(ReactionCount(reaction, count, bool(is_mine)))
    return found


async def find_counted(snapshot: Snapshot, message_ids: Collection[int]) -> set[int]:
    """Return the ids of the messages that have reactions."""
    if not message_ids:
        return set()
    rows = await snapshot.fetch(SQL.list_counted, messages=list(message_ids))
    return {row[0] for row in rows}


@dataclass(frozen=True, slots=True)
class ReactionFilter:
    """The conditions of a list of reactions to a message; None and empty mean no condition."""

    message: int
    conversation: int
    reaction: str | None = None
    scopes: Sequence[str] = ()
    """Only reactions of members with one of these scopes."""


async def list_reactions(
    snapshot: Snapshot, wanted: ReactionFilter, request: SliceRequest[int]
) -> list[Reaction]:
    """Return the reactions of a slice, in the order in which they were given; ids are cursors."""
    where = Where()
    if wanted.reaction is not None:
        where.add("r.reaction = :reaction", reaction=wanted.reaction)
    if wanted.scopes:
        where.add(
            "EXISTS (SELECT 1 FROM members m WHERE m.app_id = :app_id"
            " AND m.conversation = :conversation AND m.uid = r.uid AND m.scope = ANY(:scopes))",
            conversation=wanted.conversation,
            scopes=list(wanted.scopes),
        )
    if request.cursor is not None:
        where.add_keyset("r.number", request.cursor, is_before=request.is_before)
    query = where.narrow(SQL.list_reactions, order="r.number DESC" if request.is_before else None)
    rows = await snapshot.fetch(query, message=wanted.message, limit=request.limit, **where.args)
    found = [Reaction(*row) for row in rows]
    return found[::-1] if request.is_before else found


async def list_of_messages(
    snapshot: Snapshot, after: ReactionKey, *, message_ids: Sequence[int], limit: int
) -> list[Reaction]:
    """Return reactions to messages in the order of their keys, those after a key."""
    message, reaction, uid = after
    rows = await snapshot.fetch(
        SQL.list_of_messages,
        messages=list(message_ids),
        message=message,
        reaction=reaction,
        uid=uid,
        limit=limit,
    )
    return [Reaction(*row) for row in rows]


async def list_given(
    snapshot: Snapshot, after: tuple[int, str], *, uid: str, limit: int
) -> list[Reaction]:
    """Return the reactions that a user gave, by message and reaction, those after one."""
    rows = await snapshot.fetch(
        SQL.list_given, uid=uid, message=after[0], reaction=after[1], limit=limit
    )
    return [Reaction(*row) for row in rows]


async def insert_reactions(tx: Transaction, reactions: Sequence[Reaction]) -> None:
    """Store new reactions, and add them to the counts."""
    await tx.run_many(SQL.insert_reaction, reactions)
    await _add_counts(tx, reactions, 1)


async def delete_reactions(tx: Transaction, reactions: Sequence[Reaction]) -> None:
    """Delete reactions, and subtract them from the counts."""
    await tx.run_many(SQL.delete_reaction, reactions)
    await _add_counts(tx, reactions, -1)
    if reactions:
        await tx.run(SQL.delete_empty_counts, messages=list({each.message for each in reactions}))


async def _add_counts(tx: Transaction, reactions: Sequence[Reaction], step: int) -> None:
    counts = Counter((each.message, each.reaction) for each in reactions)
    first: dict[tuple[int, str], int] = {}
    for each in reactions:
        first.setdefault((each.message, each.reaction), each.number)
    await tx.run_many(
        SQL.add_count,
        [
            {
                "message": message,
                "reaction": reaction,
                "count": count * step,
                "number": first[message, reaction],
            }
            for (message, reaction), count in counts.items()
        ],
    )


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete all reactions to messages that are deleted permanently."""
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_counts_of_messages, messages=list(message_ids))


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[Reaction]:
    """Delete and return up to `limit` reactions of a user, up to an event."""
    rows = await tx.fetch(SQL.list_of_user, uid=uid, upto=upto, limit=limit)
    reactions = [Reaction(*row) for row in rows]
    await delete_reactions(tx, reactions)
    return reactions
