"""The identity provider of an app, whose JWTs are taken for auth tokens."""

from typing import Literal

from hubbub.console import page
from hubbub.console.page import DEVELOPERS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.identity import provider as identity
from hubbub.kernel.text import MASK
from hubbub.records.identity.model import IdentityProvider, IdentityProviderNotFound
from hubbub.rest.apps.identity import Claim, Party, Secret, SetIdentityProvider
from hubbub.rest.wire.shapes import Link

IDENTITY = "/apps/{app}/identity"


class ProviderForm(PageForm):
    """The provider to set up."""

    issuer: Party
    audience: Party
    jwks_url: Link | None = None
    secret: Secret | None = None
    uid_claim: Claim = "sub"
    create_users: Literal["yes", "no"] = "no"

    def wanted(self, before: IdentityProvider | None) -> SetIdentityProvider:
        """Return what is to be set up; a secret that is left empty stays."""
        has_secret = before is not None and before.trust.secret is not None
        kept = MASK if has_secret and self.jwks_url is None else None
        return SetIdentityProvider(
            issuer=self.issuer,
            audience=self.audience,
            jwks_url=self.jwks_url,
            secret=self.secret or kept,
            uid_claim=self.uid_claim,
            create_users=self.create_users == "yes",
        )


async def _find(visit: Visit, app: str) -> IdentityProvider | None:
    try:
        return await identity.get_provider(visit.runtime, app)
    except IdentityProviderNotFound:
        return None


@page.get(IDENTITY, title="Sign-in by JWT", roles=DEVELOPERS)
async def show_provider(visit: Visit, app: str) -> PageShown:
    """Show the identity provider of an app, without its secret."""
    provider = await _find(visit, app)
    held = visit.runtime.key_sets.find(app)
    is_asked = held is not None and provider is not None and held.url == provider.trust.jwks_url
    return show("identity.html", provider=provider, keys=held if is_asked else None)


@page.post(IDENTITY, roles=DEVELOPERS, back=IDENTITY)
async def set_provider(visit: Visit, app: str, form: ProviderForm) -> ChangeMade:
    """Set up the identity provider of an app."""
    wanted = form.wanted(await _find(visit, app))
    trust = wanted.trust()
    await visit.change(
        "identity.set",
        wanted.issuer,
        lambda runtime: identity.set_provider(
            runtime, app, trust, creates_users=wanted.create_users
        ),
        after={"issuer": wanted.issuer, "audience": wanted.audience, "jwksUrl": wanted.jwks_url},
    )
    return ChangeMade("JWTs of this provider are accepted.")


@page.post(IDENTITY + "/revoke", roles=DEVELOPERS, back=IDENTITY)
async def revoke(visit: Visit, app: str) -> ChangeMade:
    """Revoke all JWTs that were issued up to now."""
    await visit.change("identity.revoke", app, lambda runtime: identity.revoke_jwts(runtime, app))
    return ChangeMade("All JWTs that were issued before now are refused.")


@page.post(IDENTITY + "/delete", roles=DEVELOPERS, back=IDENTITY)
async def remove(visit: Visit, app: str) -> ChangeMade:
    """Remove the identity provider: its JWTs are refused."""
    await visit.change(
        "identity.delete", app, lambda runtime: identity.delete_provider(runtime, app)
    )
    return ChangeMade("The provider is removed. Its JWTs are refused.")
