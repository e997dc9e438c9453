"""Forgets sessions and idempotency keys that have run out."""

from datetime import timedelta

from domain.accounts import Accounts
from domain.models.tasks import IdempotencyKey
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, every

_PERIOD_SECONDS = 3600


def expiry_duty(deps: TaskDeps, accounts: Accounts) -> Duty:
    """Return the hourly duty that removes their rows; nothing depends on it but the size of the tables."""

    async def run() -> int:
        expired = deps.clock.now() - timedelta(hours=deps.settings.idempotency_hours)
        return await accounts.forget_expired_sessions() + await IdempotencyKey.filter(created_at__lt=expired).delete()

    return Duty("expiry", "Forgets sessions and idempotency keys that have run out.", every(_PERIOD_SECONDS), run)
