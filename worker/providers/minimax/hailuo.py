"""Filming with Hailuo: `POST /v1/video_generation`, asked about by id; the clip's address comes from a third route.

Fields and states: the vendor's documentation, autumn 2026. There is no place for our name of a job, no seed, and no way
to stop one. Clips from words are 16:9; from a picture they have its shape.
"""

import base64
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import Capabilities, JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.clips.work import clip_capabilities
from worker.providers.errors import BAD_ANSWER, INVALID_REQUEST, checked_request_id, failure
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.jobs.service import (
    Look,
    ask,
    created_id,
    created_object,
    creation,
    gone,
    not_found_out,
)
from worker.providers.minimax.judge import complaint_of, kind_of

DEFAULT_URL: Final = "https://api.minimax.io"
DEFAULT_MODEL: Final = "MiniMax-Hailuo-2.3"
_QUERY: Final = "/v1/query/video_generation"
#: Asks for a job that cannot be: whoever may not come in is told so first.
PROBE: Final = Call("GET", _QUERY, query={"task_id": "0"})
_MAX_PROMPT: Final = 2000
_ONE_LENGTH: Final = (6,)
_LENGTHS: Final = (6, 10)


class MiniMaxOptions(BaseModel):
    """`[provider.options]` of the type `minimax`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: None: 768P, and what the oldest models have by themselves.
    resolution: Literal["480P", "512P", "720P", "768P", "1080P", "2K"] | None = None
    #: Lengths that the model makes, in seconds; empty: as its name and resolution say.
    durations: tuple[Annotated[int, Field(ge=1, le=60)], ...] = ()
    #: Whether the service may write the prompt anew; of Hailuo.
    prompt_optimizer: bool = False
    check_seconds: float = Field(default=10, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def minimax_capabilities(model: str) -> Capabilities:
    """Return what a model films from: the oldest say so in their names."""
    name = model.lower()
    return clip_capabilities(from_words=not name.startswith("i2v"), from_pictures=not name.startswith("t2v"))


def worded(order: ClipOrder, longest: int) -> str:
    """Return the prompt with what is to be avoided, for which there is no field."""
    request = order.request
    avoid = f"\nAvoid: {request.negative_prompt}." if request.negative_prompt else ""
    return request.prompt[: max(0, longest - len(avoid))] + avoid[:longest]


class Hailuo:
    """Films with one model of the first interface."""

    def __init__(self, client: HttpClient, model: str, options: MiniMaxOptions) -> None:
        self._client = client
        self._model = model
        self._options = options
        oldest = "-01" in model
        self._resolution = options.resolution or (None if oldest else "768P")
        single = oldest or self._resolution == "1080P"
        self._durations = options.durations or (_ONE_LENGTH if single else _LENGTHS)

    async def create(self, order: ClipOrder, job_id: str) -> str:  # noqa: ARG002
        """Create a job."""
        body: dict[str, object] = {
            "model": self._model,
            "prompt": worded(order, _MAX_PROMPT),
            "duration": fitting_seconds(wanted_seconds(order.request), self._durations),
            "prompt_optimizer": self._options.prompt_optimizer,
        }
        if self._resolution is not None:
            body["resolution"] = self._resolution
        if order.frame is not None:
            body["first_frame_image"] = f"data:image/png;base64,{base64.b64encode(order.frame).decode()}"
        body |= self._options.extra
        answer = await self._client.send(creation("/v1/video_generation", body))
        return created_id(self._client, answer, created_object(self._client, answer).get("task_id"))

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: jobs are not listed."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands, and once it is done where its file lies; unknown states count as being at work."""
        body = await ask(self._client, Call("GET", _QUERY, query={"task_id": external_id}, aside=True))
        if body is None:
            return gone(self._client.service.name)
        match body.get("status"):
            case "Success":
                return await self._done(body)
            case "Fail":
                code, said = complaint_of(body)
                return failed(self._client, code, said or str(body.get("error_message") or ""), external_id)
            case _:
                return Look(JobRunning())

    async def _done(self, body: Mapping[str, object]) -> Look:
        query = {"file_id": str(body.get("file_id") or "")}
        answer = await ask(self._client, Call("GET", "/v1/files/retrieve", query=query, aside=True)) or {}
        file = answer.get("file")
        url = file.get("download_url") if isinstance(file, Mapping) else None
        if not url:
            said = "The job is done, and there is no file of it."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        report = {name: body[name] for name in ("video_width", "video_height") if body.get(name)}
        return Look(JobDone(), (str(url),), report=report)

    async def cancel(self, external_id: str) -> None:
        """Do nothing: the service stops no job."""


def failed(client: HttpClient, code: object, said: str, external_id: str) -> Look:
    """Return how a job stands that has failed."""
    kind = kind_of(code, said) or INVALID_REQUEST
    words = client.service.without_secrets(said)
    number = checked_request_id(external_id)
    return Look(JobFailed(failure(kind, client.service.name, said=words, request_id=number)))
