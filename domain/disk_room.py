"""Whether anything can be written to a folder's file system, without writing."""

import os
from pathlib import Path


def shortage(folder: Path) -> str | None:
    """Return why nothing can be written there, read-only or full, in words for people; None when something can.

    Blocks, so call it in a thread. Raises `OSError` when the folder cannot be reached.
    """
    status = os.statvfs(folder)
    if status.f_flag & os.ST_RDONLY:
        return "its file system is read-only"
    # Some file systems keep no account, and say that they have no blocks at all.
    free = status.f_bfree if os.geteuid() == 0 else status.f_bavail
    if status.f_blocks and not free:
        return "there is no space left on its device"
    return None
