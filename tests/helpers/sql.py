"""Watching SQL statements."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any, NamedTuple


class Statement(NamedTuple):
    """One statement with the values of its parameters."""

    text: str
    values: list[Any]


class _Recorder(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.statements: list[Statement] = []

    def emit(self, record: logging.LogRecord) -> None:
        # Tortoise logs ("%s: %s", text, values); a script, which migrations alone use, is logged without values.
        if isinstance(record.args, tuple) and len(record.args) == 2:
            text, values = record.args
            self.statements.append(Statement(str(text), list(values) if isinstance(values, list | tuple) else []))
        else:
            self.statements.append(Statement(record.getMessage(), []))


@contextlib.contextmanager
def recorded_sql() -> Iterator[list[Statement]]:
    """Yield the list of the statements that run inside; begin and commit are none of them."""
    logger = logging.getLogger("tortoise.db_client")
    recorder, level = _Recorder(), logger.level
    logger.addHandler(recorder)
    logger.setLevel(logging.DEBUG)
    try:
        yield recorder.statements
    finally:
        logger.setLevel(level)
        logger.removeHandler(recorder)
