"""PostgreSQL for Tortoise with transactions that give their connection back however they begin.

The engine that Tortoise ships keeps the connection of a transaction whose beginning was cancelled or failed: each takes
one from the pool for good, and the end of the process waits for it in vain.
"""

from typing import Any

from tortoise.backends.asyncpg.client import AsyncpgDBClient, TransactionWrapper
from tortoise.backends.base.client import TransactionalDBClient, TransactionContext, TransactionContextPooled
from tortoise.connection import get_connections


class _ReturningContext(TransactionContextPooled):
    """Holds a connection of the pool exactly as long as the transaction lives."""

    async def __aenter__(self) -> TransactionalDBClient:
        await self.ensure_connection()
        client: Any = self.client  # Tortoise does not say that it is one of its wrappers
        pool = client._parent._pool  # noqa: SLF001 (as the context that this one takes the place of)
        connection = client._connection = await pool.acquire()  # noqa: SLF001 (likewise)
        try:
            await client.begin()
        except BaseException:
            # The pool ends whatever the connection is in the middle of.
            await pool.release(connection)
            raise
        self.token = get_connections().set(self.connection_name, self.client)
        transaction: TransactionalDBClient = client
        return transaction


class Client(AsyncpgDBClient):
    """Tortoise's PostgreSQL engine, but for how transactions begin."""

    def _in_transaction(self) -> TransactionContext:
        return _ReturningContext(TransactionWrapper(self), self._pool_init_lock)


#: By this name Tortoise finds an engine's client.
client_class = Client
