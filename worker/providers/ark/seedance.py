"""Filming with Seedance: `POST /contents/generations/tasks`, asked about by id until it has ended.

Fields and states: the vendor's Python SDK, autumn 2026; what each model takes, from its documentation and from users'
reports. The service has no place for our name of a job. It has one for the time after which a job expires, to the
second, and shows it in its list: a time made from our name is a mark by which a job is found again.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.ark.judge import code_of, kind_of, message_of
from worker.providers.base import Capabilities, JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.clips.work import clip_capabilities
from worker.providers.errors import BAD_ANSWER, INVALID_REQUEST, TIMEOUT, failure
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.jobs.listing import Listed, Search
from worker.providers.jobs.service import CallbackUrl, Look, ask, created_id, created_object, creation, gone, object_of

DEFAULT_MODEL: Final = "doubao-seedance-1-0-pro-250528"
_ROUTE: Final = "/contents/generations/tasks"
_RATIOS: Final = ("16:9", "4:3", "1:1", "3:4", "9:16", "21:9")
_MAX_PROMPT: Final = 4000
#: Pixels of a frame up to which the smallest resolution loses nothing.
_SMALL: Final = 864 * 480
#: Marks are one to two days, in seconds: no task waits so long, and the service takes up to three.
_DAY: Final = 86_400
_PAGE: Final = 100
_PAGES: Final = 5
_WITH_SOUND: Final = re.compile(r"seedance-(1-5|[2-9])")
_REPORTED: Final = ("usage", "resolution", "ratio", "duration", "framespersecond", "revised_prompt")


class SeedanceOptions(BaseModel):
    """`[provider.options]` of the type `seedance`. What is left out follows from the model's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: None: the least that loses nothing, 480p or 720p.
    resolution: Literal["480p", "720p", "1080p", "4k"] | None = None
    #: Shortest and longest clip that the model makes, in seconds.
    min_seconds: int | None = Field(default=None, ge=1, le=60)
    max_seconds: int | None = Field(default=None, ge=1, le=60)
    #: Whether the clip has sound; only sent to models that make any.
    sound: bool = False
    camera_fixed: bool | None = None
    watermark: bool = False
    #: `flex` costs half and takes hours: raise WONDER_EXTERNAL_LIMITS and WONDER_TASK_LIFE_LIMITS for it.
    service_tier: Literal["default", "flex"] | None = None
    #: Whether the service is to tell that a job has ended; it signs nothing, so that this only makes Wonder ask.
    callbacks: bool = False
    check_seconds: float = Field(default=5, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def seedance_capabilities(model: str) -> Capabilities:
    """Return what a model can make: some film from words only, some from pictures only, and say so in their names."""
    return clip_capabilities(from_words="i2v" not in model, from_pictures="t2v" not in model, seeds=True)


def mark_of(job_id: str) -> int:
    """Return the seconds after which the job of this name expires, of 86,400 that there are."""
    return _DAY + int.from_bytes(hashlib.sha256(job_id.encode()).digest()[:8]) % _DAY


class Seedance:
    """Films with one model, or with one endpoint of the operator's (`ep-…`)."""

    def __init__(self, client: HttpClient, model: str, options: SeedanceOptions, callback_url: CallbackUrl) -> None:
        self._client = client
        self._model = model
        self._options = options
        self._callback_url = callback_url
        shortest, longest = _lengths(model)
        first, last = options.min_seconds or shortest, options.max_seconds or longest
        self._seconds = range(first, max(first, last) + 1)

    async def create(self, order: ClipOrder, job_id: str) -> str:
        """Create a task."""
        answer = await self._client.send(creation(_ROUTE, self._body(order, job_id)))
        return created_id(self._client, answer, created_object(self._client, answer).get("id"))

    def _body(self, order: ClipOrder, job_id: str) -> dict[str, object]:
        request, options = order.request, self._options
        avoid = f"\nAvoid: {request.negative_prompt}." if request.negative_prompt else ""
        content: list[dict[str, object]] = [
            {"type": "text", "text": request.prompt[: _MAX_PROMPT - len(avoid)] + avoid}
        ]
        if order.frame is not None:
            url = f"data:image/png;base64,{base64.b64encode(order.frame).decode()}"
            content.append({"type": "image_url", "image_url": {"url": url}, "role": "first_frame"})
        small = request.params.width * request.params.height <= _SMALL
        body: dict[str, object] = {
            "model": self._model,
            "content": content,
            "resolution": options.resolution or ("480p" if small else "720p"),
            "ratio": "adaptive" if order.frame is not None else fitting_ratio(request, _RATIOS),
            "duration": fitting_seconds(wanted_seconds(request), self._seconds),
            "seed": request.seed,
            "watermark": options.watermark,
            "execution_expires_after": mark_of(job_id),
        }
        if _WITH_SOUND.search(self._model):
            body["generate_audio"] = options.sound
        if options.camera_fixed is not None:
            body["camera_fixed"] = options.camera_fixed
        if options.service_tier is not None:
            body["service_tier"] = options.service_tier
        if options.callbacks and (callback := self._callback_url(job_id)):
            body["callback_url"] = callback
        return {**body, **options.extra}

    async def find(self, job_id: str) -> str | None:
        """Look through the list of tasks for the one with our mark, from about the time when the name was made."""
        mark = mark_of(job_id)

        async def page(number: int) -> list[Listed]:
            query = {"page_num": str(number), "page_size": str(_PAGE)}
            answer = await self._client.send(Call("GET", _ROUTE, query=query, aside=True))
            items = object_of(self._client, answer).get("items")
            if not isinstance(items, list):
                raise failure(BAD_ANSWER, self._client.service.name, said="There is no list in the answer.")
            return [_listed(item, mark) for item in items if isinstance(item, Mapping)]

        return await Search(page, _PAGE, _PAGES).run(self._client.service.name, job_id)

    async def look(self, external_id: str) -> Look:
        """Ask how a task stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, Call("GET", f"{_ROUTE}/{external_id}", aside=True))
        if body is None:
            return gone(name)
        match body.get("status"):
            case "succeeded":
                return self._done(body)
            case "failed":
                error = body.get("error")
                kind = kind_of(code_of(error)) or INVALID_REQUEST
                said = self._client.service.without_secrets(message_of(error))
                return Look(JobFailed(failure(kind, name, said=said, request_id=external_id)))
            case "expired":
                return Look(JobFailed(failure(TIMEOUT, name, said="The job expired there.", request_id=external_id)))
            case "cancelled":
                return gone(name, "The job was cancelled there.")
            case _:
                return Look(JobRunning())

    def _done(self, body: Mapping[str, object]) -> Look:
        content = body.get("content")
        url = content.get("video_url") if isinstance(content, Mapping) else None
        if not url:
            said = "The job is done, and there is no clip."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        report = {field: body[field] for field in _REPORTED if body.get(field) is not None}
        seed = body.get("seed")
        return Look(JobDone(), (str(url),), seed if isinstance(seed, int) else None, report)

    async def cancel(self, external_id: str) -> None:
        """Cancel a task that waits in the queue; one at work cannot be stopped.

        Of one that has ended the same request would delete the record.
        """
        body = await ask(self._client, Call("GET", f"{_ROUTE}/{external_id}", aside=True))
        if body is not None and body.get("status") == "queued":
            await ask(self._client, Call("DELETE", f"{_ROUTE}/{external_id}", aside=True))


def _lengths(model: str) -> tuple[int, int]:
    """Return the shortest and longest clip of a model, in seconds."""
    if "seedance-1-0" in model or "seedance-1.0" in model:
        return 2, 12
    if "seedance-1-5" in model or "seedance-1.5" in model:
        return 4, 12
    return 4, 15 if "seedance" in model else 10


def _listed(item: Mapping[str, object], mark: int) -> Listed:
    created, expires = item.get("created_at"), item.get("execution_expires_after")
    at = float(created) if isinstance(created, int | float) else None
    return Listed(str(item.get("id")), at, None if expires is None else expires == mark)
