"""`/identity_provider`: read the request, call the domain, write the answer."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.identity import provider as identity
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import MASK
from hubbub.records.identity.model import (
    SHORTEST_SECRET,
    IdentityProvider,
    IdentityProviderNotFound,
    Trust,
)
from hubbub.rest.wire.shapes import Link, Shape, Success

Claim = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00]+$")]
Party = Annotated[str, Meta(min_length=1, max_length=1_000, pattern=r"^[^\x00]+$")]
Secret = Annotated[str, Meta(min_length=1, max_length=1_000, pattern=r"^[^\x00]+$")]


class SetIdentityProvider(Shape, kw_only=True):
    """The identity provider to set up, with `jwksUrl` or with `secret`."""

    issuer: Party
    audience: Party
    jwks_url: Link | None = None
    secret: Secret | None = None
    uid_claim: Claim = "sub"
    create_users: bool = False

    def trust(self) -> Trust:
        """Return by what JWTs are judged.

        Raises:
            BadInput: it has not one of the two, or the secret is too short.
        """
        if (self.jwks_url is None) is (self.secret is None):
            raise BadInput.field("jwksUrl", "Give either jwksUrl or secret.")
        if self.secret not in (None, MASK) and len(self.secret.encode()) < SHORTEST_SECRET:
            raise BadInput.field("secret", f"This has at least {SHORTEST_SECRET} bytes.")
        return Trust(self.jwks_url, self.secret, self.issuer, self.audience, self.uid_claim)


class IdentityProviderShape(Shape, kw_only=True):
    """The identity provider of an app."""

    issuer: str
    audience: str
    jwks_url: str | None = None
    secret: str | None = None
    uid_claim: str
    create_users: bool
    valid_after: int
    updated_at: int
    keys_failure: str | None = None


def provider_shape(provider: IdentityProvider, keys_failure: str = "") -> IdentityProviderShape:
    """Return an identity provider on the wire, with its secret masked."""
    trust = provider.trust
    return IdentityProviderShape(
        issuer=trust.issuer,
        audience=trust.audience,
        jwks_url=trust.jwks_url,
        secret=MASK if trust.secret else None,
        uid_claim=trust.uid_claim,
        create_users=provider.creates_users,
        valid_after=provider.valid_after,
        updated_at=provider.updated_at,
        keys_failure=keys_failure or None,
    )


TAG = operation.Tag(
    "Identity Provider",
    "An identity provider of your own, whose JWTs users may show instead of auth tokens.",
)
ONE = "/identity_provider"


@operation.get(ONE, tag=TAG, errors=(IdentityProviderNotFound,), is_own=True)
async def get_identity_provider(call: Call) -> IdentityProviderShape:
    """Get the identity provider of the app.

    The secret is masked. `keysFailure` is there if this node failed to fetch the keys lately.
    """
    provider = await identity.get_provider(call.runtime, call.app_id)
    held = call.runtime.key_sets.find(call.app_id)
    is_asked = held is not None and held.url == provider.trust.jwks_url
    return provider_shape(provider, held.failure if held is not None and is_asked else "")


@operation.put(ONE, tag=TAG, is_own=True)
async def set_identity_provider(call: Call, body: SetIdentityProvider) -> IdentityProviderShape:
    """Set up the identity provider of the app, in place of the one before.

    A JWT in the header `authToken` is then accepted like an auth token, if it is signed by a key of
    `jwksUrl` (RS, PS, ES or EdDSA) or with `secret` (HS), is by `issuer` for `audience`, and has
    `iat` and `exp`; `uidClaim` names the user. Such calls name the app, by the host name or the
    header `appId`. `•••` as `secret` keeps the stored one.
    """
    provider = await identity.set_provider(
        call.runtime, call.app_id, body.trust(), creates_users=body.create_users
    )
    return provider_shape(provider)


@operation.delete(ONE, tag=TAG, errors=(IdentityProviderNotFound,), is_own=True)
async def delete_identity_provider(call: Call) -> Success:
    """Remove the identity provider of the app.

    Its JWTs are refused from then on, and sockets that were opened with them are closed; on other
    nodes within seconds.
    """
    await identity.delete_provider(call.runtime, call.app_id)
    return Success(success=True)


@operation.post(f"{ONE}/revoke", tag=TAG, errors=(IdentityProviderNotFound,), is_own=True)
async def revoke_jwts(call: Call) -> IdentityProviderShape:
    """Revoke all JWTs that were issued up to now.

    `validAfter` of the answer is the time: JWTs whose `iat` is later are accepted. To revoke those
    of one user, revoke all auth tokens of the user.
    """
    return provider_shape(await identity.revoke_jwts(call.runtime, call.app_id))
