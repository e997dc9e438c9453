"""Telling webhooks of progress: from the rows of a task's steps, afterwards, so that work pays nothing for it."""

from typing import Final

from domain import db
from domain.clock import Clock
from domain.models.tasks import TaskEventRow
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.tasks.transition import event_of
from domain.webhooks.messages import progress_message

#: Steps of one project that one look takes in.
_MAX_STEPS: Final = 500


async def newest_step(project_id: str) -> int:
    """Return the id of a project's newest event row, after which progress is told."""
    newest = await TaskEventRow.filter(project_id=project_id).order_by("-id").first()
    return newest.id if newest is not None else 0


async def record_progress(clock: Clock) -> int:
    """Write messages of the steps since the last look, for the webhooks that want them; returns how many.

    Of several steps of one task only the latest is told, and none of a task that has ended: its end is a message of its
    own. On PostgreSQL a step that becomes visible after a later one may be passed over; the next one tells more.
    """
    wanting = await Webhook.filter(progress_after__isnull=False, enabled=True, user_id__isnull=False)
    return sum([await _record_steps(webhook, clock) for webhook in wanting])


async def _record_steps(webhook: Webhook, clock: Clock) -> int:
    rows = TaskEventRow.filter(project_id=webhook.project_id, id__gt=webhook.progress_after)
    steps = await rows.order_by("id").limit(_MAX_STEPS)
    if not steps:
        return 0
    latest = {row.task_id: event_of(row) for row in steps}
    now = clock.now()
    messages = [progress_message(webhook, event, now) for event in latest.values() if not event.ends_task]
    async with db.transaction():
        # Of several processes that have read the same steps, one writes.
        mine = Webhook.filter(id=webhook.id, progress_after=webhook.progress_after)
        if not await mine.update(progress_after=steps[-1].id):
            return 0
        if messages:
            await WebhookDelivery.bulk_create(messages)
    return len(messages)
