"""Which storage an installation uses."""

from typing import Final, Literal

from domain.clock import Clock
from domain.ports import Storage
from domain.settings import Settings
from domain.storage.local import LocalStorage
from domain.storage.s3.options import s3_options
from domain.storage.s3.storage import S3Storage
from domain.storage.signing import UrlSigner

StorageKind = Literal["local", "s3"]
_FOLDER: Final = "files"


def build_storage(settings: Settings, clock: Clock, signer: UrlSigner, kind: StorageKind | None = None) -> Storage:
    """Return the storage that the settings choose, or the one of the kind given; nothing is opened yet."""
    match kind or settings.storage:
        case "local":
            return LocalStorage(settings.data_dir.absolute() / _FOLDER, signer)
        case "s3":
            return S3Storage(s3_options(settings), clock)
