"""The shapes of permissions: of roles, and of scopes in groups."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.roles.model import Value
from hubbub.domain.roles.permissions import Catalogue, Mapped
from hubbub.kernel.errors import BadInput
from hubbub.rest.wire.roles import ItemOutcome, item_outcome
from hubbub.rest.wire.shapes import Shape

Kind = Literal["role", "scope"]
ANSWERED = "permissions"
"""The key beside the outcomes, under which all that is set is answered."""

PermissionId = Annotated[str, Meta(max_length=100)]


class PermissionShape(Shape):
    """A permission that can be set; not what is set."""

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
    """A catalogue as the interface shows it."""
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
    """What is to be set: a word, or a list of words, by the id of a permission."""

    permissions: Annotated[dict[PermissionId, Any], Meta(max_length=100)]

    def wanted(self) -> Mapping[str, object]:
        """What is to be set.

        Raises:
            BadInput: an id is the key under which all that is set is answered.
        """
        if ANSWERED in self.permissions:
            field = f"permissions.{ANSWERED}"
            raise BadInput.field(field, f"There is no permission {ANSWERED}.")
        return self.permissions


class PermissionsShape(Shape):
    """All that is set, by the id of a permission."""

    permissions: dict[str, Value]


MappedShape = Annotated[
    dict[str, Any],
    Meta(
        extra_json_schema={
            "description": "What became of each, by its id, beside all that is set then.",
            "properties": {
                ANSWERED: {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [
                            {"type": "string"},
                            {"type": "array", "items": {"type": "string"}},
                        ]
                    },
                }
            },
            "required": [ANSWERED],
            "additionalProperties": {"$ref": "#/components/schemas/ItemOutcome"},
        }
    ),
]
"""Its outcomes are named by their schema only: operations say `named=(ItemOutcome,)`."""


def mapped_shape(wanted: Mapping[str, object], mapped: Mapped, whose: str) -> dict[str, Any]:
    """What became of each wanted permission, beside all that is set; `whose` names the place."""
    outcomes = {
        id_: item_outcome(
            mapped.refusals.get(id_),
            f"Permission with id {id_} have been mapped successfully to {whose}.",
        )
        for id_ in wanted
    }
    return {**outcomes, ANSWERED: mapped.permissions}
