"""From what a pipeline raised to what the task shows: a code, a message for people, and whether a retry can help."""

import logging
import secrets
from dataclasses import dataclass
from typing import Final

from domain import db
from domain.errors import BudgetExceeded, ObjectMissing, ProviderUnavailable, QuotaExceeded, StorageError
from domain.tasks.work import Failure
from worker.exporters.packing import SheetTooSmall
from worker.imaging.pixels import UnreadablePicture
from worker.process_pool import PictureWorkLost
from worker.providers.base import ProviderError
from worker.video.errors import UnreadableClip

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Known:
    """An exception that is expected to happen; without a message its own text is for people already."""

    types: tuple[type[Exception], ...]
    code: str
    retryable: bool
    message: str | None = None


#: The first that fits counts: an `ObjectMissing` is a `StorageError` too.
_KNOWN: Final = (
    _Known((ProviderUnavailable,), "PROVIDER_UNAVAILABLE", retryable=True),
    _Known((SheetTooSmall,), "SHEET_TOO_SMALL", retryable=False),
    _Known(
        (UnreadablePicture,), "UNREADABLE_PICTURE", retryable=True, message="The provider's answer is not a picture."
    ),
    _Known((UnreadableClip,), "UNREADABLE_CLIP", retryable=True, message="The provider's answer is not a clip."),
    _Known(
        (PictureWorkLost,),
        "PICTURE_WORK_LOST",
        retryable=True,
        message="The process that worked on the picture died; the picture may be too large for this server.",
    ),
    _Known((QuotaExceeded,), "QUOTA_EXCEEDED", retryable=False),
    _Known((BudgetExceeded,), "BUDGET_EXCEEDED", retryable=False),
    _Known((ObjectMissing,), "SOURCE_IMAGE_GONE", retryable=False, message="The source image has been deleted."),
    _Known((StorageError,), "STORAGE_FAILED", retryable=True, message="The files could not be stored."),
    _Known(db.DATABASE_ERRORS, "DATABASE_FAILED", retryable=True, message="The database could not be reached."),
)


def classify(error: Exception, task_id: str) -> Failure:
    """Reduce an exception to a failure; what is not expected becomes INTERNAL with a reference that the log bears."""
    if isinstance(error, ProviderError):
        return Failure(error.code, error.message, retryable=error.retryable)
    for known in _KNOWN:
        if isinstance(error, known.types):
            # What explains itself to its owner is no fault whose way through the code anybody would look for.
            _log.warning("task %s: %s", task_id, known.code, exc_info=error if known.message else None)
            return Failure(known.code, known.message or str(error), retryable=known.retryable)
    reference = secrets.token_hex(6)
    _log.error("task %s: internal error, reference %s", task_id, reference, exc_info=error)
    return Failure("INTERNAL", f"Something went wrong on our side. Reference: {reference}.", retryable=True)
