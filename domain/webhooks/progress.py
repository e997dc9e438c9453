"""Telling webhooks of progress: from the rows of a task's steps, afterwards, so that work pays nothing for it."""

from typing import Final

from domain import db
from domain.clock import Clock
from domain.events import TaskEvent
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.tasks.cursor import FeedCursor, read_cursor
from domain.tasks.feed import Feed, feed_from, feed_from_now
from domain.webhooks.messages import progress_message

#: Reads of one project's steps in one look, each of at most `feed.READ_ROWS`.
_MAX_READS: Final = 3


async def follow_from_now(webhook: Webhook) -> None:
    """Have the webhook, which is to be saved, told of the progress from now on."""
    _stand_at(webhook, (await feed_from_now(webhook.project_id)).cursor)


def unfollow(webhook: Webhook) -> None:
    """Have the webhook, which is to be saved, told of no progress."""
    webhook.update_from_dict({"progress_after": None, "progress_cursor": None})


async def record_progress(clock: Clock) -> int:
    """Write messages of the steps since the last look, for the webhooks that want them; returns how many.

    Of several steps of one task only the latest is told, and none of a task that has ended: its end is a message of its
    own. Steps that are committed late are told then: see `domain.tasks.feed`.
    """
    wanting = await Webhook.filter(progress_after__isnull=False, enabled=True, user_id__isnull=False)
    return sum([await _record_steps(webhook, clock) for webhook in wanting])


async def _record_steps(webhook: Webhook, clock: Clock) -> int:
    feed = await _feed_of(webhook)
    steps: list[TaskEvent] = []
    for _ in range(_MAX_READS):
        steps += [told.event for told in await feed.read()]
        if not feed.more:
            break
    before = webhook.progress_cursor
    _stand_at(webhook, feed.cursor)
    if webhook.progress_cursor == before:
        return 0
    latest: dict[str, TaskEvent] = {}
    for step in steps:
        if step.task_id not in latest or latest[step.task_id].sequence < step.sequence:
            latest[step.task_id] = step
    now = clock.now()
    messages = [progress_message(webhook, event, now) for event in latest.values() if not event.ends_task]
    async with db.transaction():
        # Of several processes that have read the same steps, one writes.
        mine = Webhook.filter(id=webhook.id, progress_after__isnull=False)
        mine = mine.filter(progress_cursor__isnull=True) if before is None else mine.filter(progress_cursor=before)
        if not await mine.update(progress_after=webhook.progress_after, progress_cursor=webhook.progress_cursor):
            return 0
        if messages:
            await WebhookDelivery.bulk_create(messages)
    return len(messages)


async def _feed_of(webhook: Webhook) -> Feed:
    if webhook.progress_cursor is not None:
        return await feed_from(read_cursor(webhook.project_id, webhook.progress_cursor))
    if db.is_postgres():  # which steps an id alone stands for, nobody knows
        return await feed_from_now(webhook.project_id)
    return Feed(FeedCursor(webhook.project_id, last_id=webhook.progress_after or 0))


def _stand_at(webhook: Webhook, cursor: FeedCursor) -> None:
    webhook.progress_after, webhook.progress_cursor = cursor.last_id, cursor.encode()
