"""Expected failures, each with a stable code that clients may rely on.

A `DomainError` is an answer, not an accident: its message is shown to people as it is, so it never holds a secret,
a path or another user's data. Anything else that escapes is a fault of ours and is masked by the server.
"""

from collections.abc import Sequence


class DomainError(Exception):
    """The request cannot be carried out."""

    code = "INVALID_INPUT"

    def __init__(
        self,
        message: str | None = None,
        *,
        path: Sequence[str] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        """Keep the message for people, the input field at fault and when to try again.

        The class docstring's first line is the default message.
        """
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        self.path = tuple(path) if path is not None else None
        self.retry_after_seconds = retry_after_seconds
        super().__init__(self.message)


class InvalidInput(DomainError):
    """The input is not valid."""

    code = "INVALID_INPUT"


class EmailTaken(DomainError):
    """An account with this email address exists already. Log in instead, or use another address."""

    code = "EMAIL_TAKEN"


class InvalidCredentials(DomainError):
    """The email address or the password is wrong."""

    code = "INVALID_CREDENTIALS"


class WeakPassword(DomainError):
    """The password must be 8 to 72 bytes long in UTF-8, and none of those that are guessed first."""

    code = "WEAK_PASSWORD"


class NotFound(DomainError):
    """There is no such object."""

    code = "NOT_FOUND"


class Conflict(DomainError):
    """The request contradicts an earlier one."""

    code = "CONFLICT"


class TaskLimitReached(DomainError):
    """You have as many active tasks as you may have. Wait until one has ended, or cancel one."""

    code = "TASK_LIMIT_REACHED"


class QueueFull(DomainError):
    """The server's queue is full. Try again later."""

    code = "QUEUE_FULL"


class NotCancellable(DomainError):
    """The task has already ended."""

    code = "NOT_CANCELLABLE"


class NotRetryable(DomainError):
    """Only a failed, cancelled or timed-out task can be retried."""

    code = "NOT_RETRYABLE"


class ProviderUnavailable(DomainError):
    """No configured provider can do this kind of task."""

    code = "PROVIDER_UNAVAILABLE"


class UnsupportedMedia(DomainError):
    """The file is not a picture that Wonder can read. Send PNG, JPEG, WebP or GIF."""

    code = "UNSUPPORTED_MEDIA"


class TooLarge(DomainError):
    """The file is too large."""

    code = "TOO_LARGE"


class QuotaExceeded(DomainError):
    """Your files take as much space as they may. Delete projects that you no longer need, then try again."""

    code = "QUOTA_EXCEEDED"


class BudgetExceeded(DomainError):
    """Your budget for this month does not allow this."""

    code = "BUDGET_EXCEEDED"


class RateLimited(DomainError):
    """Too many requests. Try again later."""

    code = "RATE_LIMITED"


class Unauthenticated(DomainError):
    """The token or API key is missing, wrong or expired. Log in, and send `Authorization: Bearer <access token>`."""

    code = "UNAUTHENTICATED"


class Forbidden(DomainError):
    """Only an administrator may do this."""

    code = "FORBIDDEN"


class SettingsError(Exception):
    """A setting is wrong; the message names the variable and what it takes."""


class StorageError(Exception):
    """The object storage could not do what was asked; trying again later may help."""


class StorageUnusable(StorageError):
    """The object storage cannot be used the way it is set up; the message says what is missing."""


class ObjectMissing(StorageError):
    """No object is stored under this key."""
