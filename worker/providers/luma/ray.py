"""Filming with Ray: `POST /generations/video`, asked about by id.

Fields and states: the vendor's Python SDK, autumn 2026. A clip may begin with a picture at a public address only,
which a server of one's own has none of: it is made from words. There is no seed and no place for our name of a job.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_lines, fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
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
from worker.providers.jobs.complaint import complaint_of
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

DEFAULT_URL: Final = "https://api.lumalabs.ai/dream-machine/v1"
DEFAULT_MODEL: Final = "ray-2"
#: Lists jobs, which costs nothing.
PROBE: Final = Call("GET", "/generations", query={"limit": "1", "offset": "0"})
_RATIOS: Final = ("1:1", "16:9", "9:16", "4:3", "3:4", "21:9", "9:21")
_LINES: Final = (540, 720, 1080)
_MAX_PROMPT: Final = 5000
_POLICY: Final = re.compile(r"moderat|content polic|blacklist|not allowed|safety|nsfw|inappropriate", re.IGNORECASE)
_CREDITS: Final = re.compile(r"insufficient credit|no credit", re.IGNORECASE)
_PASSING: Final = re.compile(r"internal|timed? ?out|try again|unavailable|overloaded", re.IGNORECASE)


class LumaOptions(BaseModel):
    """`[provider.options]` of the type `luma`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: None: the least that loses nothing, of 540p, 720p and 1080p.
    resolution: Literal["540p", "720p", "1080p", "4k"] | None = None
    #: Lengths that the model makes, in seconds.
    durations: tuple[Annotated[int, Field(ge=1, le=60)], ...] = (5, 9)
    loop: bool = False
    check_seconds: float = Field(default=5, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def judge_luma(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none: `{"detail": …}`; moderation and empty accounts are told of in words."""
    said, _ = complaint_of(answer.json_object().get("detail"))
    refusal = refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
    if refusal is None or refusal.kind is not INVALID_REQUEST:
        return refusal
    if _CREDITS.search(said):
        return Refusal(QUOTA, said)
    return Refusal(CONTENT_POLICY, said) if _POLICY.search(said) else refusal


class Luma:
    """Films with one model."""

    def __init__(self, client: HttpClient, model: str, options: LumaOptions) -> None:
        self._client = client
        self._model = model
        self._options = options

    async def create(self, order: ClipOrder, job_id: str) -> str:  # noqa: ARG002
        """Create a generation."""
        request, options = order.request, self._options
        avoid = f"\nAvoid: {request.negative_prompt}." if request.negative_prompt else ""
        body: dict[str, object] = {
            "model": self._model,
            "prompt": request.prompt[: _MAX_PROMPT - len(avoid)] + avoid,
            "aspect_ratio": fitting_ratio(request, _RATIOS),
            "duration": f"{fitting_seconds(wanted_seconds(request), options.durations)}s",
            "resolution": options.resolution or f"{fitting_lines(request, _LINES)}p",
            **({"loop": True} if options.loop else {}),
            **options.extra,
        }
        answer = await self._client.send(creation("/generations/video", body))
        return created_id(self._client, answer, created_object(self._client, answer).get("id"))

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: generations bear no name of ours."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a generation stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, Call("GET", f"/generations/{external_id}", aside=True))
        if body is None:
            return gone(name)
        match body.get("state"):
            case "completed":
                assets = body.get("assets")
                url = assets.get("video") if isinstance(assets, Mapping) else None
                if url:
                    return Look(JobDone(), (str(url),))
                said = "The job is done, and there is no clip."
                return Look(JobFailed(failure(BAD_ANSWER, name, said=said)))
            case "failed":
                said = self._client.service.without_secrets(str(body.get("failure_reason") or ""))
                return Look(JobFailed(failure(_kind_of(said), name, said=said, request_id=external_id)))
            case _:
                return Look(JobRunning())

    async def cancel(self, external_id: str) -> None:
        """Delete a generation, which is all that the service offers; whether it stops the work is not known."""
        await tell(self._client, Call("DELETE", f"/generations/{external_id}", aside=True))


def _kind_of(said: str) -> FailureKind:
    if _POLICY.search(said):
        return CONTENT_POLICY
    return UNAVAILABLE if _PASSING.search(said) else INVALID_REQUEST
