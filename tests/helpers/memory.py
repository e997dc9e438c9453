"""How much memory this process takes at most, from a moment on.

Not `ru_maxrss`: a program that was started begins with that of the one that started it, so that growth below the size
of a whole test run is not seen.
"""

from pathlib import Path

_PROCESS = Path("/proc/self")


def begin_peak() -> int:
    """Forget how much it was; returns how much it is, in KiB."""
    (_PROCESS / "clear_refs").write_text("5")
    return peak_kib()


def peak_kib() -> int:
    """Return how much it was at most since `begin_peak`, in KiB."""
    lines = (_PROCESS / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
