"""Telling of progress."""

import asyncio
import json

import asyncpg
import pytest

from domain.lifecycle import TaskStage, TaskStatus
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.tasks import work
from domain.webhooks import attempts
from domain.webhooks.attempts import Answer
from domain.webhooks.events import DeliveryState, WebhookEvent
from domain.webhooks.progress import record_progress
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.sql import recorded_sql
from tests.helpers.webhooks import begin, end, make_webhook, only_delivery, webhooks_of

PROGRESS = [WebhookEvent.TASK_PROGRESS]


async def test_the_latest_step_of_each_task_is_told_once(room: Room) -> None:
    await end(room, TaskStatus.COMPLETED, "before")
    made = await make_webhook(room, events=PROGRESS)
    assert await record_progress(room.deps.clock) == 0
    claim = await begin(room)
    for share in (0.1, 0.5):
        await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, share, f"{share:.0%} 画")
    assert await record_progress(room.deps.clock) == 1
    assert await record_progress(room.deps.clock) == 0
    row = await only_delivery(made.webhook)
    body = json.loads(row.payload)
    assert (row.event_type, body["type"], row.task_id) == ("task.progress", "task.progress", claim.task.id)
    assert (body["data"]["stage"], body["data"]["progress"]) == ("ASSET_GENERATOR", 40.0)
    assert (body["data"]["message"], body["data"]["status"]) == ("50% 画", "RUNNING")


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # SQLite has one writing transaction at a time
async def test_a_step_that_is_committed_late_is_told_then(room: Room, database: str) -> None:
    made = await make_webhook(room, events=PROGRESS)
    host = database.partition("host=")[2]
    late = await asyncpg.connect(user="postgres", database="wonder_test", host=host)
    try:
        held = late.transaction()
        await held.start()
        await late.execute(
            """INSERT INTO task_event
            (task_id, project_id, sequence, status, progress, message, attempt, quality_retries, at)
            VALUES ('tsk_late', $1, 1, 'RUNNING', 0, 'late', 1, 0, now())""",
            room.project.id,
        )
        claim = await begin(room)
        assert await record_progress(room.deps.clock) == 1
        await held.commit()
        assert await record_progress(room.deps.clock) == 1
        assert await record_progress(room.deps.clock) == 0
    finally:
        await late.close()
    told = await WebhookDelivery.filter(webhook_id=made.webhook.id).values_list("task_id", flat=True)
    assert sorted(map(str, told)) == sorted(["tsk_late", claim.task.id])


async def test_what_an_older_version_had_told_is_not_told_again(room: Room) -> None:
    made = await make_webhook(room, events=PROGRESS)
    claim = await begin(room)
    await record_progress(room.deps.clock)
    await Webhook.filter(id=made.webhook.id).update(progress_cursor=None)
    assert await record_progress(room.deps.clock) == 0
    await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.5, "half")
    assert await record_progress(room.deps.clock) == 1


async def test_a_task_that_has_ended_makes_no_progress(room: Room) -> None:
    await make_webhook(room, events=[*PROGRESS, WebhookEvent.TASK_COMPLETED])
    await end(room, TaskStatus.COMPLETED)
    assert await record_progress(room.deps.clock) == 0
    assert [row.event_type for row in await WebhookDelivery.all()] == ["task.completed"]


async def test_of_several_processes_one_tells(room: Room) -> None:
    await make_webhook(room, events=PROGRESS)
    await begin(room)
    assert sum(await asyncio.gather(*(record_progress(room.deps.clock) for _ in range(5)))) == 1
    assert await WebhookDelivery.all().count() == 1


async def test_progress_begins_when_it_is_wanted_and_ends_when_it_is_not(room: Room) -> None:
    made = await make_webhook(room)
    webhooks = webhooks_of(room)
    claim = await begin(room)
    assert await record_progress(room.deps.clock) == 0
    await webhooks.update(room.user.id, made.webhook.id, events=PROGRESS)
    assert await record_progress(room.deps.clock) == 0, "what was before is not told"
    await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.5, "half")
    assert await record_progress(room.deps.clock) == 1
    await webhooks.update(room.user.id, made.webhook.id, enabled=False)
    await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.6, "more")
    assert await record_progress(room.deps.clock) == 0
    await webhooks.update(room.user.id, made.webhook.id, enabled=True)
    assert await record_progress(room.deps.clock) == 0, "what was meanwhile is not told"
    await webhooks.update(room.user.id, made.webhook.id, events=[WebhookEvent.TASK_FAILED])
    await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.7, "still more")
    assert await record_progress(room.deps.clock) == 0


async def test_progress_is_tried_twice_while_it_is_fresh(room: Room, clock: MovableClock) -> None:
    made = await make_webhook(room, events=PROGRESS)
    await begin(room)
    await record_progress(clock)
    for state in (DeliveryState.PENDING, DeliveryState.FAILED):
        [row] = await attempts.due(clock.now(), (), 10)
        attempt = await attempts.claim(row, clock.now())
        assert attempt is not None
        assert await attempts.record(attempt, Answer(500, "no"), clock.now(), 0) is state
        clock.advance(10)
    assert (await only_delivery(made.webhook)).attempts == 2


async def test_where_nobody_wants_progress_a_look_is_one_statement(room: Room) -> None:
    await make_webhook(room)
    await begin(room)
    with recorded_sql() as statements:
        assert await record_progress(room.deps.clock) == 0
    assert len(statements) == 1
