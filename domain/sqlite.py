"""SQLite for Tortoise with transactions that other processes and cancelled requests cannot spoil.

Three differences from the engine that Tortoise ships. A transaction begins IMMEDIATE: it owns the write lock before it
reads, so a read-then-write never fails half-way because another process wrote in between. And its begin and end run
shielded: a request that is cancelled while the statement is under way would otherwise leave the one connection locked,
or inside a transaction that is nobody's. And UPPER, by which Tortoise compares without case, knows every script.
"""

from typing import Any

from tortoise.backends.base.client import TransactionalDBClient, TransactionContext
from tortoise.backends.sqlite.client import SqliteClient, SqliteTransactionContext, SqliteTransactionWrapper
from tortoise.connection import get_connections

from domain.finishing import finished
from domain.grouping import Group


class _ImmediateTransaction(SqliteTransactionWrapper):
    """A transaction on the shared connection."""

    async def begin(self) -> None:
        """Start with the write lock in hand; whatever an interrupted predecessor left open is undone first."""
        if self._connection.in_transaction:
            await self._connection.rollback()
        await self._connection.execute("BEGIN IMMEDIATE")


class _ShieldedContext(SqliteTransactionContext):
    """Holds the connection's lock exactly as long as the transaction lives."""

    async def __aenter__(self) -> TransactionalDBClient:
        await self._trxlock.acquire()
        try:
            await self.ensure_connection()
            await finished(self.connection.begin())
        except BaseException:
            # Also a cancellation after BEGIN: the next `begin` rolls back what it finds open.
            self._trxlock.release()
            raise
        self.token = get_connections().set(self.connection_name, self.connection)
        transaction: TransactionalDBClient = self.connection
        return transaction

    async def __aexit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        try:
            await finished(self.connection.rollback() if exc_type else self.connection.commit())
        finally:
            get_connections().reset(self.token)
            self._trxlock.release()


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


class Client(SqliteClient):
    """The connection of this process."""

    def __init__(self, file_path: str, **settings: Any) -> None:  # noqa: ANN401 (as Tortoise hands them over)
        super().__init__(file_path, **settings)
        #: Short transactions that are committed together.
        self.group = Group(self)

    async def create_connection(self, with_db: bool) -> None:  # noqa: FBT001 (Tortoise's signature)
        """Open the connection, with an UPPER that does not stop at ASCII as SQLite's own does."""
        try:
            await super().create_connection(with_db)
            if self._connection is not None:
                await self._connection.create_function("UPPER", 1, _upper, deterministic=True)
        except BaseException:
            # Its thread would keep the program from ending.
            await self.close()
            raise

    def _in_transaction(self) -> TransactionContext:
        return _ShieldedContext(_ImmediateTransaction(self), self._lock)


client_class = Client
