"""The operations of one socket: each a task of its own, none able to harm another."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, Final

from graphql import GraphQLError

from domain.errors import RateLimited
from resolvers.errors import present_error
from schema.context import Context
from server.graphql.answers import Answer, errors_payload
from server.graphql.channels import MAX_STREAMS_PER_USER, OpenChannels
from server.graphql.execution import Executor, MakeContext
from server.graphql.frames import Subscribe
from server.graphql.strict_json import write_json

#: Operations that one socket may run at a time, queries and mutations included.
MAX_OPERATIONS: Final = 20
#: With those that were stopped and are still cleaning up: starting and stopping in a loop piles nothing up.
_MAX_TASKS: Final = 2 * MAX_OPERATIONS
#: How long finished and cancelled operations may take to clean up when their socket is gone.
_CLEANUP_SECONDS: Final = 5.0

#: Sends a message, or the text of one.
Send = Callable[[Mapping[str, Any] | str], Awaitable[None]]


class Operations:
    """Runs what a socket subscribes to; counts it for whoever `make_context` says."""

    def __init__(self, send: Send, executor: Executor, make_context: MakeContext, channels: OpenChannels) -> None:
        self._send = send
        self._executor = executor
        self._make_context = make_context
        self._channels = channels
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
        owner: str | None = None

        async def context() -> Context | None:
            nonlocal owner
            made = await self._make_context()
            if made is not None:
                if not self._channels.claim_stream(made.owner):
                    raise RateLimited(f"At most {MAX_STREAMS_PER_USER} operations may run at a time. End one first.")
                owner = made.owner
            return made

        last: Mapping[str, Any] = {"id": message.id, "type": "complete"}
        try:
            last = await self._tell(message.id, self._executor.run(message.request, context)) or last
        finally:
            if owner is not None:
                self._channels.release_stream(owner)
            # The id is free again before the client hears of the end.
            if self._running.get(message.id) is asyncio.current_task():
                del self._running[message.id]
        await self._send(last)

    async def _tell(self, operation_id: str, stream: AsyncGenerator[Answer, None]) -> Mapping[str, Any] | None:
        """Send every answer; returns the `error` message instead when nothing could be run."""
        name = write_json(operation_id)
        async with aclosing(stream) as answers:
            async for answer in answers:
                if answer.refused:
                    return {"id": operation_id, "type": "error", "payload": answer.errors}
                await self._send(f'{{"id":{name},"type":"next","payload":{answer.text}}}')
        return None


def _error(operation_id: str, error: GraphQLError) -> Mapping[str, Any]:
    return {"id": operation_id, "type": "error", "payload": errors_payload([error])}
