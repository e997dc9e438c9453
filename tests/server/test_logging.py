"""What a log line holds, and what it never holds."""

import json
import logging
import sys
from collections.abc import Iterator

import pytest

from domain.settings import Settings
from server.logging import JsonFormatter, TextFormatter, request_id, set_up_logging


@pytest.fixture(autouse=True)
def _kept_handlers() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def record(message: str, *values: object, **extra: object) -> logging.LogRecord:
    made = logging.getLogger("wonder.test").makeRecord(
        "wonder.test", logging.WARNING, "file.py", 1, message, values, None, extra=extra
    )
    made.created = 1_796_126_400.25
    return made


def failed(message: str) -> logging.LogRecord:
    made = record(message)
    try:
        int("史莱姆")
    except ValueError:
        made.exc_info = sys.exc_info()
    return made


def test_a_json_line_is_one_object() -> None:
    token = request_id.set("abc")
    try:
        line = JsonFormatter().format(record("task %s 完成", "t1", task="t1", count=2))
    finally:
        request_id.reset(token)
    assert json.loads(line) == {
        "at": "2026-12-01T12:00:00.250+00:00",
        "level": "WARNING",
        "logger": "wonder.test",
        "message": "task t1 完成",
        "request": "abc",
        "task": "t1",
        "count": 2,
    }
    assert "完成" in line


def test_a_line_cannot_be_broken_in_two() -> None:
    line = JsonFormatter().format(record("first\nsecond", name_of="a\r\nb"))
    assert "\n" not in line
    assert json.loads(line)["message"] == "first\nsecond"
    text = TextFormatter().format(record("GET /x\nFAKE line", name_of="a\nb"))
    assert "\n" not in text
    assert "GET /x\\nFAKE line" in text
    assert "\x1b" not in TextFormatter().format(record("\x1b[2J"))


def test_a_credential_that_gets_into_a_line_is_blanked_out() -> None:
    key, jwt, secret = "wk_" + "Ab3" * 16 + "x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2ln-_", "whsec_" + "Zm9v" * 8
    for credential in (key, jwt, secret):
        for formatter in (JsonFormatter(), TextFormatter()):
            line = formatter.format(record(f"refused {credential}, again", cause=f"({credential})"))
            assert credential not in line
            assert "refused (credential), again" in line
    harmless = "wk_ eyJ whsec_ worker_wk_1"
    assert json.loads(JsonFormatter().format(record(harmless)))["message"] == harmless


def test_a_traceback_is_kept() -> None:
    assert "史莱姆" in json.loads(JsonFormatter().format(failed("it failed")))["exception"]
    head, *trace = TextFormatter().format(failed("it failed")).split("\n")
    assert head.endswith("WARNING wonder.test: it failed")
    assert trace[-1].startswith("ValueError: ")


def test_a_text_line_bears_the_request() -> None:
    token = request_id.set("abc")
    try:
        assert TextFormatter().format(record("said", who="ada")).endswith("WARNING wonder.test: said who=ada [abc]")
    finally:
        request_id.reset(token)


def test_the_log_goes_to_standard_error_and_libraries_stay_quiet(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging(settings.model_copy(update={"log_level": "DEBUG", "log_format": "json"}))
    logging.getLogger("wonder.test").debug("ours")
    for name in ("tortoise.db_client", "aiosqlite", "uvicorn.access", "websockets.server", "httpx"):
        logging.getLogger(name).info("INSERT INTO user ... password_hash")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert [json.loads(line)["message"] for line in shown.err.splitlines()] == ["ours"]
