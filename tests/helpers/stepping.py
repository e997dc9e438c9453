"""`wonder serve` that dies at the step it is told to, so that trials can stop it between any two things it writes.

A step is a change of a file by the server's own process (opened for writing, renamed, removed, a folder made or
removed), each commit of the database, before and after it, and each request to a bucket, before it goes and after its
answer has come. They are counted from outside the product: by an audit hook, and around the two drivers of databases
and the HTTP session of the S3 client.

STEPPING_KINDS says which of them count, and STEPPING_SIGNAL what is sent to itself instead of SIGKILL.

At SIGUSR1 it reads a number from the file that STEPPING_FILE names, and dies at so many steps from then; 0 is never.
"""

import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import asyncpg
from aiobotocore.httpsession import AIOHTTPSession

from server.cli import main
from tests.helpers.server import ROOT, Server

FILE_VARIABLE: Final = "STEPPING_FILE"
_KINDS_VARIABLE: Final = "STEPPING_KINDS"
_SIGNAL_VARIABLE: Final = "STEPPING_SIGNAL"
#: The kinds of steps.
FILES: Final = "files"
COMMITS: Final = "commits"
REQUESTS: Final = "requests"
ALL: Final = f"{FILES} {COMMITS} {REQUESTS}"
_PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from tests.helpers.stepping import serve; sys.exit(serve())"
)
_CHANGES: Final = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"})
_WRITES: Final = os.O_WRONLY | os.O_RDWR
#: The ending of the file that appears when the number has been read.
_ARMED: Final = "armed"
_ARMED_SECONDS: Final = 20


class _Countdown:
    """Kills this process, or sends it another signal, when so many steps have been made."""

    def __init__(self, ending: int) -> None:
        self._ending = ending
        self._left = 0

    def arm(self, steps: int) -> None:
        self._left = steps

    def step(self) -> None:
        if self._left > 0:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), self._ending)


def serve() -> int:
    """Run the server with everything counted that is to be."""
    countdown = _Countdown(int(os.environ.pop(_SIGNAL_VARIABLE)))
    kinds = os.environ.pop(_KINDS_VARIABLE).split()
    file = Path(os.environ.pop(FILE_VARIABLE))

    def arm(_signal: int, _frame: object) -> None:
        countdown.arm(int(file.read_text()))
        file.with_suffix(f".{_ARMED}").touch()

    if COMMITS in kinds:
        _count_commits(countdown.step)
    if REQUESTS in kinds:
        _count_requests(countdown.step)
    signal.signal(signal.SIGUSR1, arm)
    folder = sys.argv[sys.argv.index("--data-dir") + 1]
    if FILES in kinds:
        sys.addaudithook(lambda event, details: countdown.step() if _changes(event, details, folder) else None)
    return main(sys.argv[1:])


def _changes(event: str, details: tuple[Any, ...], folder: str) -> bool:
    if event == "open":
        path, _, flags = details
        return bool(flags & _WRITES) and _is_below(path, folder)
    return event in _CHANGES and _is_below(details[0], folder)


def _is_below(path: object, folder: str) -> bool:
    """Whether a path is in the data folder; one that is relative is so to a folder of the storage."""
    return isinstance(path, str | Path) and (not str(path).startswith("/") or str(path).startswith(folder))


def _count_commits(step: Callable[[], None]) -> None:
    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
            ending = statement == "COMMIT" and self.in_transaction
            if ending:
                step()
            cursor = super().execute(statement, *parameters)
            if ending:
                step()
            return cursor

        def commit(self) -> None:
            step()
            super().commit()
            step()

    connect, execute = sqlite3.connect, asyncpg.Connection.execute

    def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return connect(*arguments, factory=Connection, **options)

    async def executed(self: Any, query: str, *arguments: Any, **options: Any) -> str:
        ending = query.startswith("COMMIT")
        if ending:
            step()
        answer = await execute(self, query, *arguments, **options)
        if ending:
            step()
        return str(answer)

    sqlite3.connect = connected  # type: ignore[assignment]
    asyncpg.Connection.execute = executed


def _count_requests(step: Callable[[], None]) -> None:
    send = AIOHTTPSession.send

    async def sent(self: Any, request: Any) -> Any:
        step()
        answer = await send(self, request)
        step()
        return answer

    AIOHTTPSession.send = sent


class SteppingServer(Server):
    """A server that can be told to die, or, with SIGSTOP as its ending, to stand still."""

    def __init__(self, folder: Path, kinds: str = ALL, ending: int = signal.SIGKILL, **variables: str) -> None:
        self._file = folder / "steps"
        own = {FILE_VARIABLE: str(self._file), _KINDS_VARIABLE: kinds, _SIGNAL_VARIABLE: str(int(ending))}
        super().__init__(folder, **own | variables)
        self.program = (sys.executable, "-c", _PROGRAM, str(ROOT))

    @property
    def stands_still(self) -> bool:
        """Whether it has been stopped, by SIGSTOP, and not let go on."""
        assert self._process is not None
        return "State:\tT" in Path(f"/proc/{self._process.pid}/status").read_text()

    def die_at(self, steps: int) -> None:
        """Have it die at so many steps from now, or, with 0, live on; returns when it has understood, or died."""
        armed = self._file.with_suffix(f".{_ARMED}")
        armed.unlink(missing_ok=True)
        self._file.write_text(str(steps))
        self.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + _ARMED_SECONDS
        while not armed.exists() and self.exit_code is None:
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.005)
