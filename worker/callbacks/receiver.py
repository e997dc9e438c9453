"""Receiving messages of providers: whose they are, whether they are new, and the question that follows from them.

A message changes nothing but when a job is asked about next. What is true of a job is what the service answers then,
and a message that never comes costs no more than the wait for the next check.
"""

import logging
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Final

from domain.callbacks import CallbackAddresses
from domain.errors import RateLimited
from domain.ids import IdPrefix, is_id
from domain.rate_limits import Limiter
from domain.tasks.deps import TaskDeps
from domain.tasks.parking import hurry
from worker.callbacks.reader import TOLERANCE, CallbackReader, Message

_log = logging.getLogger(__name__)
#: Messages about one job that are looked at in a minute.
_PER_MINUTE: Final = 30
_REMEMBERED: Final = 10_000


class Received(Enum):
    """What became of a message."""

    #: Taken, or of no use any more; the sender need not know which.
    TAKEN = auto()
    #: No job has this address.
    UNKNOWN = auto()
    #: It is not from the service, or too old.
    FORGED = auto()
    #: There are too many about this job.
    TOO_MANY = auto()


class CallbackReceiver:
    """Takes the messages of every provider that has a reader."""

    def __init__(self, addresses: CallbackAddresses, readers: Mapping[str, CallbackReader], deps: TaskDeps) -> None:
        self._addresses = addresses
        self._readers = readers
        self._deps = deps
        self._limiter = Limiter(deps.clock, _PER_MINUTE, "Too many messages about this job.")
        self._seen: OrderedDict[tuple[str, bytes], datetime] = OrderedDict()

    def admits(self, provider: str, job_id: str, token: str) -> Received | None:
        """Judge an address before a byte of the message is read; None when it may be."""
        known = provider in self._readers and is_id(job_id, IdPrefix.JOB)
        if not known or not self._addresses.is_genuine(provider, job_id, token):
            return Received.UNKNOWN
        try:
            self._limiter.take(job_id)
        except RateLimited:
            return Received.TOO_MANY
        return None

    async def receive(self, provider: str, job_id: str, message: Message) -> Received:
        """Take a message whose address was admitted."""
        now = self._deps.clock.now()
        callback = await self._readers[provider].read(message, now)
        if callback is None:
            _log.warning("a callback for job %s that %s has not signed is refused", job_id, provider)
            return Received.FORGED
        news = callback.ended and self._is_new(job_id, message, now)
        if news and await hurry(provider, job_id, callback.external_id, now):
            self._deps.wake_checker()
        return Received.TAKEN

    def _is_new(self, job_id: str, message: Message, now: datetime) -> bool:
        """Tell whether a message was not here before, as long as its signature is good."""
        while self._seen and (len(self._seen) >= _REMEMBERED or now - next(iter(self._seen.values())) > 2 * TOLERANCE):
            self._seen.popitem(last=False)
        number = (job_id, message.digest)
        new = number not in self._seen
        self._seen.setdefault(number, now)
        return new
