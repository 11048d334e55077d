"""Keep a role from features, and let it use them again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.roles.find import access_role, get_role
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.features import FEATURES, Feature, access_features, find_feature
from hubbub.records.roles.model import restricted_of, rules_text
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

Restricted = dict[str, int]
"""Feature keys, without their `u.`, and since when."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A feature that a role is kept from, and since when."""

    feature: Feature
    created_at: int


async def restrict_features(
    runtime: Runtime, app_id: str, role: str, keys: Sequence[str]
) -> dict[str, BadInput | None]:
    """Keep a role from features; one that it is kept from already stays so since it was.

    Returns why a feature could not be restricted, None where it was, by the key that is answered.

    Raises:
        RoleNotFound: the app has no such role.
    """
    outcomes: dict[str, BadInput | None] = {}
    since: Restricted = {}
    for place, key in enumerate(keys):
        feature = find_feature(key)
        if feature is None:
            field = f"featuresToRestrict.{place}"
            outcomes[key] = BadInput.field(field, f"There is no feature {key}.")
            continue
        outcomes[feature.public_key] = None
        since[feature.key] = runtime.clock.now()
    await _change(runtime, app_id, role, lambda before: since | before)
    return outcomes


async def allow_features(
    runtime: Runtime, app_id: str, role: str, keys: Sequence[str], *, is_all: bool
) -> None:
    """Let a role use features again, be it kept from them or not: those of `keys`, or all.

    Raises:
        BadInput: one of `keys` is no feature's.
        RoleNotFound: the app has no such role.
    """
    allowed = {feature.key for feature in access_features(keys, "featuresToAllow")}

    def still_restricted(before: Restricted) -> Restricted:
        return {key: at for key, at in before.items() if not is_all and key not in allowed}

    await _change(runtime, app_id, role, still_restricted)


async def _change(
    runtime: Runtime, app_id: str, role: str, change: Callable[[Restricted], Restricted]
) -> None:
    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        found = await access_role(tx, role)
        before = restricted_of(found.restricted)
        after = change(before)
        if after != before:
            await store.update_role(tx, replace(found, restricted=rules_text(after)))

    await runtime.database.write(app_id, within)


async def list_restrictions(runtime: Runtime, app_id: str, role: str) -> list[Restriction]:
    """What a role is kept from, newest first.

    Raises:
        RoleNotFound: the app has no such role.
    """
    restricted = restricted_of((await get_role(runtime, app_id, role)).restricted)
    found = [Restriction(FEATURES[key], at) for key, at in restricted.items() if key in FEATURES]
    return sorted(found, key=lambda each: (-each.created_at, each.feature.key))
