"""The shapes of templates, made of the templates; fields that are absent keep their values."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hubbub.records.notifications.app_settings import Document
from hubbub.records.notifications.templates import Templates, TemplateSet
from hubbub.rest.notifications.wire.codes import TemplateCode
from hubbub.rest.wire.shapes import Shape

TemplateText = Annotated[
    str,
    Meta(max_length=1000, description="Text with placeholders such as {{message.data.text}}."),
]
Text = TemplateText | None
_SPELLINGS = {
    f"{part}_{place}": f"{part}{name}"
    for part in ("title", "body", "subject")
    for place, name in (("one_on_one", "OneOnOne"), ("group", "Group"))
}
"""The interface writes the other names, such as `body_fallback`, with an underscore."""


class TemplateShape(Shape, rename=_SPELLINGS):
    """The base of the shapes of single templates."""


def _shape_of(template: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return the shape of a template, which has its fields."""
    return msgspec.defstruct(
        f"{template.__name__}Shape",
        [(name, Text, None) for name in template.__struct_fields__],
        bases=(TemplateShape,),
        namespace={"__doc__": template.__doc__},
    )


_KINDS = msgspec.structs.fields(TemplateSet)
_SHAPES = {kind.type: _shape_of(kind.type) for kind in _KINDS}
TemplatesShape = msgspec.defstruct(
    "TemplatesShape",
    [
        ("use_privacy_template", TemplateCode | None, None),
        *(
            (f"{kind.name}_template_{variant}", _SHAPES[kind.type] | None, None)
            for kind in _KINDS
            for variant in ("default", "privacy")
        ),
    ],
    bases=(Shape,),
    namespace={
        "__doc__": "The templates of an app: of each kind the default one, and one that tells no"
        " content."
    },
)


def read_templates(shape: msgspec.Struct) -> Document:
    """Return the given templates as a document of settings."""
    document: Document = {}
    for name, value in given_fields(shape).items():
        kind, is_template, variant = name.rpartition("_template_")
        if is_template:
            document.setdefault(variant, {})[kind] = given_fields(value)
        else:
            document[name] = value
    return document


def given_fields(shape: msgspec.Struct) -> Document:
    """Return the fields of a shape that are not None, by the names that Python has for them."""
    fields = msgspec.structs.asdict(shape)
    return {name: value for name, value in fields.items() if value is not None}


def templates_shape(templates: Templates) -> msgspec.Struct:
    """Return the templates of an app on the wire."""
    fields: dict[str, Any] = {"use_privacy_template": int(templates.use_privacy_template)}
    for kind in _KINDS:
        for variant in ("default", "privacy"):
            template = getattr(getattr(templates, variant), kind.name)
            shape = _SHAPES[kind.type](**msgspec.structs.asdict(template))
            fields[f"{kind.name}_template_{variant}"] = shape
    return TemplatesShape(**fields)
