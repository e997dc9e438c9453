"""Sends what is due, several messages at a time, few of each webhook and user; tells of progress meanwhile."""

import asyncio
import logging
import random
from collections import Counter
from typing import Final

from domain import db
from domain.clock import Clock
from domain.models.webhooks import WebhookDelivery
from domain.webhooks import attempts
from domain.webhooks.attempts import Answer, Attempt
from domain.webhooks.progress import record_progress
from worker.webhooks.post import Poster

_log = logging.getLogger(__name__)
CONCURRENT: Final = 32
#: So that a slow receiver, whatever waits for it, leaves room for the others.
CONCURRENT_PER_WEBHOOK: Final = 2
#: So that one with many webhooks whose receivers are dead leaves room for the others.
CONCURRENT_PER_USER: Final = 8
#: Messages that another process wrote are found after this at the latest, and progress is looked for so often.
_POLL_SECONDS: Final = 2.0
#: Many tasks that end at once make one look.
_PAUSE_SECONDS: Final = 0.1
_STOP_GRACE_SECONDS: Final = 2.0
#: Waits between tries to write down an answer; together much less than the lease.
_RECORD_DELAYS_SECONDS: Final = (1, 2, 4, 8)


class Sender:
    """Sends messages from the moment it is run until it is cancelled."""

    def __init__(self, poster: Poster, clock: Clock) -> None:
        self._poster = poster
        self._clock = clock
        self._awake = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()
        self._busy: Counter[str] = Counter()
        self._busy_users: Counter[str] = Counter()
        self._sending: set[str] = set()
        self._progress_due = 0.0

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._awake.set()

    async def run(self) -> None:
        """Send until cancelled; then what is under way gets a moment to end, so that it need not be sent again."""
        try:
            while True:
                await self._wait(await self._look())
        finally:
            if self._running:
                await asyncio.wait(self._running, timeout=_STOP_GRACE_SECONDS)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _look(self) -> float:
        """Begin to send what there is room for; returns after how many seconds to look again."""
        self._awake.clear()
        try:
            await self._tell_progress()
            await self._fill()
            now = self._clock.now()
            due_at = await attempts.next_due_at(now)
        except db.DATABASE_ERRORS as error:
            _log.warning("looking for webhook messages failed, trying again: %s", type(error).__name__)
            return 1.0
        seconds = _POLL_SECONDS if due_at is None else (due_at - now).total_seconds()
        return min(max(seconds, 0.0), _POLL_SECONDS)

    async def _tell_progress(self) -> None:
        # Not with every wake: the steps in between are not worth a message each.
        now = asyncio.get_running_loop().time()
        if now >= self._progress_due:
            self._progress_due = now + _POLL_SECONDS
            await record_progress(self._clock)

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                await self._awake.wait()
        except TimeoutError:
            pass

    async def _fill(self) -> None:
        # Each round begins messages or finds somebody who has as many under way as they may, and looks past them.
        while (room := CONCURRENT - len(self._running)) > 0:
            rows = await attempts.due(self._clock.now(), await self._full(), room, sending=self._sending)
            owners = await attempts.owners_of({row.webhook_id for row in rows})
            for row in rows:
                await self._begin(row, owners.get(row.webhook_id, ""))
            if len(rows) < room:
                return

    async def _full(self) -> list[str]:
        """Return the webhooks to which no more is to be sent for now: their own or their user's share is used."""
        full = [webhook_id for webhook_id, count in self._busy.items() if count >= CONCURRENT_PER_WEBHOOK]
        users = [user_id for user_id, count in self._busy_users.items() if count >= CONCURRENT_PER_USER]
        return [*full, *await attempts.webhooks_of(users)] if users else full

    async def _begin(self, row: WebhookDelivery, user_id: str) -> None:
        if self._busy[row.webhook_id] >= CONCURRENT_PER_WEBHOOK or self._busy_users[user_id] >= CONCURRENT_PER_USER:
            return
        attempt = await attempts.claim(row, self._clock.now())
        if attempt is None:
            return
        self._busy[attempt.webhook_id] += 1
        self._busy_users[user_id] += 1
        self._sending.add(attempt.delivery_id)
        task = asyncio.create_task(self._send(attempt))
        self._running.add(task)
        task.add_done_callback(lambda done: self._ended(done, attempt, user_id))

    async def _send(self, attempt: Attempt) -> None:
        answer = await self._poster.post(attempt, self._clock.now())
        await self._record(attempt, answer)

    async def _record(self, attempt: Attempt, answer: Answer) -> None:
        """Write the answer down, trying hard: a success that is not noted would be sent again."""
        for delay in (*_RECORD_DELAYS_SECONDS, None):
            try:
                state = await attempts.record(attempt, answer, self._clock.now(), random.random())  # noqa: S311 (no secret)
            except db.DATABASE_ERRORS as error:
                _log.warning(
                    "webhook message %s: noting the answer failed: %s", attempt.delivery_id, type(error).__name__
                )
                if delay is not None:
                    await asyncio.sleep(delay)
            else:
                _log.info(
                    "webhook message %s to %s, try %d: %s, %s",
                    attempt.delivery_id,
                    attempt.webhook_id,
                    attempt.number,
                    answer.status or "no answer",
                    state,
                )
                return

    def _ended(self, task: asyncio.Task[None], attempt: Attempt, user_id: str) -> None:
        self._running.discard(task)
        self._sending.discard(attempt.delivery_id)
        for busy, who in ((self._busy, attempt.webhook_id), (self._busy_users, user_id)):
            busy[who] -= 1
            if not busy[who]:
                del busy[who]
        if not task.cancelled() and (fault := task.exception()) is not None:
            # The message is taken up again when its lease has run out.
            _log.error("webhook message %s: a fault of ours", attempt.delivery_id, exc_info=fault)
        self.wake()
