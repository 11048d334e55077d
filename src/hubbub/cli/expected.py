"""The errors that commands end with, which are printed as a sentence."""

from hubbub.admin.client import CommandRefused, NodeNotReached
from hubbub.admin.lock import FolderLocked
from hubbub.backup.manifest import BackupRefused
from hubbub.cli.exits import CommandEnded
from hubbub.cli.supervise import WorkerFailed
from hubbub.config import BadSetting
from hubbub.files.places import PlaceInUse
from hubbub.kernel.errors import Refusal
from hubbub.kernel.sealing import BadMasterKey, MasterKeyMissing, NotOurSecret
from hubbub.storage.errors import NoStore, SchemaTooNew, StoreAway, StoreUnusable

EXPECTED = (
    BackupRefused,
    BadMasterKey,
    BadSetting,
    CommandEnded,
    CommandRefused,
    FolderLocked,
    MasterKeyMissing,
    NodeNotReached,
    NoStore,
    NotOurSecret,
    OSError,
    PlaceInUse,
    Refusal,
    SchemaTooNew,
    StoreAway,
    StoreUnusable,
    WorkerFailed,
)


def exit_code(problem: BaseException) -> int:
    """Return the exit code of a command that has ended with an error."""
    return problem.code if isinstance(problem, CommandEnded) else 1
