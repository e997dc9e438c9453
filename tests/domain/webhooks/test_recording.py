"""Messages are written with what they tell of, and cost nothing where nobody wants them."""

import json

import pytest

from domain import db
from domain.lifecycle import TaskStatus
from domain.models.projects import Project
from domain.models.tasks import Task
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.tasks import work
from domain.tasks.deletion import purge_rows
from domain.tasks.transition import move
from domain.tasks.work import OwnershipLost
from domain.webhooks.events import WebhookEvent
from domain.webhooks.removal import purge_webhooks
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.sql import recorded_sql
from tests.helpers.webhooks import begin, end, make_webhook, only_delivery, webhooks_of

ENDS = [
    (TaskStatus.COMPLETED, "task.completed"),
    (TaskStatus.FAILED, "task.failed"),
    (TaskStatus.CANCELLED, "task.cancelled"),
    (TaskStatus.TIMEOUT, "task.timeout"),
]


@pytest.mark.parametrize(("status", "event_type"), ENDS)
async def test_every_end_writes_one_message_with_task_state_and_delivery(
    room: Room, status: TaskStatus, event_type: str
) -> None:
    made = await make_webhook(room)
    task = await end(room, status, "一个史莱姆 👾")
    row = await only_delivery(made.webhook)
    assert (row.state, row.attempts, row.event_type, row.task_id) == ("PENDING", 0, event_type, task.id)
    body = json.loads(row.payload)
    assert (body["type"], body["timestamp"]) == (event_type, "2026-12-01T12:00:00.000000Z")
    data = body["data"]
    assert (data["deliveryId"], data["taskId"], data["projectId"]) == (row.id, task.id, room.project.id)
    assert (data["status"], data["sequence"], data["attempt"]) == (status, task.sequence, 1)
    assert (data["error"] is None) == (status in {TaskStatus.COMPLETED, TaskStatus.CANCELLED})
    if status is TaskStatus.FAILED:
        assert data["error"] == {
            "code": "UNSUPPORTED",
            "message": "The provider does not do this. 不行",
            "retryable": False,
        }
    assert len(row.payload.encode()) < 20_000


async def test_a_message_stands_and_falls_with_the_end_that_it_tells_of(room: Room) -> None:
    await make_webhook(room)
    claim = await begin(room)
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await move(claim.task, TaskStatus.COMPLETED, "done", room.deps.clock.now())
            assert await WebhookDelivery.all().count() == 1
            raise ZeroDivisionError
    assert await WebhookDelivery.all().count() == 0
    assert (await Task.get(id=claim.task.id)).status is TaskStatus.RUNNING


async def test_a_worker_that_lost_its_task_tells_nobody(room: Room) -> None:
    made = await make_webhook(room)
    claim = await begin(room)
    await room.tasks.cancel(room.user.id, claim.task.id)
    with pytest.raises(OwnershipLost):
        await work.complete(room.deps, claim, [], "completed", degraded=False)
    assert (await only_delivery(made.webhook)).event_type == "task.cancelled"


async def test_only_those_are_told_who_want_to_know(room: Room) -> None:
    failures = await make_webhook(room, events=[WebhookEvent.TASK_FAILED])
    everything = await make_webhook(room)
    disabled = await make_webhook(room)
    webhooks = webhooks_of(room)
    await webhooks.update(room.user.id, disabled.webhook.id, enabled=False)
    others = await webhooks.create(room.stranger.id, room.other_project.id, "http://127.0.0.1:9/", None)
    await end(room, TaskStatus.COMPLETED)
    await end(room, TaskStatus.FAILED, "a red slime")
    told = {hook.webhook.id: 0 for hook in (failures, everything, disabled, others)}
    for row in await WebhookDelivery.all():
        told[row.webhook_id] += 1
    assert list(told.values()) == [1, 2, 0, 0]


async def test_a_retried_task_tells_of_each_of_its_ends(room: Room) -> None:
    made = await make_webhook(room)
    task = await end(room, TaskStatus.CANCELLED)
    await room.tasks.retry(room.user, task.id)
    await room.tasks.cancel(room.user.id, task.id)
    rows = await WebhookDelivery.filter(webhook_id=made.webhook.id)
    assert len({row.id for row in rows}) == 2
    assert len({json.loads(row.payload)["data"]["sequence"] for row in rows}) == 2


async def test_without_webhooks_an_end_costs_one_statement_by_an_index_and_a_step_none(room: Room) -> None:
    claim = await begin(room)
    with recorded_sql() as statements:
        async with db.transaction():
            await move(claim.task, TaskStatus.RUNNING, "a step", room.deps.clock.now())
    assert [statement.text for statement in statements if "webhook" in statement.text] == []
    with recorded_sql() as statements:
        async with db.transaction():
            await move(claim.task, TaskStatus.COMPLETED, "done", room.deps.clock.now())
    [lookup] = [statement for statement in statements if "webhook" in statement.text]
    await _fill_webhooks(room, 2000)
    prefix = "EXPLAIN " if db.is_postgres() else "EXPLAIN QUERY PLAN "
    if db.is_postgres():
        await db.connection().execute_script("ANALYZE webhook")
    _, plan = await db.connection().execute_query(prefix + lookup.text, lookup.values)
    text = " ".join(str(dict(row)) for row in plan).lower()
    assert "idx_webhook_project" in text, text


async def _fill_webhooks(room: Room, count: int) -> None:
    now = room.deps.clock.now()
    await Webhook.bulk_create(
        Webhook(
            id=f"whk_{number:026d}",
            user_id=room.stranger.id,
            project_id=f"prj_{number:026d}",
            url="http://127.0.0.1:9/",
            secret="-",
            events=[],
            created_at=now,
            updated_at=now,
        )
        for number in range(count)
    )


async def test_with_ten_webhooks_the_messages_of_an_end_take_two_statements(room: Room) -> None:
    for _ in range(10):
        await make_webhook(room)
    claim = await begin(room)
    with recorded_sql() as statements:
        async with db.transaction():
            await move(claim.task, TaskStatus.COMPLETED, "done", room.deps.clock.now())
    assert len([statement for statement in statements if "webhook" in statement.text]) == 2
    assert await WebhookDelivery.all().count() == 10


async def test_deleting_a_project_tells_nobody_and_removes_its_webhooks(room: Room, clock: MovableClock) -> None:
    made = await make_webhook(room)
    kept = await webhooks_of(room).create(room.stranger.id, room.other_project.id, "http://127.0.0.1:9/", None)
    await end(room, TaskStatus.COMPLETED)
    await begin(room, "a red slime")
    await room.tasks.delete_project(room.user.id, room.project.id)
    assert await WebhookDelivery.filter(webhook_id=made.webhook.id).count() == 1, "of the end before"
    clock.advance(10)
    await purge_rows(clock.now())
    assert await purge_webhooks() == 2
    assert [row.id for row in await Webhook.all()] == [kept.webhook.id]
    assert await WebhookDelivery.all().count() == 0
    assert await Project.filter(id=room.project.id).count() == 0
