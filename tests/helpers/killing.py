"""Commands of the program that are killed (SIGKILL) at the n-th step that they take in the file system.

Every opening for writing, renaming, removing and making of a folder is an audit event of Python's, so that no product
code has to take part.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.server import ROOT

_PROGRAM = """
import os, signal, sys
root, limit, report = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.path.insert(0, root)
from server.cli import main
steps = 0
WRITING = os.O_WRONLY | os.O_RDWR

def watch(event, arguments):
    global steps
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        if not (set(mode) & set("wax+") if mode else (flags or 0) & WRITING):
            return
    elif event not in {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "sqlite3.connect"}:
        return
    steps += 1
    if steps == limit:
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
code = main(sys.argv[4:])
taken = steps
with open(report, "w") as file:
    file.write(str(taken))
sys.exit(code)
"""


def steps_of(folder: Path, *arguments: str | Path, **variables: str) -> int:
    """Run a command to its end, which must be a good one; returns how many steps it took."""
    assert killed_at(0, folder, *arguments, **variables) == 0
    return int((folder / "steps").read_text())


def killed_at(step: int, folder: Path, *arguments: str | Path, **variables: str) -> int:
    """Run a command until its n-th step, counted from 1; returns the exit code, -9 unless it ended before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WONDER_")}
    given = [str(argument) for argument in arguments]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(ROOT), str(step), str(folder / "steps"), *given],
        env={**environment, "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode


def spread(steps: int, number: int) -> list[int]:
    """Return so many steps, spread evenly from the first to the last."""
    return sorted({1 + (steps - 1) * place // (number - 1) for place in range(number)})
