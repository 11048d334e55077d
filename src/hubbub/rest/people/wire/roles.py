"""The shapes of roles and of restricted features."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.roles.restrict import Restriction
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import Refusal
from hubbub.records.roles.model import ALL, Role, RoleChange, RoleDraft
from hubbub.rest.wire.enums import Audience
from hubbub.rest.wire.shapes import Id, ItemOutcome, Json, Name, Shape, ShortText, item_outcome

_decode = msgspec.json.Decoder(dict[str, Any]).decode

FeatureKeys = Annotated[
    list[Annotated[str, Meta(max_length=100, description="With or without the prefix `u.`.")]],
    Meta(max_length=100),
]


class RoleSettings(Shape):
    """The users that lists show, and the allowed receivers of messages: all, or friends only."""

    list_users: Audience | None = None
    send_messages_to: Audience | None = None


NoSettings = Annotated[list[Any], Meta(max_length=0)]
"""An empty object, as some languages encode it; the document does not mention it."""
Settings = Annotated[RoleSettings | NoSettings | None, documented_as(RoleSettings)]


class RoleShape(Shape, kw_only=True):
    """A role."""

    role: str
    name: str
    description: str | None = None
    metadata: Json | None = None
    settings: RoleSettings | None = None
    created_at: int
    updated_at: int | None = None


def role_shape(role: Role) -> RoleShape:
    """Return a role on the wire."""
    return RoleShape(
        role=role.role,
        name=role.name,
        description=role.description,
        metadata=None if role.metadata is None else _decode(role.metadata),
        settings=_settings_shape(role),
        created_at=role.created_at,
        updated_at=role.updated_at,
    )


def _settings_shape(role: Role) -> RoleSettings | None:
    """Return both settings if at least one is set."""
    if role.list_users is None and role.send_messages_to is None:
        return None
    return RoleSettings(
        list_users=role.list_users or ALL,  # type: ignore[arg-type]  # one of the two, as stored
        send_messages_to=role.send_messages_to or ALL,  # type: ignore[arg-type]  # the same
    )


class CreateRole(Shape):
    """The role to create."""

    role: Id
    name: Name
    description: ShortText | None = None
    metadata: Json | None = None
    settings: Settings = None

    def draft(self) -> RoleDraft:
        settings = _read_settings(self.settings)
        return RoleDraft(
            role=self.role.lower(),
            name=self.name,
            description=self.description,
            metadata=self.metadata,
            list_users=settings.list_users,
            send_messages_to=settings.send_messages_to,
        )


class UpdateRole(Shape):
    """The changes to a role; fields that are absent keep their values."""

    name: Name | None = None
    description: ShortText | None = None
    metadata: Json | None = None
    settings: Settings = None
    unset: list[Literal["settings", "description", "metadata"]] | None = None

    def change(self) -> RoleChange:
        settings = _read_settings(self.settings)
        return RoleChange(
            name=self.name,
            description=self.description,
            metadata=self.metadata,
            list_users=settings.list_users,
            send_messages_to=settings.send_messages_to,
            unset=self.unset or (),
        )


def _read_settings(settings: RoleSettings | list[Any] | None) -> RoleSettings:
    return settings if isinstance(settings, RoleSettings) else RoleSettings()


class RestrictFeatures(Shape):
    """The features to restrict for a role."""

    features_to_restrict: FeatureKeys


def restricted_shape(outcomes: Mapping[str, Refusal | None]) -> dict[str, ItemOutcome]:
    """Return the outcomes by the key of the feature."""
    return {
        key: item_outcome(refusal, f"The feature {key} has been restricted successfully.")
        for key, refusal in outcomes.items()
    }


class AllowFeatures(Shape):
    """The features to allow again: these, or all."""

    features_to_allow: FeatureKeys = []
    allow_all: bool = False


class RestrictionShape(Shape):
    """A feature that is restricted for a role."""

    title: str
    description: str
    key: str
    path: str
    created_at: int


def restriction_shape(restriction: Restriction) -> RestrictionShape:
    """Return a restricted feature on the wire."""
    feature = restriction.feature
    return RestrictionShape(
        title=feature.title,
        description=feature.title,
        key=feature.public_key,
        path=feature.path,
        created_at=restriction.created_at,
    )
