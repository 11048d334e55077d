"""The shapes of what changes messages."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.domain.messages.edit import Edit
from hubbub.rest.wire.shapes import Shape, Tags


class UpdateMessage(Shape):
    """What is to be other about a message; what is not given stays."""

    data: Annotated[
        Any,
        Meta(
            description="An object: each of its properties takes the place of the stored one. "
            "Afterwards the same holds as for a message that is sent."
        ),
    ] = None
    tags: Tags | None = None

    def edit(self) -> Edit:
        return Edit(self.data, self.tags)


class DeleteMessage(Shape):
    """How a message is deleted."""

    permanent: Annotated[
        bool,
        Meta(description="Whether it goes for good; otherwise the app still sees the content."),
    ] = False
