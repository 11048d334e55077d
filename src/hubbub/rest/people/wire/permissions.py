"""The shapes of permissions: of roles, and of scopes in groups."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.roles.permissions import Catalogue, Mapped
from hubbub.kernel.errors import BadInput
from hubbub.records.roles.model import Value
from hubbub.rest.wire.shapes import Shape, item_outcome

Kind = Literal["role", "scope"]
ANSWERED = "permissions"
"""The key beside the outcomes, under which all that is set is answered."""

LONGEST_ID = 100


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

    permissions: Annotated[dict[str, Any], Meta(max_length=100)]

    def wanted(self) -> Mapping[str, object]:
        """What is to be set.

        Raises:
            BadInput: an id is too long to be answered, or the key of all that is set.
        """
        for id_ in self.permissions:
            if id_ == ANSWERED or len(id_) > LONGEST_ID:
                shown = id_[:LONGEST_ID]
                raise BadInput.field(f"permissions.{shown}", f"There is no permission {shown}.")
        return self.permissions


class PermissionsShape(Shape):
    """All that is set, by the id of a permission."""

    permissions: dict[str, Value]


_OUTCOME = {"$ref": "#/components/schemas/ItemOutcome"}
_EXAMPLE = "What became of `sendMessage`, if it was sent; each other one is told under its own id."
_WORDS = {"type": "array", "items": {"type": "string"}}
_ALL_SET = {"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, _WORDS]}}

MappedShape = Annotated[
    dict[str, Any],
    Meta(
        extra_json_schema={
            "description": "What became of each, under its id, beside all that is set then.",
            "properties": {
                ANSWERED: _ALL_SET,
                "sendMessage": {**_OUTCOME, "description": _EXAMPLE},
            },
            "required": [ANSWERED],
            "additionalProperties": _OUTCOME,
        }
    ),
]
"""The outcomes are named by the schema only: operations say `named=(ItemOutcome,)`.

One id stands there as a property, so that the reference page shows what an outcome is.
"""


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
