"""Reading what a model answers. Pure: whatever it says, the outcome is an opinion or none."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from worker.providers.errors import tidied

#: Every object closed and every property required: what strict JSON schemas of chat services demand.
SCHEMA: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["style", "subject", "use", "problems"],
    "properties": {
        "style": {"type": "number", "description": "0 to 1: fits the style."},
        "subject": {"type": "number", "description": "0 to 1: shows what was asked for."},
        "use": {"type": "number", "description": "0 to 1: can be used in a game as this type of asset."},
        "problems": {"type": "array", "items": {"type": "string"}, "description": "What to change, short; or nothing."},
    },
}
_SCORES: Final = ("style", "subject", "use")
_MAX_PROBLEMS: Final = 4
#: Of more sentences than these not even the beginning is read.
_MAX_READ: Final = 20
_THOUGHTS_END: Final = "</think>"


class NoOpinion(Exception):
    """The model's answer cannot be used; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of a picture."""

    #: The lowest of its scores, 0 to 1.
    score: float
    problems: tuple[str, ...]


def opinion_of(body: Mapping[str, object]) -> Opinion:
    """Read an answer of `/chat/completions`; raises `NoOpinion`."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise NoOpinion("The judge's answer has no message.")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise NoOpinion("The judge refused to judge.")
    if choice.get("finish_reason") == "length":
        raise NoOpinion("The judge's answer was cut off.")
    return _checked(_json_in(_text_of(message.get("content"))))


def _text_of(content: object) -> str:
    if isinstance(content, list):  # parts, as some servers send them
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _json_in(text: str) -> object:
    """Return the JSON object in a text, whatever a model wraps around it: thoughts, fences, words."""
    text = text.rpartition(_THOUGHTS_END)[2]
    start, end = text.find("{"), text.rfind("}")
    try:
        found: object = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        raise NoOpinion("The judge's answer is not JSON.") from None
    return found


def _checked(data: object) -> Opinion:
    if not isinstance(data, Mapping):
        raise NoOpinion("The judge's answer is not an object.")
    scores = [data.get(name) for name in _SCORES]
    numbers = [score for score in scores if isinstance(score, int | float) and not isinstance(score, bool)]
    if len(numbers) < len(_SCORES) or not all(0 <= score <= 1 for score in numbers):
        raise NoOpinion("The judge's scores are not numbers from 0 to 1.")
    problems = data.get("problems")
    told = problems[:_MAX_READ] if isinstance(problems, list) else []
    words = [tidied(problem) for problem in told if isinstance(problem, str)]
    return Opinion(float(min(numbers)), tuple(word for word in words if word)[:_MAX_PROBLEMS])
