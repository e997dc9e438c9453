"""The sockets into which engines are plugged; `server.wiring` chooses the plugs."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from domain.events import TaskEvent
from domain.kinds import AssetType, TaskKind


class Subscription(Protocol):
    """One listener's bounded view of a topic."""

    async def next(self) -> TaskEvent | None:
        """Wait for the next event.

        Returns None when events were dropped because this listener was slow, or may have been (reconnect): the listener
        then reads the rows. Raises `asyncio.CancelledError` like any wait; it never ends by itself.
        """
        ...


class Broadcaster(Protocol):
    """Carries events, which are rows already, to whoever listens now; it may lose one, so listeners check rows."""

    async def publish(self, events: Sequence[TaskEvent]) -> None:
        """Hand events to the listeners of their task and of their project; never waits for a slow one."""
        ...

    async def recheck(self, topic: str) -> None:
        """Tell the listeners of a topic that the rows have changed in a way of which no event tells."""
        ...

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[Subscription]:
        """Listen to a task id or a project id until the context ends."""
        ...


#: Does the work for one task id; returns when the worker slot is free again, and raises nothing but cancellation.
TaskHandler = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A released task as the queue sees it."""

    task_id: str
    user_id: str
    #: 0 to 9, higher first.
    priority: int
    #: 0, or more for a suspect: of equal priority the lower goes first.
    suspicion: int
    #: Its place among those of its user: older ones first.
    created_at: datetime
    #: Since when its user has waited for a turn at this priority.
    waiting_since: datetime


class TaskQueue(Protocol):
    """Holds the ids of released tasks; rows stay the truth, so an id may come twice or for a task that has moved on."""

    @property
    def capacity(self) -> int:
        """How many released ids it holds at most, those being worked on not counted."""
        ...

    async def enqueue(self, entries: Sequence[QueueEntry]) -> None:
        """Add released tasks; called inside the transaction that marks them released.

        Higher priorities come first; at equal priority users take turns, who has waited longest first, and one user's
        tasks go by age. An id that is held already takes the new priority.
        """
        ...

    async def missing(self, task_ids: Sequence[str]) -> list[str]:
        """Return those of the ids that are neither held nor being worked on."""
        ...

    async def work(self, handler: TaskHandler, workers: int) -> None:
        """Feed ids to the handler, at most `workers` at a time, until cancelled; cancellation cancels the handlers."""
        ...


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What the storage knows of an object."""

    key: str
    size_bytes: int
    #: When it was stored, by the clock of the storage.
    modified_at: datetime


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """What a client may know of a provider."""

    name: str
    kinds: tuple[TaskKind, ...]
    asset_types: tuple[AssetType, ...]
    asynchronous: bool
    available: bool
    model: str
    #: For people; None while it is available.
    unavailable_reason: str | None = None
    #: Whether the same seed makes the same picture again, and whether backgrounds are left out by the model itself.
    seeds: bool = True
    transparency: bool = True
    #: How many of a style's reference images it looks at.
    reference_images: int = 0
    #: Requests at the same time and in a minute; None for no limit.
    concurrency: int | None = None
    requests_per_minute: int | None = None
    price_per_image: float | None = None


class ProviderCatalog(Protocol):
    """Knows which providers are configured; the API asks it before it accepts a task."""

    def choose(self, kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
        """Return the provider to use: the one asked for, else the server's choice.

        Raises `InvalidInput` for a name that is not configured and `ProviderUnavailable` when none does this kind.
        """
        ...

    def price_micros(self, name: str) -> int:
        """Return what one picture of a provider costs, in millionths of the operator's money; 0 for nothing counted."""
        ...

    def describe(self) -> Sequence[ProviderInfo]:
        """Return every configured provider, in order of preference."""
        ...


class Storage(Protocol):
    """Keeps files under keys such as `users/{userId}/projects/{projectId}/tasks/{taskId}/output/...`."""

    async def put(self, key: str, data: bytes, media_type: str) -> None:
        """Store an object whole or not at all; the same key is replaced. Raises `StorageError`."""
        ...

    async def put_file(self, key: str, source: Path, media_type: str) -> None:
        """Store a local file's content whole or not at all. Raises `StorageError`."""
        ...

    async def get(self, key: str) -> bytes:
        """Return an object whole. Raises `ObjectMissing` or `StorageError`."""
        ...

    def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Yield an object's content in pieces of at most 256 KiB. Raises `ObjectMissing` or `StorageError`."""
        ...

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; missing ones are no error. Raises `StorageError`."""
        ...

    def list(self, prefix: str, after: str = "") -> AsyncIterator[StoredObject]:
        """Yield the objects whose keys start with the prefix, in the order of the keys, a page in memory at a time.

        Only those whose key comes behind `after`, so that a long listing can be done in parts. Keys are ordered by the
        bytes of their UTF-8; some services put a folder before a name that begins with the folder's, such as `a/x`
        before `a-b/x`, which our ids, all of one length, never do.
        What appears or goes meanwhile may or may not be seen. Raises `StorageError`.
        """
        ...

    async def delete_prefix(self, prefix: str) -> int:
        """Remove every object under a prefix that ends in `/`; returns how many went. Raises `StorageError`."""
        ...

    def url(self, key: str, *, media_type: str, download_name: str, base_url: str) -> str:
        """Return an address from which a client fetches the object as it is, for a limited time."""
        ...

    async def check(self) -> None:
        """Raise `StorageError` with what is missing when the storage cannot be used."""
        ...

    async def clock_ahead(self) -> timedelta:
        """Return how far the clock that dates the objects is ahead of this server's. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads, at the end of the process."""
        ...
