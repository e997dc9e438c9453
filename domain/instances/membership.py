"""Which server processes share this database: entering, staying, and taking over from those that have died."""

import asyncio
import contextlib
import hashlib
import hmac
import logging
import os
import platform
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, Protocol

from domain import db
from domain.clock import Clock
from domain.errors import SettingsError
from domain.ids import IdPrefix, new_id
from domain.instances.channel import ALIVE_LOCKS
from domain.models.instances import InstanceRow
from domain.secret_key import derive_key
from domain.settings import Settings
from domain.statements import change, fetch

_log = logging.getLogger(__name__)
HEARTBEAT_SECONDS: Final = 5.0
#: A process whose connection is gone may be making a new one; after so long it is taken to be dead.
ABSENT_SECONDS: Final = 15.0
#: A process that holds its connection and says nothing, because it is stopped or its machine is gone.
SILENT_SECONDS: Final = 60.0
_MAX_HOST: Final = 255
_NUMBERS: Final = 2**31 - 1
# The two parts of a lock's number stand in columns of their own. Locks of other databases of the server are not ours.
_LIVING: Final = f"""
SELECT i.* FROM instance i WHERE i.id <> ? AND i.seen_at > now() - interval '{SILENT_SECONDS} seconds' AND (
    i.seen_at > now() - interval '{ABSENT_SECONDS} seconds' AND NOT ? OR EXISTS (
        SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.classid = {ALIVE_LOCKS}::oid AND l.objid = i.number::bigint::oid
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
)
"""  # noqa: S608 (numbers of our own)
_FORGET: Final = "DELETE FROM instance WHERE id <> ? AND NOT id = ANY(?)"


class Starting(Protocol):
    """What lets one process start at a time."""

    def alone(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Wait for one's turn to start, and keep the others waiting until the end of the context."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a process is, as the others on its database see it."""

    id: str
    number: int
    #: Equal for processes that sign with the same key and keep files in the same place.
    key_check: str
    storage_check: str


def new_identity(secret: bytes, storage_place: str) -> Identity:
    """Return an identity for a process that starts now; `storage_place` says where its files are, whoever asks."""
    key = hmac.digest(derive_key(secret, "instances"), b"the same key", hashlib.sha256).hex()
    place = hashlib.sha256(storage_place.encode()).hexdigest()
    return Identity(new_id(IdPrefix.INSTANCE), secrets.randbelow(_NUMBERS) + 1, key, place)


class Membership:
    """One process among those of its database. On SQLite it is always the only one: see `domain.instance`."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        identity: Identity,
        on_company: Callable[[bool], Awaitable[None]] | None = None,
    ) -> None:
        """Prepare it; `on_company` is told whenever the first of the others has come, or the last has gone."""
        self._settings = settings
        self._clock = clock
        self._identity = identity
        self._on_company = on_company
        self._others: frozenset[str] = frozenset()
        self._awake = asyncio.Event()

    @property
    def id(self) -> str:
        """The id of this process's row."""
        return self._identity.id

    @contextlib.asynccontextmanager
    async def entering(self, starting: Starting | None) -> AsyncIterator[bool]:
        """Become known; the context is entered with whether this process is alone, and no other starts meanwhile.

        Raises `SettingsError` when those that are there sign with another key or keep their files elsewhere.
        """
        async with contextlib.nullcontext() if starting is None else starting.alone():
            others = await self._living(at_once=True)
            self._compare(others)
            await self._forget_all_but(others)
            await self._write_row()
            await self._note(others)
            yield not others

    async def leave(self) -> None:
        """Be known no longer."""
        with contextlib.suppress(*db.DATABASE_ERRORS):  # out of reach: the others find out
            await InstanceRow.filter(id=self.id).delete()

    def look_again(self) -> None:
        """Have the others looked at now, because somebody has come or gone."""
        self._awake.set()

    async def stay(self, on_departure: Callable[[], Awaitable[None]]) -> None:
        """Say regularly that this process lives, and tell when another one does so no longer, until cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._awake.wait()
            self._awake.clear()
            try:
                if await self.beat():
                    await on_departure()
            except db.DATABASE_ERRORS as error:
                _log.warning("this server could not say that it is alive: %s", type(error).__name__)

    async def beat(self) -> bool:
        """Say once that this process lives; returns whether another one has ended or died since the last time."""
        if not db.is_postgres():
            return False
        if not await change("UPDATE instance SET seen_at = now() WHERE id = ?", [self.id]):
            await self._write_row()  # it was taken to be dead
        others = await self._living(at_once=False)
        dead = await self._forget_all_but(others)
        if dead:
            _log.warning("%d other servers have died: their tasks go on elsewhere", dead)
        return bool(await self._note(others)) or dead > 0

    async def _living(self, *, at_once: bool) -> Sequence[InstanceRow]:
        """Return the others that live; with `at_once` a lost connection is enough to be dead."""
        if not db.is_postgres():
            return ()
        rows = await fetch(_LIVING, [self.id, at_once])
        return [InstanceRow._init_from_db(**dict(row)) for row in rows]  # noqa: SLF001 (as Tortoise reads its own)

    def _compare(self, others: Sequence[InstanceRow]) -> None:
        for other in others:
            if other.key_check != self._identity.key_check:
                raise SettingsError(
                    f"WONDER_SECRET_KEY: the server on {other.host} that uses this database has another key. Give all "
                    "of them the same one."
                )
            if other.storage_check != self._identity.storage_check:
                raise SettingsError(
                    f"WONDER_STORAGE: the server on {other.host} that uses this database keeps its files elsewhere. "
                    "Give all of them the same bucket, or the same shared folder as WONDER_DATA_DIR."
                )

    async def _forget_all_but(self, others: Sequence[InstanceRow]) -> int:
        if not db.is_postgres():
            return await InstanceRow.exclude(id=self.id).delete()
        return await change(_FORGET, [self.id, [other.id for other in others]])

    async def _write_row(self) -> None:
        identity, settings, now = self._identity, self._settings, self._clock.now()
        row = InstanceRow(
            id=identity.id,
            number=identity.number,
            host=platform.node()[:_MAX_HOST],
            process_id=os.getpid(),
            version=version("wonder"),
            workers=settings.workers,
            queue_capacity=settings.queue_capacity,
            key_check=identity.key_check,
            storage_check=identity.storage_check,
            started_at=now,
            seen_at=now,
        )
        async with db.transaction():
            await InstanceRow.filter(id=identity.id).delete()
            await row.save(force_create=True)
            if db.is_postgres():
                await change("UPDATE instance SET started_at = now(), seen_at = now() WHERE id = ?", [identity.id])

    async def _note(self, others: Sequence[InstanceRow]) -> frozenset[str]:
        """Remember who is there; returns who was and is no longer."""
        before, self._others = self._others, frozenset(other.id for other in others)
        if bool(before) != bool(self._others) and self._on_company is not None:
            await self._on_company(bool(self._others))
        return before - self._others


async def known_ids() -> list[str]:
    """Return the ids of the processes that are taken to be alive."""
    return [str(found) for found in await InstanceRow.all().order_by("id").values_list("id", flat=True)]
