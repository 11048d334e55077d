"""Find the file that a link leads to."""

from hubbub.domain.access.credentials import find_app
from hubbub.files.links import THUMBNAIL, is_signature, sign
from hubbub.files.store import FileNotStored
from hubbub.records.apps.model import InvalidApp
from hubbub.records.attachments import store
from hubbub.records.attachments.model import THUMBNAIL_TYPE, FileLinkExpired, StoredFile, path_of
from hubbub.runtime import Runtime


async def find_file(
    runtime: Runtime, app_id: str, message: int, file: str, expires: int, signature: str
) -> StoredFile:
    """The file, or the thumbnail, that a signed link names.

    Raises:
        FileNotStored: nobody here signed that, or message, file or app are gone.
        FileLinkExpired: the link was good once.
    """
    expected = sign(runtime.sealer, app_id, message, file, expires)
    if not is_signature(signature, expected):
        raise FileNotStored
    if expires <= runtime.clock.now():
        raise FileLinkExpired
    try:
        await find_app(runtime, app_id)
    except InvalidApp:
        raise FileNotStored from None
    row = await store.find_file(runtime.database, app_id, file.removesuffix(THUMBNAIL), message)
    if row is None:
        raise FileNotStored
    name, mime_type, size, thumbnail_size = row
    path = path_of(app_id, file)
    if not file.endswith(THUMBNAIL):
        return StoredFile(path, name, mime_type, size)
    if thumbnail_size is None:
        raise FileNotStored
    return StoredFile(path, f"{name}.webp", THUMBNAIL_TYPE, thumbnail_size)
