"""Restrict features for a role, and allow them again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hubbub.domain.roles.manage import access_role, announce_rules, get_role
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.features import FEATURES, Feature, access_features, find_feature
from hubbub.records.roles.model import restricted_of, rules_text
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

Restricted = dict[str, int]
"""The time of each restriction, by feature key without `u.`."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """A feature that is restricted for a role, and since when."""

    feature: Feature
    created_at: int


async def restrict_features(
    runtime: Runtime, app_id: str, role: str, keys: Sequence[str]
) -> dict[str, BadInput | None]:
    """Restrict features for a role; a feature that is already restricted keeps its time.

    Return the refusal of each feature, None if it was restricted, by public key.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    outcomes: dict[str, BadInput | None] = {}
    since: Restricted = {}
    for index, key in enumerate(keys):
        feature = find_feature(key)
        if feature is None:
            field = f"featuresToRestrict.{index}"
            outcomes[key] = BadInput.field(field, f"The feature {key} does not exist.")
            continue
        outcomes[feature.public_key] = None
        since[feature.key] = runtime.clock.now()
    await _change_restrictions(runtime, app_id, role, lambda before: since | before)
    return outcomes


async def allow_features(
    runtime: Runtime, app_id: str, role: str, keys: Sequence[str], *, is_all: bool
) -> None:
    """Allow features for a role, also if they are not restricted: those of `keys`, or all.

    Raises:
        BadInput: one of `keys` is unknown.
        RoleNotFound: the app does not have the role.
    """
    allowed = {feature.key for feature in access_features(keys, "featuresToAllow")}

    def still_restricted(before: Restricted) -> Restricted:
        return {key: at for key, at in before.items() if not is_all and key not in allowed}

    await _change_restrictions(runtime, app_id, role, still_restricted)


async def _change_restrictions(
    runtime: Runtime, app_id: str, role: str, change: Callable[[Restricted], Restricted]
) -> None:
    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        found = await access_role(tx, role)
        before = restricted_of(found.restricted)
        after = change(before)
        if after != before:
            changed = replace(found, restricted=rules_text(after))
            await store.update_role(tx, changed)
            announce_rules(tx, changed, runtime.clock.now())

    await runtime.database.write(app_id, within)


async def list_restrictions(runtime: Runtime, app_id: str, role: str) -> list[Restriction]:
    """Return the restrictions of a role, newest first.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    restricted = restricted_of((await get_role(runtime, app_id, role)).restricted)
    found = [Restriction(FEATURES[key], at) for key, at in restricted.items() if key in FEATURES]
    return sorted(found, key=lambda each: (-each.created_at, each.feature.key))
