"""Picture work in processes of its own: Pillow and NumPy hold the GIL, and the event loop must not wait for them."""

import asyncio
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class PictureWorkLost(Exception):
    """A picture process died at its work, for want of memory perhaps."""


class ProcessPool:
    """A bounded pool that survives the death of its processes, and whose processes do not survive ours."""

    def __init__(self, processes: int, preload: Sequence[Callable[..., object]] = ()) -> None:
        """`preload` names functions whose modules every process imports before its first work."""
        self._processes = processes
        self._preload = tuple(preload)
        self._executor: ProcessPoolExecutor | None = None

    async def start(self) -> None:
        """Start the processes and wait until they have imported what they need."""
        executor = self._launched()
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(executor, _touch, self._preload) for _ in range(self._processes)))

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call an importable function in one of the processes; raises what it raises, or `PictureWorkLost`.

        Cancelling the call drops the result; the process finishes the work it has begun.
        """
        executor = self._launched()
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, function, argument)
        except BrokenProcessPool as error:
            if self._executor is executor:  # the first of several callers replaces it
                self._executor = None
                executor.shutdown(wait=False)
            raise PictureWorkLost from error

    async def close(self) -> None:
        """End the processes; work not begun is dropped."""
        if self._executor is not None:
            executor, self._executor = self._executor, None
            await asyncio.to_thread(executor.shutdown, wait=True, cancel_futures=True)

    def _launched(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release.
            context = multiprocessing.get_context("spawn")
            executor = ProcessPoolExecutor(self._processes, mp_context=context, initializer=_prepare)
            with _without_main_module():
                executor.submit(os.getpid)  # launches all processes at once
            self._executor = executor
        return self._executor


@contextlib.contextmanager
def _without_main_module() -> Iterator[None]:
    """Keep spawned processes from importing the program's main module, the whole server, which they have no use for."""
    main: Any = sys.modules["__main__"]
    kept = {name: getattr(main, name) for name in ("__file__", "__spec__") if hasattr(main, name)}
    try:
        main.__spec__ = None
        if "__file__" in kept:
            del main.__file__
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


def _prepare() -> None:
    """In a new process: leave Ctrl-C to the parent, and end when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _touch(functions: Sequence[Callable[..., object]]) -> int:
    """Do nothing: receiving the functions has imported their modules."""
    return len(functions)
