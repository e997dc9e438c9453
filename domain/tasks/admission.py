"""Whether one more active task may be let in: the user's limit and the server's."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain import db
from domain.errors import QueueFull, TaskLimitReached, Unauthenticated
from domain.kinds import Role
from domain.models.accounts import User
from domain.models.operations import RoleLimit
from domain.settings import Settings

QUEUE_FULL_RETRY_SECONDS = 30
# One statement, because every request for an asset runs it while it holds the admission lock.
_FIGURES: Final = """
SELECT u.max_active_tasks AS own, r.max_active_tasks AS of_role,
    (SELECT COUNT(*) FROM task t WHERE t.user_id = u.id AND t.status IN ('PENDING', 'RUNNING')) AS active,
    (SELECT COUNT(*) FROM task t WHERE t.status = 'PENDING') AS pending
FROM user_account u LEFT JOIN role_limit r ON r.role = u.role WHERE u.id = {mark}
"""


class LimitSource(StrEnum):
    """Where a limit comes from; the first that is set counts."""

    USER = "USER"
    ROLE = "ROLE"
    SERVER = "SERVER"


@dataclass(frozen=True, slots=True)
class ActiveLimit:
    """How many active tasks a user may have, and why."""

    max_active_tasks: int
    source: LimitSource


def active_limit(own: int | None, of_role: int | None, settings: Settings) -> ActiveLimit:
    """Return the limit that counts: the user's own, else their role's, else the server's."""
    if own is not None:
        return ActiveLimit(own, LimitSource.USER)
    if of_role is not None:
        return ActiveLimit(of_role, LimitSource.ROLE)
    return ActiveLimit(settings.max_active_tasks, LimitSource.SERVER)


async def role_limits() -> dict[Role, int]:
    """Return the limits of the roles that have one."""
    return {Role(row.role): row.max_active_tasks for row in await RoleLimit.all()}


async def set_role_limit(role: Role, max_active_tasks: int | None) -> None:
    """Give a role a limit, or with None the server's again."""
    if max_active_tasks is None:
        await RoleLimit.filter(role=role).delete()
        return
    row = RoleLimit(role=role, max_active_tasks=max_active_tasks)
    await RoleLimit.bulk_create([row], on_conflict=["role"], update_fields=["max_active_tasks"])


async def admit(user: User, settings: Settings, *, in_batch: int = 0) -> None:
    """Raise `TaskLimitReached` or `QueueFull` unless one more fits, `Unauthenticated` when the account is gone.

    `in_batch` says how many of the tasks there are were made for the same batch, and go when this one is refused.

    Exact only inside a transaction that holds the admission lock, which every path to PENDING does. Limits are read
    there too, so that a new one holds from the next request on.
    """
    _, rows = await db.connection().execute_query(_FIGURES.format(mark="$1" if db.is_postgres() else "?"), [user.id])
    if not rows:
        raise Unauthenticated
    figures = rows[0]
    limit = active_limit(figures["own"], figures["of_role"], settings).max_active_tasks
    if figures["active"] >= limit:
        raise TaskLimitReached(_over_limit(figures["active"] - in_batch, limit, in_batch))
    if figures["pending"] >= settings.max_pending_tasks:
        raise QueueFull(
            f"The server holds {figures['pending']} waiting tasks, as many as it may. Try again later.",
            retry_after_seconds=QUEUE_FULL_RETRY_SECONDS,
        )


def _over_limit(active: int, limit: int, in_batch: int) -> str:
    """Say how many there are and may be, and what helps; what a batch of all or nothing asked for is not there."""
    figures = f"You have {active} active tasks and may have {limit}."
    if limit == 0:
        return f"{figures} Ask an administrator for a higher limit."
    if in_batch:
        return f"{figures} Inputs of this batch before this one ask for {in_batch}. Ask for fewer at once."
    return f"{figures} Wait until one has ended, or cancel one."
