"""The bodies of edits and deletions of messages."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.domain.messages.edit import Edit
from hubbub.rest.wire.shapes import Shape, Tags


class UpdateMessage(Shape):
    """The changes of a message; properties that are absent stay."""

    data: Annotated[
        Any,
        Meta(
            description="An object: each of its properties replaces the stored one. The result "
            "must satisfy the same rules as a message that is sent."
        ),
    ] = None
    tags: Tags | None = None

    def edit(self) -> Edit:
        return Edit(self.data, self.tags)


class DeleteMessage(Shape):
    """The way in which a message is deleted."""

    permanent: Annotated[
        bool,
        Meta(description="Whether the content is erased; otherwise the app still sees it."),
    ] = False
