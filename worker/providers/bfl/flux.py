"""Painting with FLUX: `POST /v1/{model}`, asked about at the address that the answer names.

Fields and states: the vendor's API description and documentation, autumn 2026. A job lives in one region, whose host
`polling_url` names; the key goes there only when it is a host of the same domain. What was made lies there for ten
minutes. There is no way to stop a job, no list of jobs, and no transparency.
"""

import base64
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.errors import BAD_ANSWER, CONTENT_POLICY, UNAVAILABLE, FailureKind, checked_request_id, failure
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
from worker.providers.pictures.shot import Shot, Traits
from worker.providers.pictures.size import FreeSizes, nearest_ratio

DEFAULT_URL: Final = "https://api.bfl.ai"
DEFAULT_MODEL: Final = "flux-2-pro"
#: Tells how much credit is left, which costs nothing.
PROBE: Final = Call("GET", "/v1/credits")
_RESULT: Final = "/v1/get_result"
_RATIOS: Final = ("21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16", "9:21")
_HAS_RATIO: Final = re.compile(r"kontext|ultra")
_LOOKS: Final = re.compile(r"flux-2|kontext")
_MAX_PROMPT: Final = 4000
_MAX_ID: Final = 200
_FLUX_2: Final = FreeSizes(multiple=16, min_side=256, max_side=2048, max_ratio=4.0, max_pixels=2048 * 2048)
_FLUX_1: Final = FreeSizes(multiple=32, min_side=256, max_side=1440, max_pixels=1440 * 1440)


class FluxOptions(BaseModel):
    """`[provider.options]` of the type `flux`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: How many pictures the model looks at in all; None: as its name says.
    max_pictures: int | None = Field(default=None, ge=0, le=8)
    #: How much the service lets pass, 0 the least; None: its own.
    safety_tolerance: int | None = Field(default=None, ge=0, le=6)
    #: Whether the service may write the prompt anew.
    prompt_upsampling: bool = False
    check_seconds: float = Field(default=2, ge=0.1, le=3600)
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def flux_traits(model: str, options: FluxOptions) -> Traits:
    """Return what a model can: FLUX.2 looks at up to eight pictures, Kontext at one."""
    looks = (4 if "flux-2" in model else 1) if _LOOKS.search(model) else 0
    pictures = looks if options.max_pictures is None else options.max_pictures
    return Traits(seeds=True, edits=pictures > 0, references=max(0, pictures - 1))


class Flux:
    """Paints with one model. An id of a job is its number, or in another region its address without the scheme."""

    def __init__(self, client: HttpClient, model: str, options: FluxOptions) -> None:
        self._client = client
        self._model = model
        self._options = options

    async def create(self, order: Shot, job_id: str) -> str:  # noqa: ARG002
        """Create a job."""
        answer = await self._client.send(creation(f"/v1/{self._model}", self._body(order)))
        body = created_object(self._client, answer)
        number = created_id(self._client, answer, body.get("id"))
        return self._elsewhere(str(body.get("polling_url") or ""), number) or number

    def _body(self, order: Shot) -> dict[str, object]:
        avoid = f"\nAvoid: {order.negative_prompt}." if order.negative_prompt else ""
        body: dict[str, object] = {
            "prompt": order.prompt[: _MAX_PROMPT - len(avoid)] + avoid,
            "seed": order.seed,
            "output_format": "png",
        }
        if _HAS_RATIO.search(self._model):
            body["aspect_ratio"] = nearest_ratio(_RATIOS, order.width, order.height)
        else:
            sizes = _FLUX_2 if "flux-2" in self._model else _FLUX_1
            body["width"], body["height"] = sizes.choose(order.width, order.height)
        pictures = [*((order.source,) if order.source is not None else ()), *order.references]
        for number, picture in enumerate(pictures, 1):
            name = "input_image" if number == 1 else f"input_image_{number}"
            body[name] = base64.b64encode(picture).decode()
        if self._options.safety_tolerance is not None:
            body["safety_tolerance"] = self._options.safety_tolerance
        if self._options.prompt_upsampling:
            body["prompt_upsampling"] = True
        return {**body, **self._options.extra}

    def _elsewhere(self, url: str, number: str) -> str | None:
        """Return the address at which to ask, without the scheme; None for the usual one and one not to be trusted."""
        usual = f"{self._client.service.base_url}{_RESULT}?id={number}"
        if url == usual or not same_domain(url, self._client.service.base_url):
            return None
        address = url.partition("://")[2]
        return address if len(address) <= _MAX_ID else None

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: jobs are not listed."""
        raise not_found_out(self._client.service.name)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands; states that are not known count as being at work."""
        name = self._client.service.name
        body = await ask(self._client, self._question(external_id))
        if body is None:
            return gone(name)
        match body.get("status"):
            case "Ready":
                return self._done(body)
            case "Request Moderated" | "Content Moderated":
                return self._failed(CONTENT_POLICY, body, external_id)
            case "Error":
                return self._failed(UNAVAILABLE, body, external_id)
            case "Task not found":
                return gone(name)
            case _:
                share = body.get("progress")
                return Look(JobRunning(float(share) if isinstance(share, int | float) else None))

    def _question(self, external_id: str) -> Call:
        base = self._client.service.base_url
        if "/" in external_id:
            url = f"{urlsplit(base).scheme}://{external_id}"
            if same_domain(url, base):
                return Call("GET", url, aside=True)
        return Call("GET", _RESULT, query={"id": external_id}, aside=True)

    def _done(self, body: Mapping[str, object]) -> Look:
        result = body.get("result")
        result = result if isinstance(result, Mapping) else {}
        if not result.get("sample"):
            said = "The job is done, and there is no picture."
            return Look(JobFailed(failure(BAD_ANSWER, self._client.service.name, said=said)))
        seed = result.get("seed")
        report = {"duration": result["duration"]} if result.get("duration") else {}
        return Look(JobDone(), (str(result["sample"]),), seed if isinstance(seed, int) else None, report)

    def _failed(self, kind: FailureKind, body: Mapping[str, object], external_id: str) -> Look:
        details = body.get("details")
        reasons = details.get("Moderation Reasons") if isinstance(details, Mapping) else details
        words = ", ".join(str(reason) for reason in reasons) if isinstance(reasons, list) else str(reasons or "")
        said = self._client.service.without_secrets(
            ": ".join(part for part in (str(body.get("status")), words) if part)
        )
        number = checked_request_id(external_id.rpartition("=")[2])
        return Look(JobFailed(failure(kind, self._client.service.name, said=said, request_id=number)))

    async def cancel(self, external_id: str) -> None:
        """Do nothing: the service stops no job."""


def same_domain(url: str, base_url: str) -> bool:
    """Tell whether an address is of the same host, or of the same registered domain by HTTPS, and hides nothing."""
    there, here = urlsplit(url), urlsplit(base_url)
    if there.scheme != here.scheme or "@" in there.netloc or not there.hostname or not here.hostname:
        return False
    if there.netloc == here.netloc:
        return True
    domain = ".".join(here.hostname.split(".")[-2:])
    named = not domain.replace(".", "").isdigit() and "." in domain
    return (
        named and there.scheme == "https" and there.netloc == there.hostname and there.hostname.endswith(f".{domain}")
    )
