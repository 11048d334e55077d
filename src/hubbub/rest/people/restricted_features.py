"""`/roles/{role}/restrictedfeatures`: read the request, call the domain, write the answer."""

from hubbub.domain.roles import restrict
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.roles.model import RoleNotFound
from hubbub.rest.people.wire import roles as wire
from hubbub.rest.people.wire.roles import RestrictionShape, restricted_shape, restriction_shape
from hubbub.rest.wire.shapes import Done, ItemOutcome, Listing, whole

TAG = "Restrict Features"
FEATURES = "/roles/{role}/restrictedfeatures"


@operation.post(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def restrict_features(
    call: Call, role: str, body: wire.RestrictFeatures
) -> dict[str, ItemOutcome]:
    """Keep the users of a role from features; one that is unknown keeps none of the others back.

    The outcomes are answered by the keys of the features, which begin with `u.`.
    """
    outcomes = await restrict.restrict_features(
        call.runtime, call.app_id, role, body.features_to_restrict
    )
    return restricted_shape(outcomes)


@operation.get(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def get_restrictedfeatures(call: Call, role: str) -> Listing[RestrictionShape]:
    """List the features that the users of a role are kept from, newest first."""
    restrictions = await restrict.list_restrictions(call.runtime, call.app_id, role)
    return whole([restriction_shape(restriction) for restriction in restrictions])


@operation.delete(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def allow_features(call: Call, role: str, body: wire.AllowFeatures) -> Done:
    """Let the users of a role use features again: those named, or with `allowAll` all of them."""
    await restrict.allow_features(
        call.runtime, call.app_id, role, body.features_to_allow, is_all=body.allow_all
    )
    return Done(success=True, message="The feature has been allowed successfully.")
