"""Counting SQL statements."""

import contextlib
import logging
from collections.abc import Iterator


class _Recorder(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.statements: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.statements.append(record.getMessage())


@contextlib.contextmanager
def recorded_sql() -> Iterator[list[str]]:
    """Yield the list of the statements, with their values, that run inside; begin and commit are none of them."""
    logger = logging.getLogger("tortoise.db_client")
    recorder, level = _Recorder(), logger.level
    logger.addHandler(recorder)
    logger.setLevel(logging.DEBUG)
    try:
        yield recorder.statements
    finally:
        logger.setLevel(level)
        logger.removeHandler(recorder)
