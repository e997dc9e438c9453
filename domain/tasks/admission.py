"""Whether one more active task may be let in: the user's limit and the server's."""

from domain.errors import QueueFull, TaskLimitReached
from domain.lifecycle import ACTIVE, TaskStatus
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.settings import Settings

QUEUE_FULL_RETRY_SECONDS = 30


def active_limit(user: User, settings: Settings) -> int:
    """Return how many active tasks this user may have now."""
    return settings.max_active_tasks if user.max_active_tasks is None else user.max_active_tasks


async def active_count(user_id: str) -> int:
    """Return how many active tasks a user has."""
    return await Task.filter(user_id=user_id, status__in=list(ACTIVE)).count()


async def admit(user: User, settings: Settings) -> None:
    """Raise `TaskLimitReached` or `QueueFull` unless one more fits.

    Exact only inside a transaction that holds the admission lock, which every path to PENDING does.
    """
    limit, present = active_limit(user, settings), await active_count(user.id)
    if present >= limit:
        raise TaskLimitReached(
            f"You have {present} active tasks and may have {limit}. Wait until one has ended, or cancel one."
        )
    pending = await Task.filter(status=TaskStatus.PENDING).count()
    if pending >= settings.max_pending_tasks:
        raise QueueFull(
            f"The server holds {pending} waiting tasks, as many as it may. Try again later.",
            retry_after_seconds=QUEUE_FULL_RETRY_SECONDS,
        )
