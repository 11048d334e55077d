"""`/roles/{role}/restrictedfeatures`: read the request, call the domain, write the answer."""

from hubbub.domain.roles import restrict
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.roles.model import RoleNotFound
from hubbub.rest.people.wire import roles as wire
from hubbub.rest.people.wire.roles import RestrictionShape, restricted_shape, restriction_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import ItemOutcome, Listing, SuccessMessage, unpaged

TAG = operation.Tag(
    "Restrict Features",
    "Features that the users of a role may not use.",
)
FEATURES = "/roles/{role}/restrictedfeatures"


@operation.post(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def restrict_features(
    call: Call, role: path.Role, body: wire.RestrictFeatures
) -> dict[str, ItemOutcome]:
    """Restrict features for the users of a role, each with an outcome.

    An unknown feature does not affect the others. The outcomes have the keys of the features,
    which begin with `u.`.
    """
    outcomes = await restrict.restrict_features(
        call.runtime, call.app_id, role, body.features_to_restrict
    )
    return restricted_shape(outcomes)


@operation.get(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def get_restrictedfeatures(call: Call, role: path.Role) -> Listing[RestrictionShape]:
    """List the features that are restricted for the users of a role, newest first.

    Calls of such users that need one of them are refused with `ERR_PERMISSION_DENIED`.
    """
    restrictions = await restrict.list_restrictions(call.runtime, call.app_id, role)
    return unpaged([restriction_shape(restriction) for restriction in restrictions])


@operation.delete(FEATURES, tag=TAG, errors=(RoleNotFound,))
async def allow_features(call: Call, role: path.Role, body: wire.AllowFeatures) -> SuccessMessage:
    """Allow the users of a role to use features again: those named, or all with `allowAll`.

    Each feature has an outcome of its own, by its key.
    """
    await restrict.allow_features(
        call.runtime, call.app_id, role, body.features_to_allow, is_all=body.allow_all
    )
    return SuccessMessage(success=True, message="The feature has been allowed successfully.")
