"""The log: one line a thing that happened, as text or JSON, without secrets.

Query strings are never logged: file addresses carry signatures there, and sockets may carry a token. Should a
credential of ours get into a line all the same, in an exception's text for one, it is blanked out there.
"""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final

from domain.settings import Settings

#: The id of the request that is being answered; empty outside one.
request_id: ContextVar[str] = ContextVar("request_id", default="")

#: Loggers that would write parameters of statements, password hashes included, or the query strings of requests.
_NEVER_BELOW_WARNING: Final = (
    "tortoise",
    "tortoise.db_client",
    "aiosqlite",
    "asyncpg",
    "uvicorn.access",
    "uvicorn.error",
    "websockets",
    "httpx",
)
#: What a record has by itself; everything else was given as `extra`.
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


#: Line breaks and terminal codes that a client put into what is logged.
_ON_ONE_LINE: Final = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}


#: API keys, tokens (JWT, of which we issue those with this header), secrets of webhooks.
_CREDENTIAL: Final = re.compile(r"\bwk_[0-9A-Za-z]{8,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+|\bwhsec_[\w+/=-]{8,}")


def _blanked(line: str) -> str:
    return _CREDENTIAL.sub("(credential)", line)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: at, level, logger, message, request, and what was given as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id.get():
            fields["request"] = request_id.get()
        fields |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return _blanked(json.dumps(fields, ensure_ascii=False, default=str))


class TextFormatter(logging.Formatter):
    """Lines for people: time, level, logger, message, and the request's id where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and the traceback below it when there is one."""
        at = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S.%f")[:-3]
        request = f" [{request_id.get()}]" if request_id.get() else ""
        extra = "".join(f" {name}={value}" for name, value in vars(record).items() if name not in _STANDARD)
        line = f"{at} {record.levelname:7} {record.name}: {record.getMessage()}{extra}{request}".translate(_ON_ONE_LINE)
        return _blanked(f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line)


def set_up_logging(settings: Settings) -> None:
    """Send the log to standard error; standard output belongs to the program's own answers."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logging.basicConfig(level=settings.log_level, handlers=[handler], force=True)
    for name in _NEVER_BELOW_WARNING:
        logging.getLogger(name).setLevel(logging.WARNING)
