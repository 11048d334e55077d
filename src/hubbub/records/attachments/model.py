"""Uploaded files, their limits and their errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hubbub.files.links import THUMBNAIL, reference
from hubbub.kernel.errors import BadInput, Forbidden, TooLarge

LARGEST_FILES = 104_857_600
MOST_FILES = 20
UPLOAD_SECONDS = 3000
"""The longest duration of an upload: shorter than `KEPT_SECONDS`, so no file of it expires."""
KEPT_SECONDS = 3600
"""How long a file is kept without a message that holds it."""
THUMBNAIL_TYPE, THUMBNAIL_EXTENSION = "image/webp", "webp"


class FilesTooLarge(TooLarge):
    """The files of a message have too many bytes in all."""

    def __init__(self) -> None:
        super().__init__(f"The files of a message may have at most {LARGEST_FILES:,} bytes in all.")


class TooManyFiles(BadInput):
    """The message has more files than a message may have."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self) -> None:
        super().__init__(
            "The message has too many files.",
            details={"file": [f"A message may have at most {MOST_FILES} files."]},
        )


class PictureTooLarge(BadInput):
    """A picture has more pixels than clients can show."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self, name: str, width: int, height: int, most: int) -> None:
        super().__init__(
            f"The picture {name} is too large.",
            details={
                "file": [f"It has {width:,} x {height:,} pixels; at most {most:,} are allowed."]
            },
        )


class NoMediaMessage(BadInput):
    """Files were sent with a message of a category or type that can't hold files."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__("This message can't hold files.", details={field: [sentence]})


class WrongMedia(BadInput):
    """A file is not of the type that its message has."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self, name: str, type_: str, found: str) -> None:
        super().__init__(
            f"The file {name} can't be sent with the type {type_}.",
            details={"file": [f"{name} is {found}, whatever its name says. Send it as a file."]},
            dev_message='The type of the content counts. Send other files with "type": "file".',
        )


class AttachmentNotFetched(BadInput):
    """The file that an attachment names by its URL can't be fetched."""

    code = "ERR_ATTACHMENT_NOT_FETCHED"

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(
            "The file of an attachment can't be fetched.",
            details={f"data.attachments.{index}.url": [reason]},
            dev_message="Without fetchAttachments, the message keeps the URL as it is. The operator"
            " can allow networks that are not public with HUBBUB_OUTBOUND_ALLOW.",
        )


class UploadTooSlow(BadInput):
    """The upload took so long that its files were removed."""

    def __init__(self) -> None:
        super().__init__(
            f"The upload took longer than {UPLOAD_SECONDS // 60} minutes; nothing was stored."
        )


class FileLinkExpired(Forbidden):
    """The link was valid; get the message again for a new one."""

    code = "ERR_FILE_LINK_EXPIRED"

    def __init__(self) -> None:
        super().__init__(
            "This link has expired.", dev_message="Get the message again: it has a new link."
        )


@dataclass(frozen=True, slots=True)
class StoredThumbnail:
    """The size in bytes and pixels of a stored thumbnail."""

    size: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file in the file store, with the fields that its message shows."""

    id: str
    name: str
    mime_type: str
    extension: str
    size: int
    width: int | None = None
    height: int | None = None
    thumbnail: StoredThumbnail | None = None
    has_script: bool = False
    """Whether it is, or may hold, a script or a program, and no readable media."""

    def attachment(self) -> dict[str, Any]:
        """Return the attachment as stored in the message, with references instead of links."""
        attachment: dict[str, Any] = {
            "url": reference(self.id, self.extension),
            "name": self.name,
            "mimeType": self.mime_type,
            "extension": self.extension,
            "size": self.size,
        }
        if self.width is not None:
            attachment |= {"width": self.width, "height": self.height}
        if self.thumbnail is not None:
            attachment["thumbnail"] = {
                "url": reference(self.id + THUMBNAIL, THUMBNAIL_EXTENSION),
                "width": self.thumbnail.width,
                "height": self.thumbnail.height,
            }
        return attachment


_FAMILIES = {
    "image": ("image/",),
    "audio": ("audio/", "video/"),
    "video": ("video/", "audio/ogg", "audio/mp4"),
}
"""The kinds of content that the types of messages hold; one container may hold sound or video."""
_UNKNOWN = "application/octet-stream"


def check_media(type_: str, files: Sequence[UploadedFile]) -> None:
    """Check that the content of files is not plainly something else than the type of a message.

    Raises:
        WrongMedia: it is; also a program, or an image that may run a script.
    """
    kinds = _FAMILIES.get(type_)
    if kinds is None:
        return
    for file in files:
        if file.has_script:
            raise WrongMedia(file.name, type_, "a script or a program, or may hold one")
        if not file.mime_type.startswith((*kinds, _UNKNOWN)):
            raise WrongMedia(file.name, type_, file.mime_type)


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A row of `files`: a file that a message holds."""

    name: str
    mime_type: str
    size: int
    thumbnail_size: int | None
    deleted_at: int | None
    """When the message was deleted; its users see it no more."""


@dataclass(frozen=True, slots=True)
class FileSizes:
    """A file that some message holds, and what is stored of it."""

    id: str
    size: int
    thumbnail_size: int | None

    def paths_in(self, app_id: str) -> dict[str, int]:
        """Return the paths in the file store that belong to the file, with their sizes."""
        paths = {path_of(app_id, self.id): self.size}
        if self.thumbnail_size is not None:
            paths[path_of(app_id, self.id + THUMBNAIL)] = self.thumbnail_size
        return paths


@dataclass(frozen=True, slots=True)
class FileOfMessage:
    """A file that a message holds, by its id."""

    message: int
    id: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file, or the thumbnail of one, as it is downloaded."""

    path: str
    name: str
    mime_type: str
    size: int


def path_of(app_id: str, file: str) -> str:
    """Return the path of a file or thumbnail in the file store; it never has the uploaded name."""
    return f"{app_id}/{file[:2]}/{file}"
