"""Forgets sessions, API keys, idempotency keys and messages of webhooks that have run out."""

from datetime import timedelta

from domain.accounts import Accounts
from domain.api_keys import ApiKeys
from domain.figures.removal import forget_figures_of_nobody
from domain.models.tasks import IdempotencyKey
from domain.tasks.deps import TaskDeps
from domain.webhooks.removal import shorten_log
from worker.scheduler import Duty, every


def expiry_duty(deps: TaskDeps, accounts: Accounts, api_keys: ApiKeys) -> Duty:
    """Return the duty that removes their rows; nothing depends on it but the size of the tables."""

    async def run() -> int:
        now, settings = deps.clock.now(), deps.settings
        keys = IdempotencyKey.filter(created_at__lt=now - timedelta(hours=settings.idempotency_hours))
        messages = await shorten_log(now - timedelta(days=settings.webhook_log_days))
        credentials = await accounts.forget_expired() + await api_keys.forget_expired()
        return credentials + await keys.delete() + messages + await forget_figures_of_nobody()

    description = "Forgets sessions, API keys, idempotency keys and messages of webhooks that have run out."
    return Duty("expiry", description, every(deps.settings.expiry_interval_seconds), run)
