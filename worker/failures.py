"""From what a pipeline raised to what the task shows: a code, a message for people, and whether a retry can help."""

import logging
import secrets

from domain import db
from domain.errors import ObjectMissing, ProviderUnavailable, StorageError
from domain.tasks.work import Failure
from worker.exporters.packing import SheetTooSmall
from worker.imaging.pixels import UnreadablePicture
from worker.process_pool import PictureWorkLost
from worker.providers.base import ProviderError

_log = logging.getLogger(__name__)


def classify(error: Exception, task_id: str) -> Failure:
    """Reduce an exception to a failure; what is not expected becomes INTERNAL with a reference that the log bears."""
    match error:
        case ProviderError():
            return Failure(error.code, error.message, retryable=error.retryable)
        case ProviderUnavailable():
            return Failure("PROVIDER_UNAVAILABLE", error.message, retryable=True)
        case SheetTooSmall():
            return Failure("SHEET_TOO_SMALL", str(error), retryable=False)
        case UnreadablePicture():
            return Failure("UNREADABLE_PICTURE", "The provider's answer is not a picture.", retryable=True)
        case PictureWorkLost():
            message = "The process that worked on the picture died; the picture may be too large for this server."
            return Failure("PICTURE_WORK_LOST", message, retryable=True)
        case ObjectMissing():
            return Failure("SOURCE_IMAGE_GONE", "The source image has been deleted.", retryable=False)
        case StorageError():
            _log.error("task %s: the storage failed", task_id, exc_info=error)
            return Failure("STORAGE_FAILED", "The files could not be stored.", retryable=True)
    if isinstance(error, db.DATABASE_ERRORS):
        _log.error("task %s: the database failed", task_id, exc_info=error)
        return Failure("DATABASE_FAILED", "The database could not be reached.", retryable=True)
    reference = secrets.token_hex(6)
    _log.error("task %s: internal error, reference %s", task_id, reference, exc_info=error)
    return Failure("INTERNAL", f"Something went wrong on our side. Reference: {reference}.", retryable=True)
