"""Jobs of fal's queue, whatever the model makes.

Routes and states: the vendor's Python SDK and documentation, autumn 2026. A job lives under the first two parts of its
model's name. Its own addresses are told when it is created; of them only the path is believed, for with them goes the
key. That it is COMPLETED says that it has ended, not how.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from worker.callbacks.fal import KEYS_URL
from worker.providers.base import JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.errors import BAD_ANSWER, CONTENT_POLICY, INVALID_REQUEST, checked_request_id, failure
from worker.providers.fal.judge import kind_of, told_by
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
    object_of,
    tell,
)

DEFAULT_URL: Final = "https://queue.fal.run"
#: Asks for a job that cannot be: whoever may not come in is told so first.
PROBE: Final = Call("GET", "/fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status")
_PATH: Final = re.compile(r"/?([\w.-]+(?:/[\w.-]+){1,3}/requests/[\w-]+)")
_MAX_ID: Final = 200
_RUN_FAILED: Final = frozenset({INVALID_REQUEST.code, CONTENT_POLICY.code})
_RESULTS: Final = ("video", "videos", "image", "images", "output")
_REPORTED: Final = ("timings", "actual_prompt")


class Queue:
    """The part of a job's life that is the same for pictures and clips."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    async def create(self, model: str, given: Mapping[str, object], callback_url: str | None) -> str:
        """Create a job, of whose end the service tells at an address of ours; returns its path there.

        Raises `ProviderError`.
        """
        query = {"fal_webhook": callback_url} if callback_url is not None else {}
        answer = await self._client.send(replace(creation(f"/{model}", given), query=query))
        body = created_object(self._client, answer)
        number = created_id(self._client, answer, body.get("request_id"))
        path = _PATH.fullmatch(urlsplit(str(body.get("response_url") or "")).path)
        if path is not None and path[1].endswith(f"/{number}") and ".." not in path[1] and len(path[1]) <= _MAX_ID:
            return path[1]
        return f"{'/'.join(model.split('/')[:2])}/requests/{number}"

    async def keys(self) -> Mapping[str, object]:
        """Return what messages about jobs are signed with, as a list of JWK; raises `ProviderError`."""
        # They are public and lie elsewhere: the key stays here.
        call = Call("GET", KEYS_URL, headers={"authorization": ""}, aside=True)
        return object_of(self._client, await self._client.send(call))

    async def find(self) -> str | None:
        """Raise: jobs are not listed."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands; states that are not known count as being at work."""
        body = await ask(self._client, Call("GET", f"/{external_id}/status", aside=True))
        if body is None:
            return gone(self._client.service.name)
        if body.get("status") != "COMPLETED":
            return Look(JobRunning())
        if said := body.get("error"):
            return self._failed(str(said), (str(body.get("error_type") or ""),), external_id)
        return await self._result(external_id, body)

    async def _result(self, external_id: str, status: Mapping[str, object]) -> Look:
        try:
            answer = await self._client.send(Call("GET", f"/{external_id}", aside=True))
        except ProviderError as error:
            if error.code not in _RUN_FAILED:
                raise
            return Look(JobFailed(error))
        if not answer.succeeded:
            return self._failed(*told_by(answer), external_id)
        body = object_of(self._client, answer)
        flags = body.get("has_nsfw_concepts")
        if isinstance(flags, list) and flags and flags[0] is True:
            return self._failed("The picture was blacked out by the model's safety checker.", ("nsfw",), external_id)
        urls = tuple(url for name in _RESULTS for url in _addresses(body.get(name)))
        if not urls:
            said = "The job is done, and there is no file of it."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        report = {name: body[name] for name in _REPORTED if body.get(name)}
        if metrics := status.get("metrics"):
            report["metrics"] = metrics
        seed = body.get("seed")
        return Look(JobDone(), urls, seed if isinstance(seed, int) else None, report)

    def _failed(self, said: str, types: tuple[str, ...], external_id: str) -> Look:
        kind = kind_of(said, types)
        words = self._client.service.without_secrets(said)
        number = checked_request_id(external_id.rpartition("/")[2])
        return Look(JobFailed(failure(kind, self._client.service.name, said=words, request_id=number)))

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more: one at work is asked to stop."""
        await tell(self._client, Call("PUT", f"/{external_id}/cancel", aside=True))


def _addresses(value: object) -> Iterator[str]:
    """Yield the addresses of files, one or a list: each is an object with `url`, of some models the address itself."""
    if isinstance(value, list):
        for item in value:
            yield from _addresses(item)
    elif isinstance(value, Mapping):
        yield from _addresses(value.get("url"))
    elif isinstance(value, str) and value.startswith(("http://", "https://", "data:")):
        yield value
