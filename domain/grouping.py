"""Transactions of several callers as one, on SQLite: what asks at the same time is committed together.

Most of what a short transaction costs is the way to the connection's thread and back, once for every statement. Here
the bodies of all callers that wait run in that thread, one after the other, as one transaction. Each body is a
savepoint of its own: one that raises undoes itself and nobody else. A caller is answered after the commit.

A body is an ordinary coroutine function that uses the database as ever, and waits for nothing else.
"""

import asyncio
import contextvars
import sqlite3
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from tortoise.backends.sqlite.client import SqliteClient, SqliteTransactionWrapper
from tortoise.connection import get_connections

T = TypeVar("T")
Body = Callable[[], Coroutine[Any, Any, T]]
#: So many share a transaction at most: the last of them waits for the others.
MAX_BODIES: Final = 64


class BodyWaited(RuntimeError):
    """A body of a shared transaction waited for something that is not the database."""


@dataclass(slots=True, eq=False)
class _Entry(Generic[T]):
    body: Body[T]
    context: contextvars.Context
    answer: "asyncio.Future[T]"


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any = None
    error: BaseException | None = None


class Group:
    """What waits for the next shared transaction of one connection."""

    def __init__(self, client: SqliteClient) -> None:
        self._client = client
        self._waiting: deque[_Entry[Any]] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def run(self, body: Body[T]) -> T:
        """Run the body in the next transaction; raises what it raises, or why the transaction failed.

        Cancelled before its transaction has begun, it does not run; afterwards, the cancellation waits for the end.
        """
        entry = _Entry(body, contextvars.copy_context(), asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        if self._worker is None or self._worker.done():
            # In a context of its own: it outlives the caller's.
            self._worker = asyncio.get_running_loop().create_task(self._work(), context=contextvars.Context())
        try:
            return await asyncio.shield(entry.answer)
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
            else:
                await asyncio.wait([entry.answer])
                entry.answer.exception()  # known to have been looked at
            raise

    async def _work(self) -> None:
        while self._waiting:
            async with self._client.acquire_connection() as connection:
                some = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BODIES))]
                try:
                    # The connection runs what it is given in its thread; there is no public way to say so.
                    raw, loop = connection._conn, asyncio.get_running_loop()  # noqa: SLF001
                    outcomes = await connection._execute(self._commit, raw, loop, some)  # noqa: SLF001
                except (sqlite3.Error, ValueError) as error:
                    outcomes = [_Outcome(error=error)] * len(some)
                except BaseException:
                    # The loop ends, or something that nobody foresaw: whoever waits must not wait for ever.
                    for entry in some:
                        entry.answer.cancel()
                    raise
            for entry, outcome in zip(some, outcomes, strict=True):
                if outcome.error is None:
                    entry.answer.set_result(outcome.value)
                else:
                    entry.answer.set_exception(outcome.error)

    def _commit(
        self, connection: sqlite3.Connection, loop: asyncio.AbstractEventLoop, entries: Iterable[_Entry[Any]]
    ) -> list[_Outcome]:
        """In the connection's thread: run the bodies as one transaction."""
        # Tortoise makes futures that are done already, for signals that nobody listens to.
        asyncio.set_event_loop(loop)
        if connection.in_transaction:  # what an interrupted predecessor left open
            connection.rollback()
        connection.execute("BEGIN IMMEDIATE")
        try:
            direct = _DirectClient(self._client, connection)
            outcomes = [entry.context.run(_run, direct, connection, entry.body) for entry in entries]
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.rollback()
        return outcomes


def _run(client: "_DirectClient", connection: sqlite3.Connection, body: Body[Any]) -> _Outcome:
    """Run one body to its end, or undo it."""
    token = get_connections().set(client.connection_name, client)
    connection.execute("SAVEPOINT body")
    work = body()
    try:
        work.send(None)
    except StopIteration as end:
        connection.execute("RELEASE body")
        return _Outcome(value=end.value)
    except BaseException as error:  # noqa: BLE001 (handed on to the caller whose body it is)
        connection.execute("ROLLBACK TO body")
        return _Outcome(error=error)
    else:
        work.close()
        connection.execute("ROLLBACK TO body")
        return _Outcome(error=BodyWaited("A body of a shared transaction may wait for the database only."))
    finally:
        get_connections().reset(token)


class _DirectConnection:
    """What Tortoise uses of an aiosqlite connection, without another thread: its coroutines never wait."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def total_changes(self) -> int:
        return self._connection.total_changes

    async def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401 (as the driver takes them)
        return self._connection.execute(sql, parameters)

    async def execute_insert(self, sql: str, parameters: Any) -> Any:  # noqa: ANN401 (as above)
        return (self._connection.execute(sql, parameters).lastrowid,)

    async def execute_fetchall(self, sql: str, parameters: Any = None) -> list[Any]:  # noqa: ANN401 (as above)
        return self._connection.execute(sql, parameters or ()).fetchall()

    async def executemany(self, sql: str, parameters: Any) -> sqlite3.Cursor:  # noqa: ANN401 (as above)
        return self._connection.executemany(sql, parameters)


class _DirectClient(SqliteTransactionWrapper):
    """A transaction as Tortoise knows it, in the connection's own thread."""

    def __init__(self, client: SqliteClient, connection: sqlite3.Connection) -> None:
        super().__init__(client)
        self._connection: Any = _DirectConnection(connection)
