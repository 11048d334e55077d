"""Find the file of a link to an export."""

from hubbub.files.links import OF_EXPORT, is_signed
from hubbub.files.store import FileNotStored
from hubbub.records.attachments.model import FileLinkExpired, StoredFile, path_of
from hubbub.records.exports import store
from hubbub.runtime import Runtime

ZIP = "application/zip"


async def find_export_file(
    runtime: Runtime, app_id: str, export_id: str, expires: int, signature: str
) -> StoredFile:
    """Return the file that a signed link names.

    Raises:
        FileNotStored: the signature is wrong, or the export or the app was deleted.
        FileLinkExpired: the link has expired.
    """
    if not is_signed(runtime.sealer, signature, app_id, OF_EXPORT, export_id, expires):
        raise FileNotStored
    if expires <= runtime.clock.now():
        raise FileLinkExpired
    export = await runtime.database.read(
        app_id, lambda snapshot: store.find_export(snapshot, export_id)
    )
    if export is None or not export.size:
        raise FileNotStored
    return StoredFile(path_of(app_id, export_id), f"{app_id}.zip", ZIP, export.size)
