"""A real server with a disk of its own that holds a few megabytes: it can be filled, emptied and made read-only.

The disk is a tmpfs in a mount namespace of the server's, for which no rights are needed where user namespaces are
allowed. From outside it is seen through the process's own root in /proc.
"""

import contextlib
import functools
import subprocess
from pathlib import Path

import pytest

from tests.helpers.server import Server

_OWN_NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"]
_BALLAST = "ballast"


@functools.cache
def _is_allowed() -> bool:
    try:
        done = subprocess.run(
            [*_OWN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


class SmallDiskServer(Server):
    """Its data folder, or a folder below that, is the disk; a shell command may prepare it before each start."""

    def __init__(
        self, folder: Path, *, below: str = "", options: str = "size=6m", prepare: str = "true", **variables: str
    ) -> None:
        if not _is_allowed():
            pytest.skip("this machine allows no user namespaces, in which a disk could be mounted")
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
