"""Create users: one from a request, or many from an import, with the same function."""

from collections.abc import Sequence

from hubbub.domain.tokens.manage import NEW_TOKEN, issue_token
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.roles.model import DEFAULT_ROLE
from hubbub.records.roles.store import find_missing_roles
from hubbub.records.tokens.model import AuthToken
from hubbub.records.users import store
from hubbub.records.users.model import (
    RoleUnknown,
    UidAlreadyExists,
    User,
    UserDraft,
    check_metadata,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def create_user(
    runtime: Runtime, app_id: str, draft: UserDraft, token: AuthToken | None = None
) -> User:
    """Create one user, with a first auth token if one is given.

    Raises:
        UidAlreadyExists: the uid is taken.
        RoleUnknown: the role does not exist.
        BadInput: the uid is reserved, or the metadata is too large.
    """

    async def within(tx: Transaction) -> User:
        outcome = (await create_users(tx, [draft], runtime.clock.now()))[0]
        if isinstance(outcome, Refusal):
            raise outcome
        if token is not None:
            await issue_token(tx, runtime, token, NEW_TOKEN)
        return outcome

    return await runtime.database.write(app_id, within)


async def create_users(
    tx: Transaction, drafts: Sequence[UserDraft], now: int
) -> list[User | Refusal]:
    """Create users; one outcome each, in order, and a refusal affects only its own draft."""
    counters = await lock_counters(tx)
    taken = set(await store.find_users(tx, [draft.uid for draft in drafts]))
    missing_roles = await find_missing_roles(
        tx, {draft.profile.role or DEFAULT_ROLE for draft in drafts}
    )
    refusals: dict[int, Refusal] = {}
    accepted: list[UserDraft] = []
    for index, draft in enumerate(drafts):
        refusal = _refuse_draft(draft, taken, missing_roles)
        if refusal is not None:
            refusals[index] = refusal
            continue
        taken.add(draft.uid)
        accepted.append(draft)
    users = await store.insert_users(tx, accepted, now, next_event_number(tx))
    created = {user.uid: user for user in users}
    counters.users += sum(draft.deactivated_at is None for draft in accepted)
    return [refusals.get(index) or created[draft.uid] for index, draft in enumerate(drafts)]


def _refuse_draft(draft: UserDraft, taken: set[str], missing_roles: set[str]) -> Refusal | None:
    if draft.uid == SYSTEM_UID:
        return BadInput.field("uid", f"The uid {SYSTEM_UID} is reserved.")
    if draft.uid in taken:
        return UidAlreadyExists(draft.uid)
    role = draft.profile.role or DEFAULT_ROLE
    if role in missing_roles:
        return RoleUnknown(role)
    try:
        check_metadata(draft.profile.metadata)
    except BadInput as refusal:
        return refusal
    return None
