"""What an uploaded file is, and how much of them a message may have."""

from dataclasses import dataclass
from typing import Any

from hubbub.files.links import THUMBNAIL, reference
from hubbub.kernel.errors import BadInput, Forbidden, TooLarge

LARGEST_FILES = 104_857_600
MOST_FILES = 20
UPLOAD_SECONDS = 3000
"""How long an upload may take: less than what is stored of it is kept without a message."""
KEPT_SECONDS = 3600
"""How long a file is kept that no message holds yet."""
THUMBNAIL_TYPE, THUMBNAIL_EXTENSION = "image/webp", "webp"


class FilesTooLarge(TooLarge):
    """The files of a message have too many bytes together."""

    def __init__(self) -> None:
        super().__init__(f"The files of a message may have {LARGEST_FILES:,} bytes in all.")


class TooManyFiles(BadInput):
    """A message holds fewer files."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self) -> None:
        super().__init__(
            "The message has too many files.",
            details={"file": [f"A message may have {MOST_FILES} files."]},
        )


class PictureTooLarge(BadInput):
    """A picture with more pixels than whoever shows it could bear."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self, name: str, width: int, height: int, most: int) -> None:
        super().__init__(
            f"The picture {name} is too large.",
            details={"file": [f"It has {width:,} x {height:,} pixels; {most:,} may be."]},
        )


class NoMediaMessage(BadInput):
    """Files came with a message of a kind that holds none."""

    code = "ERR_INVALID_MEDIA_MESSAGE"

    def __init__(self, field: str, said: str) -> None:
        super().__init__("This message can't hold files.", details={field: [said]})


class UploadTooSlow(BadInput):
    """The upload took so long that its files were removed."""

    def __init__(self) -> None:
        super().__init__(
            f"The upload took longer than {UPLOAD_SECONDS // 60} minutes; nothing was stored."
        )


class FileLinkExpired(Forbidden):
    """The link was a good one; read the message again for a new one."""

    code = "ERR_FILE_LINK_EXPIRED"

    def __init__(self) -> None:
        super().__init__(
            "This link has expired.", dev_message="Get the message again: it has a new link."
        )


@dataclass(frozen=True, slots=True)
class SmallPicture:
    """The thumbnail of a picture."""

    size: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file in the store, as the message is to tell of it."""

    id: str
    name: str
    mime_type: str
    extension: str
    size: int
    width: int | None = None
    height: int | None = None
    thumbnail: SmallPicture | None = None

    def attachment(self) -> dict[str, Any]:
        """What stands in the message, with references in the places of links."""
        told: dict[str, Any] = {
            "url": reference(self.id, self.extension),
            "name": self.name,
            "mimeType": self.mime_type,
            "extension": self.extension,
            "size": self.size,
        }
        if self.width is not None:
            told |= {"width": self.width, "height": self.height}
        if self.thumbnail is not None:
            told["thumbnail"] = {
                "url": reference(self.id + THUMBNAIL, THUMBNAIL_EXTENSION),
                "width": self.thumbnail.width,
                "height": self.thumbnail.height,
            }
        return told


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that a message holds, as it is downloaded."""

    path: str
    name: str
    mime_type: str
    size: int


def path_of(app_id: str, file: str) -> str:
    """Where a file, or its thumbnail, lies in the store: never under a name that somebody gave."""
    return f"{app_id}/{file[:2]}/{file}"
