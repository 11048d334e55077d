"""The shapes of permissions: of roles, and of scopes in groups."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.roles.permissions import Catalogue, PermissionOutcome
from hubbub.http.documented import documented_as, with_fields_of
from hubbub.kernel.errors import BadInput
from hubbub.records.roles.model import Value
from hubbub.rest.wire.shapes import ItemOutcome, Shape, item_outcome

Kind = Literal["role", "scope"]
ALL_SET = "permissions"
"""The key beside the outcomes that has the permissions that are set."""

LONGEST_ID = 100


class PermissionShape(Shape):
    """A permission that can be set, with its possible values."""

    id: str
    type: Kind
    title: str
    description: str
    data_type: Literal["string", "stringArray"]
    available_values: list[str]
    default_value: str | list[str]
    created_at: int
    updated_at: int


def permission_shapes(catalogue: Catalogue, kind: Kind) -> list[PermissionShape]:
    """Return a catalogue of permissions on the wire."""
    return [
        PermissionShape(
            id=permission.id,
            type=kind,
            title=permission.title,
            description=permission.title,
            data_type="stringArray" if permission.is_list else "string",
            available_values=list(permission.words),
            default_value=permission.default,
            created_at=catalogue.created_at,
            updated_at=catalogue.updated_at,
        )
        for permission in catalogue.permissions.values()
    ]


class SetPermissions(Shape):
    """The permissions to set: a word or a list of words, by the id of the permission."""

    permissions: Annotated[
        dict[str, Any], Meta(max_length=100), documented_as(dict[str, Value], maxProperties=100)
    ]

    def wanted(self) -> Mapping[str, object]:
        """Return the permissions to set.

        Raises:
            BadInput: an id is too long for the answer, or is the key that it reserves.
        """
        for id_ in self.permissions:
            if id_ == ALL_SET or len(id_) > LONGEST_ID:
                shown = id_[:LONGEST_ID]
                raise BadInput.field(f"permissions.{shown}", f"There is no permission {shown}.")
        return self.permissions


class PermissionValues(Shape):
    """The permissions that are set, by id."""

    permissions: dict[str, Value]


@with_fields_of(ItemOutcome)
class PermissionOutcomes(Shape):
    """The outcomes by permission, and all permissions that are set."""

    permissions: dict[str, Value]


MappedShape = Annotated[dict[str, Any], documented_as(PermissionOutcomes)]


def mapped_shape(
    wanted: Mapping[str, object], mapped: PermissionOutcome, owner: str
) -> dict[str, Any]:
    """Return the outcomes for the wanted permissions, and all that are set, of a role or scope."""
    outcomes = {
        id_: item_outcome(
            mapped.refusals.get(id_),
            f"Permission with id {id_} have been mapped successfully to {owner}.",
        )
        for id_ in wanted
    }
    return {**outcomes, ALL_SET: mapped.permissions}
