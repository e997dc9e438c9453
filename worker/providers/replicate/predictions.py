"""Predictions of Replicate, whatever the model makes: created, asked about by id, cancelled.

Routes and states: the vendor's Python SDK and documentation, autumn 2026. A model is named `owner/name`,
`owner/name:version` or, one that the operator has deployed, `deployments/owner/name`. Its input is read from its
schema, which the service tells.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Final

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.data_url import data_url
from worker.providers.errors import BAD_ANSWER, TIMEOUT, failure
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.inputs.schema import InputField, Schema, read_schema
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
from worker.providers.replicate.judge import kind_of

DEFAULT_URL: Final = "https://api.replicate.com"
#: Tells whose key it is, which costs nothing.
PROBE: Final = Call("GET", "/v1/account")
#: Larger pictures are uploaded first: the service advises against larger `data:` URLs.
_INLINE_BYTES: Final = 190_000
_PREPARATION_SECONDS: Final = 25.0
#: How long a schema is believed: models get new versions.
_SCHEMA_SECONDS: Final = 3600.0
_DEPLOYMENT: Final = "deployments/"


class Predictions:
    """The part of a job's life that is the same for pictures and clips. `named` are fields of the operator's own."""

    def __init__(self, client: HttpClient, model: str, named: Schema, wait_seconds: int = 0) -> None:
        self._client = client
        self._model = model
        self._named = named
        self._wait_seconds = wait_seconds
        self._read: tuple[float, dict[str, InputField]] | None = None

    async def prepared(self, pictures: Sequence[bytes]) -> tuple[Schema, list[str]]:
        """Return the fields of the model's input, and addresses at which it can read PNGs; raises `ProviderError`.

        Takes so long at most that the creation after it ends within the time of a submission.
        """
        try:
            async with asyncio.timeout(_PREPARATION_SECONDS):
                schema = await self._schema()
                urls = await asyncio.gather(*(self._placed(one) for one in pictures))
        except TimeoutError:
            raise failure(TIMEOUT, self._client.service.name) from None
        return schema, list(urls)

    async def _schema(self) -> Schema:
        if self._read is None or time.monotonic() - self._read[0] > _SCHEMA_SECONDS:
            self._read = (time.monotonic(), read_schema(await self._document()))
        return {"prompt": InputField(), **self._read[1], **self._named}

    async def _document(self) -> object:
        """Return the OpenAPI document of the model's version."""
        name, _, version = self._model.partition(":")
        if name.startswith(_DEPLOYMENT):
            release = (await self._get(f"/v1/{name}")).get("current_release")
            found = release if isinstance(release, Mapping) else {}
            name, version = str(found.get("model")), str(found.get("version"))
        if version:
            return (await self._get(f"/v1/models/{name}/versions/{version}")).get("openapi_schema")
        latest = (await self._get(f"/v1/models/{name}")).get("latest_version")
        return latest.get("openapi_schema") if isinstance(latest, Mapping) else None

    async def _get(self, route: str) -> Mapping[str, object]:
        return object_of(self._client, await self._client.send(Call("GET", route, aside=True)))

    async def _placed(self, picture: bytes) -> str:
        """Return an address that holds the picture, or of a large one that was uploaded."""
        if len(picture) <= _INLINE_BYTES:
            return data_url(picture)
        file = ("content", "picture.png", picture, "image/png")
        call = Call("POST", "/v1/files", form={}, files=(file,), aside=True)
        urls = object_of(self._client, await self._client.send(call)).get("urls")
        if isinstance(urls, Mapping) and urls.get("get"):
            return str(urls["get"])
        raise failure(BAD_ANSWER, self._client.service.name, said="It took a picture and does not say where it is.")

    async def create(self, given: Mapping[str, object], callback_url: str | None) -> str:
        """Create a prediction, of whose end the service tells at an address of ours; raises `ProviderError`."""
        name, _, version = self._model.partition(":")
        body: dict[str, object] = {"input": given}
        if callback_url is not None:
            body |= {"webhook": callback_url, "webhook_events_filter": ["completed"]}
        if version:
            route, body = "/v1/predictions", {"version": version, **body}
        else:
            route = f"/v1/{name}/predictions" if name.startswith(_DEPLOYMENT) else f"/v1/models/{name}/predictions"
        headers = {"prefer": f"wait={self._wait_seconds}"} if self._wait_seconds else {}
        answer = await self._client.send(creation(route, body, headers))
        return created_id(self._client, answer, created_object(self._client, answer).get("id"))

    async def secret(self) -> str:
        """Return what messages about predictions of this account are signed with; raises `ProviderError`."""
        return str((await self._get("/v1/webhooks/default/secret")).get("key") or "")

    async def find(self) -> str | None:
        """Raise: predictions bear no name of ours."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a prediction stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, Call("GET", f"/v1/predictions/{external_id}", aside=True))
        if body is None:
            return gone(name)
        match body.get("status"):
            case "succeeded":
                return self._done(body)
            case "failed":
                said = self._client.service.without_secrets(str(body.get("error") or ""))
                return Look(JobFailed(failure(kind_of(said), name, said=said, request_id=external_id)))
            case "canceled" | "aborted":
                return gone(name, "The prediction was cancelled there.")
            case _:
                return Look(JobRunning())

    def _done(self, body: Mapping[str, object]) -> Look:
        name = self._client.service.name
        urls = tuple(_addresses(body.get("output")))
        if not urls and body.get("data_removed"):
            return gone(name, "What it made has been deleted there.")
        if not urls:
            said = "The prediction is done, and there is no file of it."
            return Look(JobFailed(failure(BAD_ANSWER, name, said=said)))
        report = {name: body[name] for name in ("metrics", "version") if body.get(name)}
        return Look(JobDone(), urls, report=report)

    async def cancel(self, external_id: str) -> None:
        """Cancel a prediction; that it has ended is no error."""
        await tell(self._client, Call("POST", f"/v1/predictions/{external_id}/cancel", aside=True))


def _addresses(output: object) -> list[str]:
    """Return the addresses in an output, which each model shapes as it likes."""
    if isinstance(output, str):
        return [output] if output.startswith(("http://", "https://", "data:")) else []
    items = output.values() if isinstance(output, Mapping) else output if isinstance(output, list) else ()
    return [address for item in items for address in _addresses(item)]
