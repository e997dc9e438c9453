"""The operations of one socket: each a task of its own, none able to harm another."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, Final, cast

from graphql import GraphQLError
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError

from domain import db
from domain.errors import RateLimited, StorageError
from resolvers.errors import present_error
from resolvers.root import schema
from schema.context import Context
from server.graphql.answers import errors_payload, is_request_error, payload_of
from server.graphql.frames import Subscribe

#: Operations that one socket may run at a time, queries and mutations included.
MAX_OPERATIONS: Final = 20
#: With those that were stopped and are still cleaning up: starting and stopping in a loop piles nothing up.
_MAX_TASKS: Final = 2 * MAX_OPERATIONS
#: How long finished and cancelled operations may take to clean up when their socket is gone.
_CLEANUP_SECONDS: Final = 5.0

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
#: Makes an operation's own context, from who is logged in at that moment; None: nobody any more, and the socket ends.
MakeContext = Callable[[], Awaitable[Context | None]]


class Operations:
    """Runs what a socket subscribes to."""

    def __init__(self, send: Send, make_context: MakeContext) -> None:
        self._send = send
        self._make_context = make_context
        self._running: dict[str, asyncio.Task[None]] = {}
        #: Also those that were stopped and have not cleaned up yet.
        self._tasks: set[asyncio.Task[None]] = set()

    def __contains__(self, operation_id: str) -> bool:
        """Tell whether an operation of this id is running."""
        return operation_id in self._running

    async def start(self, message: Subscribe) -> None:
        """Run an operation; one too many is refused by an `error` message and harms no other."""
        if len(self._running) >= MAX_OPERATIONS or len(self._tasks) >= _MAX_TASKS:
            refused = RateLimited(f"At most {MAX_OPERATIONS} operations may run on one socket.")
            await self._send(_error(message.id, present_error(GraphQLError(str(refused), original_error=refused))))
            return
        task = asyncio.create_task(self._run(message))
        self._running[message.id] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, operation_id: str) -> None:
        """Stop an operation that the client does not want any more; unknown ids are those that ended meanwhile."""
        task = self._running.pop(operation_id, None)
        if task is not None:
            task.cancel()

    async def stop_all(self) -> None:
        """Stop everything and wait until the generators have run their `finally`."""
        tasks = list(self._tasks)
        self._running.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLEANUP_SECONDS)

    async def _run(self, message: Subscribe) -> None:
        last: Mapping[str, Any] = {"id": message.id, "type": "complete"}
        try:
            context = await self._make_context()
            if context is None:
                return
            if (failed := await self._follow(message, context)) is not None:
                last = failed
        except db.DATABASE_ERRORS as error:
            cause = StorageError(type(error).__name__)
            last = _error(message.id, present_error(GraphQLError(str(cause), original_error=cause)))
        except Exception as error:  # noqa: BLE001 (boundary: a fault of ours ends one operation, not the socket)
            last = _error(message.id, present_error(GraphQLError(str(error), original_error=error)))
        finally:
            # The id is free again before the client hears of the end.
            if self._running.get(message.id) is asyncio.current_task():
                del self._running[message.id]
        await self._send(last)

    async def _follow(self, message: Subscribe, context: Context) -> Mapping[str, Any] | None:
        """Send every result; returns the `error` message instead when the operation could not begin."""
        asked = message.request
        stream = await schema.stream(
            asked.query,
            variable_values=asked.variables,
            context_value=context,
            operation_name=asked.operation_name,
            operation_extensions=asked.extensions,
        )
        async with aclosing(stream) as results:
            async for item in results:
                result = cast("ExecutionResult", item)  # incremental delivery is off
                # A subscription that could not begin is told like a document that could not be run.
                if isinstance(result, PreExecutionError) or is_request_error(result):
                    return {"id": message.id, "type": "error", "payload": errors_payload(result.errors or [])}
                await self._send({"id": message.id, "type": "next", "payload": payload_of(result)})
        return None


def _error(operation_id: str, error: GraphQLError) -> Mapping[str, Any]:
    return {"id": operation_id, "type": "error", "payload": errors_payload([error])}
