"""Functions that tests run in picture processes."""

import os
import sys
import time


def square(number: int) -> int:
    return number * number


def where(_: None) -> int:
    return os.getpid()


def main_module(_: None) -> str | None:
    """The file of the parent's program, if this process has loaded it."""
    module = sys.modules.get("__mp_main__")
    return getattr(module, "__file__", None)


def fail(text: str) -> None:
    raise ValueError(text)


def die(_: None) -> None:
    os._exit(9)


def hang(_: None) -> None:
    time.sleep(3600)
