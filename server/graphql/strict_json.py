"""JSON as RFC 8259 writes it and not otherwise, in both directions.

Python's reader also takes NaN, byte order marks, UTF-16, lone surrogates and any depth; its writer also writes NaN.
"""

import json
import math
import re
from typing import Any, Final

#: Deeper than any request is, far from the interpreter's own limit.
MAX_DEPTH: Final = 100
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class NotJson(ValueError):
    """The text is not JSON, or not JSON that could be written again."""


def read_json(data: bytes | str) -> Any:  # noqa: ANN401 (JSON)
    """Return the value, or raise `NotJson` with what is wrong with the text, in words that quote none of it."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"it cannot be read from character {error.pos} on") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise (error if isinstance(error, NotJson) else NotJson("a number has too many digits")) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth_exceeds(value, MAX_DEPTH):
        raise _too_deep()
    if _SURROGATE_ESCAPE.search(text) is not None:
        _check_surrogates(value)
    return value


def write_json(value: object) -> str:
    """Return the value as compact JSON; raises `ValueError` for NaN and infinities."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _refuse_constant(name: str) -> object:
    raise NotJson(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotJson("a number is too large")
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _too_deep() -> NotJson:
    return NotJson(f"it is nested deeper than {MAX_DEPTH} levels")


def _depth_exceeds(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def _check_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotJson("a string holds half a character (a lone surrogate)") from None
