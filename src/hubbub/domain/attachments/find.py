"""Find the file of a link."""

from hubbub.domain.access.credentials import find_app
from hubbub.files.links import THUMBNAIL, is_signed
from hubbub.files.store import FileNotStored
from hubbub.records.apps.model import InvalidApp
from hubbub.records.attachments import store
from hubbub.records.attachments.model import (
    THUMBNAIL_EXTENSION,
    THUMBNAIL_TYPE,
    FileLinkExpired,
    StoredFile,
    path_of,
)
from hubbub.runtime import Runtime


async def find_file(
    runtime: Runtime, app_id: str, message: int, file: str, expires: int, signature: str
) -> StoredFile:
    """Return the file or thumbnail that a signed link names.

    The links that users were given end with the deletion of the message; the app gets others then.

    Raises:
        FileNotStored: the signature is wrong, or the message, file or app was deleted.
        FileLinkExpired: the link has expired.
    """
    of_deleted, of_present = (
        is_signed(runtime.sealer, signature, app_id, number, file, expires)
        for number in (-message, message)
    )
    if not (of_deleted or of_present):
        raise FileNotStored
    if expires <= runtime.clock.now():
        raise FileLinkExpired
    try:
        await find_app(runtime, app_id)
    except InvalidApp:
        raise FileNotStored from None
    held = await store.find_file(runtime.database, app_id, file.removesuffix(THUMBNAIL), message)
    if held is None or of_deleted != (held.deleted_at is not None):
        raise FileNotStored
    path = path_of(app_id, file)
    if not file.endswith(THUMBNAIL):
        return StoredFile(path, held.name, held.mime_type, held.size)
    if held.thumbnail_size is None:
        raise FileNotStored
    name = f"{held.name}.{THUMBNAIL_EXTENSION}"
    return StoredFile(path, name, THUMBNAIL_TYPE, held.thumbnail_size)
