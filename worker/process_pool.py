"""Picture work in processes of its own: Pillow and NumPy hold the GIL, and the event loop must not wait for them."""

import asyncio
import contextlib
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeVar

_log = logging.getLogger(__name__)
#: Pictures can wait; requests that the server answers meanwhile should not.
_NICENESS: Final = 5
#: At a stop, how long picture work may still take.
_CLOSING_SECONDS: Final = 2.0

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class PictureWorkLost(Exception):
    """A picture process died at its work, for want of memory perhaps."""


class ProcessPool:
    """A bounded pool that survives the death of its processes, and whose processes do not survive ours."""

    def __init__(
        self, processes: int, preload: Sequence[Callable[..., object]] = (), patience_seconds: float = 30
    ) -> None:
        """`preload` names functions whose modules every process imports before its first work.

        Work that was cancelled may go on for `patience_seconds`; then it counts as stuck.
        """
        self._processes = processes
        self._patience_seconds = patience_seconds
        self._preload = tuple(preload)
        self._executor: ProcessPoolExecutor | None = None

    async def start(self) -> None:
        """Start the processes and wait until they have imported what they need."""
        executor = self._launched()
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(executor, _touch, self._preload) for _ in range(self._processes)))

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call an importable function in one of the processes; raises what it raises, or `PictureWorkLost`.

        Cancelling the call drops the result; the process may finish the work it has begun.
        """
        executor = self._launched()
        work = executor.submit(function, argument)
        try:
            return await asyncio.wrap_future(work)
        except BrokenProcessPool as error:
            if self._executor is executor:  # the first of several callers replaces it
                self._executor = None
                executor.shutdown(wait=False)
            raise PictureWorkLost from error
        except asyncio.CancelledError:
            asyncio.get_running_loop().call_later(self._patience_seconds, self._end_if_stuck, executor, work)
            raise

    async def close(self) -> None:
        """End the processes; work not begun is dropped, and work that takes too long is cut off."""
        if self._executor is None:
            return
        executor, self._executor = self._executor, None
        processes = _processes(executor)
        ending = asyncio.ensure_future(asyncio.to_thread(executor.shutdown, wait=True, cancel_futures=True))
        await asyncio.wait([ending], timeout=_CLOSING_SECONDS)
        _kill(processes)
        await ending

    def _end_if_stuck(self, executor: ProcessPoolExecutor, work: Future[Any]) -> None:
        """Replace the processes when one of them still works on what nobody waits for: it may never end by itself."""
        if not work.done() and self._executor is executor:
            _log.warning("a picture process was stuck; all are replaced")
            self._executor = None
            _kill(_processes(executor))
            # Not cancelling what waits: those callers are told that the work is lost, and may try again.
            executor.shutdown(wait=False)

    def _launched(self) -> ProcessPoolExecutor:
        if self._executor is None:
            # Spawned, not forked: a fork of a process with threads may inherit a lock that nobody will release.
            context = multiprocessing.get_context("spawn")
            executor = ProcessPoolExecutor(self._processes, mp_context=context, initializer=_prepare)
            with _without_main_module():
                for _ in range(self._processes):
                    executor.submit(os.getpid)  # nobody is idle yet, so each launches a process
            self._executor = executor
        return self._executor


def _processes(executor: ProcessPoolExecutor) -> list[BaseProcess]:
    # The executor keeps them to itself before Python 3.14, and offers no way to end them before their work is done.
    return list((executor._processes or {}).values())  # noqa: SLF001


def _kill(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        if process.is_alive():
            process.kill()


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
    os.nice(_NICENESS)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


def _touch(functions: Sequence[Callable[..., object]]) -> int:
    """Do nothing: receiving the functions has imported their modules."""
    return len(functions)
