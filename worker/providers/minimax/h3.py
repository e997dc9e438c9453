"""Filming with MiniMax-H3: `POST /v2/video_generation`, a list of contents in, a clip's address out.

Fields and states: the vendor's documentation and clients of others, autumn 2026; of this interface less is known than
of the first. A job may stand in the answer itself or in its `task`.
"""

import base64
from collections.abc import Mapping
from typing import Final

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.clips.plan import fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.errors import BAD_ANSWER, TIMEOUT, failure
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
from worker.providers.minimax.hailuo import MiniMaxOptions, failed, worded
from worker.providers.minimax.judge import complaint_of

_ROUTE: Final = "/v2/video_generation"
_RATIOS: Final = ("21:9", "16:9", "4:3", "1:1", "3:4", "9:16")
_MAX_PROMPT: Final = 2000
_LENGTHS: Final = tuple(range(5, 16))
_REPORTED: Final = ("usage", "duration", "ratio", "resolution")


def is_h3(model: str) -> bool:
    """Tell whether a model stands behind the second interface."""
    return "-H3" in model


class H3:
    """Films with one model of the second interface."""

    def __init__(self, client: HttpClient, model: str, options: MiniMaxOptions) -> None:
        self._client = client
        self._model = model
        self._options = options
        self._durations = options.durations or _LENGTHS

    async def create(self, order: ClipOrder, job_id: str) -> str:  # noqa: ARG002
        """Create a job."""
        content: list[dict[str, object]] = [{"type": "text", "text": worded(order, _MAX_PROMPT)}]
        if order.frame is not None:
            url = f"data:image/png;base64,{base64.b64encode(order.frame).decode()}"
            content.append({"type": "image_url", "image_url": {"url": url}, "role": "first_frame"})
        body: dict[str, object] = {
            "model": self._model,
            "content": content,
            "duration": fitting_seconds(wanted_seconds(order.request), self._durations),
            "resolution": self._options.resolution or "768P",
            "ratio": "adaptive" if order.frame is not None else fitting_ratio(order.request, _RATIOS),
            "watermark": False,
            **self._options.extra,
        }
        answer = await self._client.send(creation(_ROUTE, body))
        said = created_object(self._client, answer)
        job = _job(said)
        return created_id(self._client, answer, said.get("task_id") or job.get("task_id") or job.get("id"))

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: jobs are not listed."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, Call("GET", f"/v2/query/video_generation/{external_id}", aside=True))
        if body is None:
            return gone(name)
        job = _job(body)
        match job.get("status"):
            case "succeeded":
                return self._done(job)
            case "failed":
                return failed(self._client, *complaint_of(job), external_id)
            case "expired":
                return Look(JobFailed(failure(TIMEOUT, name, said="The job expired there.")))
            case "cancelled":
                return gone(name, "The job was cancelled there.")
            case _:
                return Look(JobRunning())

    def _done(self, job: Mapping[str, object]) -> Look:
        content = job.get("content")
        url = content.get("url") if isinstance(content, Mapping) else None
        if not url:
            said = "The job is done, and there is no clip."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        return Look(JobDone(), (str(url),), report={name: job[name] for name in _REPORTED if job.get(name)})

    async def cancel(self, external_id: str) -> None:
        """Do nothing: nothing is known of a way to stop a job."""


def _job(body: Mapping[str, object]) -> Mapping[str, object]:
    task = body.get("task")
    return task if isinstance(task, Mapping) else body
