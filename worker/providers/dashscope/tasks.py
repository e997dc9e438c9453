"""Jobs of DashScope, whatever they make: created with `X-DashScope-Async`, asked about at `/tasks/{id}`.

Headers, envelope and states: the vendor's Python SDK, autumn 2026; error codes from its documentation. A job that has
failed is told of with status 200, and one that succeeded may hold a failure in the place of its result.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.errors import (
    AUTH,
    BAD_ANSWER,
    CONTENT_POLICY,
    INVALID_REQUEST,
    QUOTA,
    RATE_LIMITED,
    UNAVAILABLE,
    FailureKind,
    checked_request_id,
    failure,
)
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.refusal import Refusal, asked_wait, refusal_by_status
from worker.providers.jobs.service import (
    Look,
    ask,
    created_id,
    created_object,
    creation,
    gone,
    not_found_out,
)

DEFAULT_URL: Final = "https://dashscope.aliyuncs.com/api/v1"
#: Lists jobs, which costs nothing.
PROBE: Final = Call("GET", "/tasks", query={"page_no": "1", "page_size": "1"})
_ASYNC: Final = {"x-dashscope-async": "enable"}
_PREFIXES: Final[tuple[tuple[str, FailureKind], ...]] = (
    ("DataInspectionFailed", CONTENT_POLICY),
    ("IPInfringementSuspect", CONTENT_POLICY),
    ("InvalidApiKey", AUTH),
    ("AccessDenied", AUTH),
    ("Model.AccessDenied", AUTH),
    ("Arrearage", QUOTA),
    ("AllocationQuota", QUOTA),
    ("Throttling", RATE_LIMITED),
    ("InvalidParameter", INVALID_REQUEST),
    ("InvalidURL", INVALID_REQUEST),
    ("ModelNotFound", INVALID_REQUEST),
    ("UnsupportedOperation", INVALID_REQUEST),
    ("InternalError", UNAVAILABLE),
    ("ModelServiceFailed", UNAVAILABLE),
    ("ServiceUnavailable", UNAVAILABLE),
)
_VERSION: Final = re.compile(r"wanx?(\d+)\.(\d+)")
_NEWEST: Final = (99, 0)
_SERVERS_FAULT: Final = 500
#: Of a creation without the header above: a fault of the way there, not of the key.
_NOT_ASYNC: Final = "does not support synchronous calls"


def version_of(model: str) -> tuple[int, int]:
    """Return the version in a model's name; one without counts as the newest."""
    found = _VERSION.search(model)
    return (int(found[1]), int(found[2])) if found else _NEWEST


def kind_of(code: str) -> FailureKind | None:
    """Return the class of an error code, None for one that is not known."""
    return next((kind for prefix, kind in _PREFIXES if code.startswith(prefix)), None)


def judge_dashscope(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none: `{"code", "message", "request_id"}`."""
    body = answer.json_object()
    code, said = str(body.get("code") or ""), str(body.get("message") or "")
    if answer.succeeded and (not code or body.get("output")):
        return None
    number = checked_request_id(str(body.get("request_id") or "") or None)
    kind = kind_of(code) if answer.status < _SERVERS_FAULT else None
    if kind is AUTH and _NOT_ASYNC in said:
        kind = INVALID_REQUEST
    if kind is None:
        refusal = refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
        refusal = refusal or Refusal(INVALID_REQUEST, said)
        return Refusal(refusal.kind, refusal.said, refusal.retry_after_seconds, refusal.resend, number)
    # Words about a refused key may repeat it.
    return Refusal(kind, "" if kind is AUTH else said, asked_wait(answer, now), kind is RATE_LIMITED, number)


class Tasks:
    """The part of a job's life that is the same for pictures and clips."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    async def create(self, route: str, body: Mapping[str, object]) -> str:
        """Create a job; raises `ProviderError`."""
        answer = await self._client.send(creation(route, body, _ASYNC))
        return created_id(self._client, answer, _output(created_object(self._client, answer)).get("task_id"))

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: jobs bear no name of ours, and are not listed with what they were asked for."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands; states that are not known count as being at work."""
        body = await ask(self._client, Call("GET", f"/tasks/{external_id}", aside=True))
        if body is None:
            return gone(self._client.service.name)
        output = _output(body)
        match output.get("task_status"):
            case "SUCCEEDED":
                return self._done(output, body)
            case "FAILED":
                return self._failed(output, external_id)
            case "CANCELED":
                return gone(self._client.service.name, "The job was cancelled there.")
            case "UNKNOWN":
                return gone(self._client.service.name, "The job is not known there, or is older than a day.")
            case _:
                return Look(JobRunning())

    async def cancel(self, external_id: str) -> None:
        """Cancel a job that has not begun; that it has is no error."""
        await ask(self._client, Call("POST", f"/tasks/{external_id}/cancel", aside=True))

    def _done(self, output: Mapping[str, object], body: Mapping[str, object]) -> Look:
        urls = tuple(_urls(output))
        if not urls:
            results = output.get("results")
            first = results[0] if isinstance(results, Sequence) and results else {}
            return self._failed(first if isinstance(first, Mapping) else {}, str(output.get("task_id") or ""))
        said = {"usage": body.get("usage"), "actualPrompt": output.get("actual_prompt")}
        return Look(JobDone(), urls, report={name: value for name, value in said.items() if value})

    def _failed(self, fields: Mapping[str, object], external_id: str) -> Look:
        code = str(fields.get("code") or "")
        said = self._client.service.without_secrets(str(fields.get("message") or code))
        kind = kind_of(code) or (INVALID_REQUEST if code else BAD_ANSWER)
        number = checked_request_id(external_id)
        return Look(JobFailed(failure(kind, self._client.service.name, said=said, request_id=number)))


def _output(body: Mapping[str, object]) -> Mapping[str, object]:
    output = body.get("output")
    return output if isinstance(output, Mapping) else {}


def _urls(output: Mapping[str, object]) -> list[str]:
    """Return where the results lie, in each of the three forms in which they are told."""
    if url := output.get("video_url"):
        return [str(url)]
    items = output.get("results")
    found = [item.get("url") for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    choices = output.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, Mapping) else None
        content = message.get("content") if isinstance(message, Mapping) else None
        parts = content if isinstance(content, list) else []
        found += [part.get("image") for part in parts if isinstance(part, Mapping)]
    return [str(url) for url in found if url]
