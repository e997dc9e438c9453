"""Filming with Kling: `POST /v1/videos/text2video` and `/v1/videos/image2video`, asked about under the same path.

Fields: the vendor's documentation and clients of others, autumn 2026. A job bears our name as `external_task_id`, which
the service holds to be unique. There is no seed, and no way to stop a job.
"""

import base64
import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.errors import BAD_ANSWER, CONTENT_POLICY, INVALID_REQUEST, checked_request_id, failure
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.jobs.listing import Listed, Search
from worker.providers.jobs.service import CallbackUrl, Look, ask, created_id, created_object, creation, gone, object_of

DEFAULT_URL: Final = "https://api-singapore.klingai.com"
DEFAULT_MODEL: Final = "kling-v2-5-turbo"
#: Lists jobs, which costs nothing.
PROBE: Final = Call("GET", "/v1/videos/text2video", query={"pageNum": "1", "pageSize": "1"})
_PATHS: Final = ("text2video", "image2video")
_RATIOS: Final = ("16:9", "9:16", "1:1")
_MAX_PROMPT: Final = 2500
_PAGE: Final = 30
_PAGES: Final = 20
_MILLISECONDS: Final = 1000
_ANY_LENGTH: Final = re.compile(r"kling-v([3-9]|\d\d)")
#: How it says, in words only, that a clip was refused by its own checks.
_POLICY: Final = re.compile(r"risk control|sensitive|content policy|violat|风控|敏感|违规", re.IGNORECASE)


class KlingOptions(BaseModel):
    """`[provider.options]` of the type `kling`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["std", "pro"] = "pro"
    #: Lengths that the model makes, in seconds; empty: as the model's name says.
    durations: tuple[Annotated[int, Field(ge=1, le=60)], ...] = ()
    #: Of models that make sound; None: nothing is said of it.
    sound: bool | None = None
    #: Whether the service is to tell that a job has ended; it signs nothing, so that this only makes Wonder ask.
    callbacks: bool = False
    check_seconds: float = Field(default=5, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


class Kling:
    """Films with one model. An id of a job is its path and its number there."""

    def __init__(self, client: HttpClient, model: str, options: KlingOptions, callback_url: CallbackUrl) -> None:
        self._client = client
        self._model = model
        self._options = options
        self._callback_url = callback_url
        offered = tuple(range(3, 16)) if _ANY_LENGTH.search(model) else (5, 10)
        self._durations = options.durations or offered

    async def create(self, order: ClipOrder, job_id: str) -> str:
        """Create a job under our name."""
        path = _PATHS[0] if order.frame is None else _PATHS[1]
        answer = await self._client.send(creation(f"/v1/videos/{path}", self._body(order, job_id)))
        number = created_id(self._client, answer, _data(created_object(self._client, answer)).get("task_id"))
        return f"{path}/{number}"

    def _body(self, order: ClipOrder, job_id: str) -> dict[str, object]:
        request, options = order.request, self._options
        body: dict[str, object] = {
            "model_name": self._model,
            "prompt": request.prompt[:_MAX_PROMPT],
            "mode": options.mode,
            "duration": str(fitting_seconds(wanted_seconds(request), self._durations)),
            "external_task_id": job_id,
        }
        if request.negative_prompt:
            body["negative_prompt"] = request.negative_prompt[:_MAX_PROMPT]
        if order.frame is None:
            body["aspect_ratio"] = fitting_ratio(request, _RATIOS)
        else:
            body["image"] = base64.b64encode(order.frame).decode()  # a data: URL is refused
        if options.sound is not None:
            body["sound"] = "on" if options.sound else "off"
        if options.callbacks and (url := self._callback_url(job_id)):
            body["callback_url"] = url
        return {**body, **options.extra}

    async def find(self, job_id: str) -> str | None:
        """Look through both lists of jobs for our name."""
        for path in _PATHS:
            if found := await self._find_at(path, job_id):
                return found
        return None

    async def _find_at(self, path: str, job_id: str) -> str | None:
        async def page(number: int) -> list[Listed]:
            query = {"pageNum": str(number), "pageSize": str(_PAGE)}
            answer = await self._client.send(Call("GET", f"/v1/videos/{path}", query=query, aside=True))
            items = object_of(self._client, answer).get("data")
            if not isinstance(items, list):
                raise failure(BAD_ANSWER, self._client.service.name, said="There is no list in the answer.")
            return [_listed(path, item, job_id) for item in items if isinstance(item, Mapping)]

        return await Search(page, _PAGE, _PAGES).run(self._client.service.name, job_id)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands; states that are not known count as being at work."""
        body = await ask(self._client, Call("GET", f"/v1/videos/{external_id}", aside=True))
        if body is None:
            return gone(self._client.service.name)
        data = _data(body)
        match data.get("task_status"):
            case "succeed":
                return self._done(data)
            case "failed":
                return self._failed(data, external_id)
            case _:
                return Look(JobRunning())

    def _done(self, data: Mapping[str, object]) -> Look:
        result = data.get("task_result")
        videos = result.get("videos") if isinstance(result, Mapping) else None
        first = videos[0] if isinstance(videos, list) and videos and isinstance(videos[0], Mapping) else {}
        if not first.get("url"):
            said = "The job is done, and there is no clip."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        report = {name: first[name] for name in ("duration",) if first.get(name)}
        return Look(JobDone(), (str(first["url"]),), report=report)

    def _failed(self, data: Mapping[str, object], external_id: str) -> Look:
        said = self._client.service.without_secrets(str(data.get("task_status_msg") or ""))
        kind = CONTENT_POLICY if _POLICY.search(said) else INVALID_REQUEST
        number = checked_request_id(external_id.rpartition("/")[2])
        return Look(JobFailed(failure(kind, self._client.service.name, said=said, request_id=number)))

    async def cancel(self, external_id: str) -> None:
        """Do nothing: the service stops no job."""


def _data(body: Mapping[str, object]) -> Mapping[str, object]:
    """Return what is said of a job; newer versions say it as a list of one."""
    data = body.get("data")
    if isinstance(data, list):
        data = data[0] if data else None
    return data if isinstance(data, Mapping) else {}


def _listed(path: str, item: Mapping[str, object], job_id: str) -> Listed:
    created, info = item.get("created_at"), item.get("task_info")
    at = created / _MILLISECONDS if isinstance(created, int | float) else None
    ours = info.get("external_task_id") == job_id if isinstance(info, Mapping) else None
    return Listed(f"{path}/{item.get('task_id')}", at, ours)
