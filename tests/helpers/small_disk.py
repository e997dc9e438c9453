"""A real server with a disk of its own that holds a few megabytes: it can be filled, emptied and made read-only.

The disk is a tmpfs in a mount namespace of the server's, for which no rights are needed where user namespaces are
allowed. From outside it is seen through the process's own root in /proc.
"""

import contextlib
import functools
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.server import ROOT, START, Server

_OWN_NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"]
_BALLAST = "ballast"
_REFUSED = "this machine allows no user namespaces, in which a disk could be mounted"


@functools.cache
def _is_allowed() -> bool:
    try:
        done = subprocess.run(
            [*_OWN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


def on_small_disk(folder: Path, size: str, *arguments: str | Path) -> tuple[int, str, list[str]]:
    """Run a command of the program with a folder that holds so much; returns exit code, complaints and what is left."""
    if not _is_allowed():
        pytest.skip(_REFUSED)
    folder.mkdir()
    script = f'mount -t tmpfs -o size={size} none "$0"; "$@"; code=$?; cd "$0" && find . -type f; exit $code'
    program = [sys.executable, "-c", START, str(ROOT), *(str(argument) for argument in arguments)]
    done = subprocess.run(
        [*_OWN_NAMESPACE, "sh", "-c", script, str(folder), *program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr, sorted(done.stdout.split())


class SmallDiskServer(Server):
    """Its data folder, or a folder below that, is the disk; a shell command may prepare it before each start."""

    def __init__(
        self, folder: Path, *, below: str = "", options: str = "size=6m", prepare: str = "true", **variables: str
    ) -> None:
        if not _is_allowed():
            pytest.skip(_REFUSED)
        super().__init__(folder, **variables)
        self._mounted = self.data_dir / below
        self._mounted.mkdir(parents=True)
        self._options, self._prepare = options, prepare

    def _command(self) -> list[str]:
        script = f'cd "$0" && mount -t tmpfs -o {self._options} none . && cd "$0" && {self._prepare} && exec "$@"'
        return [*_OWN_NAMESPACE, "sh", "-c", script, str(self._mounted), *super()._command()]

    @property
    def disk(self) -> Path:
        """The folder as the server sees it."""
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/root{self._mounted}")

    def fill(self) -> None:
        """Leave room for not a byte."""
        with (self.disk / _BALLAST).open("ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def make_room(self) -> None:
        (self.disk / _BALLAST).unlink()

    def remount(self, option: str) -> None:
        """Make the disk `ro` or `rw`; read-only only while no file is open for writing there."""
        assert self._process is not None
        enter = ["nsenter", "--preserve-credentials", "--target", str(self._process.pid), "--user", "--mount"]
        subprocess.run([*enter, "mount", "-o", f"remount,{option}", str(self._mounted)], check=True, timeout=30)
