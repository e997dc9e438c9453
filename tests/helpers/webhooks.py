"""Webhooks of a room, with everything that sends to them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from domain.errors import NotCancellable
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.tasks import release, work
from domain.tasks.service import Tasks
from domain.tasks.work import Claim, Failure
from domain.webhooks.events import DeliveryState, WebhookEvent
from domain.webhooks.service import Webhooks, WebhookWithSecret
from tests.helpers.room import Room
from worker.webhooks.post import Poster, trusted_authorities
from worker.webhooks.sender import Sender

FAILURE = Failure("UNSUPPORTED", "The provider does not do this. 不行", retryable=False)


def webhooks_of(room: Room, *, private: bool = True) -> Webhooks:
    settings = room.deps.settings.model_copy(update={"webhook_private_targets": private})
    return Webhooks(settings, room.deps.clock, room.resolve, room.deps.wake_sender)


async def make_webhook(
    room: Room,
    url: str = "http://127.0.0.1:9/hook",
    events: Sequence[WebhookEvent] | None = None,
    user: User | None = None,
) -> WebhookWithSecret:
    user = user or room.user
    project = room.project if user.id == room.user.id else room.other_project
    return await webhooks_of(room).create(user.id, project.id, url, events)


async def begin(room: Room, prompt: str = "a green slime") -> Claim:
    """Submit a task and take it, as a worker does."""
    task = await room.submit(prompt)
    await release.release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    return claim


async def end(room: Room, status: TaskStatus, prompt: str = "a green slime") -> Task:
    """Submit a task and have it end like this, through the functions that end tasks."""
    claim = await begin(room, prompt)
    match status:
        case TaskStatus.COMPLETED:
            await work.complete(room.deps, claim, [], "completed", degraded=False)
        case TaskStatus.FAILED:
            await work.fail(room.deps, claim, FAILURE)
        case TaskStatus.TIMEOUT:
            await work.time_out(room.deps, claim, Failure("TIMEOUT", "It took too long.", retryable=True))
        case TaskStatus.CANCELLED:
            await room.tasks.cancel(room.user.id, claim.task.id)
        case _:
            raise NotCancellable
    return await Task.get(id=claim.task.id)


def sender_of(room: Room, *, private: bool = True, timeout_seconds: float = 10) -> Sender:
    poster = Poster(room.resolve, trusted_authorities(), private=private, timeout_seconds=timeout_seconds)
    return Sender(poster, room.deps.clock)


@contextlib.asynccontextmanager
async def sending(room: Room, **options: float) -> AsyncIterator[Sender]:
    """Run a sender that the room's tasks wake, until the context ends."""
    sender = sender_of(room, timeout_seconds=options.get("timeout_seconds", 10))
    room.deps = replace(room.deps, wake_sender=sender.wake)
    room.tasks = Tasks(room.deps)
    running = asyncio.create_task(sender.run())
    try:
        yield sender
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def settled(delivery_id: str, attempts: int, seconds: float = 20) -> WebhookDelivery:
    """Wait until a message was tried so often and nobody is sending it, and return its row."""
    async with asyncio.timeout(seconds):
        while True:
            row = await WebhookDelivery.get(id=delivery_id)
            if row.attempts >= attempts and (row.lease_until is None or row.state is not DeliveryState.PENDING):
                return row
            await asyncio.sleep(0.01)


async def only_delivery(webhook: Webhook) -> WebhookDelivery:
    return await WebhookDelivery.get(webhook_id=webhook.id)
