"""Filming with Runway: `POST /v1/text_to_video` and `/v1/image_to_video`, asked about as tasks.

Fields, models and states: the vendor's Python SDK, autumn 2026; codes of failures from its documentation. Tasks are not
listed and have no place for our name.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import Capabilities, JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.clips.work import clip_capabilities
from worker.providers.data_url import data_url
from worker.providers.errors import (
    BAD_ANSWER,
    CONTENT_POLICY,
    INVALID_REQUEST,
    QUOTA,
    UNAVAILABLE,
    FailureKind,
    failure,
)
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.jobs.service import (
    Look,
    ask,
    created_id,
    created_object,
    creation,
    gone,
    not_found_out,
    tell,
)

DEFAULT_URL: Final = "https://api.dev.runwayml.com"
DEFAULT_MODEL: Final = "gen4.5"
#: The version of the interface, without which nothing is answered.
VERSION_HEADER: Final = {"x-runway-version": "2024-11-06"}
#: Tells whose key it is, which costs nothing.
PROBE: Final = Call("GET", "/v1/organization")
_FROM_WORDS: Final = "/v1/text_to_video"
_FROM_A_PICTURE: Final = "/v1/image_to_video"
_WORD_RATIOS: Final = ("1280:720", "720:1280")
_PICTURE_RATIOS: Final = ("1280:720", "720:1280", "1104:832", "960:960", "832:1104", "1584:672")
_FILM_RATIOS: Final = ("1280:720", "720:1280", "1920:1080", "1080:1920")
#: Characters as JavaScript counts them: those beyond the basic plane are two.
_MAX_UNITS: Final = 1000
#: Those that do not begin with words only.
_NEEDS_A_PICTURE: Final = re.compile(r"^gen4_turbo|^gen3a_turbo")
_POLICY: Final = re.compile(r"SAFETY")
#: What it says in words only when it takes no task.
_MODERATED: Final = re.compile("moderat|safety", re.IGNORECASE)
_CREDITS: Final = re.compile("enough credits", re.IGNORECASE)
_OWN_FAULT: Final = re.compile(r"^(INTERNAL|THIRD_PARTY|INPUT_PREPROCESSING\.INTERNAL)")


class RunwayOptions(BaseModel):
    """`[provider.options]` of the type `runway`. What is left out is as Gen-4.5 and Veo have it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Shapes that the model films in, such as "1280:720", from words and from a picture; empty: as its name says.
    ratios: tuple[Annotated[str, Field(pattern=r"^\d{1,5}:\d{1,5}$")], ...] = ()
    picture_ratios: tuple[Annotated[str, Field(pattern=r"^\d{1,5}:\d{1,5}$")], ...] = ()
    #: Lengths that it makes, in seconds; empty: as its name says.
    durations: tuple[Annotated[int, Field(ge=1, le=60)], ...] = ()
    #: Whether it takes a seed; None: as its name says.
    seeds: bool | None = None
    check_seconds: float = Field(default=6, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def runway_seeds(model: str, options: RunwayOptions) -> bool:
    """Tell whether a model takes a seed."""
    return model.startswith("gen") if options.seeds is None else options.seeds


def runway_capabilities(model: str, options: RunwayOptions) -> Capabilities:
    """Return what a model films from."""
    return clip_capabilities(from_words=not _NEEDS_A_PICTURE.search(model), seeds=runway_seeds(model, options))


def judge_runway(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none: `{"error", "issues"?}`."""
    if answer.succeeded:
        return None
    said = str(answer.json_object().get("error") or "") or answer.text()
    refusal = refusal_by_status(answer, paid=paid, said=said, now=now)
    if refusal is None or refusal.kind is not INVALID_REQUEST:
        return refusal
    if _CREDITS.search(said):
        return Refusal(QUOTA, said)
    return Refusal(CONTENT_POLICY, said) if _MODERATED.search(said) else refusal


class Runway:
    """Films with one model."""

    def __init__(self, client: HttpClient, model: str, options: RunwayOptions) -> None:
        self._client = client
        self._model = model
        self._options = options
        veo = model.startswith("veo")
        self._durations = options.durations or ((4, 6, 8) if veo else tuple(range(2, 11)))
        self._ratios = options.ratios or (_FILM_RATIOS if veo else _WORD_RATIOS)
        self._picture_ratios = options.picture_ratios or options.ratios or (_FILM_RATIOS if veo else _PICTURE_RATIOS)

    async def create(self, order: ClipOrder, job_id: str) -> str:  # noqa: ARG002
        """Create a task."""
        route = _FROM_WORDS if order.frame is None else _FROM_A_PICTURE
        answer = await self._client.send(creation(route, self._body(order)))
        return created_id(self._client, answer, created_object(self._client, answer).get("id"))

    def _body(self, order: ClipOrder) -> dict[str, object]:
        request = order.request
        avoid = f"\nAvoid: {request.negative_prompt}." if request.negative_prompt else ""
        ratios = self._ratios if order.frame is None else self._picture_ratios
        body: dict[str, object] = {
            "model": self._model,
            "promptText": in_units(request.prompt, _MAX_UNITS - units(avoid)) + avoid,
            "ratio": fitting_ratio(request, ratios),
            "duration": fitting_seconds(wanted_seconds(request), self._durations),
        }
        if order.frame is not None:
            body["promptImage"] = data_url(order.frame)
        if runway_seeds(self._model, self._options):
            body["seed"] = request.seed
        return {**body, **self._options.extra}

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: tasks are not listed."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a task stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, Call("GET", f"/v1/tasks/{external_id}", aside=True))
        if body is None:
            return gone(name)
        match body.get("status"):
            case "SUCCEEDED":
                return self._done(body)
            case "FAILED":
                code = str(body.get("failureCode") or "")
                words = " ".join(part for part in (str(body.get("failure") or ""), f"({code})" if code else "") if part)
                said = self._client.service.without_secrets(words)
                return Look(JobFailed(failure(_kind_of(code), name, said=said, request_id=external_id)))
            case "CANCELLED":
                return gone(name, "The task was cancelled there.")
            case _:
                share = body.get("progress")
                return Look(JobRunning(float(share) if isinstance(share, int | float) else None))

    def _done(self, body: Mapping[str, object]) -> Look:
        output = body.get("output")
        urls = tuple(str(url) for url in output if url) if isinstance(output, list) else ()
        if not urls:
            said = "The job is done, and there is no clip."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        return Look(JobDone(), urls, report={"cost": body["cost"]} if body.get("cost") else {})

    async def cancel(self, external_id: str) -> None:
        """Cancel a task; one that has ended is deleted by the same."""
        await tell(self._client, Call("DELETE", f"/v1/tasks/{external_id}", aside=True))


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as the service counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def in_units(text: str, most: int) -> str:
    """Return the beginning of a text that has at most so many UTF-16 code units, no character of it cut."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, most)].decode("utf-16-le", "ignore")


def _kind_of(code: str) -> FailureKind:
    if _POLICY.search(code):
        return CONTENT_POLICY
    return UNAVAILABLE if not code or _OWN_FAULT.search(code) else INVALID_REQUEST
