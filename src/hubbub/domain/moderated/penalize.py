"""Carry out what rules do to the sender of a message besides."""

from collections.abc import Awaitable, Callable

import structlog

from hubbub.domain.access.actor import Actor
from hubbub.domain.blocks.manage import block_users
from hubbub.domain.members.ban import ban_user
from hubbub.domain.members.kick import kick_member
from hubbub.domain.moderation.decision import Decision, Penalty
from hubbub.domain.users.deactivate import deactivate_users
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Draft
from hubbub.runtime import Runtime

APP = Actor()
ORDER = (Penalty.KICK, Penalty.BAN, Penalty.BLOCK, Penalty.DEACTIVATE)
log = structlog.get_logger()
Carry = Callable[[Runtime, str, Draft], Awaitable[object]]


async def penalize(runtime: Runtime, app_id: str, draft: Draft, decision: Decision | None) -> None:
    """Carry out the penalties of a decision, as the app; one that is impossible is logged.

    The message was stored, held or refused before: what fails here does not undo that.
    """
    penalties = decision.penalties if decision is not None else frozenset()
    for penalty in ORDER:
        if penalty in penalties:
            try:
                await CARRY_OUT[penalty](runtime, app_id, draft)
            except Unavailable as failure:
                log.error("penalty_failed", app=app_id, penalty=penalty.value, why=failure.message)
            except Refusal as refusal:  # such as the ban of a group's owner
                log.info("penalty_impossible", app=app_id, penalty=penalty.value, why=refusal.code)


async def _kick(runtime: Runtime, app_id: str, draft: Draft) -> None:
    if draft.receiver_type == GROUP:
        await kick_member(runtime, app_id, APP, draft.receiver, draft.sender)


async def _ban(runtime: Runtime, app_id: str, draft: Draft) -> None:
    if draft.receiver_type == GROUP:
        await ban_user(runtime, app_id, APP, draft.receiver, draft.sender)


async def _block(runtime: Runtime, app_id: str, draft: Draft) -> None:
    if draft.receiver_type != GROUP:
        await block_users(runtime, app_id, APP, draft.receiver, [draft.sender])


async def _deactivate(runtime: Runtime, app_id: str, draft: Draft) -> None:
    await deactivate_users(runtime, app_id, [draft.sender])


CARRY_OUT: dict[Penalty, Carry] = {
    Penalty.KICK: _kick,
    Penalty.BAN: _ban,
    Penalty.BLOCK: _block,
    Penalty.DEACTIVATE: _deactivate,
}
